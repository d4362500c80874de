"""Processes of Python that begin with the modules of the server loaded.

To load them takes twenty times as long as all else that a server does until it answers. So one
process loads them, and those that tests want are forked from it: with arguments, environment,
folder and streams of their own, as if Python had been started. This needs Linux.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import IO

import skillbuild.serve

_MOST = 1 << 17
"""Bytes of what is sent for one process."""


class Forked:
    """What tests use of a `subprocess.Popen` that has a pipe for each stream."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        """`arguments` are those of Python: `-m MODULE` or `-c CODE`, and what follows."""
        stdin, ours = os.pipe()
        self.stdin: IO[bytes] = os.fdopen(ours, "wb")
        ours, stdout = os.pipe()
        self.stdout: IO[bytes] = os.fdopen(ours, "rb")
        ours, stderr = os.pipe()
        self.stderr: IO[bytes] = os.fdopen(ours, "rb")
        ours, told = os.pipe()
        self._numbers: IO[bytes] = os.fdopen(ours, "rb")
        theirs = [stdin, stdout, stderr, told]
        wanted = json.dumps([list(arguments), dict(env), f"{Path.cwd()}"])
        socket.send_fds(_loaded().socket, [wanted.encode()], theirs)
        for each in theirs:
            os.close(each)
        line = self._numbers.readline()
        assert line, _loaded().errors()
        self.pid = int(line)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._status(0)

    def wait(self, timeout: float | None = None) -> int:
        status = self._status(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(f"{self.pid}", timeout or 0)
        return status

    def _status(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._numbers], [], [], timeout)[0]:
            with self._numbers:
                self.returncode = int(self._numbers.readline())
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, sent: bytes, timeout: float) -> tuple[bytes, bytes]:
        """Output and errors, as the process ended after this input."""
        with ThreadPoolExecutor(2) as pool, self.stdin, self.stdout, self.stderr:
            ending = Timer(timeout, self.kill)
            ending.start()
            output, errors = pool.submit(self.stdout.read), pool.submit(self.stderr.read)
            self.stdin.write(sent)
            self.stdin.close()
            both = output.result(), errors.result()
            ending.cancel()
        self.wait(timeout)
        return both


class _Loaded:
    """The process from which others are forked; it ends with this one."""

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        folders = Path(skillbuild.__file__).parents[1], Path(__file__).parents[1]
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "helpers.forked"],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
                stdin=theirs.fileno(),
                stdout=subprocess.PIPE,  # Pipes, as forked processes have: none can be sought in.
                stderr=subprocess.PIPE,
            )

    def errors(self) -> str:
        """Why it ended."""
        return self.process.communicate()[1].decode()


_loaded = cache(_Loaded)


def main() -> None:
    """Fork a process for each message on the socket that standard input is."""
    for module in pkgutil.walk_packages(skillbuild.serve.__path__, "skillbuild.serve."):
        import_module(module.name)
    import_module("skillbuild.cli.main")
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    wanted = socket.socket(fileno=os.dup(0))
    while True:
        data, given, _, _ = socket.recv_fds(wanted, _MOST, 4)
        if not data:
            return
        if os.fork() == 0:
            wanted.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _run(data, given)
            return
        for each in given:
            os.close(each)


def _run(data: bytes, given: list[int]) -> None:
    """Run what is wanted in a process whose id is told, and then its exit status."""
    *streams, told = given
    if child := os.fork():
        os.write(told, b"%d\n" % child)
        for each in (0, *streams):
            os.close(each)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(told, b"%d\n" % status)
        os._exit(0)
    os.close(told)
    for number, each in enumerate(streams):
        os.dup2(each, number)
        os.close(each)
    (kind, what, *arguments), env, folder = json.loads(data)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.argv = [kind, *arguments]
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(what, {"__name__": "__main__"})  # noqa: S102 - as Python does.


if __name__ == "__main__":
    main()
