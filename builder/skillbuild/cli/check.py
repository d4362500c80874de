"""The `check` command. It imports no module that publishes."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path

from skillbuild.cli.console import (
    closing,
    is_shown,
    print_exclusion,
    print_findings,
    print_line,
    with_folded,
    write_reports,
)
from skillbuild.cli.progress import progress_line
from skillbuild.cli.trusted import trusted
from skillbuild.compile.request import Options, Request
from skillbuild.compile.skills import Compiled, check_skills
from skillbuild.errors import ConfigError
from skillbuild.fix.fixers import FIXABLE
from skillbuild.report.run import Report
from skillbuild.source import tree


def run(options: argparse.Namespace) -> int:
    """Print the problems in a source, or in the skills that contain the given files.

    Returns 1 if there are errors. Only `--fix` writes into the source.
    """
    started = time.monotonic()
    options.repo, options.files = _source_of(options.paths)
    if options.fix or options.unsafe_fixes or options.diff:
        from skillbuild.cli import fix

        return fix.run(options, options_of(options))
    origin = tree.open_for_check(Path(options.repo), options.rev)
    leaves = origin.leaves()
    settings = tree.read_config(origin, leaves)
    settings, roots = trusted(settings, options)
    chosen, progress = options_of(options), progress_line(options)
    request = Request(origin, leaves, settings, chosen, progress, options.files, roots)
    checked = check_skills(request)
    report = with_folded(checked.report(), request)
    numbers = f"{closing(report, options)} in {time.monotonic() - started:.1f} s"
    print_findings(report, origin.prefix, options)
    _offer(request, checked, report, options)
    print_line(numbers, options)
    print_exclusion(report, options)
    write_reports(report, origin.prefix, options)
    return 1 if report.errors else 0


def _source_of(paths: Sequence[str]) -> tuple[str, frozenset[str] | None]:
    """Return the directory to check, and the files to report on. None means all files.

    The directory is relative to the working directory.
    """
    first, *others = paths or ["."]
    if not others and Path(first).is_dir():
        return first, None
    for path in paths:
        if Path(path).is_dir():
            raise ConfigError(f"{path} is a directory; pass either one directory or only files")
    top, files = tree.around([Path(path) for path in paths])
    return os.path.relpath(top), files


def _offer(
    request: Request, checked: Compiled, report: Report, options: argparse.Namespace
) -> None:
    """Print how many findings `--fix` would fix, if there are any."""
    is_wanted = not options.quiet and options.format == "text" and options.rev is None
    shown = (item for item in checked.findings() if is_shown(item, options))
    if is_wanted and any(item.code in FIXABLE for item in shown):
        from skillbuild.cli import fix

        fix.offer(request, checked, report, options)


def options_of(options: argparse.Namespace) -> Options:
    """Return the options of `check` or `build` that decide how skills are processed."""
    return Options(
        strict=options.strict,
        skip_invalid=getattr(options, "skip_invalid", False),
        allow_empty=options.allow_empty,
        allow_older=options.rev is not None,
        recheck=getattr(options, "recheck", False),
        cache=not getattr(options, "no_cache", True),
        jobs=options.jobs,
    )
