"""Checks, packs and emits one skill, and stages its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skillbuild.check.facts.gather import gather
from skillbuild.check.skill import Checked
from skillbuild.check.trust.evidence import Evidence
from skillbuild.compile.check_only import ObservedOutline, SkillChecker, result_of
from skillbuild.compile.pack import Packed, pack_skill
from skillbuild.compile.result import Lines, PublishedSkill, SkillResult
from skillbuild.compile.states import StateResults
from skillbuild.compile.versions import VersionCompiler
from skillbuild.config import Config
from skillbuild.diagnostics import finding, in_order
from skillbuild.emit.emitter import EmittedGone, EmittedSkill, Emitter, SkillOutput
from skillbuild.model import Change, EntryFinding, Gone, Skill, changed
from skillbuild.output.stage_writer import StageWriter
from skillbuild.paths import EVALS, base_name, inside
from skillbuild.release.entry import encode_entry
from skillbuild.release.versions import encode_gone
from skillbuild.rules.source import VERSION_ADDRESS
from skillbuild.source.lineage import State
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader

CLASH_HINT = "change a file in one of these versions, or add the older version to [yanked]"


@dataclass(frozen=True, slots=True)
class SkillCompiler:
    """Compiles one skill. If the skill is invalid, it is only checked."""

    config: Config
    strict: bool
    emitters: Sequence[Emitter]
    writer: StageWriter
    changes: Mapping[str, Change]
    """The last change of each skill, and of its evals, by directory."""
    states: Mapping[str, Sequence[State]] = field(default_factory=dict)
    """The past states that are versions of each skill, by directory, newest first."""
    ends: Mapping[str, Change] = field(default_factory=dict)
    """The commit that removed each skill that is no longer in the source, by directory."""
    earlier: Mapping[str, StateResults] = field(default_factory=dict)
    """The last build's results for the states of each skill, by directory."""
    clashes: Mapping[str, str] = field(default_factory=dict)
    """The same as `VersionCompiler.clashes`; a skill is refused if its current files are such a
    version.
    """
    evidence: Evidence = field(default_factory=Evidence)

    def run(self, tree: SkillTree, outline: Outline, reader: Reader) -> SkillResult:
        if not tree.leaves:
            return self._run_gone(tree, reader)
        observed = ObservedOutline.of(outline)
        checked = SkillChecker(self.config, self.strict, self.evidence).check(
            tree, observed, reader
        )
        skill = checked.skill
        if skill is None:
            return result_of(tree, checked, observed)
        findings = _entry_findings(checked)
        packed = pack_skill(skill, checked.icons, self.config, checked.unlisted, findings)
        if clash := self.clashes.get(packed.entry.skill_digest.hex):
            refusal = finding(VERSION_ADDRESS, tree.skill_file, None, clash, CLASH_HINT)
            checked = replace(checked, findings=(*checked.findings, refusal))
            return result_of(tree, checked, observed)
        packed = replace(
            packed,
            entry=changed(
                packed.entry,
                facts=gather(skill, checked.documents, (tree.licenses, reader), checked.hidden),
                trust=checked.trust,
                group=tree.group,
                plugin=tree.plugin,
            ),
        )
        published, states = self._publish(skill, packed, checked, observed, reader)
        return replace(result_of(tree, checked, observed, published), states=states)

    def _publish(
        self, skill: Skill, packed: Packed, checked: Checked, outline: Outline, reader: Reader
    ) -> tuple[PublishedSkill, StateResults]:
        """Stage the files of a valid skill and the output of every format."""
        versions = self._versions().run(skill, packed, checked.documents, reader)
        entry = changed(packed.entry, versions=versions.published)
        emitted = EmittedSkill(
            skill,
            entry,
            packed.icons,
            outline,
            checked.documents,
            self.changes.get(skill.directory),
            versions.history,
            self.changes.get(inside(skill.directory, EVALS)),
        )
        lines, emitted_files = self._emit(lambda emitter: emitter.emit_skill(emitted))
        checksums = (*self.writer.add(packed.files()), *versions.checksums, *emitted_files)
        name, line = entry.text("name"), encode_entry(entry)
        published = PublishedSkill(entry.path, name, line, lines, checksums, versions.tally)
        return published, versions.results

    def _emit(self, emit: Callable[[Emitter], SkillOutput]) -> tuple[Lines, list[bytes]]:
        """Stage the files that each format writes for a skill; return its lines and the checksum
        lines.
        """
        lines, checksums = {}, list[bytes]()
        for emitter in self.emitters:
            output = emit(emitter)
            checksums += self.writer.write(output.files)
            if output.line is not None:
                lines[emitter.path] = output.line
        return Lines.of(lines), checksums

    def _versions(self) -> VersionCompiler:
        return VersionCompiler(
            self.config,
            self.emitters,
            self.writer,
            self.states,
            self.earlier,
            self.clashes,
            self.evidence,
        )

    def _run_gone(self, tree: SkillTree, reader: Reader) -> SkillResult:
        """Publish the versions of a skill that is no longer in the source."""
        versions = self._versions().run_gone(tree.directory, reader)
        if not versions.published:
            withheld = versions.tally.withheld
            return SkillResult(tree.directory, (), 0, withheld=withheld, states=versions.results)
        end = self.ends[tree.directory]
        gone = Gone(
            path=versions.path,
            directory=tree.directory,
            commit=end.commit,
            seconds=end.seconds,
            versions=versions.published,
        )
        emitted = EmittedGone(gone, versions.history)
        lines, emitted_files = self._emit(lambda emitter: emitter.emit_gone(emitted))
        checksums = (*versions.checksums, *emitted_files)
        name, line = base_name(gone.path), encode_gone(gone)
        published = PublishedSkill(gone.path, name, line, lines, checksums, versions.tally)
        return SkillResult(tree.directory, (), 0, published=published, states=versions.results)


def _entry_findings(checked: Checked) -> tuple[EntryFinding, ...]:
    """Return warnings before notes, otherwise in the order of the report."""
    findings = [item.for_entry() for item in in_order(checked.findings)]
    return tuple(sorted(findings, key=lambda item: not item.warns))
