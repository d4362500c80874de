"""What `check --fix` fixes, by cases: `cases/fix/*.txt` holds files, fixes and the diff.

The form is that of the cases of rules (`check/test_check.py`). Wanted are the lines of
`check --fix` about fixes and about what is left, and those of `--diff`. A case named `-unsafe` is
fixed with `--unsafe-fixes`.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from helpers import CASES, case_files
from helpers.fixing import applied, closing_of, plan_of
from helpers.support import MemorySource
from skillbuild.cli.fix import fix_lines
from skillbuild.diagnostics import escape
from skillbuild.fix.diff import diff_lines
from skillbuild.fix.fixers import FIXABLE
from skillbuild.fix.plan import Plan
from skillbuild.fix.write import planned
from skillbuild.rules.registry import RULES

FIX_CASES = sorted((CASES / "fix").glob("*.txt"))


def output_of(files: MemorySource, plan: Plan) -> str:
    fixed = planned(plan)
    lines = [*fix_lines(fixed, "", utf8=False), closing_of(files, plan)]
    lines += [escape(line) for line in diff_lines(plan, "")]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("file", FIX_CASES, ids=lambda file: file.stem)
def test_a_case_has_the_mends_that_it_wants(file: Path, *, update: bool) -> None:
    case = case_files.read(file)
    unsafe = file.stem.endswith("-unsafe")
    plan = plan_of(case.files, unsafe=unsafe)
    output = output_of(case.files, plan)
    if update and output != case.want:
        case_files.write_want(file, case, output)
    else:
        assert output == case.want


@pytest.mark.parametrize("file", FIX_CASES, ids=lambda file: file.stem)
def test_a_second_run_mends_nothing(file: Path) -> None:
    files = case_files.read(file).files
    for unsafe in (False, True):
        again = applied(files, plan_of(files, unsafe=unsafe))
        assert plan_of(again, unsafe=unsafe).steps == []


def test_every_fixable_rule_has_a_case() -> None:
    wanted = "".join(case_files.read(file).want for file in FIX_CASES)
    assert {code for code in FIXABLE if f"fixed[{code}]" not in wanted} == set()
    assert RULES.keys() >= FIXABLE


def test_bits_are_left_where_git_does_not_record_them() -> None:
    text = b"---\nname: a\ndescription: Does one thing.\n---\nDo it.\n"
    files = MemorySource({"a/SKILL.md": text}, executable=["a/SKILL.md"])
    plan = plan_of(files, with_bits=False)
    assert plan.steps == []
    assert [str(item.reason) for item in plan.left] == [
        "git ignores executable bits here; use git update-index --chmod"
    ]


def test_a_bit_that_is_left_does_not_keep_a_text_from_being_mended() -> None:
    text = b"---\nname: a\ndescription: Use: now\n---\nDo it.\n"
    files = MemorySource({"a/SKILL.md": text}, executable=["a/SKILL.md"])
    plan = plan_of(files, with_bits=False)
    fixed = planned(plan)
    assert [fix.code for fix in fixed.fixes] == ["yaml-unquoted-colon"]
    assert [item.code for item in fixed.left] == ["exec-markdown"]


_NUMBERS = "".join(f"  k{number}: {number}\n" for number in range(2000))


@pytest.mark.parametrize(
    "fields", [f"description: x\nmetadata:\n{_NUMBERS}", f"description: {20_000 * 'a. '}\n"]
)
def test_large_files_are_mended_in_time_that_grows_with_their_size(fields: str) -> None:
    """These took minutes while each edit was proved alone, and each sentence was measured."""
    files = MemorySource({"a/SKILL.md": f"---\nname: a\n{fields}---\nDo it.\n".encode()})
    started = time.monotonic()
    assert plan_of(files, unsafe=True).steps
    assert time.monotonic() - started < 15
