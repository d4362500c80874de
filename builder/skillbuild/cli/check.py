"""The command `check`; it loads nothing that publishes."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from skillbuild.cli.console import (
    ConsoleText,
    count_errors,
    findings_text,
    is_shown,
    last_line,
    numbers_text,
    progress_line,
    with_folded,
    write_reports,
)
from skillbuild.compile.request import Options, Report, Request
from skillbuild.compile.skills import check_source
from skillbuild.fix.mendable import MENDABLE
from skillbuild.source import tree


def run(options: argparse.Namespace) -> int:
    """Print what is wrong with a source; 1 if there are errors.

    Nothing is written into it but by `--fix`.
    """
    started = time.monotonic()
    if options.fix or options.unsafe_fixes or options.diff:
        # Loads what only a mend needs.
        from skillbuild.cli import fix

        return fix.run(options, options_of(options))
    origin = tree.open_for_check(Path(options.repo), options.rev)
    leaves = origin.leaves()
    settings = tree.read_config(origin, leaves)
    request = Request(origin, leaves, settings, options_of(options), progress_line(options))
    report = with_folded(check_source(request))
    numbers = f"{numbers_text(report)} in {time.monotonic() - started:.1f} s"
    text = findings_text(report, origin.prefix, options) + _offer(request, report, options)
    (text + last_line(numbers, options)).print()
    write_reports(report, origin.prefix, options)
    return 1 if count_errors(report) else 0


def _offer(request: Request, report: Report, options: argparse.Namespace) -> ConsoleText:
    """A line that says what `--fix` would mend of what is shown in the work tree."""
    shown = tuple(item for item in report.findings if is_shown(item, options))
    is_wanted = not options.quiet and options.format == "text" and options.rev is None
    if not is_wanted or not any(item.rule.code in MENDABLE for item in shown):
        return ConsoleText()
    # As above: most checks find nothing that can be mended.
    from skillbuild.cli import fix

    return fix.offer(request, replace(report, findings=shown), options)


def options_of(options: argparse.Namespace) -> Options:
    """The options of `check` or `build` that decide how skills are worked on."""
    return Options(
        strict=options.strict,
        skip_invalid=getattr(options, "skip_invalid", False),
        allow_empty=options.allow_empty,
        allow_older=options.rev is not None,
        recheck=getattr(options, "recheck", False),
        cache=not getattr(options, "no_cache", True),
        jobs=options.jobs,
    )
