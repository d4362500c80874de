"""The command `build`."""

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
    commit_of,
    given_to,
    is_of_other_code,
    remember_build,
)
from skillbuild.cli.check import options_of, progress_of
from skillbuild.cli.console import Said, closing_line, counts, findings_text, refusal, write_reports
from skillbuild.compile import profile
from skillbuild.compile.garbage import collect_seldom
from skillbuild.diagnostics import escape
from skillbuild.output import remote
from skillbuild.source import tree
from skillbuild.text.wording import TOO_LARGE, human_size

_LARGE_OUTPUT = 500_000_000


def run(options: argparse.Namespace) -> int:
    """Build one commit, and remember that it was built."""
    started = time.monotonic()
    collect_seldom()
    given = None if options.no_cache else given_to(options)
    profiled = profile.Profile(wanted=options.profile)
    with profiled.stage("listing"):
        revision = "HEAD" if options.rev is None else options.rev
        origin = tree.open_commit(Path(options.repo), revision)
        leaves = origin.leaves()
    settings = tree.read_config(origin, leaves)
    settings = config.with_base_url(settings, options.base_url)
    settings = replace(settings, keep=options.keep or settings.keep)
    asked = options_of(options)
    asked = replace(asked, recheck=asked.recheck or is_of_other_code(options))
    progress = progress_of(options)
    request = build.Request(origin, leaves, settings, asked, progress, profiled)
    report = build.build(request, Path(options.out), _previous(options))
    for line in profiled.lines() if options.profile else ():
        print(line, file=sys.stderr)
    write_reports(report, origin.prefix, options)
    said = findings_text(report, origin.prefix, options)
    if report.release is None:
        said += closing_line(counts(report), options)
        why = refusal(report, skip_invalid=options.skip_invalid)
        said += closing_line(why, options, always=True)
        said.print()
        return 1
    seconds = f"{time.monotonic() - started:.1f}"
    (said + _done(report, options, seconds)).print()
    if report.size > _LARGE_OUTPUT:
        size = human_size(report.size)
        print(f"skillbuild: warning: the output has {size}; {TOO_LARGE}", file=sys.stderr)
    if given is not None and commit_of(given) == report.release.catalog.commit:
        again = said + _done(replace(report, unchanged=True), options, SECONDS)
        remember_build(options, given, again.output, again.errors)
    return 0


def _previous(options: argparse.Namespace) -> remote.Remote | None:
    if options.previous is None:
        return None
    release = remote.opened(options.previous)
    if release is None and not options.quiet:
        where = escape(options.previous)
        print(f"skillbuild: no release is at {where} yet; this is the first", file=sys.stderr)
    return release


def _done(report: build.Report, options: argparse.Namespace, seconds: str) -> Said:
    """The closing line of a build that went through."""
    digest = escape(str(report.release.index_digest)) if report.release else ""
    size = "nothing changed" if report.unchanged else human_size(report.size)
    arrow = "\u2192" if "utf" in (sys.stdout.encoding or "").lower() else "->"
    what = f"{counts(report)}, {size} in {seconds} s"
    return closing_line(f"{what} {arrow} {Path(options.out)}{os.sep} ({digest})", options)
