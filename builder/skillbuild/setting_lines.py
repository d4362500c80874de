"""Errors about `skillbuild.toml`: the keys that lead to a value, its line, the name that was meant.

Parsers of TOML do not tell where a value stands.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from skillbuild.errors import ConfigError

Parse = Callable[[str], Mapping[str, object]]
Key = str | int
"""Of a table, or the number of an element of an array, from 0."""
_MOST_ATTEMPTS = 500
"""Beginnings of a file that are parsed to find a line; more are only tried with huge arrays."""

_SYNTAX = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)
"""What the parser of Python says of a text that is no TOML, and where."""


class SettingError(ConfigError):
    """A value that cannot be used; `keys` lead to it from the top of the file."""

    def __init__(self, message: str, *keys: Key) -> None:
        super().__init__(message)
        self.keys = keys


@contextmanager
def within(key: Key) -> Iterator[None]:
    """Puts a key before those of an error about what is below it."""
    try:
        yield
    except SettingError as error:
        raise SettingError(str(error), key, *error.keys) from None


def refuse_unknown(names: Iterable[str], allowed: Iterable[str], noun: str) -> None:
    """Raise for a name that is not allowed; `noun` says what kind of name it is."""
    known = list(allowed)
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            remedy = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(known))}"
            raise SettingError(f"unknown {noun} {name!r}; {remedy}", name)


def of_syntax(message: str) -> str:
    """What is said after the name of the file where a parser says `message`."""
    match = _SYNTAX.fullmatch(message)
    where, words = (f":{match[2]}:{match[3]}", match[1]) if match else ("", message)
    return f"{where}: {words[:1].lower()}{words[1:]}"


def of_setting(error: SettingError, text: str, parse: Parse) -> str:
    """What is said after the name of the file, whose text can be parsed: line and message."""
    line = line_of(text, error.keys, parse)
    return f": {error}" if line is None else f":{line}: {error}"


def line_of(text: str, keys: Sequence[Key], parse: Parse) -> int | None:
    """The line, from 1, of the statement that gives the value which these keys lead to.

    Without such a value the line of what the first of the keys lead to; None if there is none. A
    statement ends with the first lines of the file that can be parsed and hold its value.
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
    """The first lines of a file; None if they end within a statement."""
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
