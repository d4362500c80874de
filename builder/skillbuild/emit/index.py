"""`index.json`: the public index of SEP-2640 (June 2026), listed skills only, lean.

Served unchanged as `skill://index.json`. Its JSON Schema is `schemas/index.schema.json`.
"""

from __future__ import annotations

from skillbuild import jsontext
from skillbuild.model import Catalog, Entry, OutputFile
from skillbuild.record import INDEX_FILE, archive_json


def emit(catalog: Catalog) -> OutputFile:
    """One entry a line, sorted by skill path."""
    return OutputFile(INDEX_FILE, jsontext.document({}, "skills", map(_entry, catalog.listed)))


def _entry(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "description": entry.text("description"),
        "type": "skill-md",
        "url": entry.uri,
        "digest": str(entry.skill_md.digest),
        "frontmatter": entry.frontmatter,
        "archives": [archive_json(item) for item in entry.archives],
    }
