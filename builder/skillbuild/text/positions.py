"""Computes line and column numbers, counted as in git and editors, and lengths in UTF-16 code
units.
"""

from __future__ import annotations

from skillbuild.model import Place


def place_at(text: str, index: int, first_line: int = 1) -> Place:
    """Return the position in a file of the character at `index` of a text.

    The text begins on line `first_line` of the file.
    """
    line_start = text.rfind("\n", 0, index) + 1
    return Place(first_line + text.count("\n", 0, index), index - line_start + 1)


# Lengths in UTF-16 units, as JavaScript and many formats count them.


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 code units; code points above U+FFFF count twice."""
    return len(text) + sum(char > "\uffff" for char in text)


def utf16_start(text: str, most: int) -> str:
    """Return the longest prefix of a text that fits in `most` UTF-16 code units; no code point is
    split.
    """
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * most]
    return units.decode("utf-16-le", "ignore")
