"""The work on many skills, shared among processes; loaded only where there is that much."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import ClassVar

from skillbuild.compile.garbage import collect_seldom
from skillbuild.compile.request import Request
from skillbuild.compile.work import CHUNK, Press, Result, Work
from skillbuild.config import Config
from skillbuild.source import survey
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName
from skillbuild.source.tree import Leaf, Source

_MOST = 61
"""What Windows can wait for."""
_PARTS = 4
"""Into which the headers for one worker are cut, so that all are done at about the same time."""


def read_names(
    request: Request, press: Press | None, heads: Sequence[Leaf], workers: int
) -> Iterator[tuple[list[tuple[str, DeclaredName]], float]]:
    """As `survey.read_names`, part by part, with the seconds that a worker was busy."""
    step = -(-len(heads) // (workers * _PARTS))
    parts = [heads[i : i + step] for i in range(0, len(heads), step)]
    with _pool(workers, press, _start) as pool:
        yield from pool.map(partial(_read_names, request.source, request.config), parts)


def look_at(work: Work, skills: Sequence[SkillTree], workers: int) -> Iterator[Result]:
    """One result a skill, in the order given, whatever the number of workers."""
    with _pool(workers, work.press, partial(_start_worker, work, skills)) as pool:
        chunks = [range(i, min(i + CHUNK, len(skills))) for i in range(0, len(skills), CHUNK)]
        for done in pool.map(_do_chunk, chunks):
            yield from done


def _pool(workers: int, press: Press | None, start: Callable[[], None]) -> ProcessPoolExecutor:
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    # What the workers need is loaded once, by the process that they are forked from.
    context.set_forkserver_preload([__name__, type(press).__module__])
    return ProcessPoolExecutor(min(workers, _MOST), context, start)


class _Worker:
    """What a worker process holds for its whole life: the plan and its own reader."""

    current: ClassVar[_Worker]

    def __init__(self, work: Work, skills: Sequence[SkillTree]) -> None:
        self.work = work
        self.skills = skills
        self.stack = ExitStack()
        self.reader = self.stack.enter_context(work.source.reader())


def _start() -> None:
    threading.Thread(target=_end_with_the_build, daemon=True).start()


def _start_worker(work: Work, skills: Sequence[SkillTree]) -> None:
    _start()
    _Worker.current = _Worker(work, skills)
    collect_seldom()


def _end_with_the_build() -> None:
    """A worker whose build was killed would wait for its next skills for ever."""
    build = multiprocessing.parent_process()
    if build is not None:
        build.join()
        os._exit(1)


def _read_names(
    source: Source, config: Config, heads: Sequence[Leaf]
) -> tuple[list[tuple[str, DeclaredName]], float]:
    started = time.process_time()
    with source.reader() as reader:
        found = list(survey.read_names(heads, reader, config))
    return found, time.process_time() - started


def _do_chunk(chunk: range) -> list[Result]:
    worker, started = _Worker.current, time.process_time()
    *done, last = worker.work.do_all([worker.skills[i] for i in chunk], worker.reader)
    return [*done, replace(last, busy=time.process_time() - started)]
