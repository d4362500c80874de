"""The work on many skills, shared among processes; loaded only where there is that much."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import ClassVar

from skillbuild.outline import Placed
from skillbuild.work import CHUNK, Result, Work

_MOST = 61
"""What Windows can wait for."""
_OBJECTS_TO_COLLECT = 20_000


def look_at(work: Work, skills: Sequence[Placed], workers: int) -> Iterator[Result]:
    """One result a skill, in the order given, whatever the number of workers."""
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    # What the workers need is loaded once, by the process that they are forked from.
    context.set_forkserver_preload([__name__, type(work.press).__module__])
    with ProcessPoolExecutor(min(workers, _MOST), context, _start_worker, (work, skills)) as pool:
        chunks = [range(i, min(i + CHUNK, len(skills))) for i in range(0, len(skills), CHUNK)]
        for done in pool.map(_do_chunk, chunks):
            yield from done


class _Worker:
    """What a worker process holds for its whole life: the plan and its own reader."""

    current: ClassVar[_Worker]

    def __init__(self, work: Work, skills: Sequence[Placed]) -> None:
        self.work = work
        self.skills = skills
        self.stack = ExitStack()
        self.reader = self.stack.enter_context(work.source.reader())


def _start_worker(work: Work, skills: Sequence[Placed]) -> None:
    threading.Thread(target=_end_with_the_build, daemon=True).start()
    _Worker.current = _Worker(work, skills)
    # The plan stays to the end, and what is made of one skill is let go without a collector.
    gc.freeze()
    gc.set_threshold(_OBJECTS_TO_COLLECT)


def _end_with_the_build() -> None:
    """A worker whose build was killed would wait for its next skills for ever."""
    build = multiprocessing.parent_process()
    if build is not None:
        build.join()
        os._exit(1)


def _do_chunk(chunk: range) -> list[Result]:
    worker, started = _Worker.current, time.process_time()
    *done, last = worker.work.do_all([worker.skills[i] for i in chunk], worker.reader)
    return [*done, replace(last, busy=time.process_time() - started)]
