"""The options `--fix`, `--unsafe-fixes` and `--diff` of `check`. They fix problems, or show the
fixes.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from skillbuild.cli.console import (
    closing,
    print_findings,
    print_line,
    with_folded,
    write_reports,
)
from skillbuild.cli.progress import progress_line
from skillbuild.cli.trusted import trusted
from skillbuild.compile.request import Options, Request
from skillbuild.compile.skills import Compiled, check_skills, check_source
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import ConfigError
from skillbuild.fix.diff import diff_lines
from skillbuild.fix.fixers import FIXABLE
from skillbuild.fix.plan import NEEDS_UNSAFE, Plan, plan_fixes
from skillbuild.fix.write import Fixed, planned, write
from skillbuild.model import changed
from skillbuild.report.json_reports import LeftFinding, ReportedFix, ReportedFixes
from skillbuild.report.run import Report
from skillbuild.source import git, tree
from skillbuild.text.json import valid_text
from skillbuild.text.wording import plural

_MOST_PLANNED = 1000
"""Maximum number of findings for which `check` counts how many it can fix."""


def run(options: argparse.Namespace, settings: Options) -> int:
    """Fix the working tree. Print what was fixed and what is left. Returns 1 if errors are left.

    With `--diff`, nothing is written; returns 1 if anything would be fixed.
    """
    started = time.monotonic()
    source = tree.open_for_check(Path(options.repo), options.rev)
    if not isinstance(source, tree.FolderSource):
        raise ConfigError("a commit cannot be fixed; --fix needs a working tree")
    if options.diff and options.format not in ("text", "json"):
        raise ConfigError(f"--diff prints text or json, not {options.format}")
    request = _request(source, options, settings)
    checked = check_skills(request)
    unsafe = options.unsafe_fixes
    plan = plan_fixes(request, checked, unsafe=unsafe, with_bits=_has_bits(source))
    if options.diff:
        return _show_diff(plan, checked, request, options)
    fixed = write(plan, source.folder)
    before = report = with_folded(checked.report(), request)
    if fixed.fixes:
        request = _request(source, options, settings)
        report = with_folded(check_source(request), request)
    more = _reported(fixed, source.prefix)
    numbers = f"{closing(report, options)} in {time.monotonic() - started:.1f} s"
    if options.format == "text":
        for line in fix_lines(fixed, source.prefix, utf8=takes_utf8(sys.stdout)):
            print_line(line, options)
    print_findings(report, source.prefix, options, more)
    print_line(numbers, options)
    print_line(_closing(before, report, fixed), options)
    write_reports(report, source.prefix, options, more)
    return 1 if report.errors else 0


def offer(request: Request, checked: Compiled, report: Report, options: argparse.Namespace) -> None:
    """Suggest `check --fix` and print what it can fix; print nothing if it can fix nothing.

    Problems and notes are counted as in `report`, where one finding may cover several places. If
    there are many findings, they are not counted, and the line only says that some problems are
    fixable.
    """
    source = request.source
    if not isinstance(source, tree.FolderSource):
        return
    count = sum(item.code in FIXABLE for item in checked.findings())
    what = "some problems"
    if count <= _MOST_PLANNED:
        plan = plan_fixes(request, checked, unsafe=False, with_bits=_has_bits(source))
        fixed = planned(plan)
        if not fixed.fixes:
            return
        what = what_is_fixed(fixed, report, after(plan, checked, request))
    where = "".join(f" {shlex.quote(escape(path))}" for path in options.paths)
    print_line(f"{what} fixable with skillbuild check --fix{where}", options)


def after(plan: Plan, checked: Compiled, request: Request) -> Report:
    """Return the report that a check would give after the fixes."""
    results = (
        replace(each, findings=tuple(plan.after.get(each.directory, each.findings)))
        for each in checked.results
    )
    return with_folded(replace(checked, results=tuple(results)).report(), request)


def what_is_fixed(fixed: Fixed, before: Report, after: Report) -> str:
    """Return what was or would be fixed, such as `2 problems`, or `1 problem and 10 notes`."""
    problems = (_problems(before) - _problems(after)).total()
    notes = (_notes(before) - _notes(after)).total() if fixed.fixes else 0
    if fixed.fixes and not problems + notes:
        return "part of a problem"  # Of several places with one cause, some are left.
    parts = [plural(problems, "problem")] if problems or not notes else []
    parts += [plural(notes, "note")] if notes else []
    return " and ".join(parts)


def _problems(report: Report) -> Counter[str]:
    """Count errors and warnings by the code of their rule, as `check` counts them."""
    return Counter(item.code for item in report.findings if not item.is_note)


def _notes(report: Report) -> Counter[str]:
    """Return the notes, counted in the same way."""
    return Counter(item.code for item in report.findings if item.is_note)


def _request(source: tree.Source, options: argparse.Namespace, settings: Options) -> Request:
    leaves = source.leaves()
    config, roots = trusted(tree.read_config(source, leaves), options)
    return Request(source, leaves, config, settings, progress_line(options), options.files, roots)


def _has_bits(source: tree.FolderSource) -> bool:
    """Whether the executable bits on disk match those that git records."""
    if source.repository is None:
        return os.name == "posix"
    return git.checkout_of(source.repository).executable


def _show_diff(plan: Plan, checked: Compiled, request: Request, options: argparse.Namespace) -> int:
    """Print what would be fixed, and the findings as they are before the fix."""
    fixed, prefix = planned(plan), request.source.prefix
    lines = list(diff_lines(plan, prefix))
    more = replace(_reported(fixed, prefix), diff="".join(f"{line}\n" for line in lines))
    report = with_folded(checked.report(), request)
    if options.format == "json":
        print_findings(report, prefix, options, more)
    else:
        utf8 = takes_utf8(sys.stdout)
        for line in lines:
            print(escape(line, utf8=utf8))
        for line in fix_lines(replace(fixed, fixes=[]), prefix, utf8=utf8):
            if not options.quiet:
                print(line, file=sys.stderr)
    if not options.quiet:
        print(count_fixes(fixed, report, after(plan, checked, request)), file=sys.stderr)
    write_reports(report, prefix, options, more)
    return 1 if plan.steps else 0


def fix_lines(fixed: Fixed, prefix: str, *, utf8: bool) -> Iterator[str]:
    """Yield `path:line: fixed[code]: old -> new` for each fix, then `path:line: left[code]: reason`
    for each finding that is left.

    Findings that need `--unsafe-fixes` are skipped, because the summary line counts them. `prefix`
    is the path from the repository to the source. `utf8` has the same meaning as in `escape`.
    """
    shown = partial(escape, utf8=utf8)
    for fix in fixed.fixes:
        label = f"{'.'.join(map(str, fix.field))}: " if fix.field else ""
        old, new = shown(_bare(fix.old)), shown(_bare(fix.new))
        yield f"{shown(_where(fix, prefix))}: fixed[{fix.code}]: {shown(label)}{old} -> {new}"
    for item in fixed.left:
        if item.reason != NEEDS_UNSAFE:
            yield f"{shown(_where(item, prefix))}: left[{item.code}]: {shown(item.reason)}"


def _bare(text: str) -> str:
    """Return a value as it is written; it is quoted only if it is all white space."""
    return text.strip() or (f'"{text}"' if text else "(nothing)")


def _where(item: ReportedFix | LeftFinding, prefix: str) -> str:
    return prefix + item.path + (f":{item.line}" if item.line else "")


def count_fixes(fixed: Fixed, before: Report, after: Report) -> str:
    """Return text such as `3 problems would be fixed in 2 files; 1 more with --unsafe-fixes`."""
    files = plural(_files(fixed), "file")
    return f"{what_is_fixed(fixed, before, after)} would be fixed in {files}{_more_unsafe(fixed)}"


def _closing(before: Report, after: Report, fixed: Fixed) -> str:
    """Return how many problems and notes are fixed, and how many problems `check` counts now.

    Some problems are found only once the frontmatter is readable; they are counted as new.
    """
    what, left = what_is_fixed(fixed, before, after), _problems(after)
    new = (left - _problems(before)).total()
    remaining = plural(left.total(), "problem") if "note" in what else f"{left.total():,}"
    text = f"{what} fixed in {plural(_files(fixed), 'file')}, {remaining} left"
    if new:
        text += f" ({new:,} found only after the fixes)"
    return text + _more_unsafe(fixed)


def _files(fixed: Fixed) -> int:
    return len({fix.path for fix in fixed.fixes})


def _more_unsafe(fixed: Fixed) -> str:
    unsafe = sum(item.reason == NEEDS_UNSAFE for item in fixed.left)
    return f"; {unsafe:,} more with --unsafe-fixes" if unsafe else ""


def _reported(fixed: Fixed, prefix: str) -> ReportedFixes:
    """Return the fixes as a JSON report has them: with paths from the repository."""
    return ReportedFixes(
        tuple(
            changed(
                fix,
                path=valid_text(prefix + fix.path),
                old=valid_text(fix.old),
                new=valid_text(fix.new),
            )
            for fix in fixed.fixes
        ),
        tuple(changed(item, path=valid_text(prefix + item.path)) for item in fixed.left),
    )
