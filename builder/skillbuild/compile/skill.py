"""One skill through check, pack and emit, its files staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from skillbuild.check.skill import Checked
from skillbuild.compile.check_only import ObservedOutline, SkillChecker, result_of
from skillbuild.compile.pack import pack_skill
from skillbuild.compile.result import Lines, PublishedSkill, SkillResult
from skillbuild.compile.states import StateResults
from skillbuild.compile.versions import VersionCompiler
from skillbuild.config import Config
from skillbuild.diagnostics import in_order
from skillbuild.emit.emitter import EmittedGone, EmittedSkill, Emitter
from skillbuild.model import Change, EntryFinding, Gone, Skill, changed
from skillbuild.output.stage_writer import StageWriter
from skillbuild.paths import base_name
from skillbuild.release.entry import encode_entry
from skillbuild.release.versions import encode_gone
from skillbuild.source.lineage import State
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
    states: Mapping[str, Sequence[State]] = field(default_factory=dict)
    """Those of the directory of each skill that are versions of it, the newest first."""
    ends: Mapping[str, Change] = field(default_factory=dict)
    """The commit that took away each skill that is no longer in the source, by directory."""
    earlier: Mapping[str, StateResults] = field(default_factory=dict)
    """What the last build made of the states of a skill, by directory."""

    def run(self, tree: SkillTree, outline: Outline, reader: Reader) -> SkillResult:
        if not tree.leaves:
            return self._run_gone(tree, reader)
        observed = ObservedOutline.of(outline)
        checked = SkillChecker(self.config, self.strict).check(tree, observed, reader)
        if checked.skill is None:
            return result_of(tree, checked, observed)
        published, states = self._publish(checked.skill, checked, observed, reader)
        return replace(result_of(tree, checked, observed, published), states=states)

    def _publish(
        self, skill: Skill, checked: Checked, outline: Outline, reader: Reader
    ) -> tuple[PublishedSkill, StateResults]:
        """Stage the files of a valid skill, and what every format has of it."""
        findings = _entry_findings(checked)
        packed = pack_skill(skill, checked.icons, self.config, checked.unlisted, findings)
        versions = self._versions().run(skill, packed, reader)
        entry = changed(packed.entry, versions=versions.published)
        emitted = EmittedSkill(
            skill,
            entry,
            packed.icons,
            outline,
            checked.documents,
            self.changes.get(skill.directory),
            versions.summaries,
            versions.left_out,
            versions.events,
            versions.yanked,
            versions.first,
        )
        checksums = [*self.writer.add(packed.files()), *versions.checksums]
        lines = {}
        for emitter in self.emitters:
            output = emitter.emit_skill(emitted)
            checksums += self.writer.write(output.files)
            if output.line is not None:
                lines[emitter.path] = output.line
        name, line = entry.text("name"), encode_entry(entry)
        published = PublishedSkill(
            entry.path, name, line, Lines.of(lines), tuple(checksums), versions.tally
        )
        return published, versions.results

    def _versions(self) -> VersionCompiler:
        return VersionCompiler(self.config, self.emitters, self.writer, self.states, self.earlier)

    def _run_gone(self, tree: SkillTree, reader: Reader) -> SkillResult:
        """Publish the versions of a skill that is no longer in the source."""
        versions = self._versions().run_gone(tree.directory, reader)
        if not versions.summaries:
            withheld = versions.tally.withheld
            return SkillResult(tree.directory, (), 0, withheld=withheld, states=versions.results)
        path = versions.events[-1].path
        end = self.ends[tree.directory]
        gone = Gone(
            path=path,
            directory=tree.directory,
            commit=end.commit,
            seconds=end.seconds,
            versions=versions.published,
        )
        emitted = EmittedGone(
            gone, versions.summaries, versions.left_out, versions.events, versions.yanked
        )
        checksums = list(versions.checksums)
        lines = {}
        for emitter in self.emitters:
            output = emitter.emit_gone(emitted)
            checksums += self.writer.write(output.files)
            if output.line is not None:
                lines[emitter.path] = output.line
        name, line = base_name(gone.path), encode_gone(gone)
        published = PublishedSkill(
            gone.path, name, line, Lines.of(lines), tuple(checksums), versions.tally, is_gone=True
        )
        return SkillResult(tree.directory, (), 0, published=published, states=versions.results)


def _entry_findings(checked: Checked) -> tuple[EntryFinding, ...]:
    """Warnings before notes, otherwise as they are reported."""
    findings = [item.for_entry() for item in in_order(checked.findings)]
    return tuple(sorted(findings, key=lambda item: not item.warns))
