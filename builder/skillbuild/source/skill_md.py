"""SKILL.md taken apart: the fences, the YAML between them, the body after them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import Frontmatter, Place
from skillbuild.rules import frontmatter as rules
from skillbuild.text.yaml import parse_yaml

_FENCE = re.compile(r"---\r?(\n|\Z)")
_LOOSE_FENCE = re.compile(r"---[ \t\r]+(\n|\Z)")
_CLOSING = re.compile(r"^---([ \t\r]*)(\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Header:
    """What one SKILL.md says. `frontmatter` is None when `found` holds the error that hides it.

    `body_line` is the line number of the first line of the body.
    """

    frontmatter: Frontmatter | None
    body: str
    body_line: int
    findings: tuple[Finding, ...]


def read_skill_md(data: bytes, path: str) -> Header:
    """Take a SKILL.md apart (Agent Skills specification, SKILL.md format)."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return _fault(rules.NOT_UTF8, path, _end_of(before), message, "save the file as UTF-8")
    if "\0" in text:
        place = _end_of(text[: text.index("\0")])
        return _fault(rules.NUL_BYTE, path, place, "a NUL byte", "remove it, or save as UTF-8")
    if text.startswith("\ufeff"):
        hint = "save the file as UTF-8 without BOM"
        return _fault(rules.BYTE_ORDER_MARK, path, Place(1, 1), "a byte order mark", hint)
    return _split(text, path)


def _split(text: str, path: str) -> Header:
    start = text.find("\n") + 1 or len(text)
    if not _FENCE.match(text):
        return _no_opening(text[:start], path)
    closing = _CLOSING.search(text, start)
    if closing is not None:
        number = text.count("\n", 0, closing.start()) + 1
        if closing[1] in ("", "\r"):
            return _parse(text[start : closing.start()], text[closing.end() :], number, path)
        message = "blanks after the closing ---"
        return _fault(rules.FRONTMATTER_FENCE, path, Place(number, 4), message, _BARE_DASHES)
    return _fault(
        rules.FRONTMATTER_UNCLOSED,
        path,
        Place(1, 1),
        "the frontmatter has no closing line ---",
        "add a line --- after the last field",
    )


_BARE_DASHES = "write the line as --- and nothing else"


def _no_opening(first: str, path: str) -> Header:
    if "\r" in first and first.startswith("---\r"):
        message, hint = "lines end with CR alone", "end lines with LF or CRLF"
        return _fault(rules.FRONTMATTER_FENCE, path, Place(1, 4), message, hint)
    if _LOOSE_FENCE.match(first):
        message = "blanks after the opening ---"
        return _fault(rules.FRONTMATTER_FENCE, path, Place(1, 4), message, _BARE_DASHES)
    return _fault(
        rules.FRONTMATTER_MISSING,
        path,
        Place(1, 1),
        "the file does not begin with a line ---",
        "begin the file with ---, name, description and ---",
    )


def _parse(head: str, body: str, closing: int, path: str) -> Header:
    plain = head.replace("\r\n", "\n")
    if "\r" in plain:
        place = _end_of(plain[: plain.index("\r")])
        message, hint = "a lone CR in the frontmatter", "end lines with LF or CRLF"
        shifted = Place(place.line + 1, place.column)
        return _fault(rules.FRONTMATTER_FENCE, path, shifted, message, hint)
    frontmatter, found = parse_yaml(plain, path, 2)
    return Header(frontmatter, body, closing + 1, tuple(found))


def _end_of(text: str) -> Place:
    return Place(text.count("\n") + 1, len(text) - text.rfind("\n"))


def _fault(rule: Rule, path: str, place: Place, message: str, hint: str) -> Header:
    return Header(None, "", 1, (finding(rule, path, place, message, hint),))
