"""Writes planned mends into the folder of a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skillbuild.fix.changes import Mend, Unmended
from skillbuild.fix.plan import NewBit, NewName, NewText, Plan, Step
from skillbuild.storage import in_place


@dataclass(frozen=True, slots=True)
class Fixed:
    """What was mended, or would be, and what was left."""

    mends: Sequence[Mend]
    left: Sequence[Unmended]


def planned(plan: Plan) -> Fixed:
    """What would be mended."""
    return Fixed(_in_order(plan.steps), plan.left)


def write(plan: Plan, folder: Path) -> Fixed:
    """Write each mend, unless its file is not any more as it was read, or cannot be written."""
    done: list[Step] = []
    left = list(plan.left)
    for step in plan.steps:
        if reason := _write(step, folder):
            left += [Unmended(each.code, each.path, each.line, reason) for each in step.mends()]
        else:
            done.append(step)
    return Fixed(_in_order(done), sorted(left, key=lambda item: (item.path, item.line or 0)))


def _write(step: Step, folder: Path) -> str:
    """Why a step was not done; empty if it was."""
    match step:
        case NewText(path, draft):
            old, new = draft.original.encode(), draft.text.encode()
            return in_place.rewrite(folder, path, old, new)
        case NewBit(path, executable):
            return in_place.set_executable(folder, path, executable)
        case NewName(old, new):
            return in_place.give_name(folder, old, new)


def _in_order(steps: Sequence[Step]) -> list[Mend]:
    """By path and line; then the renamings as they are done, as one may need another."""
    names = [mend for step in steps if isinstance(step, NewName) for mend in step.mends()]
    others = [mend for step in steps if not isinstance(step, NewName) for mend in step.mends()]
    return [*sorted(others, key=lambda mend: (mend.path, mend.line or 0)), *names]
