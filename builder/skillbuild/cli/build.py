"""The `build` command and its output on the terminal."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from skillbuild.cache import up_to_date
from skillbuild.cli.console import (
    closing,
    print_exclusion,
    print_findings,
    print_line,
    print_lost,
    warn,
    write_reports,
)
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.output import stage_folders
from skillbuild.report.last_lines import refusal
from skillbuild.report.run import Report
from skillbuild.text.wording import TOO_LARGE, human_size, plural

_LARGE_OUTPUT = 500_000_000
"""Size of an output in bytes above which a warning mentions the limit of GitHub Pages."""


def run(options: argparse.Namespace) -> int:
    """Build one commit and print the result; return 1 if errors prevented it."""
    started = time.monotonic()
    given = None if options.no_cache else up_to_date.given_to(options)
    repeated = up_to_date.repeated(options, given) if given else None
    if given and repeated:
        stage_folders.remove_left(Path(options.out))
        _print(repeated, given.prefix, given.commit, options, started)
        return 0
    # Imports all modules that build.
    from skillbuild.cli import building

    before = building.versions_in(Path(options.out)) if options.without_versions else 0
    request = building.request_of(options)
    report = building.built(request, options)
    commit, prefix = request.source.commit, request.source.prefix
    write_reports(report, prefix, options)
    _print(report, prefix, commit.commit if commit else "", options, started)
    if report.release is None:
        return 1
    if before:
        warn(f"warning: {plural(before, 'version')} will no longer be published")
    if given and given.commit == report.release.catalog.commit:
        up_to_date.remember(options, given, report)
    return 0


def _print(
    report: Report, prefix: str, commit: str, options: argparse.Namespace, started: float
) -> None:
    """Print the findings, the result of the build, and a warning about uncommitted changes."""
    print_findings(report, prefix, options)
    if report.digest is None:
        reason = refusal(report, skip_invalid=options.skip_invalid)
        print_line(closing(report, options), options)
        print_line(reason, options, always=True)
        print_exclusion(report, options)
    else:
        seconds = f"{time.monotonic() - started:.1f}"
        print_line(_published(report, options, seconds), options)
        print_lost(report, options)
    if not options.quiet:
        warn(up_to_date.warning_of_changes(Path(options.repo), commit))
    if report.size > _LARGE_OUTPUT:
        warn(f"warning: the output is {human_size(report.size)}; {TOO_LARGE}")


def _published(report: Report, options: argparse.Namespace, seconds: str) -> str:
    """Return the last line of a successful build: counts, size, time, path and digest."""
    utf8 = takes_utf8(sys.stdout)
    out = escape(str(Path(options.out)), utf8=utf8)
    size = "nothing changed" if report.unchanged else human_size(report.size)
    arrow = "\u2192" if utf8 else "->"
    numbers = f"{closing(report, options)}, {size} in {seconds} s"
    return f"{numbers} {arrow} {out}{os.sep} ({report.digest})"
