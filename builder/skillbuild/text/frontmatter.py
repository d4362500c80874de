"""Splits a text that begins with YAML between two `---` lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skillbuild.model import Place
from skillbuild.text.faults import FaultKind, TextFault, TextFaultError
from skillbuild.text.positions import place_at

FRONTMATTER_LINE = 2
"""The number of the first line after the opening fence."""

_OPENING = re.compile(r"---([ \t]*)\r?(\n|\Z)")
_CLOSING = re.compile(r"^---([ \t]*)\r?(\n|\Z)", re.MULTILINE)

_FIELD = re.compile(r"(name|description):[ \t]+\S")
_FENCED = re.compile(r"-->\s*^---\r?\n(name|description):", re.MULTILINE)

_BARE_DASHES = "write the line as --- and nothing else"
_LF_OR_CRLF = "end lines with LF or CRLF"


@dataclass(frozen=True, slots=True)
class SplitText:
    """The YAML between the `---` lines, with LF line endings, and the rest of the text verbatim.

    `body_line` is the number of the first line of the body, from 1.
    """

    frontmatter: str
    body: str
    body_line: int
    remarks: tuple[TextFault, ...] = ()
    """Faults that do not prevent reading: fences with trailing spaces, which some clients do not
    recognize."""


def decode_utf8(data: bytes) -> str:
    """Decode the content of a file. Raises `TextFaultError` if it is not UTF-8, contains NUL, or
    begins with a BOM.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        place = place_at(before, len(before))
        hint = "save the file as UTF-8"
        raise TextFaultError(FaultKind.NOT_UTF8, place, message, hint) from error
    if "\0" in text:
        place = place_at(text, text.index("\0"))
        hint = "remove the NUL byte, or save the file as UTF-8"
        raise TextFaultError(FaultKind.NUL_BYTE, place, "a NUL byte", hint)
    if text.startswith("\ufeff"):
        if not text.startswith("---", 1):
            raise _opening_fault(text[1:])
        hint = "save the file as UTF-8 without BOM"
        raise TextFaultError(FaultKind.BYTE_ORDER_MARK, Place(1, 1), "a byte order mark", hint)
    return text


def split_frontmatter(text: str) -> SplitText:
    """Split a text at the two `---` lines around its frontmatter.

    The opening `---` must be the first line of the text; the next `---` line ends the frontmatter.
    Raises `TextFaultError` if one of the two lines is missing, or if a line of the frontmatter ends
    with CR only.
    """
    opening = _OPENING.match(text)
    if opening is None:
        raise _opening_fault(text)
    start = text.find("\n") + 1 or len(text)
    fence = _CLOSING.search(text, start)
    if fence is None:
        raise TextFaultError(
            FaultKind.FENCE_UNCLOSED,
            Place(1, 1),
            "the frontmatter has no closing --- line",
            "add a line with --- after the last field",
        )
    line = text.count("\n", 0, fence.start()) + 1
    frontmatter = text[start : fence.start()].replace("\r\n", "\n")
    if "\r" in frontmatter:
        place = place_at(frontmatter, frontmatter.index("\r"), FRONTMATTER_LINE)
        message = "a lone CR in the frontmatter"
        raise TextFaultError(FaultKind.LINE_BREAK, place, message, _LF_OR_CRLF)
    remarks = []
    if opening[1]:
        message = "spaces after the opening ---: npx skills and Gemini CLI ignore the skill"
        remarks.append(TextFault(FaultKind.FENCE_INEXACT, Place(1, 4), message, _BARE_DASHES))
    if fence[1]:
        message = "spaces after the closing ---: Gemini CLI finds no instructions"
        remarks.append(TextFault(FaultKind.FENCE_INEXACT, Place(line, 4), message, _BARE_DASHES))
    return SplitText(frontmatter, text[fence.end() :], line + 1, tuple(remarks))


def _opening_fault(text: str) -> TextFaultError:
    first = text[: text.find("\n") + 1 or len(text)]
    if first.startswith("---\r"):
        message, hint = "lines end with CR only", _LF_OR_CRLF
        return TextFaultError(FaultKind.LINE_BREAK, Place(1, 4), message, hint)
    message = "the first line of the file is not ---"
    return TextFaultError(FaultKind.FENCE_MISSING, Place(1, 1), message, _hint_for_start(text))


def _hint_for_start(text: str) -> str:
    if _CLOSING.match(text.lstrip()):
        return "remove the blank lines above ---"
    if _FIELD.match(text):
        return "put a line with --- above the fields, and another below them"
    if text.startswith("<!--") and _FENCED.search(text):
        return "move the comment below the closing ---"
    return "begin the file with a --- line, the fields name and description, and another --- line"
