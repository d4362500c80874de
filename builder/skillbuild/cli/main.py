"""Parses the arguments, runs a command and returns its exit status.

The exit status is 0 for success, even with warnings; 1 if errors were found; 2 if the command could
not run. Only the module of the chosen command is imported.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from skillbuild.cli.grammar import parse
from skillbuild.errors import ConfigError, SkillbuildError

_COMMANDS = {
    "init": "cli.init.run",
    "check": "cli.check.run",
    "build": "cli.build.run",
    "preview": "cli.preview.run",
    "verify": "cli.verify.run",
    "diff": "cli.diff.run",
    "publish": "cli.publish.run",
    "plugins": "cli.plugins.run",
    "summary": "cli.summary.run",
    "serve": "serve.run.run",
    "explain": "cli.reference.explain",
    "docs": "cli.reference.docs",
    "schema": "cli.reference.schema",
    "completion": "cli.reference.completion",
}
"""The function of each command; it takes the options and returns the exit status."""


def _run(options: argparse.Namespace) -> int:
    """Import and run only the module of one command."""
    import gc
    from importlib import import_module

    gc.disable()  # Imported modules stay in memory, so collecting garbage would only waste time.
    module, _, function = _COMMANDS[options.command].rpartition(".")
    loaded = import_module(f"skillbuild.{module}")
    gc.enable()
    status: int = getattr(loaded, function)(options)
    return status


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Turn Ctrl-C and SIGTERM into exceptions, so that temporary files and processes are cleaned
    up.

    Some programs send a signal twice, to the process and to its process group, so later signals are
    ignored. No signal becomes a `KeyboardInterrupt`, because inside `exec` that makes Python kill
    itself with a signal.
    """
    import signal
    import threading
    import time

    ended: float | None = None

    def end(number: int, frame: object) -> None:
        nonlocal ended
        if ended is None or time.monotonic() > ended + 1:
            ended = time.monotonic()
            raise SystemExit(128 + number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) not in {signal.SIG_IGN, None}:
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        if ended is None:
            for number, handler in before.items():
                signal.signal(number, handler)


def _require_utf8() -> None:
    """Raise an error if Python does not decode file names as UTF-8 in the current locale."""
    if sys.getfilesystemencoding() != "utf-8":
        encoding = sys.getfilesystemencoding()
        raise ConfigError(f"Python reads file names as {encoding} in this locale; set PYTHONUTF8=1")


def _complain(message: str) -> None:
    """Print a line to standard error if possible; ignore failures."""
    if sys.stderr is not None:
        try:
            print(message, file=sys.stderr, flush=True)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. Raises `SystemExit` for `--help` and for invalid
    arguments.

    Ctrl-C stops a command with exit status 130, and SIGTERM with 143. Either way, no temporary
    files are left behind. A server exits with status 0 after SIGTERM, because that is the usual way
    to stop it.
    """
    try:
        options = parse(arguments)
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        _require_utf8()
        if options.command == "serve":
            return _run(options)
        with _ended_by_signals():
            return _run(options)
    except SkillbuildError as error:
        from skillbuild.diagnostics import escape, takes_utf8

        utf8 = sys.stderr is not None and takes_utf8(sys.stderr)
        _complain(f"skillbuild: {escape(str(error), utf8=utf8)}")
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
