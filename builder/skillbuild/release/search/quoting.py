"""Finds the parts of a text that match a query: the first match in a line, and the best line to
quote from a long text.

`site_src/search/spans.js` does the same in JavaScript, and marks every match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbuild.release.search.ranking import Match
from skillbuild.text.terms import placed_words

_MARKUP = ' \t#>*-+|`_"'
_FRONT = re.compile(r"---.*?\n---", re.DOTALL)
_CODE = re.compile(r'^ *```(?s:.*?)^ *```|.*":.*', re.MULTILINE)
"""Blocks of code, and lines with a key of JSON."""
_ITEM = re.compile(r"^\s*([-*] `+)?|[`\s]+$")
"""What surrounds code that is an item of a list."""
_FENCE = re.compile(r"^ *```.*", re.MULTILINE)
_BREAK = re.compile(r"\n *(?=[a-z])")
"""A line break within a sentence."""


def first_match(line: str, found: Sequence[Match]) -> int | None:
    """Return the position of the first word that matches the query; None if there is none."""
    places = (place for place, word in placed_words(line) if any(own.has(word) for own in found))
    return next(places, None)


def quote(text: str, found: Sequence[Match]) -> str:
    """Return the line of a Markdown text that contains the most query terms; empty if no line
    contains any.

    Frontmatter is ignored. A line of code is returned only if no other line contains a term. If
    several lines contain the same number of terms, the first of these lines is returned.
    """
    text = _FRONT.sub("", text, count=1)
    prose = _BREAK.sub(" ", _CODE.sub("", text))
    return _best(prose, found).strip(_MARKUP) or _ITEM.sub("", _best(_FENCE.sub("", text), found))


def _best(text: str, found: Sequence[Match]) -> str:
    """Return the first line with the most query terms; empty if no line has one."""
    marks = {mark for own in found for mark in (*own.words, own.start) if mark}
    likely = re.compile("|".join(map(re.escape, marks)), re.IGNORECASE)
    lines = [line for line in text.splitlines() if likely.search(line)]
    best = max(lines, key=lambda line: _count(line, found), default="")
    return best if _count(best, found) else ""


def _count(line: str, found: Sequence[Match]) -> int:
    words = {word for _, word in placed_words(line)}
    return sum(any(map(own.has, words)) for own in found)
