"""Where the time of a build goes, stage by stage; and how far it has come, in one line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from skillbuild.text.wording import plural


@dataclass(frozen=True, slots=True)
class StageCost:
    """What one part of a build took: seconds on the clock, seconds of all processors, bytes."""

    name: str
    wall: float
    processors: float
    size: int


class Profile:
    """Measures the stages of one build, its workers and the commands it ran included."""

    def __init__(self, *, wanted: bool = False) -> None:
        self.wanted = wanted
        self.worker_seconds = 0.0
        """Processor seconds that workers have reported."""
        self.stages: list[StageCost] = []

    @contextmanager
    def stage(self, name: str, size: Callable[[], int] = lambda: 0) -> Iterator[None]:
        """Measure what is done inside; `size` tells bytes, and is asked only if it is wanted."""
        if not self.wanted:
            yield
            return
        before, wall, used = size(), time.monotonic(), self._processor_seconds()
        try:
            yield
        finally:
            took = time.monotonic() - wall, self._processor_seconds() - used
            self.stages.append(StageCost(name, *took, size() - before))

    def _processor_seconds(self) -> float:
        used = os.times()
        return (
            used.user
            + used.system
            + used.children_user
            + used.children_system
            + self.worker_seconds
        )

    def lines(self) -> Iterator[str]:
        """A table of the stages, and their sum."""
        total = StageCost(
            "total",
            sum(each.wall for each in self.stages),
            sum(each.processors for each in self.stages),
            sum(each.size for each in self.stages),
        )
        yield f"{'stage':<10} {'wall s':>8} {'CPU s':>8} {'bytes':>15}"
        for each in (*self.stages, total):
            yield f"{each.name:<10} {each.wall:>8.2f} {each.processors:>8.2f} {each.size:>15,}"


def progress(done: int, total: int, seconds: float) -> str:
    """How many skills are done, how many a second, and how long the rest will take."""
    text = f"{done:,} of {plural(total, 'skill')}"
    if seconds < 1 or not done:
        return text
    rate = done / seconds
    left = round((total - done) / rate)
    shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
    return f"{text}, {shown}/s, {left // 60}:{left % 60:02} left"
