"""Lines and columns in a text, as in git and in editors, and its length in UTF-16."""

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


# Lengths as JavaScript counts them, and many formats with it: in UTF-16 units.


def utf16_length(text: str) -> int:
    """The length of a text; code points beyond U+FFFF count twice."""
    return len(text) + sum(char > "\uffff" for char in text)


def utf16_start(text: str, most: int) -> str:
    """As much of a text as `most` units hold; no code point is cut in two."""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * most]
    return units.decode("utf-16-le", "ignore")
