"""Rewrites the tokens of a parsed Markdown text for a page: links, headings, tasks, tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from urllib.parse import quote, unquote

from markdown_it.token import Token

Resolve = Callable[[str, str], str | None]
"""Given `link` or `image` and its target as written, the address on the page, or None to drop it.

It is not called for links to a fragment of the text itself: they lead to its headings, or nowhere.
"""

_ALIGNED = re.compile(r"text-align:(left|center|right)")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a rendered text: `level` is the one it is shown at, from 2."""

    level: int
    id: str
    text: str


@dataclass(slots=True)
class TokenRewriter:
    """Rewrites the tokens of one text in place and collects its headings.

    `anchors` are what a link may name after `#`: the ids of the headings without their prefix.
    """

    resolve: Resolve
    headings: list[Heading] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    _repeated: Counter[str] = field(default_factory=Counter)
    _level: int = 1

    def rewrite(self, tokens: Sequence[Token]) -> None:
        """Apply the link policy, shift the headings, turn alignment styles into classes."""
        for position, token in enumerate(tokens):
            following = tokens[position + 1] if position + 1 < len(tokens) else token
            match token.type:
                case "heading_open":
                    self._heading(token, following)
                case "heading_close":
                    token.tag = "p" if tokens[position - 2].tag == "p" else f"h{self._level}"
                case "th_open" if not following.content.strip():
                    token.tag = tokens[position + 2].tag = "td"
                case "list_item_open" if "checked" in token.meta:
                    _add_box(token, tokens[position + 1 : position + 3])
                case _:
                    pass
            style = _ALIGNED.match(str(token.attrs.pop("style", ""))) if token.attrs else None
            if style:
                token.attrSet("class", f"align-{style[1]}")
        # Links come second: they may lead to a heading further down.
        for token in tokens:
            if token.children:
                token.children = list(self._inline(token.children))

    def _heading(self, token: Token, inline: Token) -> None:
        """One level down and at most one below the heading before; an empty one is a paragraph."""
        text = _text_of(inline.children or []).strip()
        if not text:
            token.tag = "p"
            return
        self._level = min(6, int(token.tag[1]) + 1, self._level + 1)
        token.tag = f"h{self._level}"
        heading = Heading(self._level, self._new_id(text), text)
        token.attrSet("id", heading.id)
        self.headings.append(heading)

    def _new_id(self, text: str) -> str:
        """An id as GitHub makes it, with a number where the text is repeated."""
        slug = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") or "section"
        anchor = slug
        while anchor in self.anchors:
            self._repeated[slug] += 1
            anchor = f"{slug}-{self._repeated[slug]}"
        self.anchors.add(anchor)
        return f"user-content-{anchor}"

    def _inline(self, children: Sequence[Token]) -> Iterator[Token]:
        dropped: list[bool] = []
        for position, token in enumerate(children):
            match token.type:
                case "link_open":
                    address = self._address(str(token.attrGet("href") or ""))
                    dropped.append(address is None)
                    if address is not None:
                        yield _link(token, address)
                        if not _has_words(children[position + 1 :]):
                            yield Token("text", "", 0, content=address)
                case "link_close":
                    if not dropped.pop():
                        yield token
                case "image":
                    yield self._image(token)
                case "text" if "<br" in token.content:
                    yield from _with_line_breaks(token)
                case _:
                    yield token

    def _address(self, target: str) -> str | None:
        if not target.startswith("#"):
            return self.resolve("link", target)
        anchor = unquote(target[1:]).lower().removeprefix("user-content-")
        return f"#user-content-{quote(anchor)}" if anchor in self.anchors else None

    def _image(self, token: Token) -> Token:
        words = _text_of(token.children or [])
        address = self.resolve("image", str(token.attrGet("src") or ""))
        if address is None:
            return Token("text", "", 0, content=words)
        token.attrs = {"src": address, "alt": "", "loading": "lazy"}
        return token


def _with_line_breaks(token: Token) -> Iterator[Token]:
    """`<br>` is the one tag that real texts cannot do without, in tables above all."""
    first, *others = _BREAK.split(token.content)
    yield Token("text", "", 0, content=first)
    for part in others:
        yield Token("hardbreak", "br", 0)
        yield Token("text", "", 0, content=part)


def _link(token: Token, address: str) -> Token:
    token.attrs = {"href": address}
    if not address.startswith(("#", ".")):
        token.attrs["rel"] = "noopener nofollow ugc"
    return token


def _has_words(following: Sequence[Token]) -> bool:
    """Whether a link has words: an image of another site is dropped, and may have none."""
    inner = takewhile(lambda token: token.type != "link_close", following)
    return bool(_text_of(list(inner)).strip())


def _text_of(children: Sequence[Token]) -> str:
    """The words of an inline run, without marks."""
    parts = []
    for token in children:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_text_of(token.children or []))
        else:
            parts.append(token.content)
    return "".join(parts)


def _add_box(item: Token, following: Sequence[Token]) -> None:
    """Give a task its box in place of an input, which would need a label."""
    checked = item.meta.pop("checked")
    for token in following:
        if token.type == "inline":
            box = Token("task_box", "", 0, meta={"checked": checked})
            token.children = [box, Token("text", "", 0, content=" "), *(token.children or [])]
