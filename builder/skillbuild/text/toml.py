"""Where things stand in a TOML file that was already read without a fault; parsers do not tell."""

from __future__ import annotations

import re

from skillbuild.model import Place
from skillbuild.text.positions import place_at

_HEADER = r"^[ \t]*\[\[[ \t]*([\"']?){name}\1[ \t]*\]\]"
_NEXT = re.compile(
    r"^[ \t]*(?:([\"']?)[\w-]+\1[ \t]*=|\[\[?[ \t]*([\"']?)[\w-]+\2[ \t]*\])", re.MULTILINE
)
"""Begins what comes after a value; no text of a list begins like this."""
_KEY = r"^[ \t]*([\"']?){name}\1[ \t]*="


def place_of_entry(text: str, name: str, number: int, count: int) -> Place | None:
    """Where the entry `number`, from 0, of an array of `count` tables begins: its `[[name]]`.

    Entries that are written as `name = [...]` have the place of that key.
    """
    headers = list(re.finditer(_HEADER.format(name=re.escape(name)), text, re.MULTILINE))
    if len(headers) == count:
        return _line(text, headers[number].start())
    return place_of_key(text, name)


def place_of_key(text: str, key: str) -> Place | None:
    """Where a key at the top of the file stands."""
    match = re.search(_KEY.format(name=re.escape(key)), text, re.MULTILINE)
    return _line(text, match.start()) if match else None


def place_of_text(text: str, key: str, value: str) -> Place | None:
    """Where a text in the value of a key stands; the place of the key if it is written oddly."""
    match = re.search(_KEY.format(name=re.escape(key)), text, re.MULTILINE)
    quoted = re.escape(value.replace("\\", "\\\\")), re.escape(value)
    pattern = re.compile(rf'"{quoted[0]}"|\'{quoted[1]}\'')
    if match is None:
        return None
    after = _NEXT.search(text, match.end())
    inner = pattern.search(text, match.end(), after.start() if after else len(text))
    return place_at(text, inner.start()) if inner else _line(text, match.start())


def _line(text: str, index: int) -> Place:
    return Place(text.count("\n", 0, index) + 1, 1)
