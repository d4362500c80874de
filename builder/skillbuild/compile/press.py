"""What it takes to publish skills, not only to check them: packed, staged, with their pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from skillbuild.check.skill import Checked
from skillbuild.compile import pack
from skillbuild.compile.branding import Brand
from skillbuild.compile.work import Made, Told
from skillbuild.config import Config
from skillbuild.diagnostics import in_order
from skillbuild.emit import discovery_v01, discovery_v02, index, llms, marketplace
from skillbuild.emit.site import emitter
from skillbuild.model import Change, Entry, Skill
from skillbuild.output.stage_writer import StageWriter
from skillbuild.release import record
from skillbuild.release.entry import encode_entry
from skillbuild.source.outline import Outline


@dataclass(frozen=True, slots=True)
class Press:
    """All that shapes what is published of every skill. `changes` are by directory."""

    writer: StageWriter
    brand: Brand
    theme: emitter.Theme
    changes: Mapping[str, Change]

    def make(self, skill: Skill, checked: Checked, outline: Outline) -> Made:
        """Pack and stage one skill, and what is published about it alone."""
        formats, flat_name = self.theme.config.formats, outline.flat.get(skill.path)
        told = [item.for_entry() for item in in_order(checked.findings)]
        notes = tuple(sorted(told, key=lambda note: not note.warns))
        packed = pack.pack_skill(skill, checked.icons, formats, checked.reasons, notes)
        entry = replace(packed.entry, flat_name=flat_name)
        checksums, lines = self.writer.add(packed), _lines(entry, self.theme.config)
        if "discovery" in formats:
            checksums += self.writer.write(discovery_v02.emit_skill(entry))
            checksums += self.writer.write(discovery_v01.emit_skill(skill, entry))
        if "pages" in formats:
            change = self.changes.get(skill.directory)
            made = emitter.emit_skill(self.theme, skill, entry, packed.icons, outline, change)
            checksums += self.writer.write(made.pages)
            lines |= {emitter.PATH: made.card} if made.card else {}
        return Made(Told(entry.path, entry.text("name"), flat_name, lines), tuple(checksums))


def _lines(entry: Entry, config: Config) -> dict[str, bytes]:
    """What the files about all skills say of one, by their paths."""
    lines = {record.RECORD_FILE: encode_entry(entry), index.PATH: index.line(entry)}
    if "discovery" in config.formats:
        lines[discovery_v02.PATH] = discovery_v02.line(entry)
        lines[discovery_v01.PATH] = discovery_v01.line(entry)
        lines[llms.PATH] = llms.line(entry, config.base_url)
    if config.base_url and marketplace.name_for(config):
        lines[marketplace.PATH] = marketplace.line(entry, config.base_url)
    return {path: line for path, line in lines.items() if line is not None}
