"""Lengths of texts as JavaScript counts them, and many formats with it: in UTF-16 units."""

from __future__ import annotations


def utf16_length(text: str) -> int:
    """The length of a text; code points beyond U+FFFF count twice."""
    return len(text) + sum(char > "\uffff" for char in text)


def utf16_start(text: str, most: int) -> str:
    """As much of a text as `most` units hold; no code point is cut in two."""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * most]
    return units.decode("utf-16-le", "ignore")
