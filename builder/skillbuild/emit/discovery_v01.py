"""Discovery v0.1.0: `.well-known/skills/`, an index with the plain files of each skill beside it.

`<flat name>/SKILL.md` doubles as the stable raw address of a skill. The files stand on the
catalog's own origin under their own names, so only types that no browser runs are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbuild.emit.descriptions import short_description
from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput, Unchanged
from skillbuild.media.web_safe import web_fault
from skillbuild.model import Catalog, Entry, Listing, OutputFile, Skill
from skillbuild.text.json import json_document, json_line

_FOLDER = ".well-known/skills"


class DiscoveryV01Emitter(Emitter):
    """An index of the skills whose files can all be served, and those files."""

    path = f"{_FOLDER}/index.json"
    listing = Listing.DISCOVERY_01

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        entry = emitted.entry
        if entry.is_internal:
            return SkillOutput()
        is_offered = entry.is_listed(self.listing) and is_safe(entry)
        files = _files(emitted.skill, entry.flat_name, all_files=is_offered)
        return SkillOutput(files, _line(entry) if is_offered else None)

    def emit_catalog(
        self, catalog: Catalog, lines: Sequence[bytes], unchanged: Unchanged
    ) -> Iterator[OutputFile]:
        yield OutputFile(self.path, json_document({}, "skills", lines))


def _files(skill: Skill, flat_name: str, *, all_files: bool) -> Iterator[OutputFile]:
    """The files of a skill below its flat name: all of them, or SKILL.md alone."""
    for file in skill.files:
        if all_files or file.path == "SKILL.md":
            yield OutputFile(f"{_FOLDER}/{flat_name}/{file.path}", file.data)


def _line(entry: Entry) -> bytes:
    return json_line(
        {
            "name": entry.flat_name,
            "description": short_description(entry),
            "files": [item.path for item in entry.resources],
            "version": entry.skill_digest.short,
        }
    )


def is_safe(entry: Entry) -> bool:
    """True when every file may stand under its own name on the origin of the catalog.

    The rule `discovery-omitted` has said so before, but here a file would be written.
    """
    return all(web_fault(item.path) is None for item in entry.resources)
