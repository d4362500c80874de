"""Discovery v0.2.0: `.well-known/agent-skills/index.json`, for the catalog and for each skill.

A skill of one file is offered as that file, any other as its zip (Agent Skills Discovery RFC,
Discovery Index). Addresses are relative to the index, so one output works under any URL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbuild.media.archive import ZIP_TYPE
from skillbuild.model import Entry, OutputFile
from skillbuild.release.record import markdown_path
from skillbuild.text.json import json_document, json_line

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
PATH = ".well-known/agent-skills/index.json"


def emit_skill(entry: Entry) -> Iterator[OutputFile]:
    """An index of one skill below its page, which installs it with a few requests."""
    if entry.listed:
        path = f"skills/{entry.path}/{PATH}"
        said = _line(entry, path)
        yield _index(path, [said] if said else [])


def line(entry: Entry) -> bytes | None:
    """What the index says of a skill; None for one that is not listed or has no flat name."""
    return _line(entry, PATH) if entry.listed else None


def emit_catalog(lines: Iterable[bytes]) -> Iterator[OutputFile]:
    """The index of every skill that has a line in it."""
    yield _index(PATH, lines)


def _index(path: str, lines: Iterable[bytes]) -> OutputFile:
    return OutputFile(path, json_document({"$schema": SCHEMA}, "skills", lines))


def _line(entry: Entry, index: str) -> bytes | None:
    """Exactly the five fields that clients know; None for what they could not fetch."""
    root = "../" * index.count("/")
    single = markdown_path(entry)
    zips = [item for item in entry.archives if item.media_type == ZIP_TYPE]
    if entry.flat_name is None or not (single or zips):
        return None
    if single:
        kind, path, digest = "skill-md", single, entry.skill_md.digest
    else:
        kind, path, digest = "archive", f"archives/{zips[0].file_name}", zips[0].digest
    return json_line(
        {
            "name": entry.flat_name,
            "type": kind,
            "description": entry.text("description"),
            "url": root + path,
            "digest": str(digest),
        }
    )
