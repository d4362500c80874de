"""Findings of one rule about one skill that have the same cause, as one finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from skillbuild.check.files import chmod
from skillbuild.diagnostics import Finding, in_order
from skillbuild.rules import files as rules

_MOST_NAMED = 3
"""Further paths or addresses that a message names."""
_BITS: Mapping[str, str] = {
    rules.EXEC_MARKDOWN.code: "-x",
    rules.SCRIPT_NOT_EXECUTABLE.code: "+x",
    rules.SCRIPT_MODE.code: "+x",
}
"""Rules about executable bits, and the change that `chmod` makes."""


def by_cause(findings: Iterable[Finding], directory: str) -> list[Finding]:
    """One finding for each rule, severity and cause, with all places.

    `directory` is that of the skill which the findings are about. Those without a cause stay.
    """
    groups: dict[object, list[Finding]] = {}
    for number, item in enumerate(findings):
        key = (item.rule.code, item.severity, item.cause) if item.cause else number
        groups.setdefault(key, []).append(item)
    return [_as_one(in_order(group), directory) for group in groups.values()]


def _as_one(group: Sequence[Finding], directory: str) -> Finding:
    first, *rest = group
    if not rest:
        return replace(first, hint_for_all="")
    start = f"{directory}/" if directory else ""
    names = list(dict.fromkeys(item.target or item.path.removeprefix(start) for item in group))
    return replace(
        first,
        message=first.message + _more(names, len(group)),
        hint=_hint(group) if len(names) > 1 else first.hint,
        hint_for_all="",
        others=tuple(place for item in rest for place in item.places),
    )


def _more(names: Sequence[str], places: int) -> str:
    """What else has the cause, by name; or how often the same is met."""
    _, *others = names
    if not others:
        return f" (in {places:,} places)"
    stops = ", ..." if len(others) > _MOST_NAMED else ""
    return f"; {len(others):,} more: {', '.join(others[:_MOST_NAMED])}{stops}"


def _hint(group: Sequence[Finding]) -> str:
    first = group[0]
    bit = _BITS.get(first.rule.code)
    if bit is not None:
        return chmod(bit, [item.path for item in group])
    return first.hint_for_all or first.hint
