"""The source of a file in the form that its page shows: numbered lines in blocks. Long files are
cut.
"""

from __future__ import annotations

from dataclasses import dataclass

from skillbuild.text.highlighting import LONGEST_FILE, highlight_file

MOST_LINES = 4_000
MOST_CHARACTERS = LONGEST_FILE
"""Maximum characters, and lines, that a page shows: more would block the browser of a phone."""
LINES_IN_BLOCK = 200
"""Number of lines in a block. Browsers skip blocks that are not in view, so long pages stay fast.
"""
CUT = "cut"
"""The id of the note about the omitted lines; links to omitted lines lead there."""


@dataclass(frozen=True, slots=True)
class ShownSource:
    """The part of a text that its page shows, with LF line endings, and the number of lines in the
    whole text.
    """

    text: str
    lines: int
    all_lines: int
    cut: bool
    """Whether anything is omitted, even the end of a single line."""


def source_of(text: str) -> ShownSource:
    """Return the text, or only the first lines if the text is too long. If even the first line is
    too long, return the beginning of that line.

    An empty text has no lines, and a line break at the end does not begin another line.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    count = plain.count("\n") + 1 if text else 0
    if count <= MOST_LINES and len(plain) <= MOST_CHARACTERS:
        return ShownSource(plain, count, count, cut=False)
    lines = plain[: MOST_CHARACTERS + 1].split("\n")
    if len(plain) > MOST_CHARACTERS and len(lines) > 1:
        lines.pop()  # It may go on, or its last character did not fit.
    start = "\n".join(lines[:MOST_LINES])[:MOST_CHARACTERS]
    return ShownSource(start, start.count("\n") + 1, count, cut=True)


def numbered(source: ShownSource, path: str) -> str:
    """Return the lines as HTML, highlighted for the language that the file name implies. Each line
    is an `a` element with the id `L<n>`.

    More than `LINES_IN_BLOCK` lines are split into blocks. The CSS from `numbering()` continues the
    line numbers from block to block.
    """
    highlighted = highlight_file(source.text, path).split("\n") if source.lines else []
    lines = [f'<a id="L{number}">{line}</a>' for number, line in enumerate(highlighted, 1)]
    if len(lines) <= LINES_IN_BLOCK:
        return "\n".join(lines)
    starts = range(0, len(lines), LINES_IN_BLOCK)
    blocks = ("\n".join(lines[start : start + LINES_IN_BLOCK]) for start in starts)
    return "".join(f'<span class="lines">{block}\n</span>' for block in blocks)


def numbering() -> str:
    """Return style rules that set the number of the first line of each block.

    CSS counters do not continue from block to block if the browser may skip blocks (style
    containment). Inline styles cannot be used, because the content security policy of the pages
    forbids them.
    """
    starts = enumerate(range(LINES_IN_BLOCK, MOST_LINES, LINES_IN_BLOCK), 2)
    return "".join(
        f".lines:nth-child({block})>:first-child{{counter-reset:line {start}}}\n"
        for block, start in starts
    )
