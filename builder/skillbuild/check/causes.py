"""Merges findings about one skill that share a rule and a cause."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from skillbuild.check.files import CHMOD, chmod
from skillbuild.diagnostics import Finding, in_order

_MOST_NAMED = 3
"""Maximum number of further paths or addresses that a message names."""


def by_cause(
    findings: Iterable[Finding], directory: str, contents: Mapping[str, bytes]
) -> list[Finding]:
    """Merge findings with the same rule, severity and cause into one finding that lists all places.

    Findings without a cause are not merged. Findings with different hints are merged only if they
    have a `hint_for_all`. `directory` is the directory of the skill. `contents` maps paths relative
    to this directory to the content of the files.
    """
    groups: dict[object, list[Finding]] = {}
    for number, item in enumerate(findings):
        hint = "" if item.hint_for_all else item.hint
        key = (item.code, item.severity, item.cause, hint) if item.cause else number
        groups.setdefault(key, []).append(item)
    start = f"{directory}/" if directory else ""
    return [
        replace(item, content=_content(item, start, contents), hint_for_all="")
        for item in (_as_one(in_order(group), start) for group in groups.values())
    ]


def _as_one(group: Sequence[Finding], start: str) -> Finding:
    first, *rest = group
    if not rest:
        return first
    targets = {item.target for item in group if item.target}
    names = list(dict.fromkeys(item.target or item.path.removeprefix(start) for item in group))
    names = [name for name in names if name not in targets or not _is_longer(name, targets)]
    return replace(
        first,
        message=first.message + _more(names, len(group)),
        hint=_hint(group) if len(names) > 1 else first.hint,
        others=tuple(place for item in rest for place in item.places),
    )


def _is_longer(target: str, targets: Set[str]) -> bool:
    """Return whether a target is the same as another one, except for more folders in front."""
    parts = target.split("/")
    return any("/".join(parts[at:]) in targets for at in range(1, len(parts)))


def _more(names: Sequence[str], places: int) -> str:
    """Return the names of the other targets with this cause, or how often the same target
    occurs.
    """
    _, *others = names
    if not others:
        return f" (in {places:,} places)"
    stops = ", ..." if len(others) > _MOST_NAMED else ""
    return f"; {len(others):,} more: {', '.join(others[:_MOST_NAMED])}{stops}"


def _hint(group: Sequence[Finding]) -> str:
    hint = group[0].hint_for_all or group[0].hint
    bit = hint.removeprefix(CHMOD)
    return hint if bit == hint else chmod(bit, [item.path for item in group])


def _content(item: Finding, start: str, contents: Mapping[str, bytes]) -> str:
    """Return 16 hex digits that identify the content of all files; empty if a file was not read."""
    digest = hashlib.sha256()
    for path in dict.fromkeys(place.path for place in item.places):
        data = contents.get(path.removeprefix(start))
        if data is None:
            return ""
        digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()[:16]
