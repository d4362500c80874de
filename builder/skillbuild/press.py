"""What it takes to publish skills, not only to check them: packed, staged, with their pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from skillbuild import brand, entryline, pack, record
from skillbuild.check import Checked
from skillbuild.config import Config
from skillbuild.diagnostics import in_order
from skillbuild.emit import discovery, index, llms, marketplace, plain, site
from skillbuild.model import Change, Entry, Skill
from skillbuild.outline import Outline
from skillbuild.stagewriter import StageWriter
from skillbuild.work import Made, Told


@dataclass(frozen=True, slots=True)
class Press:
    """All that shapes what is published of every skill. `changes` are by directory."""

    writer: StageWriter
    brand: brand.Brand
    theme: site.Theme
    changes: Mapping[str, Change]

    def make(self, skill: Skill, checked: Checked, outline: Outline) -> Made:
        """Pack and stage one skill, and what is published about it alone."""
        formats, flat_name = self.theme.config.formats, outline.flat.get(skill.path)
        told = [item.note() for item in in_order(checked.found)]
        notes = tuple(sorted(told, key=lambda note: not note.warns))
        packed = pack.pack_skill(skill, checked.icons, formats, checked.reasons, notes)
        entry = replace(packed.entry, flat_name=flat_name)
        sums, lines = self.writer.add(packed), _lines(entry, self.theme.config)
        if "discovery" in formats:
            sums += self.writer.write(discovery.emit_skill(entry))
            sums += self.writer.write(plain.emit_skill(skill, entry))
        if "pages" in formats:
            change = self.changes.get(skill.directory)
            made = site.emit_skill(self.theme, skill, entry, packed.icons, outline, change)
            sums += self.writer.write(made.pages)
            lines |= {site.PATH: made.card} if made.card else {}
        return Made(Told(entry.path, entry.text("name"), flat_name, lines), tuple(sums))


def _lines(entry: Entry, config: Config) -> dict[str, bytes]:
    """What the files about all skills say of one, by their paths."""
    lines = {record.RECORD_FILE: entryline.encode(entry), index.PATH: index.line(entry)}
    if "discovery" in config.formats:
        lines[discovery.PATH] = discovery.line(entry)
        lines[plain.PATH] = plain.line(entry)
        lines[llms.PATH] = llms.line(entry, config.base_url)
    if config.base_url and marketplace.name_for(config):
        lines[marketplace.PATH] = marketplace.line(entry, config.base_url)
    return {path: line for path, line in lines.items() if line is not None}
