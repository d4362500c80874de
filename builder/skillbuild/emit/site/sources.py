"""The source of a file on its page: numbered lines in blocks, and where a long text is cut."""

from __future__ import annotations

from dataclasses import dataclass

from skillbuild.text.highlighting import LONGEST_FILE, highlight_file

MOST_LINES = 4_000
MOST_CHARACTERS = LONGEST_FILE
"""What a phone lays out without being blocked; beyond either, a page shows the beginning."""
LINES_IN_BLOCK = 200
"""A browser skips blocks out of view, so a long page costs hardly more than a short one."""
CUT = "cut"
"""The id of the note that says what is left out: links to lines that a page lacks lead there."""


@dataclass(frozen=True, slots=True)
class ShownSource:
    """The lines of a text that its page shows, with LF ends, and how many lines there are."""

    text: str
    lines: int
    all_lines: int
    cut: bool
    """Whether anything is left out, if only the end of a single line."""


def source_of(text: str) -> ShownSource:
    """The whole of a text, or its first lines; of a first line that is too long, the beginning.

    An empty text has no lines, and a final line break begins none.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    count = plain.count("\n") + 1 if text else 0
    if count <= MOST_LINES and len(plain) <= MOST_CHARACTERS:
        return ShownSource(plain, count, count, cut=False)
    lines = plain[: MOST_CHARACTERS + 1].split("\n")
    if len(plain) > MOST_CHARACTERS and len(lines) > 1:
        lines.pop()  # It may go on, or there is no room for its last character.
    start = "\n".join(lines[:MOST_LINES])[:MOST_CHARACTERS]
    return ShownSource(start, start.count("\n") + 1, count, cut=True)


def numbered(source: ShownSource, path: str) -> str:
    """The lines as HTML, highlighted by the name of the file; each an `a` with the id `L<n>`.

    More than `LINES_IN_BLOCK` lines stand in blocks; `numbering` makes them count on.
    """
    highlighted = highlight_file(source.text, path).split("\n") if source.lines else []
    lines = [f'<a id="L{number}">{line}</a>' for number, line in enumerate(highlighted, 1)]
    if len(lines) <= LINES_IN_BLOCK:
        return "\n".join(lines)
    starts = range(0, len(lines), LINES_IN_BLOCK)
    blocks = ("\n".join(lines[start : start + LINES_IN_BLOCK]) for start in starts)
    return "".join(f'<span class="lines">{block}\n</span>' for block in blocks)


def numbering() -> str:
    """Style rules for the first number of each block: what can be skipped cannot count on itself.

    That is style containment of CSS; and the policy of the pages allows no style in an element.
    """
    starts = enumerate(range(LINES_IN_BLOCK, MOST_LINES, LINES_IN_BLOCK), 2)
    return "".join(
        f".lines:nth-child({block})>:first-child{{counter-reset:line {start}}}\n"
        for block, start in starts
    )
