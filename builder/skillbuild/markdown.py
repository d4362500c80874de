"""The door to markdown-it-py: rendering for pages, links and code spans for the checks."""

from __future__ import annotations

import functools
import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillbuild.model import Place

LONGEST_TEXT = 256 * 1024
"""Characters of a text that are parsed: some inputs cost quadratic time."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A link, an image or a code span of a text, as written."""

    kind: str
    target: str
    place: Place


def references(text: str, first_line: int = 1) -> Iterator[Reference]:
    """Links (`link`, `image`) and code spans (`code`) in the order of the text.

    A text over `LONGEST_TEXT` has none.
    """
    if len(text) > LONGEST_TEXT or not _MAY_REFER.search(text):
        return
    lines = text.split("\n")
    scanner = _scanner()
    environment: dict[str, object] = {}
    for block in scanner.parse(text, environment):
        if block.type == "inline" and block.map and _MAY_REFER.search(block.content):
            children: list[Token] = []
            scanner.inline.parse(block.content, scanner, environment, children)
            yield from _in_block(children, lines, block.map[0], block.map[1], first_line)


_MAY_REFER = re.compile(r"\]\(|\]\[|\]:|`[^`\n]+/[^`\n]+`")


def _in_block(
    children: Sequence[Token], lines: Sequence[str], start: int, end: int, first_line: int
) -> Iterator[Reference]:
    line, column = start, 0
    for token in children:
        kind, target = _target(token)
        if not target:
            continue
        at = _find(lines, target, line, column, end)
        if at is not None:
            line, column = at
        yield Reference(kind, target, Place(first_line + line, column + 1))
        if at is not None:
            column += len(target)


def _target(token: Token) -> tuple[str, str]:
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
    lines: Sequence[str], target: str, line: int, column: int, end: int
) -> tuple[int, int] | None:
    for number in range(line, end):
        found = lines[number].find(target, column if number == line else 0)
        if found >= 0:
            return number, found
    return None


@functools.cache
def _scanner() -> MarkdownIt:
    """A parser with only the rules that decide what is code and what is a link.

    Lists are left out: they cost half of the time, and without indented code their items are
    paragraphs with the same links and fences.
    """
    parser = MarkdownIt("zero", {"html": True})
    parser.enable(["fence", "blockquote", "reference", "html_block"])
    parser.enable(["backticks", "escape", "link", "image", "autolink", "html_inline"])
    parser.disable("inline")
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


def render(text: str, resolve: Callable[[str, str], str | None]) -> str:
    """Safe HTML of a Markdown text; raw HTML in it is shown as text.

    `resolve(kind, target)` gives the address for a `link` or an `image`, or None to drop it.
    Headings move one level down and their ids begin with `user-content-`. A text over
    `LONGEST_TEXT`, or one that would grow beyond four times its size, is shown plain.
    """
    if len(text) > LONGEST_TEXT:
        return _plain(text)
    parser = _renderer()
    tokens = parser.parse(text)
    _dress(tokens, resolve)
    if _weight(tokens) > 4 * len(text) + _ROOM:
        return _plain(text)
    rendered: str = parser.renderer.render(tokens, parser.options, {})
    return rendered


_ROOM = 64 * 1024
_ALIGNED = re.compile(r"text-align:(left|center|right)")


def _plain(text: str) -> str:
    return f'<pre class="plain">{html.escape(text)}</pre>\n'


@functools.cache
def _renderer() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "typographer": False})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


def _weight(tokens: Sequence[Token]) -> int:
    total = 0
    for token in tokens:
        total += len(token.content) + 20 + sum(len(str(value)) for value in token.attrs.values())
        total += _weight(token.children) if token.children else 0
    return total


def _dress(tokens: Sequence[Token], resolve: Callable[[str, str], str | None]) -> None:
    """Apply the link policy, shift the headings, and turn alignment styles into classes."""
    seen: Counter[str] = Counter()
    for position, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        if token.type == "heading_open":
            token.attrSet("id", _heading_id(tokens[position + 1].content, seen))
        if (style := token.attrs.pop("style", None)) and (match := _ALIGNED.match(str(style))):
            token.attrSet("class", f"align-{match[1]}")
        if token.children:
            token.children = list(_resolved(token.children, resolve))


def _heading_id(text: str, seen: Counter[str]) -> str:
    slug = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") or "section"
    seen[slug] += 1
    return f"user-content-{slug}" + (f"-{seen[slug] - 1}" if seen[slug] > 1 else "")


def _resolved(
    children: Sequence[Token], resolve: Callable[[str, str], str | None]
) -> Iterator[Token]:
    dropped = []
    for token in children:
        if token.type == "link_open":
            address = resolve("link", str(token.attrGet("href") or ""))
            dropped.append(address is None)
            token.attrs = {} if address is None else {"href": address, "rel": "noopener nofollow"}
        if token.type == "image":
            yield _image(token, resolve)
        elif token.type == "link_close":
            if not dropped.pop():
                yield token
        elif token.type != "link_open" or token.attrs:
            yield token


def _image(token: Token, resolve: Callable[[str, str], str | None]) -> Token:
    address = resolve("image", str(token.attrGet("src") or ""))
    if address is None:
        return Token("text", "", 0, content=token.content)
    token.attrs = {"src": address, "alt": "", "loading": "lazy"}
    return token
