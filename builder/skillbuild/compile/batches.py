"""Many skills compiled, in this process or in several, by the same step for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.compile.check_only import SkillChecker
from skillbuild.compile.chunks import CHUNK, run_chunk
from skillbuild.compile.processes import CORES, workers_for
from skillbuild.compile.request import Request
from skillbuild.compile.result import SkillResult, SkillStep
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName, read_names
from skillbuild.source.tree import Leaf, Reader

_NAMES_WORTH_A_WORKER = 2000
"""SKILL.md files of which only the names are read, for which one more process is started."""


@dataclass(frozen=True, slots=True)
class BatchCompiler:
    """Runs a step over skills; a `Compiler`."""

    request: Request
    step: SkillStep

    def read_names(
        self, skill_files: Sequence[Leaf], reader: Reader
    ) -> Iterator[tuple[str, DeclaredName]]:
        """As `survey.read_names`, with workers where there are many files."""
        most = self.request.options.jobs or CORES
        count = min(most, 1 + len(skill_files) // _NAMES_WORTH_A_WORKER)
        if count == 1:
            yield from read_names(skill_files, reader, self.request.config)
            return
        from skillbuild.compile import workers

        for names, seconds in workers.read_names(self.request, self.step, skill_files, count):
            self.request.profile.worker_seconds += seconds
            yield from names

    def compile(
        self, skills: Sequence[SkillTree], outline: Outline, reader: Reader
    ) -> Iterator[SkillResult]:
        """One result for each skill, in the order given, whatever the number of workers."""
        if (count := workers_for(self.request.options.jobs, len(skills))) > 1:
            from skillbuild.compile import workers

            source = self.request.source
            yield from workers.run_step(source, self.step, outline, skills, count)
            return
        if CORES > 1 and not self.request.options.jobs and isinstance(self.step, SkillChecker):
            from skillbuild.compile import halves

            if halves.is_worth_it(skills):
                source = self.request.source
                yield from halves.run_halves(source, self.step, outline, skills, reader)
                return
        for start in range(0, len(skills), CHUNK):
            yield from run_chunk(self.step, skills[start : start + CHUNK], outline, reader)
