"""Mends of lists where a text is wanted."""

from __future__ import annotations

import re

from skillbuild.check.field_values import any_patterns, has_blank_outside, holds_patterns
from skillbuild.fix.changes import Answer, Edit, Refusal
from skillbuild.fix.scalars import in_quotes, quoted_value
from skillbuild.fix.subject import Subject
from skillbuild.text.yaml.written import Style, Written

_PLAIN_WORD = re.compile(r"[^\s,]+")
_BETWEEN = re.compile(r"[\s,\[\]-]*")
_SCALARS = frozenset([Style.PLAIN, Style.SINGLE, Style.DOUBLE])


def join_tools(subject: Subject) -> Answer:
    """Write the tools of a list as one text, with blanks between them (Agent Skills)."""
    value = subject.value()
    if value is None or value.style is not Style.LIST:
        return None
    words = [item.text for item in value.items]
    if has_blank_outside(words):
        return Refusal("the name of a tool holds a blank")
    is_plain = all(map(_PLAIN_WORD.fullmatch, words))
    return _joined(subject, value, " ", is_safe=is_plain)


def fit_metadata(subject: Subject) -> Answer:
    """Quote a number or a boolean of `metadata`; a list becomes a text with commas."""
    text, value, keys = subject.skill_text, subject.value(), subject.keys()
    if text is None or value is None or len(keys) != 2:
        return None
    if value.style is Style.LIST:
        metadata = (text.fields or {}).get("metadata")
        if holds_patterns([item.text for item in value.items]):
            return Refusal("its items are patterns")
        if isinstance(metadata, dict) and any_patterns(metadata):
            return Refusal("a list beside it holds patterns")
        return _joined(subject, value, ", ", is_safe=False)
    return quoted_value(text, value)


def _joined(subject: Subject, value: Written, between: str, *, is_safe: bool) -> Answer:
    """The items as one text; the edit begins behind the colon of the key."""
    text = subject.skill_text
    if text is None or value.key_end is None or not value.items:
        return None
    if any(item.style not in _SCALARS or not item.text.strip() for item in value.items):
        return None
    start, end = text.index(value.key_end), text.index(value.end)
    places = [place for item in value.items for place in (item.start, item.end)]
    marks = [start, *map(text.index, places)]
    gaps = [text.text[a:b] for a, b in zip(marks[::2], [*marks[1::2], end], strict=True)]
    before = gaps[0].lstrip()
    if not before.startswith(":") or not all(
        map(_BETWEEN.fullmatch, [before.removeprefix(":"), *gaps[1:]])
    ):
        return Refusal("a comment stands in the list")
    colon = start + len(gaps[0]) - len(before) + 1
    joined = between.join(item.text for item in value.items)
    return Edit(colon, end, f" {in_quotes(joined)}", joined, value_at=1, is_safe=is_safe)
