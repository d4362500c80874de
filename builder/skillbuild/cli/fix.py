"""The options `--fix`, `--unsafe-fixes` and `--diff` of `check`: mend, or show what would be."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path

from skillbuild.cli.console import (
    ConsoleText,
    count_errors,
    findings_text,
    last_line,
    numbers_text,
    progress_line,
    with_folded,
    write_reports,
)
from skillbuild.compile.request import Options, Report, Request
from skillbuild.compile.skills import check_source
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import ConfigError
from skillbuild.fix import show
from skillbuild.fix.diff import diff_lines
from skillbuild.fix.mendable import MENDABLE
from skillbuild.fix.plan import Plan, count_mends, plan_mends
from skillbuild.fix.write import Fixed, planned, write
from skillbuild.source import git, tree

_MOST_PLANNED = 1000
"""Findings of which it is worth to know how many can be mended."""


def run(options: argparse.Namespace, settings: Options) -> int:
    """Mend the work tree and print what was mended and what is left; 1 if there are errors left.

    With `--diff` nothing is written; then 1 says that something would be.
    """
    started = time.monotonic()
    source = tree.open_for_check(Path(options.repo), options.rev)
    if not isinstance(source, tree.FolderSource):
        raise ConfigError("there is nothing to mend in a commit: --fix needs a work tree")
    if options.diff and options.format not in ("text", "json"):
        raise ConfigError(f"--diff prints text or json, not {options.format}")
    request = _request(source, options, settings)
    plan = plan_mends(request, unsafe=options.unsafe_fixes, with_bits=_has_bits(source))
    if options.diff:
        return _show_diff(request, plan, options)
    fixed = write(plan, source.folder)
    report = check_source(_request(source, options, settings)) if fixed.mends else plan.report
    report = with_folded(report)
    more = show.json_fields(fixed, source.prefix)
    numbers = f"{numbers_text(report)} in {time.monotonic() - started:.1f} s"
    text = _mends_text(fixed, source.prefix, options) + last_line(
        show.numbers(fixed, "mended"), options
    )
    text += findings_text(report, source.prefix, options, more) + last_line(numbers, options)
    text.print()
    write_reports(report, source.prefix, options, more)
    return 1 if count_errors(report) else 0


def offer(request: Request, report: Report, options: argparse.Namespace) -> ConsoleText:
    """The command that mends some of these findings of a work tree, if one does."""
    source = request.source
    count = sum(item.rule.code in MENDABLE for item in report.findings)
    if not count or not isinstance(source, tree.FolderSource):
        return ConsoleText()
    many = count > _MOST_PLANNED
    mends = 0 if many else count_mends(request, report, with_bits=_has_bits(source))
    where = "" if options.repo == "." else f" {shlex.quote(escape(options.repo))}"
    if not many and not mends:
        return ConsoleText()
    number = "some" if many else f"{mends:,}"
    return ConsoleText(f"skillbuild check --fix{where} mends {number} of these\n")


def _request(source: tree.Source, options: argparse.Namespace, settings: Options) -> Request:
    leaves = source.leaves()
    config = tree.read_config(source, leaves)
    return Request(source, leaves, config, settings, progress_line(options))


def _has_bits(source: tree.FolderSource) -> bool:
    """Whether the executable bits on disk are those that git records."""
    if source.repository is None:
        return os.name == "posix"
    return git.checkout_of(source.repository).executable


def _mends_text(fixed: Fixed, prefix: str, options: argparse.Namespace) -> ConsoleText:
    if options.quiet or options.format != "text":
        return ConsoleText()
    return ConsoleText(
        "".join(f"{line}\n" for line in show.lines(fixed, prefix, utf8=takes_utf8(sys.stdout)))
    )


def _show_diff(request: Request, plan: Plan, options: argparse.Namespace) -> int:
    fixed, prefix = planned(plan), request.source.prefix
    lines = list(diff_lines(plan, request.leaves, prefix))
    more = {
        **show.json_fields(fixed, prefix),
        "diff": "".join(f"{line}\n" for line in lines),
    }
    report = plan.report
    if plan.steps and (options.report or options.format == "json"):
        leaves = plan.source.leaves()
        report = check_source(replace(request, source=plan.source, leaves=leaves))
    report = with_folded(report)
    if options.format == "json":
        findings_text(report, prefix, options, more).print()
    else:
        utf8 = takes_utf8(sys.stdout)
        text = "".join(f"{escape(line, utf8=utf8)}\n" for line in lines)
        left = "".join(
            f"{line}\n" for line in show.lines(replace(fixed, mends=[]), prefix, utf8=utf8)
        )
        ConsoleText(text, "" if options.quiet else left).print()
    if not options.quiet:
        ConsoleText(errors=f"{show.numbers(fixed, 'would be mended')}\n").print()
    write_reports(report, prefix, options, more)
    return 1 if plan.steps else 0
