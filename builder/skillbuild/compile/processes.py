"""How many processes compile skills, and the one that they are forked from.

Imports little on purpose: a first build starts that process before it loads anything itself.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

FORKED = "forkserver"
"""How a process is started by a fork of one that is there for that."""
CORES = os.cpu_count() or 1
SKILLS_WORTH_A_WORKER = 50
"""Skills for which one more process is started."""
_IGNORE_SIGNALS = "skillbuild.compile.ignore_signals"
"""The module that the process from which workers are forked imports first."""
_ENDING = (signal.SIGINT, signal.SIGTERM)


def workers_for(jobs: int, skills: int) -> int:
    """How many processes compile so many skills; `jobs` is what the user wants, or 0."""
    return jobs or min(CORES, 1 + skills // SKILLS_WORTH_A_WORKER)


def context(*modules: str) -> BaseContext:
    """How processes are started; where they are forked from one that has loaded what they need,
    that one runs from here on. It loads these modules, unless it was running already.
    """
    import multiprocessing  # Small builds and checks need none of it.

    if FORKED not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from skillbuild.compile.worker_process import WorkerContext

    chosen = WorkerContext()
    chosen.set_forkserver_preload([_IGNORE_SIGNALS, *modules])
    _start_fork_server()
    return chosen


def _start_fork_server() -> None:
    """What ends a build is blocked while it starts, until it imports `_IGNORE_SIGNALS`."""
    from multiprocessing import forkserver, resource_tracker

    if threading.current_thread() is not threading.main_thread():
        return
    resource_tracker.ensure_running()  # Its start unblocks them in this process.
    with signals_wait():
        forkserver.ensure_running()


@contextmanager
def signals_wait() -> Iterator[None]:
    """Ctrl-C and SIGTERM come afterwards: a process that is told half of its work fails loudly."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_signals() -> None:
    """Let this process be ended by its build alone, when the pipe between them closes.

    Ctrl-C goes to all processes of a terminal, and SIGTERM often to all of a job. A worker that it
    ended would leave half of a result, or none to fork another from, and the build would wait.
    """
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
