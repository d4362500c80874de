"""The line of a TOML file on which a value is given, which its parser does not tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Key = str | int
"""Of a table, or the number of an element of an array, from 0."""
_MOST_ATTEMPTS = 500
"""Beginnings of a file that are parsed to find a line; more are only tried with huge arrays."""


def line_of(
    text: str, keys: Sequence[Key], parse: Callable[[str], Mapping[str, object]]
) -> int | None:
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


def _parsed(
    lines: Sequence[str], parse: Callable[[str], Mapping[str, object]]
) -> Mapping[str, object] | None:
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
