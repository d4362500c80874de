"""Measures a command: wall time, CPU time of all its processes, memory of the largest and of all.

Runs on Linux. It waits for processes that outlive their parent, because their CPU time counts too.
"""

from __future__ import annotations

import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_BE_REAPER = 36
_BETWEEN_SAMPLES = 0.5


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds and MiB; no process is reported as smaller than the bench that started it."""

    wall: float
    cpu: float
    largest: float
    """Peak of the largest process."""
    together: float
    """Peak of all processes at one time, shared pages counted once; sampled."""


def run(command: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> Cost:
    """Run a command until it and all its children have ended; a failure ends the bench.

    Python may store what it compiles, as where a package is installed.
    """
    ctypes.CDLL(None).prctl(_BE_REAPER, 1, 0, 0, 0)
    done = threading.Event()
    peak = [0.0]
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {}), "PYTHONDONTWRITEBYTECODE": ""},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        watch = threading.Thread(target=_watch, args=(process.pid, done, peak))
        watch.start()
        wall, cpu, largest, process.returncode = _wait(process.pid, started)
        done.set()
        watch.join()
        if process.returncode:
            errors.seek(0)
            words = errors.read()[-2000:].decode(errors="replace")
            sys.exit(f"{' '.join(command)}: exit status {process.returncode}: {words}")
    return Cost(wall, cpu, largest, max(peak[0], largest))


def _wait(leader: int, started: float) -> tuple[float, float, float, int]:
    """Wall clock until the command ended; CPU and memory of it and all its children."""
    wall = cpu = largest = 0.0
    status = 0
    while True:
        try:
            pid, code, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return wall, cpu, largest, status
        if pid == leader:
            wall, status = time.perf_counter() - started, os.waitstatus_to_exitcode(code)
        cpu += usage.ru_utime + usage.ru_stime
        largest = max(largest, usage.ru_maxrss / 1024)


def _watch(session: int, done: threading.Event, peak: list[float]) -> None:
    while not done.wait(_BETWEEN_SAMPLES):
        peak[0] = max(peak[0], sum(map(_resident, _members(session))))


def _members(session: int) -> list[Path]:
    members = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(session):
            members.append(folder)
    return members


def _resident(folder: Path) -> float:
    """MiB of one process, its share of what it shares."""
    try:
        lines = (folder / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def in_turn(rounds: int, actions: Mapping[str, Callable[[], Cost]]) -> dict[str, Cost]:
    """The medians of several runs of each, by name; every figure by itself.

    Round by round, as the speed of a machine changes while all of them run.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, once in actions.items():
            costs[name].append(once())
    return {name: _median(each) for name, each in costs.items()}


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        wall=statistics.median(cost.wall for cost in costs),
        cpu=statistics.median(cost.cpu for cost in costs),
        largest=statistics.median(cost.largest for cost in costs),
        together=statistics.median(cost.together for cost in costs),
    )


def main() -> None:
    """`python tests/bench/measure.py COMMAND...` prints what one command costs."""
    cost = run(sys.argv[1:], Path.cwd())
    print(f"{cost.wall:.2f} s, CPU {cost.cpu:.2f} s, largest {cost.largest:.0f} MiB,", end=" ")
    print(f"together {cost.together:.0f} MiB")


if __name__ == "__main__":
    main()
