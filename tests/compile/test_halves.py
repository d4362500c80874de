"""A check by two processes ends as one by a single process does, whatever becomes of the second."""

import os
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from helpers.support import MemorySource, outline_in, skill_md
from skillbuild.compile.check_only import SkillChecker
from skillbuild.compile.halves import is_worth_it, run_halves
from skillbuild.compile.result import SkillResult, SkillStep
from skillbuild.config import Config
from skillbuild.errors import GitError
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there a check forks")

SOURCE = MemorySource(
    {
        f"{name}/{path}": data
        for name in ("a", "b", "c", "d", "e")
        for path, data in [
            ("SKILL.md", skill_md(name, body="See [it](docs/x.md) and [b](../b/SKILL.md).")),
            *[(f"docs/{number}.md", b"x") for number in range(60)],
        ]
    }
)
OUTLINE = outline_in(SOURCE)
CHECKER = SkillChecker(Config(), strict=False)


def alone(step: SkillStep) -> list[SkillResult]:
    with SOURCE.reader() as reader:
        return [step.run(tree, OUTLINE, reader) for tree in OUTLINE.skills]


def by_two(step: SkillStep) -> Generator[SkillResult]:
    with SOURCE.reader() as reader:
        yield from run_halves(SOURCE, step, OUTLINE, OUTLINE.skills, reader)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A step that does something in all processes but this one, or in this one alone."""

    process: int
    here: bool = False
    status: int | None = None

    def run(self, tree: SkillTree, outline: Outline, reader: Reader) -> SkillResult:
        if (os.getpid() == self.process) is self.here:
            if self.status is not None:
                os._exit(self.status)
            raise GitError("no more objects")
        return CHECKER.run(tree, outline, reader)


def children() -> set[str]:
    """The processes that this one has started and not waited for."""
    return {
        child
        for task in Path(f"/proc/{os.getpid()}/task").iterdir()
        for child in (task / "children").read_text().split()
    }


@pytest.fixture(autouse=True)
def no_child_is_left() -> Iterator[None]:
    before = children()
    yield
    assert children() <= before


def test_two_processes_give_the_results_of_one_in_order() -> None:
    assert is_worth_it(OUTLINE.skills)
    assert list(by_two(CHECKER)) == alone(CHECKER)


@pytest.mark.parametrize("status", [None, 0, 3])
def test_what_the_second_process_does_not_hand_over_is_done_by_the_first(
    status: int | None,
) -> None:
    assert list(by_two(Elsewhere(os.getpid(), status=status))) == alone(CHECKER)


def test_a_fault_in_the_first_process_ends_the_second() -> None:
    with pytest.raises(GitError, match="no more objects"):
        list(by_two(Elsewhere(os.getpid(), here=True)))


def test_who_wants_no_more_results_ends_the_second_process() -> None:
    results = by_two(CHECKER)
    next(results)
    results.close()


def test_little_work_is_done_by_one_process() -> None:
    assert not is_worth_it(OUTLINE.skills[:1])
    assert not is_worth_it(OUTLINE.skills[:2])
