"""Prints the findings of `check` and `build`, and writes them to the files that `--report`
names.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from skillbuild.diagnostics import Finding, escape, hint_from, takes_utf8
from skillbuild.model import Listing
from skillbuild.report.findings import (
    github_lines,
    grouped_lines,
    lost_annotations,
    silenced_lines,
    text_lines,
)
from skillbuild.report.last_lines import exclude_text, numbers_text
from skillbuild.report.lost import lost_lines
from skillbuild.report.run import Report
from skillbuild.report.unlisted import unlisted_lines
from skillbuild.storage import disk

if TYPE_CHECKING:  # Imported on use: a build with nothing to do needs neither.
    from skillbuild.compile.request import Request
    from skillbuild.report.json_reports import ReportedFixes


def print_line(text: str, options: argparse.Namespace, *, always: bool = False) -> None:
    """Print a line for people. It goes to standard error if `--format` reserves standard output for
    data.

    With `-q`, nothing is printed unless `always` is set.
    """
    if always or not options.quiet:
        print(text, file=sys.stdout if options.format == "text" else sys.stderr, flush=True)


def with_folded(report: Report, request: Request) -> Report:
    """Return the report after merging findings that have the same fix, even in different skills."""
    # Imports the checks, which a build with nothing to do does not need.
    from skillbuild.report.folding import folded

    findings = folded(report.findings, request.skill_directories(), report.copies)
    return replace(report, findings=tuple(findings))


def print_findings(
    report: Report,
    prefix: str,
    options: argparse.Namespace,
    fixes: ReportedFixes | None = None,
) -> None:
    """Print the findings in the format that `--format` names; with `-q`, only the errors.

    `prefix` is the path from the repository to the source. `fixes` are added to a JSON report.
    """
    is_text = options.format == "text"
    start = path_from_here(Path(options.repo)) if is_text else prefix
    findings = [hint_from(start, item) for item in report.findings if is_shown(item, options)]
    color, utf8 = wants_color(sys.stdout), takes_utf8(sys.stdout)
    if is_text and not options.verbose:
        shown = list(grouped_lines(findings, prefix, color=color, utf8=utf8))
    else:
        shown = list(_rendered(report, findings, prefix, options.format, fixes, sys.stdout))
    if is_text and options.verbose:
        shown += silenced_lines(report.silenced, prefix, utf8=utf8)
        left_out = [(path, f"ignored: {report.ignored[path]}") for path in sorted(report.ignored)]
        left_out += [(path, "excluded") for path in report.excluded]
        shown += [f"{escape(prefix + path, utf8=utf8)}: {how}" for path, how in left_out]
    if options.format in ("text", "github") and not options.quiet:
        shown += unlisted_lines(
            report.unlisted, report.internal, everything=options.verbose, utf8=utf8
        )
    print("".join(f"{line}\n" for line in shown), end="", flush=True)


def closing(report: Report, options: argparse.Namespace) -> str:
    """Return one sentence that summarizes what was found."""
    return numbers_text(report, hides_notes=options.format == "text" and not options.verbose)


def print_exclusion(report: Report, options: argparse.Namespace) -> None:
    """Suggest an `exclude` setting for invalid skills that are tests or examples, or that are all
    in one folder.
    """
    if text := exclude_text(report, utf8=takes_utf8(sys.stdout)):
        print_line(text, options)


def print_lost(report: Report, options: argparse.Namespace) -> None:
    """Print the skills from the last release that are missing from this one."""
    utf8, how = takes_utf8(sys.stdout), " (list them with -v)"
    for line in _lost_lines(report, everything=options.verbose, how=how, utf8=utf8):
        print_line(line, options)


def _lost_lines(
    report: Report, *, everything: bool = False, how: str = "", utf8: bool = False
) -> list[str]:
    unlisted = report.unlisted.get(Listing.MCP, {})
    lost = lost_lines(
        report.gone, report.delisted, unlisted, everything=everything, how=how, utf8=utf8
    )
    return [*lost]


def path_from_here(repo: Path) -> str:
    """Return the path of a source as a prefix for the paths in hints.

    The prefix is empty for the working directory. Otherwise, it ends with `/`.
    """
    return "" if repo == Path() else f"{repo.as_posix().rstrip('/')}/"


def is_shown(finding: Finding, options: argparse.Namespace) -> bool:
    """Return whether to show a finding. Errors are always shown; with `-q`, nothing else is shown.
    Notes are shown only with `-v` or in the formats `json` and `sarif`.
    """
    if finding.is_error or options.quiet:
        return finding.is_error
    return not finding.is_note or options.verbose or options.format in ("json", "sarif")


def write_reports(
    report: Report,
    prefix: str,
    options: argparse.Namespace,
    fixes: ReportedFixes | None = None,
) -> None:
    """Write every finding to the files that `--report` names."""
    findings = [hint_from(prefix, finding) for finding in report.findings if options.report]
    for form, file in options.report:
        lines = _rendered(report, findings, prefix, form, fixes)
        disk.write_text(Path(file), "".join(f"{line}\n" for line in lines))


def _rendered(
    report: Report,
    findings: Sequence[Finding],
    prefix: str,
    form: str,
    fixes: ReportedFixes | None,
    stream: TextIO | None = None,
) -> Iterator[str]:
    """Yield the lines of a report in the format `form`, for a stream or for a file."""
    color, utf8 = (wants_color(stream), takes_utf8(stream)) if stream else (False, True)
    # Import a format when it is needed: most runs write text.
    match form:
        case "json":
            from skillbuild.report.json_reports import findings_json

            yield findings_json(report, findings, prefix, fixes)
        case "github":
            yield from github_lines(findings, prefix, utf8=utf8)
            yield from lost_annotations(_lost_lines(report, utf8=utf8))
        case "sarif":
            from skillbuild.report.sarif import findings_sarif

            yield findings_sarif(findings, prefix, _lost_lines(report))
        case _:
            yield from text_lines(findings, prefix, color=color, utf8=utf8, every_place=True)


def wants_color(stream: TextIO) -> bool:
    """Whether to color text, according to `NO_COLOR`, `FORCE_COLOR` and the kind of stream."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def warn(message: str) -> None:
    """Print a message to standard error. An empty message is not printed."""
    if message:
        print(f"skillbuild: {message}", file=sys.stderr)
