"""The frontmatter of a skill as the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skillbuild.model import Json
from skillbuild.release.frontmatter import SPECIFIED_FIELDS
from skillbuild.text.json import compact_json

_PLAIN = (str, int, float, bool)


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field; `known` if the specification defines it, `is_text` if its value is a string."""

    key: str
    text: str
    """The value, as a reader sees it."""
    known: bool
    is_text: bool


def field_row(key: str, value: Json) -> FieldRow:
    text = value if isinstance(value, str) else _lines(value)
    return FieldRow(key, text, key in SPECIFIED_FIELDS, isinstance(value, str))


def _lines(value: Json) -> str:
    """A mapping of plain values and lists as lines, a plain list as one, anything else as JSON."""
    if isinstance(value, Mapping) and all(map(_is_short, value.values())):
        return "\n".join(f"{name}: {_short(item)}" for name, item in value.items())
    if isinstance(value, list) and all(isinstance(item, _PLAIN) for item in value):
        return ", ".join(map(_short, value))
    return _short(value)


def _is_short(value: Json) -> bool:
    """True for a plain value, and for a list of such."""
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, _PLAIN) for item in items)


def _short(value: Json) -> str:
    if isinstance(value, list) and _is_short(value):
        return f"[{', '.join(map(_short, value))}]"
    return value if isinstance(value, str) else compact_json(value)
