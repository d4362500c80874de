"""Findings of many skills that have one remedy, told once for the whole source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from skillbuild.check.files import LEAVE
from skillbuild.diagnostics import Finding
from skillbuild.rules.files import LINK_STALE
from skillbuild.rules.source import DISCOVERY_OMITTED
from skillbuild.source.conflicts import SHARED_NAME_HINT
from skillbuild.text.wording import plural

_BY_SETTING = 'set listing = "all"'
"""In hints whose remedy is a setting, which serves all skills."""


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """The first of the findings that are alike; all that are like no other; in the same order.

    Notes with nothing to do about them are left out: pages of skills have them.
    """
    groups: defaultdict[object, list[Finding]] = defaultdict(list)
    for item in findings:
        if not (item.is_note and item.hint == LEAVE):
            groups[_key(item) or item].append(item)
    return [_with_number(group[0], len(group) - 1) for group in groups.values()]


def _key(item: Finding) -> tuple[object, ...] | None:
    """What alike findings have in common; None for one that is told at each place."""
    same = (item.severity, item.rule.code, item.hint)
    if item.rule.code == DISCOVERY_OMITTED.code:
        return same
    if item.rule.code == LINK_STALE.code or _BY_SETTING in item.hint:
        return *same, item.message
    return None


def _with_number(first: Finding, more: int) -> Finding:
    """A finding with the number of those like it, unless it names them itself."""
    if not more or first.hint.startswith(SHARED_NAME_HINT):
        return first
    is_link = first.rule.code == LINK_STALE.code
    others = f"in {plural(more, 'more text')}" if is_link else f"with {plural(more, 'more skill')}"
    return replace(first, message=f"{first.message}; so it is {others}")
