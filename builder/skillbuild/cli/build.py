"""The command `build`, when there is something to do: `main` asks `cache.up_to_date` first."""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from skillbuild import build, config
from skillbuild.cache.up_to_date import (
    SECONDS,
    Given,
    commit_of,
    given_to,
    is_of_other_code,
    remember_build,
    warning_of_changes,
)
from skillbuild.cli.check import options_of
from skillbuild.cli.console import (
    ConsoleText,
    findings_text,
    last_line,
    numbers_text,
    refusal,
    warn,
    with_folded,
    write_reports,
)
from skillbuild.cli.progress import progress_line
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.output import base
from skillbuild.source import tree
from skillbuild.text.wording import TOO_LARGE, human_size, plural

_LARGE_OUTPUT = 500_000_000
"""Bytes of an output from which on a warning says what GitHub Pages takes."""


def run(options: argparse.Namespace) -> int:
    """Build one commit and print how it went; 1 if there are errors and nothing was written."""
    started = time.monotonic()
    given = None if options.no_cache else given_to(options)
    request = _request(options)
    before = _versions_in(Path(options.out)) if options.without_versions else 0
    report = with_folded(build.build(request, Path(options.out), _previous(options)))
    prefix = request.source.prefix
    write_reports(report, prefix, options)
    findings = findings_text(report, prefix, options)
    commit = None if options.quiet else request.source.commit
    uncommitted = warning_of_changes(Path(options.repo), commit.commit) if commit else ""
    if report.release is None:
        reason = refusal(report, skip_invalid=options.skip_invalid)
        numbers = last_line(numbers_text(report), options)
        (findings + numbers + last_line(reason, options, always=True)).print()
        warn(uncommitted)
        return 1
    seconds = f"{time.monotonic() - started:.1f}"
    (findings + _published(report, options, seconds)).print()
    warn(uncommitted)
    if before:
        warn(f"warning: the addresses of {plural(before, 'version')} are gone")
    if report.size > _LARGE_OUTPUT:
        warn(f"warning: the output has {human_size(report.size)}; {TOO_LARGE}")
    if given is not None and commit_of(given) == report.release.catalog.commit:
        _remember(report, findings, options, given)
    return 0


def _versions_in(out: Path) -> int:
    """How many versions the release has that an output holds."""
    release = base.read_record(out)
    totals = release.catalog.versions if release else None
    return totals.published if totals else 0


def _request(options: argparse.Namespace) -> build.Request:
    revision = "HEAD" if options.rev is None else options.rev
    origin = tree.open_commit(Path(options.repo), revision)
    leaves = origin.leaves()
    settings = tree.read_config(origin, leaves)
    settings = config.with_base_url(settings, options.base_url)
    settings = config.with_repository(settings, options.repository)
    settings = settings.but(keep=options.keep or settings.keep)
    if options.without_versions:
        settings = settings.but(versions=None)
    wanted = options_of(options)
    wanted = replace(wanted, recheck=wanted.recheck or is_of_other_code(options))
    return build.Request(origin, leaves, settings, wanted, progress_line(options))


def _previous(options: argparse.Namespace) -> base.Remote | None:
    """The release that `--previous` names, if there is one."""
    if options.previous is None:
        return None
    release = base.opened(options.previous)
    if release is None and not options.quiet:
        where = escape(options.previous, utf8=takes_utf8(sys.stderr))
        warn(f"no release is at {where} yet; this is the first")
    return release


def _published(report: build.Report, options: argparse.Namespace, seconds: str) -> ConsoleText:
    """The last line of a build that was published: numbers, size, time, place and digest."""
    digest = report.release.index_digest if report.release else ""
    utf8 = takes_utf8(sys.stdout)
    out = escape(str(Path(options.out)), utf8=utf8)
    size = "nothing changed" if report.unchanged else human_size(report.size)
    arrow = "\u2192" if utf8 else "->"
    numbers = f"{numbers_text(report)}, {size} in {seconds} s"
    return last_line(f"{numbers} {arrow} {out}{os.sep} ({digest})", options)


def _remember(
    report: build.Report, findings: ConsoleText, options: argparse.Namespace, given: Given
) -> None:
    """Store what the next build prints if nothing has changed."""
    text = findings + _published(replace(report, unchanged=True, moved=0), options, SECONDS)
    remember_build(options, given, text.output, text.errors)
