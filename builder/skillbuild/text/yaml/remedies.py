"""Guesses at what somebody meant whose YAML does not parse: the line as it should be written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FIELD = re.compile(r"([ \t]*(?:- )?)([^\s#:'\"{\[&*!|>%@`-][^:]*):[ \t]+(\S(?:.*\S)?)[ \t]*")
_KEY = re.compile(r"\s+[a-z][a-z0-9_-]*:(\s.*)?")
_COMMENT = re.compile(r"[ \t]+#(?=[ \t]|$).*")
_BLOCK_TEXT = re.compile(r"[|>][-+0-9]*( +#.*)?")


@dataclass(frozen=True, slots=True)
class Remedy:
    """`line` replaces `lines[start:end]` of the text; in it, the value of `key` is quoted.

    It is a guess: the caller parses the text with it before it recommends it.
    """

    key: str
    start: int
    end: int
    line: str
    column: int
    """Characters of `lines[start]` before the value."""
    value: str
    """The text that is meant."""
    comment: str
    """What follows the value in its line and stays outside of the quotes, blanks included."""


def remedies(
    lines: Sequence[str], index: int, *, is_comment_text: bool = False
) -> Iterator[Remedy]:
    """Quote the field that `lines[index]` is, or that it continues; the innermost comes first.

    A line that looks like a field of its own continues nothing: it is indented too deep. A `#`
    between blanks begins a comment behind the value, but with `is_comment_text` it is part of it.
    """
    depth = None
    index = min(index, len(lines) - 1)
    for start in range(index, -1, -1):
        indent = len(lines[start]) - len(lines[start].lstrip(" "))
        if not lines[start].strip() or (depth is not None and indent >= depth):
            continue
        depth = indent
        if start < index and _KEY.fullmatch(lines[index]):
            return
        if match := _FIELD.fullmatch(lines[start]):
            end = _end_of(lines, start, len(match[1]))
            has_comment = end == start + 1 and not is_comment_text
            written, comment = _at_comment(match[3]) if has_comment else (match[3], "")
            text = _intended(" ".join([written, *" ".join(lines[start + 1 : end]).split()]))
            if text is not None:
                quoted = json.dumps(text, ensure_ascii=False)
                line = f"{match[1]}{match[2]}: {quoted}{comment}"
                yield Remedy(match[2], start, end, line, match.start(3), text, comment)


def _at_comment(written: str) -> tuple[str, str]:
    """A value and the comment behind it; in quotes or brackets nobody can tell where it begins."""
    comment = None if written[0] in "'\"[{" else _COMMENT.search(written)
    return (written[: comment.start()], comment[0]) if comment else (written, "")


def _end_of(lines: Sequence[str], start: int, column: int) -> int:
    """The index after the last line that is indented deeper than a key in this column."""
    end = start + 1
    for number in range(start + 1, len(lines)):
        if lines[number].strip():
            if len(lines[number]) - len(lines[number].lstrip(" ")) <= column:
                break
            end = number + 1
    return end


def _intended(written: str) -> str | None:
    """The text that was meant by what stands after a key, or None where nobody can tell."""
    first = written[0]
    if first in "'\"":
        return _between_quotes(written, first)
    if _BLOCK_TEXT.match(written) or (first in "[{" and not _goes_on(written)):
        return None
    return written


def _goes_on(written: str) -> bool:
    """Whether something follows the bracket that closes the first one, so that this is a text."""
    depth = 0
    for number, char in enumerate(written, 1):
        depth += (char in "[{") - (char in "]}")
        if depth == 0:
            return number < len(written)
    return False


def _between_quotes(written: str, quote: str) -> str | None:
    r"""`'It's here'` means `It's here`, but `"x" is a flag` means all of it, quotes included."""
    second = written.find(quote, 1)
    if second < 0 or second == len(written) - 1:
        return None
    inside = written[second + 1].isalnum() and written[-1] == quote
    return written[1:-1] if inside else written


_BY_PROBLEM = {
    "end of stream": "close the quotes or brackets that are open here",
    "expected ','": "close the quotes or brackets that are open here",
    "unknown escape": "write two backslashes for one, or put the text in single quotes",
    "escape": "write the character itself",
    "hexdecimal": "write the character itself",
}
_HEADING = re.compile(r"#{1,6} \S")
_ESCAPED_BRACKET = re.compile(r"[:,\[{]\s*\\[\[{]")
_CONFLICT = re.compile(r"<{7} |>{7} ")
_NOT_CONTENT = ("%", "...")


def general_hint(problem: str, lines: Sequence[str], index: int) -> str:
    """A hint for a problem, given in the words of libyaml, when no remedy works."""
    line = lines[index] if index < len(lines) else ""
    if any(map(_CONFLICT.match, lines)):
        return (
            "keep one side of the merge conflict, and remove the lines <<<<<<<, ======= and >>>>>>>"
        )
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "indent with blanks, not with tabs"
    if "<document start>" in problem and any(
        before.startswith(_NOT_CONTENT) for before in lines[:index]
    ):
        return "remove the line before it that begins with % or ..."
    if any(map(_begins_body, lines[:index], lines[1 : index + 1])):
        return "add a line --- after the last field"
    if _ESCAPED_BRACKET.search(line):
        return "remove the backslash before the bracket"
    hints = (hint for words, hint in _BY_PROBLEM.items() if words in problem)
    return next(hints, "fix the quotes or the indentation of this line, or of the one above")


def _begins_body(before: str, line: str) -> bool:
    """Whether a Markdown heading follows an empty line, as it does below a frontmatter."""
    return not before.strip() and _HEADING.match(line) is not None
