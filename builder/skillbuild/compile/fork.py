"""Work that a fork of this process does while this one goes on: it has loaded all it needs.

A worker of a pool would take longer to start than such work takes.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, TypeVar

_Result = TypeVar("_Result")


def is_safe() -> bool:
    """Whether this process can be forked: it has no other thread, which might hold a lock."""
    return sys.platform == "linux" and threading.active_count() == 1


@contextmanager
def meanwhile(work: Callable[[], _Result]) -> Iterator[Callable[[], _Result | None]]:
    """Run `work` in a fork, which ends with this context at the latest.

    What is yielded waits for the result and returns it; None if it did not come, as whatever went
    wrong there is not told. Call it once.
    """
    output, pipe = os.pipe()
    try:
        child = os.fork()
    except OSError:  # There may be no more processes.
        os.close(output)
        os.close(pipe)
        yield lambda: None
        return
    if child == 0:
        _work_and_exit(work, pipe)
    os.close(pipe)
    ended = False

    def result() -> _Result | None:
        nonlocal ended
        data = results.read()
        _, status = os.waitpid(child, 0)
        ended = True
        return pickle.loads(data) if data and status == 0 else None  # noqa: S301

    try:
        with os.fdopen(output, "rb") as results:
            yield result
    finally:
        if not ended:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _work_and_exit(work: Callable[[], object], pipe: int) -> NoReturn:
    """What the fork does; whatever happens, nothing of this process goes on in it."""
    status = 1
    try:
        with os.fdopen(pipe, "wb") as output:
            pickle.dump(work(), output)
        status = 0
    finally:
        os._exit(status)
