"""Where settings stand in `skillbuild.toml`, and errors about them: line, message, what was meant.

Parsers of TOML do not tell where a value stands.
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


# In a file that was read without a fault.

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
        return _place(text, headers[number].start())
    return _place_of_key(text, name)


def _place_of_key(text: str, key: str) -> Place | None:
    """Where a key at the top of the file stands."""
    match = re.search(_KEY.format(name=re.escape(key)), text, re.MULTILINE)
    return _place(text, match.start()) if match else None


def place_of_text(text: str, key: str, value: str) -> Place | None:
    """Where a text in the value of a key stands; the place of the key if it is written oddly."""
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
