"""Work on many skills shared among processes; loaded only where there is that much."""

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

from skillbuild.compile.chunks import CHUNK, run_chunk
from skillbuild.compile.garbage import collect_seldom
from skillbuild.compile.request import Request
from skillbuild.compile.result import SkillResult, SkillStep
from skillbuild.config import Config
from skillbuild.source import survey
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName
from skillbuild.source.tree import Leaf, Source

_MOST_WORKERS = 61
"""What Windows can wait for."""
_PARTS = 4
"""Into which the files for one worker are cut, so that all are done at about the same time."""


def read_names(
    request: Request, step: SkillStep, skill_files: Sequence[Leaf], workers: int
) -> Iterator[tuple[list[tuple[str, DeclaredName]], float]]:
    """As `survey.read_names`, part by part, with the processor seconds of each part."""
    size = -(-len(skill_files) // (workers * _PARTS))
    parts = [skill_files[i : i + size] for i in range(0, len(skill_files), size)]
    with _pool(workers, step, _start) as pool:
        yield from pool.map(partial(_read_names, request.source, request.config), parts)


def run_step(
    source: Source, step: SkillStep, outline: Outline, skills: Sequence[SkillTree], workers: int
) -> Iterator[SkillResult]:
    """One result for each skill, in the order given, whatever the number of workers."""
    with _pool(workers, step, partial(_start_worker, source, step, outline, skills)) as pool:
        chunks = [range(i, min(i + CHUNK, len(skills))) for i in range(0, len(skills), CHUNK)]
        for results in pool.map(_run_chunk, chunks):
            yield from results


def _pool(workers: int, step: SkillStep, start: Callable[[], None]) -> ProcessPoolExecutor:
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    # What the workers need is loaded once, by the process that they are forked from.
    context.set_forkserver_preload([__name__, type(step).__module__])
    return ProcessPoolExecutor(min(workers, _MOST_WORKERS), context, start)


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


def _start() -> None:
    threading.Thread(target=_end_with_the_build, daemon=True).start()


def _start_worker(
    source: Source, step: SkillStep, outline: Outline, skills: Sequence[SkillTree]
) -> None:
    _start()
    _Worker.current = _Worker(source, step, outline, skills)
    collect_seldom()


def _end_with_the_build() -> None:
    """A worker whose build was killed would wait for its next skills for ever."""
    build = multiprocessing.parent_process()
    if build is not None:
        build.join()
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
