"""Discovery v0.1.0: `.well-known/skills/`, an index with the plain files of each skill beside it.

`<flat name>/SKILL.md` doubles as the stable raw address of a skill. The files stand on the
catalog's own origin under their own names, so only types that no browser runs are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbuild.media.web_safe import web_fault
from skillbuild.model import Entry, OutputFile, Skill
from skillbuild.text.json import json_document, json_line

_FOLDER = ".well-known/skills"
PATH = f"{_FOLDER}/index.json"


def emit_skill(skill: Skill, entry: Entry) -> Iterator[OutputFile]:
    """The files of one skill under its flat name: all of them, or SKILL.md alone."""
    if entry.flat_name is None or "internal" in entry.reasons:
        return
    complete = entry.listed and is_plain(entry)
    for file in skill.files:
        if complete or file.path == "SKILL.md":
            yield OutputFile(f"{_FOLDER}/{entry.flat_name}/{file.path}", file.data)


def line(entry: Entry) -> bytes | None:
    """What the index says of a skill.

    An entry it could not serve whole would make a client refuse all of it: that one has None.
    """
    if not entry.listed or entry.flat_name is None or not is_plain(entry):
        return None
    return json_line(
        {
            "name": entry.flat_name,
            "description": entry.text("description"),
            "files": [item.path for item in entry.resources],
            "version": entry.skill_digest.short,
        }
    )


def emit_catalog(lines: Iterable[bytes]) -> Iterator[OutputFile]:
    """The index of every skill that has a line in it."""
    yield OutputFile(PATH, json_document({}, "skills", lines))


def is_plain(entry: Entry) -> bool:
    """True when every file may stand under its own name, and the skill's name is no other's.

    OpenCode knows a skill by the name in its SKILL.md, and loads one of several at random.
    """
    return entry.flat_name == entry.name and all(
        web_fault(item.path) is None for item in entry.resources
    )
