"""A check of some skills by two processes: the second is a fork, which has loaded all it needs.

Workers of a pool would take longer to start than a few dozen skills take to be checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from skillbuild.compile import fork
from skillbuild.compile.chunks import CHUNK, run_chunk
from skillbuild.compile.result import SkillResult, SkillStep
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader, Source

_FILES_WORTH_A_FORK = 150


def is_worth_it(skills: Sequence[SkillTree]) -> bool:
    """Whether a fork is safe, without other threads, and there is enough to do for two."""
    return (
        fork.is_safe()
        and len(skills) > 1
        and sum(len(tree.leaves) for tree in skills) >= _FILES_WORTH_A_FORK
    )


def run_halves(
    source: Source,
    step: SkillStep,
    outline: Outline,
    skills: Sequence[SkillTree],
    reader: Reader,
) -> Iterator[SkillResult]:
    """One result for each skill, in the order given.

    What the other process does not hand over is done here.
    """
    middle = _middle(skills)

    def second_half() -> list[SkillResult]:
        with source.reader() as its_own:
            return list(_run(step, skills[middle:], outline, its_own))

    with fork.meanwhile(second_half) as result:
        yield from _run(step, skills[:middle], outline, reader)
        results = result()
    yield from _run(step, skills[middle:], outline, reader) if results is None else results


def _middle(skills: Sequence[SkillTree]) -> int:
    """How many of the skills have half of the files."""
    files = list(accumulate(len(tree.leaves) for tree in skills))
    return sum(number <= files[-1] / 2 for number in files)


def _run(
    step: SkillStep, skills: Sequence[SkillTree], outline: Outline, reader: Reader
) -> Iterator[SkillResult]:
    for start in range(0, len(skills), CHUNK):
        yield from run_chunk(step, skills[start : start + CHUNK], outline, reader)
