"""Finds the lines of settings in `skillbuild.toml`, and formats errors about them.

TOML parsers do not report the positions of values, so a line is found by parsing prefixes of the
file.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from skillbuild.errors import ConfigError
from skillbuild.model import Place

Parse = Callable[[str], Mapping[str, object]]
Key = str | int
"""The key of a table, or the index of an array element, from 0."""
_MOST_ATTEMPTS = 500
"""Maximum number of prefixes that are parsed to find a line; only huge arrays need more."""

_SYNTAX = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)
"""The message of Python's TOML parser for a syntax error, with its position."""


class SettingError(ConfigError):
    """An invalid value of a setting. `keys` is the path from the top of the file to the value."""

    def __init__(self, message: str, *keys: Key) -> None:
        super().__init__(message)
        self.keys = keys


@contextmanager
def within(key: Key) -> Iterator[None]:
    """Prepend `key` to the keys of any `SettingError` that is raised in the block."""
    try:
        yield
    except SettingError as error:
        raise SettingError(str(error), key, *error.keys) from None


def refuse_unknown(names: Iterable[str], allowed: Iterable[str], noun: str) -> None:
    """Raise `SettingError` for a name that is not allowed; the message calls it an
    unknown `noun`.
    """
    known = list(allowed)
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            remedy = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(known))}"
            raise SettingError(f"unknown {noun} {name!r}; {remedy}", name)


def of_syntax(message: str) -> str:
    """Format the error of a TOML parser as `:LINE:COLUMN: MESSAGE`, to append to the file name."""
    match = _SYNTAX.fullmatch(message)
    where, words = (f":{match[2]}:{match[3]}", match[1]) if match else ("", message)
    return f"{where}: {words[:1].lower()}{words[1:]}"


def of_setting(error: SettingError, text: str, parse: Parse) -> str:
    """Format an error as `:LINE: MESSAGE`, to append to the file name.

    `LINE` is the line of `text` that sets the value. If the line is unknown, returns `: MESSAGE`.
    """
    line = line_of(text, error.keys, parse)
    return f": {error}" if line is None else f":{line}: {error}"


def line_of(text: str, keys: Sequence[Key], parse: Parse) -> int | None:
    """Return the line, from 1, of the statement that sets the value at `keys`.

    The statement is found by a binary search that parses prefixes of the file. If the value is
    missing, returns the line of the innermost table or array that would contain it. Returns None if
    no line is found.
    """
    lines = text.split("\n")
    whole = parse(text)
    present = [end for end in range(1, len(keys) + 1) if _holds(whole, keys[:end])]
    if not present:
        return None
    wanted, attempts = keys[: present[-1]], 0
    without, ceiling = 0, len(lines)
    while ceiling - without > 1:
        end = middle = (without + ceiling) // 2
        while end < ceiling and (table := _parsed(lines[:end], parse)) is None:
            end, attempts = end + 1, attempts + 1
            if attempts > _MOST_ATTEMPTS:
                return None
        if end == ceiling or (table is not None and _holds(table, wanted)):
            ceiling = middle
        else:
            without = end
    return without + 1


def _parsed(lines: Sequence[str], parse: Parse) -> Mapping[str, object] | None:
    """Parse the first lines of a file; None if they end inside a statement."""
    try:
        return parse("\n".join(lines) + "\n")
    except ValueError:
        return None


def _holds(value: object, keys: Sequence[Key]) -> bool:
    for key in keys:
        match value:
            case dict() if key in value:
                value = value[key]
            case list() if isinstance(key, int) and key < len(value):
                value = value[key]
            case _:
                return False
    return True


# Positions in a file that has been parsed without errors

_HEADER = r"^[ \t]*\[\[[ \t]*([\"']?){name}\1[ \t]*\]\]"
_NEXT = re.compile(
    r"^[ \t]*(?:([\"']?)[\w-]+\1[ \t]*=|\[\[?[ \t]*([\"']?)[\w-]+\2[ \t]*\])", re.MULTILINE
)
"""Matches what can follow a value: a key or a table header. No string in a list begins like this.
"""
_KEY = r"^[ \t]*([\"']?){name}\1[ \t]*="


def place_of_entry(text: str, name: str, number: int, count: int) -> Place | None:
    """Return the position of an entry in the array of tables called `name`; None if it is not
    found.

    `number` is the index of the entry, from 0, and `count` is the number of entries. The position
    is that of the entry's header, `[[name]]`. If the array is written as `name = [...]`, the
    position is that of the key.
    """
    headers = list(re.finditer(_HEADER.format(name=re.escape(name)), text, re.MULTILINE))
    if len(headers) == count:
        return _place(text, headers[number].start())
    return _place_of_key(text, name)


def _place_of_key(text: str, key: str) -> Place | None:
    """Return the position of a top-level key."""
    match = re.search(_KEY.format(name=re.escape(key)), text, re.MULTILINE)
    return _place(text, match.start()) if match else None


def place_of_text(text: str, key: str, value: str) -> Place | None:
    """Return the position of a string inside the value of a key, or else the position of
    the key.
    """
    match = re.search(_KEY.format(name=re.escape(key)), text, re.MULTILINE)
    quoted = re.escape(value.replace("\\", "\\\\")), re.escape(value)
    pattern = re.compile(rf'"{quoted[0]}"|\'{quoted[1]}\'')
    if match is None:
        return None
    after = _NEXT.search(text, match.end())
    inner = pattern.search(text, match.end(), after.start() if after else len(text))
    return _place(text, (inner or match).start())


def _place(text: str, index: int) -> Place:
    return Place(text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))
