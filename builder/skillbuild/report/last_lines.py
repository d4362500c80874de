"""The last lines that a check or build prints: what was found, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skillbuild.diagnostics import escape
from skillbuild.model import VersionTotals
from skillbuild.paths import SKILL_FILE, base_name
from skillbuild.report.run import Report
from skillbuild.report.unlisted import unlisted_numbers
from skillbuild.text.wording import human_size, plural

_MANY = {
    "link": "links",
    "submodule": "submodules",
    "dot-directory": "in dot-directories",
    "output": "in outputs",
}
"""Plural forms of the reasons for ignoring something; all other reasons have no plural."""
_MOST_READ = 1_000_000
"""Maximum characters of an `index.json` that one known MCP host reads."""


def numbers_text(report: Report, *, hides_notes: bool = False) -> str:
    """Return one sentence with the numbers of skills, problems, unlisted skills, and so on."""
    parts = [_skills(report), _faults(report, hides_notes=hides_notes)]
    parts += filter(None, [", ".join(unlisted_numbers(report.unlisted, report.internal))])
    return "; ".join([*parts, ", ".join(_rest(report))])


def _skills(report: Report) -> str:
    """Return `3 skills found: 2 published, 1 invalid and left out`."""
    is_published = report.digest is not None
    good = "published" if is_published else "valid"
    invalid = len(report.invalid)
    found = f"{plural(report.skills + invalid, 'skill')} found"
    if not invalid:
        return f"{found}, all {good}" if report.skills > 1 else f"{found}, {report.skills} {good}"
    left_out = " and left out" if is_published else ""
    return f"{found}: {report.skills:,} {good}, {invalid:,} invalid{left_out}"


def _faults(report: Report, *, hides_notes: bool) -> str:
    """Return `1 error, 2 warnings, 5 notes (-v shows them)`."""
    parts = [plural(report.errors, "error"), plural(report.warnings, "warning")]
    if report.notes:
        them = "it" if report.notes == 1 else "them"
        how = f" (-v shows {them})" if hides_notes else ""
        parts.append(plural(report.notes, "note") + how)
    if report.silenced:
        parts.append(f"{len(report.silenced):,} silenced")
    return ", ".join(parts)


def _rest(report: Report) -> Iterator[str]:
    """Yield the number of files, and every other count that is not zero."""
    yield plural(report.files, "file")
    if report.copies:
        yield plural(len(report.copies), "copy", "copies")
    if report.versions is not None:
        yield _versions_text(report.versions)
    if report.index_size > _MOST_READ:
        size = f"index.json is {report.index_size:,} characters long"
        yield f"{size}, but one known MCP client reads only {_MOST_READ:,}"
    if report.excluded:
        yield f"{len(report.excluded):,} more excluded"
    if report.moved:
        yield f"{report.moved:,} moved"
    if report.ignored:
        by_reason = sorted(Counter(report.ignored.values()).items())
        reasons = ", ".join(
            plural(number, reason, _MANY.get(reason, reason)) for reason, number in by_reason
        )
        is_plain = all(base_name(path) == SKILL_FILE for path in report.ignored)
        count = len(report.ignored)
        what = f"{count:,} {SKILL_FILE}" if is_plain else plural(count, "path")
        yield f"{what} ignored ({reasons})"


def _versions_text(totals: VersionTotals) -> str:
    """Return the number of versions, the size of the older ones, and how many are not published."""
    remarks = [f"{human_size(totals.size)} for older ones"] if totals.size else []
    if totals.left_out:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in totals.left_out.items())
        remarks.append(f"{sum(totals.left_out.values()):,} left out: {reasons}")
    if totals.ended:
        remarks.append(f"{totals.ended:,} no longer published")
    return plural(totals.published, "version") + (f" ({'; '.join(remarks)})" if remarks else "")


def refusal(report: Report, *, skip_invalid: bool) -> str:
    """Return why a build published nothing, and how to fix it."""
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


def exclude_text(report: Report, *, utf8: bool) -> str:
    """Return a message that suggests an `exclude` setting for invalid skills; empty if there is
    nothing to suggest.
    """
    exclusion = report.exclusion
    if exclusion is None:
        return ""
    invalid = len(report.invalid)
    count = f"{exclusion.skills:,} of " if exclusion.skills < invalid else ""
    what = f"{count}{plural(invalid, 'invalid skill')}"
    where = f"{exclusion.folder}/" if exclusion.folder else "tests or examples"
    globs = ", ".join(f'"{glob}"' for glob in exclusion.globs)
    return escape(
        f"{what} can be excluded, as the problems are in {where}; to do so, put this at the top of"
        f" skillbuild.toml: exclude = [{globs}]",
        utf8=utf8,
    )
