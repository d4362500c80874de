"""Values of frontmatter fields in words, and how to write one of another type as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from skillbuild.model import Json

_IN_PARENTHESES = re.compile(r"\([^()]*\)")
_PATTERN = re.compile(r"[*\\(\[{^$]|/.*/")
_IF_READ = 'write one text if no client reads it as it is; else set listing = "all"'
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


def text_hint(key: str, value: Json, quoted: str, *, is_read: bool) -> str:
    """How to write a value of `metadata` as text; `quoted` is it, where a number loses digits.

    `is_read` says that a client reads `metadata`, by what is in it: then the setting is the remedy
    of the whole skill, and nothing is told to be written or removed.
    """
    quotes = f"put it in double quotes: {key}: {quoted or json.dumps(_scalar_text(value))}"
    match value:
        case bool() if key == "internal":
            return quotes
        case int() | float() if "version" in key.lower():
            return quotes
        case dict() if key in _OPENCLAW and value:
            return (
                'leave it where OpenClaw reads it, and set listing = "all" to list the skill over'
                " MCP too; else write texts"
            )
        case _ if is_read:
            return _IF_READ
        case int() | float():
            return quotes + _unless(value)
        case None:
            return f'remove it, or write {key}: ""'
        case list() | dict() if not value:
            return "remove it"
    one_text = joined(value, ", ")
    return f"write one text: {key}: {one_text}" if one_text else _IF_READ


def _scalar_text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unless(value: Json) -> str:
    return f'; where a client reads {type_of(value)} there, leave it and set listing = "all"'


def holds_patterns(items: Sequence[Json]) -> bool:
    """Whether texts of a list are globs or regular expressions, which are none in a row."""
    return any(isinstance(item, str) and _PATTERN.search(item) for item in items)


def any_patterns(metadata: Mapping[str, Json]) -> bool:
    """Whether a list in `metadata` holds patterns: what reads them may read all lists there."""
    return any(isinstance(each, list) and holds_patterns(each) for each in metadata.values())


def seems_read(metadata: Mapping[str, Json]) -> bool:
    """Whether `metadata` seems made for a client: it holds patterns, or more than one level."""
    return any_patterns(metadata) or any(
        bool(each) and not joined(each, ", ")
        for each in metadata.values()
        if isinstance(each, dict | list)
    )


def has_blank_outside(tools: Sequence[Json]) -> bool:
    """Whether the name of a tool holds a blank outside of parentheses: it would fall apart."""
    return any(" " in _IN_PARENTHESES.sub("", str(item)) for item in tools)


def joined(value: Json, between: str) -> str:
    """A list of scalars as one text in double quotes; empty for any other value."""
    items = value if isinstance(value, list) else []
    if not items or any(isinstance(item, list | dict | None) for item in items):
        return ""
    return json.dumps(between.join(map(str, items)), ensure_ascii=False)
