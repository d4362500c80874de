"""What is found in one text of a skill, before it is put in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillbuild.model import RunKind

LONGEST_COMMAND = 200
"""Characters of a command that are shown."""
_MOST_LINES = 2000


class Found(NamedTuple):
    """Something that a text does or tells to do, and the line of the file where it stands."""

    kind: RunKind
    words: str
    line: int
    command: str = ""
    host: str = ""


def shown(text: str) -> str:
    """A command on one line, cut."""
    line = " ".join(text[: 4 * LONGEST_COMMAND].split())
    return line if len(line) <= LONGEST_COMMAND else f"{line[: LONGEST_COMMAND - 1]}\u2026"


def words(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


def lines_with(signs: Iterable[str], text: str) -> Sequence[int]:
    """Where the lines with one of some words begin, in order; at most 2,000 for each word."""
    starts: set[int] = set()
    for sign in signs:
        at, count = text.find(sign), 0
        while at >= 0 and count < _MOST_LINES:
            starts.add(text.rfind("\n", 0, at) + 1)
            count += 1
            end = text.find("\n", at)
            at = text.find(sign, end) if end >= 0 else -1
    return sorted(starts)
