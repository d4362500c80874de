"""The type of what the modules of this package find in one text of a skill, before `gather` groups
it, and the helpers that they share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillbuild.model import RunKind

LONGEST_COMMAND = 200
"""Maximum number of characters shown of a command."""
_MOST_LINES = 2000


class Found(NamedTuple):
    """Something that a script does or a text says to do, and its line in the file."""

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
    """Return the words in a text, which are separated by white space."""
    return frozenset(text.split())


def lines_with(signs: Iterable[str], text: str) -> Sequence[int]:
    """Return the starts of lines with one of these words, in order; at most 2,000 for each word."""
    starts: set[int] = set()
    for sign in signs:
        at, count = text.find(sign), 0
        while at >= 0 and count < _MOST_LINES:
            starts.add(text.rfind("\n", 0, at) + 1)
            count += 1
            end = text.find("\n", at)
            at = text.find(sign, end) if end >= 0 else -1
    return sorted(starts)
