"""Upper bounds for the size of rendered Markdown, so that few texts are rendered to know it."""

from __future__ import annotations

import html
import re

LONGEST_TEXT = 256 * 1024
"""Characters of a text that are parsed: some inputs cost quadratic time."""

_ITEM, _LINE, _CELL, _MARK, _LINK = 140, 40, 85, 40, 100
"""What the tokens of a list item, another line, a cell, a mark and a bare link weigh at most."""
_MARKS = "*_[]&\\"
_LINKS = ("@", "://", "www.")
_ITEMS = re.compile(r"^[ >]*(?:[-+*]|\d{1,9}[.)]|#{1,6})(?=[ \t\n]|$)", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n`]*\n.*?^\1", re.MULTILINE | re.DOTALL)
_INNER_FENCE = re.compile(r"^(?=[^`~]).*(?:`{3}|~{3})", re.MULTILINE)
_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]*\]:[^\n]*(?:\n[^\n]*)?", re.MULTILINE)


def may_exceed(text: str, budget: int) -> bool:
    """False when the tokens of a text weigh no more than `budget`; True may be a false alarm.

    A token weighs the characters it holds, and 20.
    """
    if not _exceeds(text, budget):
        return False
    return not _may_be_fenced(text) or has_inner_fence(text) or _exceeds_without_code(text, budget)


def has_inner_fence(text: str) -> bool:
    """Whether only a parser can tell what is code, as there is a fence inside a list or quote."""
    return _may_be_fenced(text) and _INNER_FENCE.search(text) is not None


def _may_be_fenced(text: str) -> bool:
    return "```" in text or "~~~" in text


def _exceeds_without_code(text: str, budget: int) -> bool:
    """The same, but marks in fenced code make no tokens: a fence weighs its text and one token."""
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
    """At most so many cells of tables: every row has as many as the head, even if it is short."""
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
            return _TAG + _COLOR * len(content) + len(html.escape(content))
        case _:
            return _TAG + len(html.escape(content))


_TAG, _COLOR = 200, 17
"""Characters of a tag with its attributes, and of a color: each character of code may have one."""
