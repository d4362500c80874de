"""The command `build`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from skillbuild import (
    build,
    checking,
    closing,
    config,
    garbage,
    profile,
    remote,
    source,
    stamp,
)
from skillbuild.diagnostics import escape
from skillbuild.wording import TOO_LARGE, human_size

_LARGE_OUTPUT = 500_000_000


def run(options: argparse.Namespace) -> int:
    """Build one commit, and remember that it was built."""
    started = time.monotonic()
    garbage.seldom()
    made = None if options.no_cache else stamp.made_of(options)
    profiled = profile.Profile(wanted=options.profile)
    with profiled.stage("listing"):
        revision = "HEAD" if options.rev is None else options.rev
        origin = source.open_commit(Path(options.repo), revision)
        leaves = origin.leaves()
    settings = source.read_config(origin, leaves)
    settings = config.with_base_url(settings, options.base_url)
    settings = replace(settings, keep=options.keep or settings.keep)
    asked = checking.options_of(options)
    asked = replace(asked, recheck=asked.recheck or stamp.is_of_other_code(options))
    progress = checking.progress_of(options)
    job = build.Job(origin, leaves, settings, asked, progress, profiled)
    report = build.build(job, Path(options.out), _previous(options))
    for line in profiled.lines() if options.profile else ():
        print(line, file=sys.stderr)
    closing.write_files(report, origin.prefix, options)
    said = closing.findings(report, origin.prefix, options)
    if report.release is None:
        said += closing.line(closing.counts(report), options)
        why = closing.refusal(report, skip_invalid=options.skip_invalid)
        said += closing.line(why, options, always=True)
        said.print()
        return 1
    seconds = f"{time.monotonic() - started:.1f}"
    (said + _done(report, options, seconds)).print()
    if report.size > _LARGE_OUTPUT:
        size = human_size(report.size)
        print(f"skillbuild: warning: the output has {size}; {TOO_LARGE}", file=sys.stderr)
    if made is not None and made[0] == report.release.catalog.commit:
        again = said + _done(replace(report, unchanged=True), options, stamp.SECONDS)
        stamp.keep(options, made, again.output, again.errors)
    return 0


def _previous(options: argparse.Namespace) -> remote.Remote | None:
    if options.previous is None:
        return None
    release = remote.opened(options.previous)
    if release is None and not options.quiet:
        where = escape(options.previous)
        print(f"skillbuild: no release is at {where} yet; this is the first", file=sys.stderr)
    return release


def _done(report: build.Report, options: argparse.Namespace, seconds: str) -> closing.Said:
    """The closing line of a build that went through."""
    digest = escape(str(report.release.index_digest)) if report.release else ""
    size = "nothing changed" if report.unchanged else human_size(report.size)
    arrow = "\u2192" if "utf" in (sys.stdout.encoding or "").lower() else "->"
    what = f"{closing.counts(report)}, {size} in {seconds} s"
    return closing.line(f"{what} {arrow} {Path(options.out)}{os.sep} ({digest})", options)
