"""Values of frontmatter fields in words, and how to write one of another type as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from skillbuild.model import Json

_IN_PARENTHESES = re.compile(r"\([^()]*\)")
_PATTERN = re.compile(r"[*\\(\[{^$]|/.*/")
_OPENCLAW = frozenset(["openclaw", "clawdbot", "moltbot"])
"""Keys of `metadata` under which OpenClaw, by its names so far, documents a mapping."""


def type_of(value: Json) -> str:
    """The type of a value, with its article, in the words of YAML."""
    match value:
        case None:
            return "empty"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case dict():
            return "a mapping"
        case _:
            return "a list"


def text_hint(key: str, value: Json, quoted: str, *, has_patterns: bool) -> str:
    """How to write a value of `metadata` as text; `quoted` is it, where a number loses digits."""
    match value:
        case bool():
            rest = "" if key == "internal" else _unless(value)
            return f"put it in double quotes: {key}: {json.dumps(str(value).lower())}{rest}"
        case int() | float():
            rest = "" if "version" in key.lower() else _unless(value)
            return f"put it in double quotes: {key}: {quoted or json.dumps(str(value))}{rest}"
        case None:
            return f'remove it, or write {key}: ""'
        case list() | dict() if not value:
            return "remove it"
        case dict() if key in _OPENCLAW:
            return (
                'leave it where OpenClaw reads it, and set listing = "all" to list the skill over'
                " MCP too; else write texts"
            )
        case list() if not has_patterns and (one_text := joined(value, ", ")):
            return f"write one text: {key}: {one_text}"
        case _:
            return 'write one text if no client reads it as it is; else set listing = "all"'


def _unless(value: Json) -> str:
    return f'; where a client reads {type_of(value)} there, leave it and set listing = "all"'


def holds_patterns(items: Sequence[Json]) -> bool:
    """Whether texts of a list are globs or regular expressions, which are none in a row."""
    return any(isinstance(item, str) and _PATTERN.search(item) for item in items)


def any_patterns(metadata: Mapping[str, Json]) -> bool:
    """Whether a list in `metadata` holds patterns: what reads them may read all lists there."""
    return any(isinstance(each, list) and holds_patterns(each) for each in metadata.values())


def has_blank_outside(tools: Sequence[Json]) -> bool:
    """Whether the name of a tool holds a blank outside of parentheses: it would fall apart."""
    return any(" " in _IN_PARENTHESES.sub("", str(item)) for item in tools)


def joined(value: Json, between: str) -> str:
    """A list of scalars as one text in double quotes; empty for any other value."""
    items = value if isinstance(value, list) else []
    if not items or any(isinstance(item, list | dict | None) for item in items):
        return ""
    return json.dumps(between.join(map(str, items)), ensure_ascii=False)
