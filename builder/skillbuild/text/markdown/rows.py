"""Table rows whose HTML is known without a parser, so that large tables are measured quickly."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillbuild.text.markdown.cost import has_inner_fence

_TOKEN = 20
"""What a token weighs besides the characters that it holds."""
_FENCE = re.compile(r"(`{3,}|~{3,})[^\n`]*$")
_DELIMITER = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
_ROW = re.compile(r"\|(?:[^|\n\t]*\|)+ *$")
_MARK = re.compile(r"[\\\[\]<&*_~@!\t\x00]|[pso]:|www\.")
"""What begins anything but a text in a cell, outside of code."""
_MARKS = (*"\\[]<&*_~@!\t\x00`", "p:", "s:", "o:", "www.")
"""What holds such a mark, or code; to look for each is quicker."""
_ESCAPED = "&<>\"'"
_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


@dataclass(frozen=True, slots=True)
class Measured:
    """A text without the rows that could be measured, and what the tokens of those rows come to."""

    text: str
    weight: int = 0
    """As tokens weigh: the characters that they hold, and 20 for each."""
    size: int = 0
    """The most characters of HTML."""


def without_simple_rows(text: str) -> Measured:
    """Measure the rows of tables that hold only words and code, but for the first of each table.

    Parsing what is left gives the same tokens as parsing the text, but for those of the rows.
    """
    if "\n|" not in text or has_inner_fence(text):
        return Measured(text)
    kept: list[str] = []
    fence, columns, aligned, is_first = "", 0, 0, False
    weight = size = 0
    lines = text.split("\n")
    marks = [mark for mark in _MARKS if mark in text]
    is_escaped = any(char in text for char in _ESCAPED)
    for number, line in enumerate(lines):
        row = None
        if fence or line.startswith(("```", "~~~")):
            fence, columns = _fence_after(fence, line), 0
        elif not columns and _DELIMITER.match(line):
            columns, aligned, is_first = _columns(lines, number), _aligned(line), True
        elif columns and line.startswith("|"):
            row, is_first = None if is_first else _row_weight(line, columns, marks), False
        else:
            columns = 0
        if row is None:
            kept.append(line)
        else:
            weight += row + aligned
            length = len(html.escape(line)) if is_escaped else len(line)
            size += _row_size(columns, aligned, length, line.count("`"))
    return Measured("\n".join(kept), weight, size)


def _row_size(columns: int, aligned: int, length: int, quotes: int) -> int:
    """At least the characters of the HTML of a row: its tags, styles, words and code."""
    return 20 + 20 * columns + 2 * aligned + length + 13 * quotes


def _fence_after(fence: str, line: str) -> str:
    """The marks of the fence that is open after a line; `fence` is open before it, if any."""
    if fence:
        is_end = line.startswith(fence) and not line.strip(f" \t{fence[0]}")
        return "" if is_end else fence
    match = _FENCE.match(line)
    return match[1] if match else ""


def _columns(lines: list[str], number: int) -> int:
    """The columns of the table with this delimiter row; 0 where there is surely no table."""
    head = lines[number - 1] if number else ""
    is_first = number == 1 or (number > 1 and not lines[number - 2].strip())
    count = lines[number].count("|") - 1
    return count if is_first and _ROW.match(head) and _cells(head) == count else 0


def _cells(row: str) -> int:
    return row.count("|") - 1


def _aligned(delimiter: str) -> int:
    """Characters of the attributes that align the cells of one row."""
    cells = [cell.strip() for cell in delimiter.strip().strip("|").split("|")]
    sides = {(True, True): "center", (True, False): "left", (False, True): "right"}
    styles = [sides.get((cell.startswith(":"), cell.endswith(":"))) for cell in cells]
    return sum(len(f"text-align:{style}") for style in styles if style)


def _row_weight(line: str, columns: int, marks: Sequence[str]) -> int | None:
    """The weight of a row of words and code; None for any other. `marks` are those of the text."""
    if "||" in line or _cells(line) != columns:
        return None
    for mark in marks:
        if mark in line:
            return _marked_row_weight(line)
    row = line.rstrip(" ")
    if not row.endswith("|"):
        return None
    lengths = list(map(len, map(str.strip, row[1:-1].split("|"))))
    return (2 + 4 * columns - lengths.count(0)) * _TOKEN + 2 * sum(lengths)


def _marked_row_weight(line: str) -> int | None:
    """The weight of a row with code, or with what may be a mark; None where it is a mark."""
    if "\\" in line or not _ROW.match(line):
        return None
    weight = 2 * _TOKEN
    for cell in line.strip().strip("|").split("|"):
        content = cell.strip()
        weight += 3 * _TOKEN + len(content)
        if "`" not in content and not _MARK.search(content):
            weight += len(content) + (_TOKEN if content else 0)
        elif (inner := _with_code(content)) is not None:
            weight += inner
        else:
            return None
    return weight


def _with_code(content: str) -> int | None:
    """The weight of the tokens in a cell with code spans; None if it holds other marks too."""
    rest = _CODE.split(content)
    words, codes = rest[::2], rest[1::2]
    if any("`" in part or _MARK.search(part) for part in words):
        return None
    weight = sum(_TOKEN + len(part) for part in words if part)
    for code in codes:
        is_padded = code[0] == code[-1] == " " and code.strip() and len(code) > 1
        weight += _TOKEN + len(code) - (2 if is_padded else 0)
    return weight
