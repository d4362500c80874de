"""What it takes to publish skills, not only to check them: packed, staged, with their pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from skillbuild import brand, pack, publish
from skillbuild.check import Checked
from skillbuild.diagnostics import in_order
from skillbuild.emit import discovery, plain, site
from skillbuild.model import Change, Skill
from skillbuild.outline import Outline
from skillbuild.work import Made


@dataclass(frozen=True, slots=True)
class Press:
    """All that shapes what is published of every skill. `changes` are by directory."""

    writer: publish.StageWriter
    brand: brand.Brand
    theme: site.Theme
    changes: Mapping[str, Change]

    def make(self, skill: Skill, checked: Checked, outline: Outline, flat_name: str | None) -> Made:
        """Pack and stage one skill, and what is published about it alone."""
        formats = self.theme.config.formats
        told = [item.note() for item in in_order(checked.found)]
        notes = tuple(sorted(told, key=lambda note: not note.warns))
        packed = pack.pack_skill(skill, checked.icons, formats, checked.reasons, notes)
        entry = replace(packed.entry, flat_name=flat_name)
        sums, summary = self.writer.add(packed), None
        if "discovery" in formats:
            sums |= self.writer.write(discovery.emit_skill(entry))
            sums |= self.writer.write(plain.emit_skill(skill, entry))
        if "pages" in formats:
            change = self.changes.get(skill.directory)
            made = site.emit_skill(self.theme, skill, entry, packed.icons, outline, change)
            sums |= self.writer.write(made.pages)
            summary = made.summary
        return Made(entry, sums, summary)
