"""Findings as people and machines read them: text, JSON, GitHub annotations, SARIF 2.1.0."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from skillbuild import __version__
from skillbuild.diagnostics import Finding, Severity, escape
from skillbuild.rules.registry import RULES
from skillbuild.text.json import valid_text

MOST_ANNOTATIONS = 10
"""Of each severity in one step of a workflow; GitHub drops what comes after."""

MOST_IN_TEXT = 1000
"""Findings that are told one by one; of more, `FIRST_OF_RULE` of each rule, and how many."""
FIRST_OF_RULE = 10
MOST_IN_SARIF = 25_000
"""Results of one run; GitHub rejects a file with more."""

_BOLD, _DIM, _END = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_COLOURS = {
    Severity.ERROR: "\x1b[31m",
    Severity.WARNING: "\x1b[33m",
    Severity.NOTE: "\x1b[36m",
}


def text_lines(found: Iterable[Finding], prefix: str, *, colour: bool) -> Iterator[str]:
    """`path:line:col: severity[code]: message` and an indented hint, printable ASCII."""
    for item in found:
        place = f":{item.place.line}:{item.place.column}" if item.place else ""
        where = f"{escape(prefix + item.path)}{place}"
        what = f"{item.severity}[{item.rule.code}]"
        if colour:
            where = f"{_BOLD}{where}{_END}"
            what = f"{_COLOURS[item.severity]}{what}{_END}"
        yield f"{where}: {what}: {escape(item.message)}"
        if item.hint:
            hint = f"hint: {escape(item.hint)}"
            yield f"    {_DIM}{hint}{_END}" if colour else f"    {hint}"


def grouped_lines(found: Sequence[Finding], prefix: str, *, colour: bool) -> Iterator[str]:
    """Text for people: the whole of a short list; the most frequent rules first of a long one."""
    if len(found) <= MOST_IN_TEXT:
        yield from text_lines(found, prefix, colour=colour)
        return
    groups: dict[tuple[int, str], list[Finding]] = defaultdict(list)
    for item in found:
        groups[_weight(item), item.rule.code].append(item)
    for (_, code), items in sorted(groups.items(), key=_by_frequency):
        files = len({item.path for item in items})
        head = f"{items[0].severity}[{code}]: {len(items):,} in {files:,} files: "
        yield (f"{_BOLD}{head}{_END}" if colour else head) + RULES[code].summary
        for line in text_lines(by_weight(items)[:FIRST_OF_RULE], prefix, colour=colour):
            yield f"  {line}"
        if len(items) > FIRST_OF_RULE:
            yield f"  ... and {len(items) - FIRST_OF_RULE:,} more"
    yield f"{len(found):,} findings by rule; --verbose or --report json=FILE has each of them"


def _by_frequency(
    group: tuple[tuple[int, str], list[Finding]],
) -> tuple[int, int, str]:
    (weight, code), items = group
    return weight, -len(items), code


def _weight(item: Finding) -> int:
    """What is gravest comes first."""
    return list(Severity).index(item.severity)


def findings_json(found: Sequence[Finding], prefix: str, summary: dict[str, object]) -> str:
    """One document: the summary's fields and `diagnostics`, one object a finding."""
    diagnostics = [
        {
            "code": item.rule.code,
            "severity": str(item.severity),
            "path": valid_text(prefix + item.path),
            "line": item.place.line if item.place else None,
            "column": item.place.column if item.place else None,
            "message": valid_text(item.message),
            "hint": valid_text(item.hint),
        }
        for item in found
    ]
    return _dump({**summary, "diagnostics": diagnostics})


def _dump(value: object) -> str:
    """JSON without `##[`, which GitHub's runner obeys anywhere in a line."""
    return json.dumps(value, indent=2).replace("##[", "#\\u0023[")


def github_lines(found: Sequence[Finding], prefix: str) -> Iterator[str]:
    """Workflow commands that annotate files, the gravest first; text where GitHub drops them.

    Notes are none of a reviewer's business.
    """
    for severity in (Severity.ERROR, Severity.WARNING):
        items = by_weight([item for item in found if item.severity is severity])
        yield from (_annotation(item, prefix) for item in items[:MOST_ANNOTATIONS])
        rest = items[MOST_ANNOTATIONS:]
        yield from grouped_lines(rest, prefix, colour=False)
        if rest:
            yield f"::notice title=skillbuild::{len(rest):,} more {severity}s are in the log"


def by_weight(found: Iterable[Finding]) -> list[Finding]:
    """What unlists a skill first, and one of every file before the second of any."""
    met: Counter[str] = Counter()
    weights = []
    for item in found:
        weights.append((not item.rule.unlists, met[item.path], item))
        met[item.path] += 1
    return [item for *_, item in sorted(weights, key=lambda weight: weight[:2])]


def _annotation(item: Finding, prefix: str) -> str:
    fields = {"file": prefix + item.path, "title": item.rule.code}
    if item.place:
        fields |= {"line": str(item.place.line), "col": str(item.place.column)}
    listed = ",".join(f"{key}={_property(value)}" for key, value in fields.items())
    message = escape(item.message) + (f" ({escape(item.hint)})" if item.hint else "")
    return f"::{item.severity} {listed}::{message.replace('%', '%25')}"


def _property(value: str) -> str:
    safe = escape(value).replace("%", "%25")
    return safe.replace(":", "%3A").replace(",", "%2C")


def findings_sarif(found: Sequence[Finding], prefix: str) -> str:
    """A SARIF 2.1.0 log with the rules that were met; of too many results the gravest, and why."""
    told = _gravest(found)
    met = sorted({item.rule.code for item in told})
    run: dict[str, object] = {
        "tool": {
            "driver": {
                "name": "skillbuild",
                "version": __version__,
                "rules": [_sarif_rule(code) for code in met],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(item, prefix, met) for item in told],
    }
    if len(told) < len(found):
        run["invocations"] = [_cut_short(len(told), len(found))]
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return _dump({"$schema": schema, "version": "2.1.0", "runs": [run]})


def _gravest(found: Sequence[Finding]) -> Sequence[Finding]:
    if len(found) <= MOST_IN_SARIF:
        return found
    weighed = sorted(by_weight(found), key=_weight)
    chosen = set(weighed[:MOST_IN_SARIF])
    return [item for item in found if item in chosen]


def _cut_short(told: int, found: int) -> dict[str, object]:
    text = f"{told:,} of {found:,} findings; the JSON report has all of them"
    notice = {"level": "warning", "message": {"text": text}}
    return {"executionSuccessful": True, "toolExecutionNotifications": [notice]}


def _sarif_rule(code: str) -> dict[str, object]:
    rule = RULES[code]
    return {
        "id": code,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": rule.explanation},
        "defaultConfiguration": {"level": str(rule.severity)},
    }


def _sarif_result(item: Finding, prefix: str, met: Sequence[str]) -> dict[str, object]:
    location: dict[str, object] = {
        "artifactLocation": {"uri": quote(prefix + item.path, errors="surrogateescape")}
    }
    if item.place:
        location["region"] = {"startLine": item.place.line, "startColumn": item.place.column}
    message = valid_text(item.message + (f"; {item.hint}" if item.hint else ""))
    return {
        "ruleId": item.rule.code,
        "ruleIndex": met.index(item.rule.code),
        "level": str(item.severity),
        "message": {"text": message},
        "locations": [{"physicalLocation": location}],
    }


def explain_rule(code: str) -> str:
    """A page about one rule."""
    rule = RULES[code]
    listed = "Skills with it are in no listing.\n" if rule.unlists else ""
    return f"{rule.code} ({rule.severity}): {rule.summary}\n\n{rule.explanation}\n{listed}"
