"""What `check` and `build` show on the terminal: findings, a last line with numbers, progress.

Text is put together first and printed at the end, so that `build` can store it and print it again
when nothing has changed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from skillbuild.diagnostics import Finding, escape, hint_from, takes_utf8
from skillbuild.model import VersionTotals
from skillbuild.paths import SKILL_FILE, base_name
from skillbuild.report.findings import (
    github_lines,
    grouped_lines,
    silenced_lines,
    text_lines,
)
from skillbuild.report.run import Report
from skillbuild.report.unlisted import unlisted_lines, unlisted_numbers
from skillbuild.storage import disk
from skillbuild.text.wording import human_size, plural

if TYPE_CHECKING:  # Load where they are wanted: a build with nothing to do needs neither.
    from skillbuild.compile.request import Request
    from skillbuild.report.json_reports import ReportedFixes

_MANY = {
    "link": "links",
    "submodule": "submodules",
    "dot-directory": "in dot-directories",
    "output": "in outputs",
}
"""Reasons why something is ignored, as they are counted where there is more than one."""
_MOST_READ = 1_000_000
"""Characters of the index that one host of skills over MCP reads; it stops at a longer one."""


@dataclass(frozen=True, slots=True)
class ConsoleText:
    """Text for standard output and for standard error."""

    output: str = ""
    errors: str = ""

    def __add__(self, more: ConsoleText) -> ConsoleText:
        return ConsoleText(self.output + more.output, self.errors + more.errors)

    def print(self) -> None:
        print(self.output, end="", flush=True)
        print(self.errors, end="", file=sys.stderr, flush=True)


def last_line(text: str, options: argparse.Namespace, *, always: bool = False) -> ConsoleText:
    """A line for people: on standard error if `--format` wants pure data on standard output.

    Empty with `-q`, unless `always`.
    """
    if options.quiet and not always:
        return ConsoleText()
    if options.format == "text":
        return ConsoleText(f"{text}\n")
    return ConsoleText(errors=f"{text}\n")


def with_folded(report: Report, request: Request) -> Report:
    """The same report on a source, in which findings of several skills with one remedy are one."""
    # Loads the checks, which a build with nothing to do does not need.
    from skillbuild.report.folding import folded

    findings = folded(report.findings, request.skill_directories(), report.copies)
    return replace(report, findings=tuple(findings))


def findings_text(
    report: Report,
    prefix: str,
    options: argparse.Namespace,
    fixes: ReportedFixes | None = None,
) -> ConsoleText:
    """The findings in the format of `--format`; with `-q` errors only.

    `prefix` leads from the repository to the source; `fixes` are further fields of JSON.
    """
    is_text = options.format == "text"
    start = path_from_here(Path(options.repo)) if is_text else prefix
    findings = [hint_from(start, item) for item in report.findings if is_shown(item, options)]
    color, utf8 = wants_color(sys.stdout), takes_utf8(sys.stdout)
    if is_text and not options.verbose:
        lines = grouped_lines(findings, prefix, color=color, utf8=utf8)
    else:
        lines = _rendered(report, findings, prefix, options.format, fixes, sys.stdout)
    shown = [f"{line}\n" for line in lines]
    if is_text and options.verbose:
        shown += [f"{line}\n" for line in silenced_lines(report.silenced, prefix, utf8=utf8)]
        left_out = [(path, f"ignored: {report.ignored[path]}") for path in sorted(report.ignored)]
        left_out += [(path, "excluded") for path in report.excluded]
        shown += [f"{escape(prefix + path, utf8=utf8)}: {how}\n" for path, how in left_out]
    if options.format in ("text", "github") and not options.quiet:
        unlisted = unlisted_lines(
            report.unlisted, report.internal, everything=options.verbose, utf8=utf8
        )
        shown += [f"{line}\n" for line in unlisted]
    return ConsoleText("".join(shown))


def path_from_here(repo: Path) -> str:
    """The path to a source from the working directory, empty or with a final `/`, for hints."""
    return "" if repo == Path() else f"{repo.as_posix().rstrip('/')}/"


def is_shown(finding: Finding, options: argparse.Namespace) -> bool:
    """Notes are for machines and for `-v`: nothing has to be fixed."""
    if finding.is_error or options.quiet:
        return finding.is_error
    return not finding.is_note or options.verbose or options.format in ("json", "sarif")


def write_reports(
    report: Report,
    prefix: str,
    options: argparse.Namespace,
    fixes: ReportedFixes | None = None,
) -> None:
    """Write the files that `--report` asks for, with every finding."""
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
    """Lines in a format, for a stream or for a file."""
    color, utf8 = (wants_color(stream), takes_utf8(stream)) if stream else (False, True)
    # Formats load when they are wanted: most runs write text.
    match form:
        case "json":
            from skillbuild.report.json_reports import findings_json

            yield findings_json(report, findings, prefix, fixes)
        case "github":
            yield from github_lines(findings, prefix, utf8=utf8)
        case "sarif":
            from skillbuild.report.sarif import findings_sarif

            yield findings_sarif(findings, prefix)
        case _:
            yield from text_lines(findings, prefix, color=color, utf8=utf8, every_place=True)


def wants_color(stream: TextIO) -> bool:
    """Whether to color text, by `NO_COLOR`, `FORCE_COLOR` and the kind of stream."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def numbers_text(report: Report) -> str:
    """Numbers of skills, files, errors and warnings; of notes and all else where there are some."""
    parts = [
        plural(report.skills, "skill"),
        plural(report.files, "file"),
        plural(report.errors, "error"),
        plural(report.warnings, "warning"),
    ]
    if report.notes:
        parts.append(plural(report.notes, "note"))
    if report.silenced:
        parts.append(f"{len(report.silenced):,} silenced")
    parts += unlisted_numbers(report.unlisted, report.internal)
    if report.copies:
        parts.append(plural(len(report.copies), "copy", "copies"))
    if report.versions is not None:
        parts.append(_versions_text(report.versions))
    if report.index_size > _MOST_READ:
        parts.append(
            f"index.json has {report.index_size:,} characters and one host reads {_MOST_READ:,}"
        )
    if report.excluded:
        parts.append(f"{plural(len(report.excluded), 'file')} excluded")
    if report.moved:
        parts.append(f"{report.moved:,} moved")
    if report.digest is not None and report.invalid:
        parts.append(f"{len(report.invalid):,} invalid left out")
    if report.ignored:
        by_reason = sorted(Counter(report.ignored.values()).items())
        reasons = ", ".join(
            plural(number, reason, _MANY.get(reason, reason)) for reason, number in by_reason
        )
        is_plain = all(base_name(path) == SKILL_FILE for path in report.ignored)
        count = len(report.ignored)
        what = f"{count:,} {SKILL_FILE}" if is_plain else plural(count, "path")
        parts.append(f"{what} ignored ({reasons})")
    return ", ".join(parts)


def _versions_text(totals: VersionTotals) -> str:
    """How many versions there are, what the older ones take, and which are not published."""
    remarks = [f"{human_size(totals.size)} for older ones"] if totals.size else []
    if totals.left_out:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in totals.left_out.items())
        remarks.append(f"{sum(totals.left_out.values()):,} left out: {reasons}")
    if totals.ended:
        remarks.append(f"the addresses of {totals.ended:,} ended")
    return plural(totals.published, "version") + (f" ({'; '.join(remarks)})" if remarks else "")


def refusal(report: Report, *, skip_invalid: bool) -> str:
    """Why a build published nothing, and the remedy."""
    if skip_invalid and report.invalid and not report.skills:
        return "every skill is invalid; nothing was written"
    if skip_invalid or not report.invalid:
        return "nothing was written"
    total = report.skills + len(report.invalid)
    count = len(report.invalid)
    verb, them = ("is", "it") if count == 1 else ("are", "them")
    return (
        f"{count:,} of {plural(total, 'skill')} {verb} invalid;"
        f" exclude {them} or build with --skip-invalid; nothing was written"
    )


def warn(message: str) -> None:
    """Print a line that is no finding on standard error; nothing for an empty one."""
    if message:
        print(f"skillbuild: {message}", file=sys.stderr)
