"""Defines `Found`, a fact that was found in one file of a skill, and helpers that the other modules
of this package share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

from skillbuild.model import RunKind

LONGEST_COMMAND = 200
"""Maximum number of characters shown of a command."""
LONGEST_LINE = 2000
"""Maximum number of characters of a line that are examined."""
_MOST_LINES = 2000


class Found(NamedTuple):
    """Something that a script does or that a text says to do, and the line where it was found."""

    kind: RunKind
    words: str
    line: int
    command: str = ""
    host: str = ""


def shown(text: str) -> str:
    """Return a command on one line, cut to `LONGEST_COMMAND` characters."""
    line = " ".join(text[: 4 * LONGEST_COMMAND].split())
    return line if len(line) <= LONGEST_COMMAND else f"{line[: LONGEST_COMMAND - 1]}\u2026"


def words(text: str) -> frozenset[str]:
    """Return the distinct words in a text, split at white space."""
    return frozenset(text.split())


def one_of(names: Iterable[str]) -> str:
    """Return a pattern that matches any of these names. The names must not contain characters that
    need escaping.

    Names with the same first letter share a branch of the pattern, which makes searches faster.
    """
    by_letter = groupby(sorted(names), itemgetter(0))
    rests = ((first, "|".join(name[1:] for name in group)) for first, group in by_letter)
    return f"(?:{'|'.join(f'{first}(?:{rest})' for first, rest in rests)})"


def lines_with(signs: Iterable[str | re.Pattern[str]], text: str) -> Sequence[int]:
    """Return the start index of each line that contains one of the `signs`, in order.

    A pattern is as fast as a plain string if all its matches begin with the same rare character. At
    most 2,000 lines are returned for each sign.
    """
    starts: set[int] = set()
    for sign in signs:
        if isinstance(sign, re.Pattern):
            for match in islice(sign.finditer(text), _MOST_LINES):
                starts.add(text.rfind("\n", 0, match.start()) + 1)
            continue
        at, count = text.find(sign), 0
        while at >= 0 and count < _MOST_LINES:
            starts.add(text.rfind("\n", 0, at) + 1)
            count += 1
            end = text.find("\n", at)
            at = text.find(sign, end) if end >= 0 else -1
    return sorted(starts)


def marked_lines(signs: Iterable[str | re.Pattern[str]], text: str) -> Iterator[tuple[int, str]]:
    """Yield the start index and the text of each line that contains one of the `signs`, in order.

    A line is cut to `LONGEST_LINE` characters.
    """
    for start in lines_with(signs, text):
        end = text.find("\n", start, start + LONGEST_LINE)
        yield start, text[start : end if end >= 0 else start + LONGEST_LINE]
