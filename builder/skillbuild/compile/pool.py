"""Checks or compiles many skills, in this process or in several worker processes.

Workers exist only during one call. They are forked from this process, which has already loaded
everything that they need. Where forking is not safe, they are spawned. Each worker shares only a
pipe with this process, so a killed worker cannot block the others.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pipe, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

from skillbuild.compile.request import Request
from skillbuild.compile.result import SkillResult, SkillStep
from skillbuild.config import Config
from skillbuild.errors import SkillbuildError
from skillbuild.source import discovery
from skillbuild.source.discovery import DeclaredName
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Leaf, Reader, Source, ahead

_Result = TypeVar("_Result")
_Work = Callable[[range, Reader], Sequence[_Result]]
"""A function that processes the items with these numbers and returns results for some or all of
them.
"""

_CORES = os.cpu_count() or 1
_MOST_PROCESSES = 60
"""Maximum number of processes: Windows can wait for at most 63 objects at once."""
_FILES_WORTH_A_PROCESS = 150
"""Number of files that justify one more process."""
_NAMES_WORTH_A_PROCESS = 2000
"""Number of SKILL.md files that justify one more process when their names are read."""
_SPAWNED = 10
"""How many times more work a spawned process needs to be worthwhile, because it has to import
everything first.
"""
_SKILLS_AT_ONCE = 25
"""Number of skills that a process takes at a time; their files are read together."""
_NAMES_AT_ONCE = 1000
_AHEAD = 2
"""Number of parts that a process gets before its first result, so that it never waits."""
_ENDING = (signal.SIGINT, signal.SIGTERM)
_STREAMS = (0, 1, 2)
_TASKS, _FILES = Path("/proc/self/task"), Path("/proc/self/fd")
"""The threads and the open files of the current process, on Linux."""
_FAILED = 1
"""The exit status of a Python process that ended with an exception."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Reads, checks or compiles many skills, in this process or in worker processes."""

    request: Request

    def read_names(
        self, skill_files: Sequence[Leaf], reader: Reader
    ) -> Iterator[tuple[str, DeclaredName]]:
        """Yield the same pairs as `discovery.read_names`. In a large source, several processes
        share the work.
        """
        work = partial(_read_names, skill_files, self.request.config)
        parts = _parts(len(skill_files), _NAMES_AT_ONCE)
        wanted = _wanted(self.request.options.jobs, len(skill_files), _NAMES_WORTH_A_PROCESS)
        return _run(self.request.source, work, parts, reader, wanted)

    def run(
        self, step: SkillStep, skills: Sequence[SkillTree], outline: Outline, reader: Reader
    ) -> Iterator[SkillResult]:
        """Run `step` on each skill; yield the results in the order of `skills`."""
        work = partial(_run_step, step, outline, skills)
        files = sum(len(tree.leaves) for tree in skills)
        wanted = min(len(skills), _wanted(self.request.options.jobs, files, _FILES_WORTH_A_PROCESS))
        at_once = min(_SKILLS_AT_ONCE, -(-len(skills) // (4 * max(wanted, 1))))
        return _run(self.request.source, work, _parts(len(skills), at_once), reader, wanted)


def _read_names(
    skill_files: Sequence[Leaf], config: Config, numbers: range, reader: Reader
) -> list[tuple[str, DeclaredName]]:
    return list(discovery.read_names(skill_files[numbers.start : numbers.stop], reader, config))


def _run_step(
    step: SkillStep, outline: Outline, skills: Sequence[SkillTree], numbers: range, reader: Reader
) -> list[SkillResult]:
    some = skills[numbers.start : numbers.stop]
    groups = [[leaf for leaf in tree.leaves if leaf.is_file] for tree in some]
    licenses = dict.fromkeys(leaf for tree in some for each in tree.licenses for leaf in each.files)
    at_hand = ahead(reader, [*groups, list(licenses)])
    return [step.run(tree, outline, at_hand) for tree in some]


def _parts(count: int, size: int) -> Sequence[range]:
    return [range(start, min(start + size, count)) for start in range(0, count, size or 1)]


def _wanted(jobs: int, amount: int, worth: int) -> int:
    """Return the number of processes: `jobs` if set, otherwise one more for each `worth` of
    `amount`.
    """
    least = worth if _is_fork_safe() else worth * _SPAWNED
    return jobs or min(_CORES, 1 + amount // least)


def _is_fork_safe() -> bool:
    """Return whether this process has only one thread; a fork would copy locks that other threads
    hold.

    Libraries may start threads that Python does not count, so the system is asked. Without `/proc`,
    as in some sandboxes, the answer is no.
    """
    try:
        return sys.platform == "linux" and len(list(_TASKS.iterdir())) == 1
    except FileNotFoundError:
        return False


def _run(
    source: Source, work: _Work[_Result], parts: Sequence[range], reader: Reader, processes: int
) -> Iterator[_Result]:
    """Yield the results of all parts in order; `reader` is used if this process does the work."""
    if processes <= 1 or len(parts) <= 1:
        for part in parts:
            yield from work(part, reader)
        return
    with _started(source, work, min(processes, len(parts), _MOST_PROCESSES)) as workers:
        waiting = iter(enumerate(parts))
        done: dict[int, Sequence[_Result]] = {}
        for worker in workers * _AHEAD:
            worker.send(next(waiting, None))
        for number in range(len(parts)):
            while number not in done:
                ready = wait([worker.pipe for worker in workers])
                for worker in workers:
                    if worker.pipe in ready:
                        done |= [worker.receive()]
                        worker.send(next(waiting, None))
            yield from done.pop(number)


@dataclass(frozen=True, slots=True)
class _Worker(Generic[_Result]):
    """A worker process, and this end of the pipe to it."""

    process: BaseProcess
    pipe: Connection

    def send(self, part: tuple[int, range] | None) -> None:
        """Send the worker one part of the work: the number of the part, and a range of items. Do
        nothing if `part` is None.
        """
        if part is not None:
            try:
                self.pipe.send(part)
            except OSError as error:
                raise self._fault() from error

    def receive(self) -> tuple[int, Sequence[_Result]]:
        """Return the number of a finished part and the results of this part.

        Raises the `SkillbuildError` that stopped the worker.
        """
        try:
            number, results = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise self._fault() from error
        if isinstance(results, SkillbuildError):
            raise results
        return number, results

    def _fault(self) -> Exception:
        """Return the exception that explains why the worker no longer answers."""
        self.process.join()
        if self.process.exitcode == _FAILED:
            return RuntimeError("a worker process failed; its traceback is above")
        return SkillbuildError(
            "a worker process was killed, perhaps because memory ran out; try --jobs 1"
        )


@contextmanager
def _started(source: Source, work: _Work[_Result], count: int) -> Iterator[list[_Worker[_Result]]]:
    """Start worker processes; they end when the context exits, at the latest."""
    is_fork = _is_fork_safe()
    new = get_context("fork").Process if is_fork else get_context("spawn").Process
    if not is_fork and sys.platform != "win32":
        resource_tracker.ensure_running()  # Starting it unblocks signals.
    workers: list[_Worker[_Result]] = []
    try:
        for _ in range(count):
            with _signals_wait():
                pipe, its_own = Pipe()
                given = {"is_fork": is_fork}
                process = new(target=_work, args=(its_own, source, work), kwargs=given)
                process.start()
                its_own.close()
                workers.append(_Worker(process, pipe))
        yield workers
    except BlockingIOError as error:
        reason = "cannot start another worker process; try --jobs 1"
        raise SkillbuildError(reason) from error
    finally:
        with _signals_wait():
            for worker in workers:
                worker.process.kill()
                worker.process.join()
                worker.pipe.close()


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Defer Ctrl-C and SIGTERM, so that every started process is known and gets stopped."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, source: Source, work: _Work[_Result], *, is_fork: bool) -> NoReturn:
    """Process parts of the work in a worker, until the build stops the worker or dies itself."""
    build = parent_process()
    if build is None:
        raise RuntimeError("a worker process must be started by the build")
    if is_fork:
        _close_others({pipe.fileno(), build.sentinel})
    for number in _ENDING:  # A terminal signals all processes; the build ends this one.
        signal.signal(number, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    threading.Thread(target=_end_with, args=(build,), daemon=True).start()
    with source.reader() as reader:  # Its git processes belong to this worker only.
        while True:
            try:
                number, part = pipe.recv()
            except EOFError:
                os._exit(0)
            pipe.send((number, _outcome(work, part, reader)))


def _outcome(
    work: _Work[_Result], part: range, reader: Reader
) -> Sequence[_Result] | SkillbuildError:
    try:
        return work(part, reader)
    except SkillbuildError as error:
        return error


def _end_with(build: BaseProcess) -> NoReturn:
    """Exit this worker when the process that started it ends, even if that was killed."""
    build.join()
    os._exit(0)


def _close_others(own: Set[int]) -> None:
    """Release all files inherited from the parent process, including its locks and pipes.

    The descriptors are redirected to the null device, not closed. Code of the parent may still
    close a descriptor later, and the number must not belong to another file by then.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in [int(each.name) for each in _FILES.iterdir()]:
        if number not in {*own, *_STREAMS, nothing}:
            os.dup2(nothing, number, inheritable=False)
