"""`index.json`: the public index of SEP-2640 (June 2026). It contains every skill that is not
internal.

Name and frontmatter are copied unchanged, even if they violate the specification. The server offers
this file unchanged as `skill://index.json`. The JSON Schema of the file is
`release/schemas/index.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput
from skillbuild.model import Catalog, Entry, Listing, OutputFile, plain
from skillbuild.release.layout import INDEX_FILE
from skillbuild.text.json import json_document, json_line


class IndexEmitter(Emitter):
    """Writes `index.json`, the only format that every release contains."""

    path = INDEX_FILE
    listing = Listing.INDEX

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        return SkillOutput(line=_line(emitted.entry))

    def emit_catalog(self, catalog: Catalog, lines: Sequence[bytes]) -> Iterator[OutputFile]:
        yield OutputFile(self.path, json_document({}, "skills", lines))


def _line(entry: Entry) -> bytes:
    return json_line(
        {
            "name": entry.title,
            "description": entry.text("description"),
            "type": "skill-md",
            "url": entry.uri,
            "digest": str(entry.skill_md.digest),
            "frontmatter": entry.frontmatter,
            "archives": plain(entry.archives),
        }
    )
