"""The command `check`; it loads nothing that publishes."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from skillbuild.cli.console import closing_line, count_errors, counts, findings_text, write_reports
from skillbuild.compile import profile
from skillbuild.compile.garbage import collect_seldom
from skillbuild.compile.request import Options, Progress, Request
from skillbuild.compile.skills import check_source
from skillbuild.source import tree


def run(options: argparse.Namespace) -> int:
    """Say what is wrong with a source; nothing is written."""
    started = time.monotonic()
    collect_seldom()
    origin = tree.open_for_check(Path(options.repo), options.rev)
    leaves = origin.leaves()
    settings = tree.read_config(origin, leaves)
    request = Request(origin, leaves, settings, options_of(options), progress_of(options))
    report = check_source(request)
    closing = f"{counts(report)} in {time.monotonic() - started:.1f} s"
    said = findings_text(report, origin.prefix, options) + closing_line(closing, options)
    said.print()
    write_reports(report, origin.prefix, options)
    return 1 if count_errors(report) else 0


def options_of(options: argparse.Namespace) -> Options:
    """What was asked for, by `check` or by `build`."""
    return Options(
        strict=options.strict,
        skip_invalid=getattr(options, "skip_invalid", False),
        allow_empty=options.allow_empty,
        allow_older=options.rev is not None,
        recheck=getattr(options, "recheck", False),
        cache=not getattr(options, "no_cache", True),
        jobs=options.jobs,
    )


def progress_of(options: argparse.Namespace) -> Progress:
    """One line that is written over, on a terminal; nothing anywhere else."""
    if options.quiet or not sys.stderr.isatty() or os.environ.get("CI"):
        return lambda done, total: None
    started = time.monotonic()

    def show(done: int, total: int) -> None:
        if done % 25 == 0 or done == total:
            said = profile.progress(done, total, time.monotonic() - started)
            line = f"\r\x1b[K{said}" if done < total else "\r\x1b[K"
            print(line, end="", file=sys.stderr, flush=True)

    return show
