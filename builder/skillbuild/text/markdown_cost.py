"""May a Markdown text grow too much when it is rendered? A cheap guess, to render few texts."""

from __future__ import annotations

import html
import re

_ITEM, _LINE, _CELL, _MARK, _LINK = 140, 40, 85, 40, 100
"""What the tokens of a list item, another line, a cell, a mark and a bare link weigh at most."""
_MARKS = "*_[]&\\"
_LINKS = ("@", "://", "www.")
_ITEMS = re.compile(r"^[ >]*(?:[-+*]|\d{1,9}[.)]|#{1,6})(?=[ \t\n]|$)", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n`]*\n.*?^\1", re.MULTILINE | re.DOTALL)
_INNER_FENCE = re.compile(r"^(?=[^`~]).*(?:`{3}|~{3})", re.MULTILINE)
"""Where there is one, it takes a parser to tell what is code."""
_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]*\]:[^\n]*(?:\n[^\n]*)?", re.MULTILINE)


def may_exceed(text: str, budget: int) -> bool:
    """False when the tokens of a text will weigh less than the budget."""
    return _exceeds(text, budget) and (
        _INNER_FENCE.search(text) is not None or _exceeds_without_code(text, budget)
    )


def _exceeds_without_code(text: str, budget: int) -> bool:
    """The same, as nothing in fenced code has a meaning: it weighs what it is, and its token."""
    rest, fences = _FENCED.subn("", text)
    return _exceeds(rest, budget - 3 * (len(text) - len(rest)) - _ITEM * fences)


def _exceeds(text: str, budget: int) -> bool:
    lines = text.count("\n") + 1
    weight = 3 * len(text) + _LINE * lines + _MARK * text.count("\n>")
    weight += _MARK * (sum(map(text.count, _MARKS)) - text.count("**"))
    weight += _MARK // 2 * (text.count("`") + text.count("~"))
    weight += _LINK * sum(map(text.count, _LINKS))
    if weight + _ITEM * lines > budget:
        weight += _ITEM * len(_ITEMS.findall(text))
    if "]:" in text and (defined := _DEFINITION.findall(text)):
        weight += text.count("[") * max(map(len, defined))
    return weight > budget or ("|" in text and weight + _CELL * _cells(text) > budget)


def _cells(text: str) -> int:
    """A row has as many cells as the head of its table, even if it gives none."""
    tables = [block.split("\n") for block in text.split("\n\n") if "|" in block]
    return sum(len(rows) * (max(row.count("|") for row in rows) + 1) for rows in tables)


def rendered_size(kind: str, content: str) -> int:
    """The most characters that one token becomes, when links lead nowhere and nothing is hidden."""
    match kind:
        case "inline":  # Its parts are tokens, too.
            return 0
        case "text":
            return len(html.escape(content))
        case "fence" | "code_block":
            return _TAG + _COLOUR * len(content) + len(html.escape(content))
        case _:
            return _TAG + len(html.escape(content))


_TAG, _COLOUR = 200, 17
"""What a tag of ours takes, and a colour, which every character of code may have its own of."""
