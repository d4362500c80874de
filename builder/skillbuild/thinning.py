"""What of a Markdown text has to be looked at to find its links and paths."""

from __future__ import annotations

import re

MAY_REFER = re.compile(r"\]\(|\]\[|\]:|`[^`\n]+/[^`\n]+`")
"""Found in every block with a link, an image or a path in code, apart from named references."""


def thinned(text: str) -> str:
    """The text with lines that can have no say left blank: to look at each takes most of the time.

    Between blank lines, only fences, quotes, HTML and what may be a reference matter; where
    references have names, all brackets do.
    """
    sign, keep = (_NAMED, _NAMED) if "]:" in text else (_SIGN, _MATTERS)
    return "\n\n".join(
        part if sign.search(part) and keep.search(part) else "\n" * part.count("\n")
        for part in text.split("\n\n")
    )


_SIGN = re.compile(r"[<>\]`~]")
_MATTERS = re.compile(rf"[<>]|```|~~~|{MAY_REFER.pattern}")
_NAMED = re.compile(r"[<>\[\]`~]")
