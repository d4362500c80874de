"""Which folders to exclude is said where tests, examples or one folder are refused."""

import pytest

from helpers.support import MemorySource, check, skill_md
from skillbuild.config import Config
from skillbuild.report.run import Exclusion

GOOD, BAD = skill_md("good"), b"no header\n"


def exclusion(
    *bad: str, good: str = "skills/good", config: Config | None = None
) -> Exclusion | None:
    files = {f"{folder}/SKILL.md": BAD for folder in bad} | {f"{good}/SKILL.md": GOOD}
    return check(MemorySource(files), config).exclusion


@pytest.mark.parametrize(
    ("bad", "globs"),
    [
        (("tests/a",), ("/tests/",)),
        (("x/fixtures/tests/a", "x/fixtures/b"), ("/x/fixtures/",)),
        (("examples/a", "_templates/b"), ("/_templates/", "/examples/")),
    ],
)
def test_the_outermost_folders_for_tests_and_examples_are_to_be_excluded(
    bad: tuple[str, ...], globs: tuple[str, ...]
) -> None:
    assert exclusion(*bad) == Exclusion(globs, len(bad))


def test_no_valid_skill_would_be_left_out() -> None:
    assert exclusion("tests/a", "tests/b", good="tests/good") == Exclusion(
        ("/tests/a/", "/tests/b/"), 2
    )
    assert exclusion("tests/data/a", good="tests/good") == Exclusion(("/tests/data/a/",), 1)
    inside = exclusion("skills/good/examples/a")
    assert inside == Exclusion(("/skills/good/examples/a/",), 1)


def test_a_folder_of_any_name_is_told_if_all_that_is_refused_is_there_and_nothing_else() -> None:
    assert exclusion("old/a", "old/b/c") == Exclusion(("/old/",), 2, "old")
    assert exclusion("old/a") is None
    assert exclusion("old/a", "older/b") is None
    assert exclusion("skills/a", "skills/b") is None


def test_beside_others_tests_are_told_with_their_number() -> None:
    assert exclusion("tests/a", "skills/b") == Exclusion(("/tests/",), 1)


def test_files_for_tests_that_refuse_a_skill_are_to_be_excluded_and_not_the_skill() -> None:
    files = {"skills/a/SKILL.md": skill_md("a"), "skills/b/SKILL.md": skill_md("b")}
    pipes = ["skills/a/examples/x.png", "skills/a/examples/deep/y.png"]
    assert check(MemorySource(files, special=pipes)).exclusion == Exclusion(
        ("/skills/a/examples/",), 1
    )
    pipes.append("skills/a/other.png")
    assert check(MemorySource(files, special=pipes)).exclusion is None


def test_globs_of_the_settings_stay() -> None:
    config = Config(exclude=("/drafts/",))
    files = {"tests/a/SKILL.md": BAD, "drafts/b/SKILL.md": BAD, "good/SKILL.md": GOOD}
    assert check(files, config).exclusion == Exclusion(("/drafts/", "/tests/"), 1)


def test_nothing_is_said_of_a_folder_that_is_no_plain_glob() -> None:
    assert exclusion("tests/[a]/b", good="tests/good") is None
