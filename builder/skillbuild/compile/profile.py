"""Where the time of a build goes, stage by stage; and how far it has come, in one line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """One part of a build: seconds on the clock and of all processors, bytes written."""

    name: str
    wall: float
    processors: float
    size: int


class Profile:
    """Measures the stages of one build, its workers and the commands it ran included."""

    def __init__(self, *, wanted: bool = False) -> None:
        self.wanted = wanted
        self.workers = 0.0
        """Seconds that workers have said they were busy."""
        self.stages: list[Stage] = []

    @contextmanager
    def stage(self, name: str, size: Callable[[], int] = lambda: 0) -> Iterator[None]:
        """Measure what is done inside; `size` is asked before and after, only if it is wanted."""
        if not self.wanted:
            yield
            return
        before, wall, busy = size(), time.monotonic(), self._busy()
        try:
            yield
        finally:
            took = time.monotonic() - wall, self._busy() - busy
            self.stages.append(Stage(name, *took, size() - before))

    def _busy(self) -> float:
        used = os.times()
        return used.user + used.system + used.children_user + used.children_system + self.workers

    def lines(self) -> Iterator[str]:
        """A table of the stages, and their sum."""
        total = Stage(
            "total",
            sum(one.wall for one in self.stages),
            sum(one.processors for one in self.stages),
            sum(one.size for one in self.stages),
        )
        yield f"{'stage':<10} {'wall s':>8} {'CPU s':>8} {'bytes':>15}"
        for one in (*self.stages, total):
            yield f"{one.name:<10} {one.wall:>8.2f} {one.processors:>8.2f} {one.size:>15,}"


def progress(done: int, total: int, seconds: float) -> str:
    """How many skills are done, how many a second, and how long the rest will take."""
    said = f"{done:,} of {total:,} skills"
    if seconds < 1 or not done:
        return said
    rate = done / seconds
    left = round((total - done) / rate)
    shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
    return f"{said}, {shown}/s, {left // 60}:{left % 60:02} left"
