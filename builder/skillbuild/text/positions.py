"""Lines and columns of positions in a text; lines end at LF alone, as in git and in editors."""

from __future__ import annotations

from skillbuild.model import Place


def place_at(text: str, index: int, first_line: int = 1) -> Place:
    """The place of the character at `index`, in a file whose line `first_line` begins the text."""
    line_start = text.rfind("\n", 0, index) + 1
    return Place(first_line + text.count("\n", 0, index), index - line_start + 1)


class LineCounter:
    """Line numbers, from 1, of many positions in one text, asked for in rising order."""

    def __init__(self, text: str) -> None:
        self._text, self._position, self._line = text, 0, 1

    def at(self, position: int) -> int:
        self._line += self._text.count("\n", self._position, position)
        self._position = position
        return self._line
