"""What of a Markdown text has to be looked at to find its links and paths."""

from __future__ import annotations

import re
from itertools import compress

MAY_REFER = re.compile(r"\]\(|\]\[|\]:|`[^`\n]+/[^`\n]+`")
"""Found in every block with a link, an image or a path in code, apart from named references."""


def thinned(text: str) -> tuple[str, list[int]]:
    """The text without paragraphs that can have no say, and the line in it of each line that stays.

    To look at every line takes most of the time. Between blank lines, only fences, quotes, HTML
    and what may be a reference matter; where references have names, all brackets do.
    """
    sign, keep = (_NAMED, _NAMED) if "]:" in text else (_SIGN, _MATTERS)
    parts = text.split("\n\n")
    stays = [bool(sign.search(part) and keep.search(part)) for part in parts]
    numbers: list[int] = []
    line = 0
    for part, stay in zip(parts, stays, strict=True):
        breaks = part.count("\n") + 2
        if stay:
            numbers += range(line, line + breaks)
        line += breaks
    # The last part stands before the end of the text only if it stood there before.
    end = [] if stays[-1] else [""]
    return "\n\n".join([*compress(parts, stays), *end]), numbers


_SIGN = re.compile(r"[<>\]`~]")
_MATTERS = re.compile(rf"[<>]|```|~~~|{MAY_REFER.pattern}")
_NAMED = re.compile(r"[<>\[\]`~]")
