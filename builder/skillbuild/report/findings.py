"""Formats findings as text for people and as workflow commands for GitHub, and formats the page
about a rule.

Every line is printable ASCII, whatever a skill contains. With `utf8`, other visible characters are
shown unchanged. `prefix` is the path from the repository to the source, and precedes every path.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from skillbuild.diagnostics import Finding, FoundAt, Rule, Severity, Silenced, escape
from skillbuild.model import label
from skillbuild.report.unlisted import LIST_ALL
from skillbuild.rules.registry import RULES
from skillbuild.text.wording import joined, plural

MOST_ANNOTATIONS = 10
"""Maximum number of annotations of one severity in one step of a workflow; GitHub drops the rest.
"""
MOST_IN_TEXT = 1000
"""Maximum number of findings that are listed individually; more are grouped by rule."""
FIRST_OF_RULE = 10
"""Number of findings listed for each rule when they are grouped."""

_MOST_PLACES = 2
"""Maximum number of further places that a line names."""

_BOLD, _DIM, _END = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_COLORS = {
    Severity.ERROR: "\x1b[31m",
    Severity.WARNING: "\x1b[33m",
    Severity.NOTE: "\x1b[36m",
}


def text_lines(
    findings: Iterable[Finding],
    prefix: str,
    *,
    color: bool,
    utf8: bool = False,
    every_place: bool = False,
) -> Iterator[str]:
    """Yield each finding as `path:line:column: severity[code]: message`, with indented lines below
    it.

    The indented lines give the hint and the other places. Only a few places are listed, and the
    remaining ones are counted. If the places are whole files, none are listed, because the message
    already names the first ones. With `every_place`, all places are listed.
    """
    for finding in findings:
        where = _where(finding, prefix, utf8=utf8)
        label = f"{finding.severity}[{finding.code}]"
        if color:
            where = f"{_BOLD}{where}{_END}"
            label = f"{_COLORS[finding.severity]}{label}{_END}"
        yield f"{where}: {label}: {escape(finding.message, utf8=utf8)}{copies_of(finding)}"
        if finding.hint:
            hint = f"hint: {escape(finding.hint, utf8=utf8)}"
            yield f"    {_DIM}{hint}{_END}" if color else f"    {hint}"
        for line in _other_places(finding, prefix, every=every_place, utf8=utf8):
            yield f"    {_DIM}{line}{_END}" if color else f"    {line}"


def copies_of(finding: Finding) -> str:
    """Return text such as ` (and 5 copies)` if the finding also applies to other files with the
    same content; empty otherwise.
    """
    count = len(finding.copies)
    return f" (and {plural(count, 'copy', 'copies')})" if count else ""


def _other_places(finding: Finding, prefix: str, *, every: bool, utf8: bool) -> Iterator[str]:
    """Yield the other places of a finding: on one line, or with `every` on a line each."""
    if every:
        for place in finding.others:
            target = f" ({escape(place.target, utf8=utf8)})" if place.target else ""
            yield f"also at {_where(place, prefix, utf8=utf8)}{target}"
        yield from (f"copy: {escape(prefix + path, utf8=utf8)}" for path in finding.copies)
    elif some := some_places(finding, partial(_where, prefix=prefix, utf8=utf8)):
        rest = " (-v lists all)" if len(finding.others) > _MOST_PLACES else ""
        yield f"also at {some}{rest}"


def some_places(finding: Finding, shown: Callable[[FoundAt], str]) -> str:
    """Return a few places after the first one, and the number of the remaining places.

    Empty if the places are whole files, because the message already names some of them.
    """
    others = finding.others
    if not any(place.place for place in others):
        return ""
    rest = len(others) - _MOST_PLACES
    more = [plural(rest, "more place")] if rest > 0 else []
    return joined([*map(shown, others[:_MOST_PLACES]), *more])


def _where(found: Finding | FoundAt, prefix: str, *, utf8: bool) -> str:
    """Return `path:line:column`."""
    position = f":{found.place.line}:{found.place.column}" if found.place else ""
    return escape(prefix + found.path, utf8=utf8) + position


def silenced_lines(
    silenced: Iterable[Silenced], prefix: str, *, utf8: bool = False
) -> Iterator[str]:
    """Yield `path:line:column: silenced[code]: message (reason)`."""
    for item in silenced:
        where = _where(item.finding, prefix, utf8=utf8)
        message = escape(f"{item.finding.message} ({item.reason})", utf8=utf8)
        yield f"{where}: silenced[{item.finding.code}]: {message}"


def grouped_lines(
    findings: Sequence[Finding], prefix: str, *, color: bool, utf8: bool = False
) -> Iterator[str]:
    """Yield lines like those of `text_lines`, but grouped by rule if there are more than
    `MOST_IN_TEXT` findings.

    The first findings of each rule are listed and the others counted. The most severe rules come
    first; among rules of equal severity, the most frequent ones.
    """
    if len(findings) <= MOST_IN_TEXT:
        yield from text_lines(findings, prefix, color=color, utf8=utf8)
        return
    groups: dict[tuple[int, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[by_severity(finding), finding.code].append(finding)
    for (_, code), group in sorted(groups.items(), key=_by_frequency):
        files = len({finding.path for finding in group})
        head = f"{group[0].severity}[{code}]: {len(group):,} in {plural(files, 'file')}: "
        yield (f"{_BOLD}{head}{_END}" if color else head) + RULES[code].summary
        first = by_weight(group)[:FIRST_OF_RULE]
        for line in text_lines(first, prefix, color=color, utf8=utf8):
            yield f"  {line}"
        if len(group) > FIRST_OF_RULE:
            yield f"  ... and {len(group) - FIRST_OF_RULE:,} more"
    how = "to list each of them, pass --verbose or --report json=FILE"
    yield f"{len(findings):,} findings by rule; {how}"


def _by_frequency(
    item: tuple[tuple[int, str], list[Finding]],
) -> tuple[int, int, str]:
    """Return a key to sort groups of findings: severity, then most findings first, then code."""
    (severity, code), group = item
    return severity, -len(group), code


def by_severity(finding: Finding) -> int:
    """Return a sort key: errors come first, then warnings, then notes."""
    return list(Severity).index(finding.severity)


def by_weight(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings, the most important first.

    Findings that remove a skill from a listing come before all others. Within both groups, the
    first finding of each file comes first, then the second finding of each file, and so on.
    """
    earlier: Counter[str] = Counter()
    weighed = []
    for finding in findings:
        weighed.append((not RULES[finding.code].unlists, earlier[finding.path], finding))
        earlier[finding.path] += 1
    return [finding for *_, finding in sorted(weighed, key=lambda item: item[:2])]


def github_lines(findings: Sequence[Finding], prefix: str, *, utf8: bool = False) -> Iterator[str]:
    """Yield workflow commands that annotate files, errors first.

    GitHub shows only a limited number of annotations. Other findings are written to the log as
    text, and a notice counts them. Notes are left out, because a reviewer need not act on them.
    """
    for severity in (Severity.ERROR, Severity.WARNING):
        ordered = by_weight([finding for finding in findings if finding.severity is severity])
        yield from (
            _annotation(finding, prefix, utf8=utf8) for finding in ordered[:MOST_ANNOTATIONS]
        )
        rest = ordered[MOST_ANNOTATIONS:]
        yield from grouped_lines(rest, prefix, color=False, utf8=utf8)
        if rest:
            verb = "is" if len(rest) == 1 else "are"
            more = f"{plural(len(rest), f'more {severity}')} {verb} in the log"
            yield f"::notice title=skillbuild::{more}"


def lost_annotations(lines: Iterable[str]) -> Iterator[str]:
    """Yield workflow commands that warn about lost skills; these warnings refer to no file."""
    for line in lines:
        yield f"::warning title=skillbuild::{line.replace('%', '%25')}"


def _annotation(finding: Finding, prefix: str, *, utf8: bool) -> str:
    properties = {"file": prefix + finding.path, "title": finding.code}
    if finding.place:
        properties |= {"line": str(finding.place.line), "col": str(finding.place.column)}
    listed = ",".join(f"{key}={_property(value, utf8=utf8)}" for key, value in properties.items())
    hint = f" ({escape(finding.hint, utf8=utf8)})" if finding.hint else ""
    message = escape(finding.message, utf8=utf8) + copies_of(finding) + hint
    return f"::{finding.severity} {listed}::{message.replace('%', '%25')}"


def _property(value: str, *, utf8: bool) -> str:
    """Escape a value for a property of a workflow command."""
    safe = escape(value, utf8=utf8).replace("%", "%25")
    return safe.replace(":", "%3A").replace(",", "%2C")


def explain_rule(code: str) -> str:
    """Return the page that `skillbuild explain CODE` prints."""
    rule = RULES[code]
    unlisting = f"\n{words}\n" if (words := unlisting_words(rule)) else ""
    return f"{rule.code} ({rule.severity}): {rule.summary}\n\n{rule.explanation}\n{unlisting}"


# Which listings leave out which skills.


def labels(listings: Collection[str]) -> str:
    """Return the names of listings, joined with commas and `and`."""
    return joined([label(listing) for listing in listings])


def unlisting_words(rule: Rule) -> str:
    """Return which listings leave out a skill that breaks the rule, and how to change that."""
    if not rule.unlists:
        return ""
    where = labels(rule.unlists)
    if not rule.protects:
        return f"Skills with this problem are left out of {where} until it is fixed."
    return (
        f"Skills with this problem are left out of {where}, because some clients would reject the"
        " whole list. Other listings contain these skills. To list them everywhere, fix the"
        f" problem or {LIST_ALL}. If every skill has such a problem, all are listed."
    )
