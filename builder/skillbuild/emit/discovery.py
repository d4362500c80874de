"""Discovery v0.2.0: `.well-known/agent-skills/index.json`, for the catalog and for each skill.

A skill of one file is offered as that file, any other as its zip (Agent Skills Discovery RFC,
Discovery Index). Addresses are relative to the index, so one output works under any URL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbuild import jsontext
from skillbuild.archive import ZIP_TYPE
from skillbuild.model import Catalog, Entry, OutputFile
from skillbuild.record import markdown_path

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
_INDEX = ".well-known/agent-skills/index.json"


def emit_skill(entry: Entry) -> Iterator[OutputFile]:
    """An index of one skill below its page, which installs it with a few requests."""
    if entry.listed:
        yield _index(f"skills/{entry.path}/", [entry])


def emit_catalog(catalog: Catalog) -> Iterator[OutputFile]:
    """The index of every listed skill that has a flat name."""
    yield _index("", catalog.listed)


def _index(folder: str, entries: Iterable[Entry]) -> OutputFile:
    path = folder + _INDEX
    root = "../" * path.count("/")
    described = [item for entry in entries if (item := _describe(entry, root))]
    return OutputFile(path, jsontext.document({"$schema": SCHEMA}, "skills", described))


def _describe(entry: Entry, root: str) -> dict[str, object] | None:
    """Exactly the five fields that clients know; None for what they could not fetch."""
    single = markdown_path(entry)
    zips = [item for item in entry.archives if item.media_type == ZIP_TYPE]
    if entry.flat_name is None or not (single or zips):
        return None
    if single:
        kind, path, digest = "skill-md", single, entry.skill_md.digest
    else:
        kind, path, digest = "archive", f"archives/{zips[0].file_name}", zips[0].digest
    return {
        "name": entry.flat_name,
        "type": kind,
        "description": entry.text("description"),
        "url": root + path,
        "digest": str(digest),
    }
