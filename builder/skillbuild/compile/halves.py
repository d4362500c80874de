"""A check of some skills by two processes: the second is a fork, which has loaded all it needs.

Workers of a pool would take longer to start than a few dozen skills take to be checked.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NoReturn

from skillbuild.compile.chunks import CHUNK, run_chunk
from skillbuild.compile.result import SkillResult, SkillStep
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader, Source

_FILES_WORTH_A_FORK = 150


def is_worth_it(skills: Sequence[SkillTree]) -> bool:
    """Whether a fork is safe, without other threads, and there is enough to do for two."""
    can_fork = sys.platform == "linux" and threading.active_count() == 1
    return (
        can_fork
        and len(skills) > 1
        and sum(len(tree.leaves) for tree in skills) >= _FILES_WORTH_A_FORK
    )


def run_halves(
    source: Source,
    step: SkillStep,
    outline: Outline,
    skills: Sequence[SkillTree],
    reader: Reader,
) -> Iterator[SkillResult]:
    """One result for each skill, in the order given.

    What the other process does not hand over is done here.
    """
    middle = _middle(skills)
    output, pipe = os.pipe()
    try:
        child = os.fork()
    except OSError:  # There may be no more processes.
        os.close(output)
        os.close(pipe)
        yield from _run(step, skills, outline, reader)
        return
    if child == 0:
        _work_and_exit(source, step, outline, skills[middle:], pipe)
    os.close(pipe)
    data = b""
    try:
        with os.fdopen(output, "rb") as results:
            yield from _run(step, skills[:middle], outline, reader)
            data = results.read()
    finally:
        if not data:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if data and status == 0:
        yield from pickle.loads(data)  # noqa: S301
    else:
        yield from _run(step, skills[middle:], outline, reader)


def _middle(skills: Sequence[SkillTree]) -> int:
    """How many of the skills have half of the files."""
    files = list(accumulate(len(tree.leaves) for tree in skills))
    return sum(number <= files[-1] / 2 for number in files)


def _work_and_exit(
    source: Source, step: SkillStep, outline: Outline, skills: Sequence[SkillTree], pipe: int
) -> NoReturn:
    """What the other process does; whatever happens, nothing of this one goes on in it."""
    status = 1
    try:
        with source.reader() as reader, os.fdopen(pipe, "wb") as output:
            pickle.dump(list(_run(step, skills, outline, reader)), output)
        status = 0
    finally:
        os._exit(status)


def _run(
    step: SkillStep, skills: Sequence[SkillTree], outline: Outline, reader: Reader
) -> Iterator[SkillResult]:
    for start in range(0, len(skills), CHUNK):
        yield from run_chunk(step, skills[start : start + CHUNK], outline, reader)
