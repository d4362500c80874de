"""Turns command-line options into a build, and runs the build.

This module is not imported if the output is already up to date.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skillbuild import build, config
from skillbuild.cli.check import options_of
from skillbuild.cli.console import warn, with_folded
from skillbuild.cli.progress import progress_line
from skillbuild.cli.trusted import trusted
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.output import base
from skillbuild.source import tree


def request_of(options: argparse.Namespace) -> build.Request:
    """Return the build request: a commit, and its settings with the command-line options
    applied.
    """
    revision = "HEAD" if options.rev is None else options.rev
    origin = tree.open_commit(Path(options.repo), revision)
    leaves = origin.leaves()
    settings = tree.read_config(origin, leaves)
    settings = config.with_base_url(settings, options.base_url)
    settings = config.with_repository(settings, options.repository)
    settings = settings.but(keep=options.keep or settings.keep)
    if options.without_versions:
        settings = settings.but(versions=None)
    settings, roots = trusted(settings, options)
    chosen, progress = options_of(options), progress_line(options)
    return build.Request(origin, leaves, settings, chosen, progress, roots=roots)


def built(request: build.Request, options: argparse.Namespace) -> build.Report:
    """Run the build and return its report. Findings that have the same fix are merged."""
    return with_folded(build.build(request, Path(options.out), _previous(options)), request)


def versions_in(out: Path) -> int:
    """Return how many versions the release in an output directory publishes."""
    release = base.read_record(out)
    totals = release.catalog.versions if release else None
    return totals.published if totals else 0


def _previous(options: argparse.Namespace) -> base.Remote | None:
    """Return the release at the address `--previous`; None without the option, or if nothing is
    published there.
    """
    if options.previous is None:
        return None
    release = base.opened(options.previous)
    if release is None and not options.quiet:
        where = escape(options.previous, utf8=takes_utf8(sys.stderr))
        warn(f"{where} has no release yet; this is the first")
    return release
