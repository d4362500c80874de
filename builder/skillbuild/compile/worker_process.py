"""Worker processes that ignore SIGTERM, by which a pool ends those that are left when one died."""

from __future__ import annotations

from multiprocessing.context import ForkServerContext, ForkServerProcess


class WorkerProcess(ForkServerProcess):
    """A process that is ended by SIGKILL."""

    def terminate(self) -> None:
        self.kill()


class WorkerContext(ForkServerContext):
    """Starts such processes."""

    Process = WorkerProcess
