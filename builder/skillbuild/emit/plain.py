"""Discovery v0.1.0: `.well-known/skills/`, an index with the plain files of each skill beside it.

`<flat name>/SKILL.md` doubles as the stable raw address of a skill. The files stand on the
catalog's own origin under their own names, so only types that no browser runs are written.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbuild import inert, jsontext
from skillbuild.model import Catalog, Entry, OutputFile, Skill

_FOLDER = ".well-known/skills"


def emit_skill(skill: Skill, entry: Entry) -> Iterator[OutputFile]:
    """The files of one skill under its flat name: all of them, or SKILL.md alone."""
    if entry.flat_name is None or "internal" in entry.reasons:
        return
    complete = entry.listed and is_plain(entry)
    for file in skill.files:
        if complete or file.path == "SKILL.md":
            yield OutputFile(f"{_FOLDER}/{entry.flat_name}/{file.path}", file.data)


def emit_catalog(catalog: Catalog) -> Iterator[OutputFile]:
    """The index; one entry it could not serve whole would make a client refuse all of it."""
    described = [
        {
            "name": entry.flat_name,
            "description": entry.text("description"),
            "files": [item.path for item in entry.resources],
            "version": entry.skill_digest.short,
        }
        for entry in catalog.listed
        if entry.flat_name is not None and is_plain(entry)
    ]
    yield OutputFile(f"{_FOLDER}/index.json", jsontext.document({}, "skills", described))


def is_plain(entry: Entry) -> bool:
    """True when every file may stand under its own name, and the skill's name is no other's.

    OpenCode knows a skill by the name in its SKILL.md, and loads one of several at random.
    """
    return entry.flat_name == entry.name and all(
        inert.fault(item.path) is None for item in entry.resources
    )
