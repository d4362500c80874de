"""What a run says at its end: findings, then one line with the counts. Text first, printed last."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from skillbuild.compile.request import Report
from skillbuild.diagnostics import Finding, escape, hint_from
from skillbuild.report.findings import (
    findings_json,
    findings_sarif,
    github_lines,
    grouped_lines,
    text_lines,
)
from skillbuild.storage import disk
from skillbuild.text.wording import plural


@dataclass(frozen=True, slots=True)
class Said:
    """What goes to standard output, and what to standard error."""

    output: str = ""
    errors: str = ""

    def __add__(self, more: Said) -> Said:
        return Said(self.output + more.output, self.errors + more.errors)

    def print(self) -> None:
        print(self.output, end="", flush=True)
        print(self.errors, end="", file=sys.stderr, flush=True)


def closing_line(text: str, options: argparse.Namespace, *, always: bool = False) -> Said:
    """The closing line; standard output stays pure data in the formats for machines."""
    if options.quiet and not always:
        return Said()
    return Said(f"{text}\n") if options.format == "text" else Said(errors=f"{text}\n")


def findings_text(report: Report, prefix: str, options: argparse.Namespace) -> Said:
    """Every finding in the format that was asked for; with `-q` errors only."""
    start = start_of(Path(options.repo)) if options.format == "text" else prefix
    found = [hint_from(start, item) for item in report.findings if _is_told(item, options)]
    colour = wants_colour(sys.stdout)
    lines = _rendered(found, report, prefix, options.format, colour=colour)
    if options.format == "text" and not options.verbose:
        lines = grouped_lines(found, prefix, colour=colour)
    said = "".join(f"{line}\n" for line in lines)
    if options.verbose and options.format == "text":
        ignored = sorted(report.ignored.items())
        said += "".join(f"{escape(prefix + path)}: ignored: {why}\n" for path, why in ignored)
    return Said(said)


def start_of(repo: Path) -> str:
    """What leads from here to a source, for the commands in hints."""
    return "" if repo == Path() else f"{repo.as_posix().rstrip('/')}/"


def _is_told(item: Finding, options: argparse.Namespace) -> bool:
    """Notes are for machines and for those who ask: nothing is to be mended."""
    if item.is_error or options.quiet:
        return item.is_error
    return not item.is_note or options.verbose or options.format in ("json", "sarif")


def write_reports(report: Report, prefix: str, options: argparse.Namespace) -> None:
    """The files that `--report` asks for, with every finding."""
    found = [hint_from(prefix, item) for item in report.findings if options.report]
    for form, file in options.report:
        lines = _rendered(found, report, prefix, form)
        disk.write_text(Path(file), "".join(f"{line}\n" for line in lines))


def _rendered(
    found: Sequence[Finding],
    report: Report,
    prefix: str,
    form: str,
    *,
    colour: bool = False,
) -> Iterator[str]:
    match form:
        case "json":
            yield findings_json(found, prefix, _summary(report))
        case "github":
            yield from github_lines(found, prefix)
        case "sarif":
            yield findings_sarif(found, prefix)
        case _:
            yield from text_lines(found, prefix, colour=colour)


def wants_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def count_errors(report: Report) -> int:
    return sum(item.is_error for item in report.findings)


def _notes(report: Report) -> int:
    return sum(item.is_note for item in report.findings)


def counts(report: Report) -> str:
    """Skills, files, errors and warnings, and what is not in the listing."""
    bad, notes = count_errors(report), _notes(report)
    parts = [
        plural(report.skills, "skill"),
        plural(report.files, "file"),
        plural(bad, "error"),
        plural(len(report.findings) - bad - notes, "warning"),
    ]
    if notes:
        parts.append(plural(notes, "note"))
    if report.unlisted:
        parts.append(f"{report.unlisted:,} unlisted")
    if report.release is not None and report.invalid:
        parts.append(f"{len(report.invalid)} invalid left out")
    if report.ignored:
        counted = sorted(Counter(report.ignored.values()).items())
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in counted)
        parts.append(f"{len(report.ignored):,} SKILL.md ignored ({reasons})")
    return ", ".join(parts)


def refusal(report: Report, *, skip_invalid: bool) -> str:
    """Why there is no release, and what would help."""
    if skip_invalid and report.invalid and not report.skills:
        return "every skill is invalid; nothing was written"
    if skip_invalid or not report.invalid:
        return "nothing was written"
    total = report.skills + len(report.invalid)
    verb = "is" if len(report.invalid) == 1 else "are"
    return (
        f"{len(report.invalid)} of {plural(total, 'skill')} {verb} invalid;"
        " exclude them or build with --skip-invalid; nothing was written"
    )


def _summary(report: Report) -> dict[str, object]:
    bad, notes = count_errors(report), _notes(report)
    digest = str(report.release.index_digest) if report.release else None
    return {
        "skills": report.skills,
        "files": report.files,
        "errors": bad,
        "warnings": len(report.findings) - bad - notes,
        "notes": notes,
        "unlisted": report.unlisted,
        "invalid": list(report.invalid),
        "ignored": dict(report.ignored),
        "indexDigest": digest,
    }
