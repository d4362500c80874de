"""Compares two texts line by line, in limited time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

_AROUND = 3
"""Number of equal lines shown before and after a change."""
_MOST_LINES, _MOST_PAIRS = 2000, 300_000
"""Maximum lines, and pairs of lines, between the first and the last difference of two texts.

The time to match lines grows with the number of pairs; below one of the limits it is at most a
second. Above both limits, changed lines are only counted."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line and its mark in a unified diff: `+`, `-`, or a space for a line in both texts."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Consecutive lines of a diff, and the line numbers of the first one in both texts."""

    old: int
    new: int
    lines: tuple[DiffLine, ...]

    @property
    def heading(self) -> str:
        """The line range of the hunk in the new text. If the hunk has only removed lines, this is
        their range in the old text.
        """
        old = sum(line.mark != "+" for line in self.lines)
        new = sum(line.mark != "-" for line in self.lines)
        start, count = (self.new, new) if new else (self.old, old)
        lines = f"Lines {start}\u2013{start + count - 1}" if count > 1 else f"Line {start}"
        return lines if new else f"{lines} of the old file"

    def numbered(self) -> Iterator[tuple[int, int, DiffLine]]:
        """Yield each line with its line numbers in both texts; a number is 0 if that text does not
        have the line.
        """
        old, new = self.old, self.new
        for line in self.lines:
            yield 0 if line.mark == "+" else old, 0 if line.mark == "-" else new, line
            old += line.mark != "+"
            new += line.mark != "-"


@dataclass(frozen=True, slots=True)
class LineDifference:
    """How many lines were added and removed, and the hunks of the diff. `hunks` is None if there
    are too many lines to compare.
    """

    added: int
    removed: int
    hunks: tuple[Hunk, ...] | None


def compare_lines(older: str, newer: str) -> LineDifference:
    """Compare two texts line by line."""
    old, new = _lines(older), _lines(newer)
    start = _count_equal(old, new)
    end = _count_equal(old[start:][::-1], new[start:][::-1])
    inner = old[start : len(old) - end], new[start : len(new) - end]
    if sum(map(len, inner)) > _MOST_LINES and len(inner[0]) * len(inner[1]) > _MOST_PAIRS:
        before, after = map(Counter, inner)
        return LineDifference((after - before).total(), (before - after).total(), None)
    first = max(0, start - _AROUND)
    last = max(0, end - _AROUND)
    hunks = tuple(_hunks(old[first : len(old) - last], new[first : len(new) - last], first))
    marks = Counter(line.mark for hunk in hunks for line in hunk.lines)
    return LineDifference(marks["+"], marks["-"], hunks)


def _lines(text: str) -> list[str]:
    """Split only at line feeds; `str.splitlines` also splits at seven other characters."""
    return text.removesuffix("\n").split("\n") if text else []


def _count_equal(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the number of equal lines at the start of both lists."""
    pairs = zip(old, new, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _hunks(old: Sequence[str], new: Sequence[str], skipped: int) -> Iterator[Hunk]:
    """Yield the hunks after `skipped` equal lines at the start of both texts."""
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(_AROUND):
        lines: list[DiffLine] = []
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                lines += (DiffLine(" ", text) for text in old[start:end])
            else:
                lines += (DiffLine("-", text) for text in old[start:end])
                lines += (DiffLine("+", text) for text in new[new_start:new_end])
        _, start, _, new_start, _ = group[0]
        yield Hunk(start + skipped + 1, new_start + skipped + 1, tuple(lines))
