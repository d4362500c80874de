"""Writes planned fixes to the folder of a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skillbuild.fix.plan import NewBit, NewText, Plan, Step
from skillbuild.report.json_reports import LeftFinding, ReportedFix
from skillbuild.storage import in_place


@dataclass(frozen=True, slots=True)
class Fixed:
    """The fixes that were made, or would be made, and the findings that are left. Both are sorted
    by path and line.
    """

    fixes: Sequence[ReportedFix]
    left: Sequence[LeftFinding]


def planned(plan: Plan) -> Fixed:
    """Return the fixes that would be made."""
    return Fixed(_in_order(plan.steps), plan.left)


def write(plan: Plan, folder: Path) -> Fixed:
    """Write each fix. A file is left unchanged if it was edited after it was read, or if it cannot
    be written.
    """
    done: list[Step] = []
    left = list(plan.left)
    for step in plan.steps:
        if reason := _write(step, folder):
            left += [LeftFinding(each.code, each.path, each.line, reason) for each in step.fixes()]
        else:
            done.append(step)
    return Fixed(_in_order(done), sorted(left, key=lambda item: (item.path, item.line or 0)))


def _write(step: Step, folder: Path) -> str:
    """Apply one step; return why it failed, or an empty string."""
    match step:
        case NewText(path, draft):
            old, new = draft.original.encode(), draft.text.encode()
            return in_place.rewrite(folder, path, old, new)
        case NewBit(path, executable):
            return in_place.set_executable(folder, path, executable)


def _in_order(steps: Sequence[Step]) -> list[ReportedFix]:
    fixes = (fix for step in steps for fix in step.fixes())
    return sorted(fixes, key=lambda fix: (fix.path, fix.line or 0))
