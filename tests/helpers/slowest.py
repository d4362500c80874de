"""Runs `skillbuild` with an event loop that writes down what keeps it longest.

    python -m helpers.slowest FILE serve OUT ...

FILE gets a line for each callback that is longer than all before it: its milliseconds, in processor
time of the thread of the loop, so that other programs on the machine do not matter.
"""

from __future__ import annotations

import sys
import time
from asyncio import events
from pathlib import Path

from skillbuild.cli.main import main

_FREE = 5.0


def measure(file: Path) -> None:
    run = events.Handle._run
    longest = _FREE

    def timed(handle: events.Handle) -> None:
        nonlocal longest
        started = time.thread_time()
        run(handle)
        taken = (time.thread_time() - started) * 1e3
        if taken > longest:
            longest = taken
            with file.open("a") as log:
                log.write(f"{taken:.1f} {handle!r}\n")

    setattr(events.Handle, "_run", timed)  # noqa: B010 - a method may not be assigned to.


if __name__ == "__main__":
    measure(Path(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
