"""Work on many skills shared among processes; loaded only where there is that much."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import ClassVar, TypeVar

from skillbuild.compile import processes
from skillbuild.compile.chunks import CHUNK, run_chunk
from skillbuild.compile.garbage import collect_seldom
from skillbuild.compile.request import Request
from skillbuild.compile.result import SkillResult, SkillStep
from skillbuild.config import Config
from skillbuild.errors import SkillbuildError
from skillbuild.source import survey
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName
from skillbuild.source.tree import Leaf, Source

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

_MOST_WORKERS = 61
"""What Windows can wait for."""
_PARTS = 4
"""Into which the files for one worker are cut, so that all are done at about the same time."""
_SECONDS_TO_SEND = 5
"""More than any result takes to be sent."""


def read_names(
    request: Request, step: SkillStep, skill_files: Sequence[Leaf], workers: int
) -> Iterator[tuple[list[tuple[str, DeclaredName]], float]]:
    """As `survey.read_names`, part by part, with the processor seconds of each part."""
    size = -(-len(skill_files) // (workers * _PARTS))
    parts = [skill_files[i : i + size] for i in range(0, len(skill_files), size)]
    with _pool(workers, type(step).__module__) as pool:
        yield from _results(pool, partial(_read_names, request.source, request.config), parts)


def run_step(
    source: Source, step: SkillStep, outline: Outline, skills: Sequence[SkillTree], workers: int
) -> Iterator[SkillResult]:
    """One result for each skill, in the order given, whatever the number of workers."""
    prepare = _Start(pickle.dumps((source, step, outline, skills)))
    with _pool(workers, type(step).__module__, prepare) as pool:
        for results in _results(pool, _run_chunk, list(_chunks(len(skills), workers))):
            yield from results


def _chunks(skills: int, workers: int) -> Iterator[range]:
    """Numbers of skills to be taken at once: fewer and fewer, so that no worker waits."""
    start = 0
    while start < skills:
        size = min(CHUNK, -(-(skills - start) // (2 * workers)))
        yield range(start, start + size)
        start += size


@contextmanager
def _pool(
    workers: int, module: str, prepare: Callable[[], None] | None = None
) -> Iterator[ProcessPoolExecutor]:
    """Processes that each call `prepare` first, and end with this context at the latest.

    Without that, an interrupted build would wait until all of them are through with their skills,
    and one whose last worker waits for what a killed one held, for ever.
    """
    context = processes.context(__name__, module)
    wanted, want = context.Pipe(duplex=False)
    count = min(workers, _MOST_WORKERS)
    # `want` is closed first, then the pool waits for its processes.
    with wanted, ProcessPoolExecutor(count, context, _start, (wanted, prepare)) as pool, want:
        yield pool


def load_ahead(module: str) -> bool:
    """Start the process that workers are forked from, which begins to load a module for them.

    False where no process is forked from another one.
    """
    return processes.context(__name__, module).get_start_method() == processes.FORKED


def call(work: Callable[[], _Result]) -> _Result | None:
    """What a function gives in a new process like the workers; None if that process dies."""
    with _pool(1, work.__module__) as pool:
        try:
            return _submitted(pool, work).result()
        except BrokenProcessPool:
            return None


def _results(
    pool: ProcessPoolExecutor, work: Callable[[_Part], _Result], parts: Sequence[_Part]
) -> Iterator[_Result]:
    """As `pool.map`, which cancels on a fault what the executor then tries to end once more."""
    try:
        futures = deque(_submitted(pool, partial(_interruptible, work, part)) for part in parts)
        while futures:
            yield futures.popleft().result()
    except BrokenProcessPool as error:
        raise SkillbuildError(
            "a process that worked on skills was killed, perhaps because memory ran out;"
            " --jobs 1 needs less"
        ) from error


def _submitted(pool: ProcessPoolExecutor, work: Callable[[], _Result]) -> Future[_Result]:
    """The executor starts another process when there is work for one, and tells it what it needs.

    Raises `BrokenProcessPool` where that one is killed meanwhile, too.
    """
    try:
        with processes.signals_wait():
            return pool.submit(work)
    except (ConnectionError, EOFError) as error:
        raise BrokenProcessPool("a process was killed while it started") from error


class _Worker:
    """What a worker process holds for its whole life."""

    current: ClassVar[_Worker]

    def __init__(
        self, source: Source, step: SkillStep, outline: Outline, skills: Sequence[SkillTree]
    ) -> None:
        self.step = step
        self.outline = outline
        self.skills = skills
        self.stack = ExitStack()
        self.reader = self.stack.enter_context(source.reader())


_sending = threading.Lock()
"""Held by a worker but while it works on a part: then it has no half of a result on its way, which
the build would wait for."""


def _start(wanted: Connection, prepare: Callable[[], None] | None) -> None:
    processes.ignore_signals()
    _sending.acquire()
    threading.Thread(target=_end_with_the_build, args=(wanted,), daemon=True).start()
    if prepare is not None:
        prepare()


def _interruptible(work: Callable[[_Part], _Result], part: _Part) -> _Result:
    _sending.release()
    try:
        return work(part)
    finally:
        _sending.acquire()


@dataclass
class _Start:
    """Tells a worker what all of it is about, pickled once for all workers, as it is large."""

    state: bytes

    def __call__(self) -> None:
        state, self.state = self.state, b""  # The executor keeps this object.
        _Worker.current = _Worker(*pickle.loads(state))  # noqa: S301
        collect_seldom()


def _end_with_the_build(wanted: Connection) -> None:
    """End this process when the build closes the other end of `wanted`, or is killed.

    It waits for a result that is on its way, but not for a lock that a killed worker holds.
    """
    wanted.poll(None)
    build = multiprocessing.parent_process()
    for _ in range(_SECONDS_TO_SEND):
        if build is None or not build.is_alive() or _sending.acquire(timeout=1):
            break
    os._exit(1)


def _read_names(
    source: Source, config: Config, skill_files: Sequence[Leaf]
) -> tuple[list[tuple[str, DeclaredName]], float]:
    started = time.process_time()
    with source.reader() as reader:
        names = list(survey.read_names(skill_files, reader, config))
    return names, time.process_time() - started


def _run_chunk(chunk: range) -> list[SkillResult]:
    worker, started = _Worker.current, time.process_time()
    skills = [worker.skills[number] for number in chunk]
    *results, last = run_chunk(worker.step, skills, worker.outline, worker.reader)
    return [*results, replace(last, processor_seconds=time.process_time() - started)]
