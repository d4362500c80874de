"""One skill through check, pack and emit, its files staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillbuild.check.skill import Checked
from skillbuild.compile.check_only import ObservedOutline, SkillChecker, result_of
from skillbuild.compile.pack import pack_skill
from skillbuild.compile.result import Lines, PublishedSkill, SkillResult
from skillbuild.config import Config
from skillbuild.diagnostics import in_order
from skillbuild.emit.emitter import EmittedSkill, Emitter
from skillbuild.model import Change, EntryFinding, Skill
from skillbuild.output.stage_writer import StageWriter
from skillbuild.release.entry import encode_entry
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader


@dataclass(frozen=True, slots=True)
class SkillCompiler:
    """Compiles one skill; an invalid one is only checked."""

    config: Config
    strict: bool
    emitters: Sequence[Emitter]
    writer: StageWriter
    changes: Mapping[str, Change]
    """The last change of each skill, by directory."""

    def run(self, tree: SkillTree, outline: Outline, reader: Reader) -> SkillResult:
        observed = ObservedOutline.of(outline)
        checked = SkillChecker(self.config, self.strict).check(tree, observed, reader)
        published = None
        if checked.skill is not None:
            published = self._publish(checked.skill, checked, observed)
        return result_of(tree, checked, observed, published)

    def _publish(self, skill: Skill, checked: Checked, outline: Outline) -> PublishedSkill:
        """Stage the files of a valid skill, and what every format has of it."""
        findings = _entry_findings(checked)
        packed = pack_skill(skill, checked.icons, self.config, checked.unlisted, findings)
        entry = packed.entry
        change = self.changes.get(skill.directory)
        emitted = EmittedSkill(skill, entry, packed.icons, outline, change)
        checksums = self.writer.add(packed.files())
        lines = {}
        for emitter in self.emitters:
            output = emitter.emit_skill(emitted)
            checksums += self.writer.write(output.files)
            if output.line is not None:
                lines[emitter.path] = output.line
        name, line = entry.text("name"), encode_entry(entry)
        return PublishedSkill(entry.path, name, line, Lines.of(lines), tuple(checksums))


def _entry_findings(checked: Checked) -> tuple[EntryFinding, ...]:
    """Warnings before notes, otherwise as they are reported."""
    findings = [item.for_entry() for item in in_order(checked.findings)]
    return tuple(sorted(findings, key=lambda item: not item.warns))
