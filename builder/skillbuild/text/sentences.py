"""Finds where the first sentences of a text end."""

from __future__ import annotations

import re

_END = re.compile(
    r"[.!?]{1,4}[\"'\u201d\u2019)\]*_`]{0,4}(?=\s|$)"
    r"|[\u3002\uff01\uff1f]{1,4}[\u201d\u2019\u300d\uff09]{0,4}"
    r"|\n[ \t]{0,80}\n"
)
_NO_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|esp|ca|resp|no|dr|mr|mrs|ms|st|inc|ltd|fig|eq|sec)"
    r"|\b[A-Z]|(?:^|\s)[0-9]{1,3})\.$",
    re.IGNORECASE,
)
"""Matches text whose final full stop does not end a sentence: an abbreviation, initial or list
number."""
_LOOK_BACK = 12


def opening(text: str, sentences: int, longest: int) -> str:
    """Return the first sentences of a text: at most `sentences` of them, and only as many as fit
    into `longest` characters.

    If the first sentence is longer, it is cut at a word boundary. The result has no surrounding
    white space and is a prefix of `text.strip()`, so the caller can take the rest from there.
    """
    whole = text.strip()
    end = 0
    for match in _END.finditer(whole[: longest + 2]):
        if _NO_END.search(whole[max(0, match.end() - _LOOK_BACK) : match.end()]):
            continue
        if match.end() > longest:
            break
        end, sentences = match.end(), sentences - 1
        if not sentences:
            break
    else:
        end = len(whole) if len(whole) <= longest else end
    return whole[:end].rstrip() if end else _cut(whole, longest)


def _cut(text: str, longest: int) -> str:
    start = text[: longest + 1]
    return text if len(text) <= longest else (start.rpartition(" ")[0] or start[:longest]).rstrip()
