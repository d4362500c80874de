"""How many processes compile skills, and the one that they are forked from.

Imports little on purpose: a first build starts that process before it loads anything itself.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

FORKED = "forkserver"
"""How a process is started by a fork of one that is there for that."""
CORES = os.cpu_count() or 1
SKILLS_WORTH_A_WORKER = 50
"""Skills for which one more process is started."""


def workers_for(jobs: int, skills: int) -> int:
    """How many processes compile so many skills; `jobs` is what the user wants, or 0."""
    return jobs or min(CORES, 1 + skills // SKILLS_WORTH_A_WORKER)


def context(*modules: str) -> BaseContext:
    """How processes are started; where they are forked from one that has loaded what they need,
    that one runs from here on. It loads these modules, unless it was running already.
    """
    import multiprocessing  # Small builds and checks need none of it.

    method = FORKED if FORKED in multiprocessing.get_all_start_methods() else "spawn"
    chosen = multiprocessing.get_context(method)
    chosen.set_forkserver_preload(list(modules))
    if method == FORKED:
        _start_fork_server()
    return chosen


def _start_fork_server() -> None:
    """Ctrl-C goes to all processes of a terminal, but only the build has to answer."""
    from multiprocessing import forkserver

    if threading.current_thread() is not threading.main_thread():
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, before)
