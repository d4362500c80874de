"""Extracts the text around a link or path, which shows whether readers are meant to follow it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillbuild.model import Place

_MOST_LINES = 3
"""Maximum number of lines before a path that are searched for the start of its sentence."""
_MOST_CHARACTERS = 400
"""Maximum characters on either side of a path that are read in a line."""
_MARKER = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)?")
_STARTS_BLOCK = re.compile(r"[\s>]*(?:[-*+]\s|\d{1,3}[.)]\s|#{1,6}\s|```|~~~|\|)")
_SENTENCE_END = re.compile(r"[.!?:]['\"*_)]*\s+(?=[A-Z`*_\[\"(])|;\s+|[\u3002\uff01\uff1f]")
_MOST_ITEMS = 30
"""Maximum number of lines between a list item or table row and its introduction."""
_MOST_ROWS = 200
"""Maximum number of lines above a row that are searched for the head of the table."""
_OF_LIST = re.compile(r"\s*$|[\s>]*(?:[-*+]\s|\d{1,3}[.)]\s|\|)|\s{2,}\S")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|incl)\.", re.IGNORECASE)
_OPENING = re.compile(r"[\s*_`\[(\"'\u201c]*")


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentence, list item or table cell that contains a path.

    `before` and `after` are the words before and after the path, in lower case.
    """

    before: str
    after: str
    starts: bool
    """Whether the path is at the start of a list item or a table cell."""
    introduction: str = ""
    """The line or heading that introduces the list or table, in lower case, if the path begins an
    item.
    """
    column: str = ""
    """The head of the column, if the path is in a table."""


def passage(lines: Sequence[str], number: int, place: Place, length: int) -> Passage:
    """Return the text around a path that begins at `place` and is `length` characters long.

    `lines[number]` is the line that contains the path.
    """
    start = place.column - 1
    line, opening = lines[number], lines[number][:_MOST_CHARACTERS]
    first, end = max(0, start - _MOST_CHARACTERS), start + length
    head, tail = line[first:start], line[end : end + _MOST_CHARACTERS].lstrip("`")
    if opening.lstrip(" >").startswith("|"):
        before, after = head.rpartition("|")[2], tail.partition("|")[0]
        starts = _OPENING.fullmatch(before) is not None
        above = _introduction(lines, number) if starts else ""
        column = _head(lines, number, line.count("|", 0, start))
        return Passage(before.lower(), after.lower(), starts, above, column)
    marker = _MARKER.match(opening)
    is_item = marker is not None and marker[0].strip(" >") != ""
    text = line[max(marker.end(), first) : start] if marker is not None and is_item else head
    starts = is_item and _OPENING.fullmatch(text) is not None
    if not is_item:
        text = " ".join([*_lines_above(lines, number), text])
    before = _SENTENCE_END.split(_ABBREVIATION.sub(r"\1", text))[-1]
    end_of_sentence = _SENTENCE_END.search(f"{tail} ")
    after = tail[: end_of_sentence.end()] if end_of_sentence else tail
    if not tail.strip(" `*_).,;:"):
        after += " " + _line_below(lines, number)
    above = _introduction(lines, number) if starts else ""
    return Passage(before[-_MOST_CHARACTERS:].lower(), after.lower(), starts, above)


def _introduction(lines: Sequence[str], number: int) -> str:
    """Return the last line above a list or table, which introduces it: an outer item that ends with
    a colon, or the text above.
    """
    own = _indent(lines[number])
    for line in reversed(lines[max(0, number - _MOST_ITEMS) : number]):
        is_outer = _indent(line) < own and line.rstrip().endswith(":")
        if is_outer or not _OF_LIST.match(line[:_MOST_CHARACTERS]):
            return line[-_MOST_CHARACTERS:].lower()
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _head(lines: Sequence[str], number: int, column: int) -> str:
    """Return the head of a table column, given the number of bars before it."""
    last = max(0, number - _MOST_ROWS)
    while number > last and lines[number - 1].lstrip(" >").startswith("|"):
        number -= 1
    cells = lines[number][:_MOST_CHARACTERS].split("|")
    return cells[column] if column < len(cells) else ""


def _lines_above(lines: Sequence[str], number: int) -> list[str]:
    """Return the last few lines of the same paragraph before a line."""
    above: list[str] = []
    while number > 0 and len(above) < _MOST_LINES and not _starts_block(lines[number]):
        number -= 1
        line, opening = lines[number], lines[number][:_MOST_CHARACTERS].lstrip(" >")
        if not opening.strip() or opening.startswith(("#", "|", "```", "~~~")):
            break
        marker = _MARKER.match(line[:_MOST_CHARACTERS])
        above.insert(0, line[marker.end() if marker else 0 :][-_MOST_CHARACTERS:])
    return above


def _starts_block(line: str) -> bool:
    return _STARTS_BLOCK.match(line[:_MOST_CHARACTERS]) is not None


def _line_below(lines: Sequence[str], number: int) -> str:
    """Return the next line, if it continues the sentence."""
    below = lines[number + 1] if number + 1 < len(lines) else ""
    return "" if _starts_block(below) else below[:_MOST_CHARACTERS]


_TEMPLATE = re.compile(r"(?:^|/)(?:templates?/|[^/]*\btemplate\b[^/]*$)", re.IGNORECASE)


def is_template(path: str) -> bool:
    """Return whether a text is a template, judging by its file path."""
    return _TEMPLATE.search(path) is not None
