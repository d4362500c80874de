"""`index.json`: the public index of SEP-2640 (June 2026), listed skills only, lean.

Served unchanged as `skill://index.json`. Its JSON Schema is `schemas/index.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbuild.model import Entry
from skillbuild.release.entry import archive_json
from skillbuild.release.record import INDEX_FILE
from skillbuild.text.json import json_line, json_pieces

PATH = INDEX_FILE


def line(entry: Entry) -> bytes | None:
    """What the index says of a skill; None for one that is not listed."""
    if not entry.listed:
        return None
    return json_line(
        {
            "name": entry.name,
            "description": entry.text("description"),
            "type": "skill-md",
            "url": entry.uri,
            "digest": str(entry.skill_md.digest),
            "frontmatter": entry.frontmatter,
            "archives": [archive_json(item) for item in entry.archives],
        }
    )


def pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The file, piece by piece: one entry a line, sorted by skill path."""
    return json_pieces({}, "skills", lines)
