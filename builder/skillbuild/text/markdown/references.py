"""Links, images and code spans of a Markdown text, with their places (CommonMark, 6.1 to 6.4)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillbuild.model import Place
from skillbuild.text.markdown.cost import LONGEST_TEXT

_MAY_LINK = re.compile(r"\]\(|\]\[|\]:")
_MAY_REFER = re.compile(rf"{_MAY_LINK.pattern}|`[^`\n/]*/[^`\n.]*\.[^`\n]*`")
"""Matches in every block with a link, an image or the path of a file in code, but for links by name
alone."""
_FARTHEST = 16 * 1024
"""Characters that are searched for a target: one that is written with escapes is never found."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A `link`, an `image` or a `code` span.

    `target` is the address as written, or the code; it stands at `place`, which for one written
    with escapes or by name is only near by.
    """

    kind: str
    target: str
    place: Place
    in_label: bool = False
    """Whether it stands in the text of a link."""


def references(text: str, first_line: int = 1, *, with_paths: bool = True) -> Iterator[Reference]:
    """The references of a text in order; `first_line` is the number of its first line in the file.

    Code spans count only in blocks where a link, an image or, `with_paths`, the path of a file may
    be. A text over `LONGEST_TEXT` has no references.
    """
    may_refer = _MAY_REFER if with_paths else _MAY_LINK
    if len(text) > LONGEST_TEXT or not may_refer.search(text):
        return
    lines = text.split("\n")
    parser = _parser()
    environment: dict[str, object] = {}
    short, numbers = without_plain_paragraphs(text, with_paths=with_paths)
    if "\r" in short:
        short = short.replace("\r\n", "\n")
    for block in parser.parse(short, environment):
        by_name = "[" in block.content and bool(environment.get("references"))
        if block.type == "inline" and block.map and (by_name or may_refer.search(block.content)):
            tokens: list[Token] = []
            parser.inline.parse(block.content, parser, environment, tokens)
            start, end = numbers[block.map[0]], numbers[block.map[1] - 1] + 1
            yield from _in_block(tokens, lines, start, end, first_line)


def _in_block(
    tokens: Sequence[Token], lines: Sequence[str], start: int, end: int, first_line: int
) -> Iterator[Reference]:
    """The references in `lines[start:end]`; each is searched for after the one before it."""
    line, column = start, 0
    opened: list[Token] = []
    for token in tokens:
        if token.type == "link_open":
            opened.append(token)
            continue
        # The target of a link stands after its text, where there may be code and images.
        kind, target = _target(opened.pop() if token.type == "link_close" else token)
        if not target:
            continue
        prefixes = ("`", "") if kind == "code" else ("](", "](<", "")
        positions = (_find(lines, prefix, target, line, column, end) for prefix in prefixes)
        position = next(filter(None, positions), None)
        if position is not None:
            line, column = position
        yield Reference(kind, target, Place(first_line + line, column + 1), bool(opened))
        if position is not None:
            column += len(target)


def _target(token: Token) -> tuple[str, str]:
    """The kind of a reference and its target, both empty for a token that is none."""
    match token.type:
        case "link_open":
            return "link", str(token.attrGet("href") or "")
        case "image":
            return "image", str(token.attrGet("src") or "")
        case "code_inline":
            return "code", token.content
        case _:
            return "", ""


def _find(
    lines: Sequence[str], prefix: str, target: str, line: int, column: int, end: int
) -> tuple[int, int] | None:
    """Line and column of a target that follows a prefix, from a position on, both from 0."""
    room = _FARTHEST
    for number in range(line, end):
        start = column if number == line else 0
        at = lines[number].find(prefix + target, start, start + room)
        if at >= 0:
            return number, at + len(prefix)
        room -= len(lines[number]) - start + 1
        if room <= 0:
            break
    return None


@functools.cache
def _parser() -> MarkdownIt:
    """A parser with only the rules that decide what is code and what is a link.

    Lists are left out: they cost half of the time, and without indented code their items are
    paragraphs with the same links and fences.
    """
    parser = MarkdownIt("zero", {"html": True})
    parser.enable(["fence", "blockquote", "reference", "html_block"])
    parser.enable(["backticks", "escape", "link", "image", "autolink", "html_inline"])
    parser.disable(["normalize", "inline"])
    parser.inline.terminator_re = re.compile(r"[\\`\[\]<]|!(?=\[)")
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


def without_plain_paragraphs(text: str, *, with_paths: bool = True) -> tuple[str, list[int]]:
    """The text without the paragraphs that cannot hold a reference, so that the parser sees less.

    The list has the line of the whole text, from 0, for each line of the shorter one. Parsing all
    lines would take most of the time. Between blank lines, only fences, quotes, HTML and what may
    be a reference matter; where references have names, all brackets do. Rows of tables become
    paragraphs.
    """
    keep = _MATTERS if with_paths else _MATTERS_FOR_LINKS
    signs, keep = (("[", *_SIGNS), _NAMED) if "]:" in text else (_SIGNS, keep)
    shorter: list[str] = []
    numbers: list[int] = []
    line = 0
    stays = False
    for part in text.split("\n\n"):
        breaks = part.count("\n") + 2
        stays = any(sign in part for sign in signs) and keep.search(part) is not None
        if stays and _is_table(part):
            rows = [(at, row) for at, row in enumerate(part.split("\n"), line) if keep.search(row)]
            shorter += [row for _, row in rows]
            numbers += [number for at, _ in rows for number in (at, at)]
        elif stays:
            shorter.append(part)
            numbers += range(line, line + breaks)
        line += breaks
    # The last part is followed by the end of the text only if it was before.
    return "\n\n".join([*shorter, *([] if stays else [""])]), numbers


def _is_table(part: str) -> bool:
    """Whether each line is a row of a table: no link and no code of one goes on in the next."""
    return part.startswith("|") and part.count("\n|") == part.count("\n")


_SIGNS = ("`", "]", "<", ">", "~")
"""A quick test that most paragraphs fail."""
_MATTERS = re.compile(rf"<|>|```|~~~|{_MAY_REFER.pattern}")
_MATTERS_FOR_LINKS = re.compile(rf"<|>|```|~~~|{_MAY_LINK.pattern}")
"""Each way begins with one character, which makes them quick to search for."""
_NAMED = re.compile(r"[<>\[\]`~]")
