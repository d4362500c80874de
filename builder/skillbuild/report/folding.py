"""Merges findings that have the same fix, even in several skills. A report then shows the fix
once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from skillbuild.check.files import LEAVE
from skillbuild.check.path_words import TRANSLATION
from skillbuild.diagnostics import Finding
from skillbuild.paths import base_name, prefixes
from skillbuild.rules.files import LINK_STALE, PATH_MISSING, PATH_OUTSIDE
from skillbuild.rules.source import DISCOVERY_OMITTED
from skillbuild.source.conflicts import SHARED_NAME_HINT
from skillbuild.text.wording import plural

_BY_SETTING = 'set listing = "all"'
"""The part of a hint that names a setting; changing the setting fixes all skills at once."""
_IN_PLACES = re.compile(r" \(in [0-9,]+ places\)$")
"""Suffix of messages about several places in one skill; merged messages give the number of
skills."""
_MOST_NAMED = 5
"""Maximum number of further skills that a message names."""


def folded(
    findings: Iterable[Finding], directories: Collection[str], copies: Mapping[str, str]
) -> list[Finding]:
    """Return the findings in the same order, with findings merged if they are alike or concern
    identical files.

    `directories` are the directories of all skills; `copies` is explained in `Report`. Notes that
    ask for no action are dropped, because the pages of skills show them.
    """
    alike: defaultdict[object, list[Finding]] = defaultdict(list)
    for item in findings:
        if not (item.is_note and item.hint == LEAVE):
            alike[_alike(item) or item].append(item)
    equal: defaultdict[object, list[Finding]] = defaultdict(list)
    known = frozenset(directories)
    for group in alike.values():
        item = _with_others(group, known)
        equal[_equal(item) or item].append(item)
    return [_with_copies(group, _directories_of_copies(copies)) for group in equal.values()]


def _alike(item: Finding) -> object:
    """Return a key shared by findings that are merged; None for a finding that is not merged."""
    same = (item.severity, item.code, item.hint)
    if item.code == DISCOVERY_OMITTED.code:
        return same
    if item.code in (LINK_STALE.code, PATH_MISSING.code) or _BY_SETTING in item.hint:
        return *same, item.message
    if item.code == PATH_OUTSIDE.code:
        return *same, item.cause, frozenset(place.target for place in item.places)
    return None


def _with_others(group: Sequence[Finding], directories: Collection[str]) -> Finding:
    """Return the first finding of a group, with the places of all findings and the names of the
    other skills; originals come before their translations.
    """
    group = sorted(group, key=lambda item: TRANSLATION.search(item.path) is not None)
    first, *rest = group
    if not rest:
        return first
    others = [*first.others, *(place for item in rest for place in item.places)]
    named = first.hint.startswith(SHARED_NAME_HINT)
    message = _IN_PLACES.sub("", first.message)
    message = first.message if named else message + _others(group, directories)
    return replace(first, message=message, others=tuple(others))


def _others(group: Sequence[Finding], directories: Collection[str]) -> str:
    """Return which other skills have the finding, or how often one skill has it."""
    _, *skills = dict.fromkeys(_skill_of(item.path, directories) for item in group)
    if not skills:
        return f" (in {len(group):,} places)"
    stops = ", ..." if len(skills) > _MOST_NAMED else ""
    names = ", ".join(map(base_name, skills[:_MOST_NAMED]))
    return f"; {plural(len(skills), 'more skill')}: {names}{stops}"


def _skill_of(path: str, directories: Collection[str]) -> str:
    """Return the directory of the innermost skill that contains a path; if there is none, the
    folder of the path.
    """
    above = prefixes(path)
    return next(
        (each for each in reversed(above) if each in directories), above[-1] if above else ""
    )


def _equal(item: Finding) -> object:
    """Return a key shared by equal findings about equal files; None if no file was read."""
    if not item.content:
        return None
    positions = tuple((place.place, place.target) for place in item.places)
    said = (item.severity, item.code, item.message, item.hint, item.fingerprint)
    return *said, positions, item.content


def _directories_of_copies(copies: Mapping[str, str]) -> Mapping[str, list[str]]:
    """Map the directory of each skill to the directories of its copies."""
    by_original: defaultdict[str, list[str]] = defaultdict(list)
    for copy, original in copies.items():
        by_original[original].append(copy)
    return by_original


def _with_copies(group: Sequence[Finding], by_original: Mapping[str, Sequence[str]]) -> Finding:
    """Return the first finding, with the paths of the same file in other skills and in copies of
    skills.
    """
    first = group[0]
    paths = [item.path for item in group]
    if first.content:
        paths += [
            copy + path.removeprefix(original)
            for path in paths
            for original in prefixes(path)
            for copy in by_original.get(original, ())
        ]
    return replace(first, copies=tuple(sorted({*paths} - {first.path})))
