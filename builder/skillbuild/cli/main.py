"""What runs a command: arguments in, exit status out.

Exit status 0: clean, warnings allowed. 1: errors found. 2: could not run. Only the module of the
command that runs is loaded.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from skillbuild.cli.grammar import parser
from skillbuild.errors import ConfigError, SkillbuildError

_MODULES = {
    "init": "cli.init",
    "check": "cli.check",
    "build": "cli.build",
    "preview": "cli.preview",
    "verify": "cli.verify",
    "diff": "cli.diff",
    "publish": "cli.publish",
    "summary": "cli.summary",
    "serve": "serve.start",
    "explain": "cli.explain",
    "schema": "cli.schema",
    "completion": "cli.completion",
    "man": "cli.man",
}
"""Where the function `run` of each command is; it takes the options, returns the exit status."""


def _run(options: argparse.Namespace) -> int:
    """Run the command; a build with nothing to do ends before anything is loaded that builds."""
    if options.command == "build":
        from skillbuild.cache.up_to_date import repeat_build

        if repeat_build(options):
            return 0
        from skillbuild.compile.early import start_early

        start_early(Path(options.repo), options.rev or "HEAD", Path(options.out), options.jobs)
    import gc
    from importlib import import_module

    if options.command != "serve":
        _clean_up_when_terminated()
    gc.disable()  # What is loaded stays, and there is much of it.
    command = import_module(f"skillbuild.{_MODULES[options.command]}")
    gc.enable()
    status: int = command.run(options)
    return status


def _clean_up_when_terminated() -> None:
    """Let SIGTERM unwind like Ctrl-C, so that temporary files and processes go."""
    import signal
    import threading

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)


def _require_utf8() -> None:
    """Refuse a locale in which Python would not read file names as the UTF-8 that is published."""
    if sys.getfilesystemencoding() != "utf-8":
        encoding = sys.getfilesystemencoding()
        raise ConfigError(f"file names are {encoding} in this locale; set PYTHONUTF8=1")


def _complain(message: str) -> None:
    """Print a line on standard error, if there is one that can be written."""
    if sys.stderr is not None:
        try:
            print(message, file=sys.stderr, flush=True)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status; `SystemExit` for what argparse ends itself.

    Ctrl-C and SIGTERM end a command with 130 and 143, and leave no temporary files. A server that
    SIGTERM ends has done what it was asked for: 0.
    """
    options = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        _require_utf8()
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
