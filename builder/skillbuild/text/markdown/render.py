"""Renders a document as HTML that is safe in a page, whoever wrote the text.

Raw HTML is shown as text. A text is shown unrendered if it is too large, or if its page would be
far too large.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from skillbuild.text import highlighting
from skillbuild.text.invisible import visible_html, visible_in_page
from skillbuild.text.markdown.document import (
    HEADING,
    ID_PREFIX,
    LONGEST_TEXT,
    Document,
    Heading,
    environment,
    markdown,
    text_of,
)

Resolve = Callable[[str, str], str | None]
"""A function that takes `link` or `image` and a target as written, and returns the address for the
page; None drops the link.

It is not called for links to a fragment of the same text. Such a link is kept if it leads to a
heading.
"""

_MOST_GROWTH = 16
"""Maximum ratio of the length of a page to the length of its text; short texts may exceed it."""
_TABLE_OPEN = '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n'
_LANGUAGE = re.compile(r"[A-Za-z0-9+#_.-]{1,20}")
_ALIGNED = re.compile(r"text-align:(left|center|right)")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rendered:
    """The safe HTML of a text, and the headings of the text in order. A text that is shown
    unrendered has no headings.
    """

    html: str
    headings: tuple[Heading, ...] = ()
    plain: bool = False


def render_markdown(document: Document, resolve: Resolve) -> Rendered:
    """Render a text. Hidden characters are shown as code points, and `resolve` returns the address
    for each link.

    The text is shown unrendered if it is too large, or if the resolved addresses would make the
    page far too long.
    """
    if document.is_plain:
        return _plain(document.text)
    headings = document.headings  # Also adds them to the tokens.
    tokens = list(_blocks(document.tokens, _Marks(resolve, document.anchors)))
    shared = _renderer()
    page = str(shared.renderer.render(tokens, shared.options, environment()))
    if len(page) > _MOST_GROWTH * len(document.text) + LONGEST_TEXT:
        return _plain(document.text)
    return Rendered(visible_in_page(page), headings)


def _plain(text: str) -> Rendered:
    return Rendered(f'<pre class="plain" tabindex="0">{visible_html(text)}</pre>\n', (), True)


def _blocks(tokens: Sequence[Token], marks: _Marks) -> Iterator[Token]:
    """Yield the tokens in the form for pages: adapted headings, tables and tasks, and resolved
    links.
    """
    heading, task_at = "", -3
    is_empty = False
    for position, token in enumerate(tokens):
        match token.type:
            case "heading_open":
                found: Heading | None = token.meta.get(HEADING)
                heading = f"h{found.level}" if found else "p"
                yield token.copy(tag=heading, attrs={"id": found.id} if found else {})
            case "heading_close":
                yield token.copy(tag=heading)
            case "th_open":
                is_empty = not tokens[position + 1].content.strip()
                yield token.copy(tag="td" if is_empty else "th", attrs=_aligned(token))
            case "td_open" if token.attrs:
                yield token.copy(attrs=_aligned(token))
            case "th_close" if is_empty:
                yield token.copy(tag="td")
            case "list_item_open" if "checked" in token.meta:
                task_at = position
                yield token.copy(meta={})
            case "inline":
                children = list(marks.rewritten(token.children or []))
                if position <= task_at + 2:
                    children[:0] = _box(tokens[task_at])
                yield Token("inline", "", 0, children=children)
            case _:
                yield token


def _aligned(cell: Token) -> dict[str, str | int | float]:
    """Return the attributes of a cell: a class for its alignment."""
    style = _ALIGNED.match(str(cell.attrGet("style") or ""))
    return {"class": f"align-{style[1]}"} if style else {}


def _box(task: Token) -> tuple[Token, Token]:
    """Return the box of a task, instead of an input element, which would need a label."""
    box = Token("task_box", "", 0, meta={"checked": task.meta["checked"]})
    return box, Token("text", "", 0, content=" ")


@dataclass(frozen=True, slots=True)
class _Marks:
    """Rewrites the inline content of a block: links, images and line breaks."""

    resolve: Resolve
    anchors: frozenset[str]

    def rewritten(self, marks: Sequence[Token]) -> Iterator[Token]:
        dropped: list[bool] = []
        for position, token in enumerate(marks):
            match token.type:
                case "link_open":
                    address = self._address(_normal(token, "href"))
                    dropped.append(address is None)
                    if address is not None:
                        yield _link(token, address)
                        if not _has_words(marks[position + 1 :]):
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
        anchor = unquote(target[1:]).lower().removeprefix(ID_PREFIX)
        return f"#{ID_PREFIX}{quote(anchor)}" if anchor in self.anchors else None

    def _image(self, token: Token) -> Token:
        address = self.resolve("image", _normal(token, "src"))
        if address is None:
            return Token("text", "", 0, content=text_of(token.children or []))
        return token.copy(attrs={"src": address, "alt": "", "loading": "lazy"})


def _normal(token: Token, key: str) -> str:
    """Return an address in which the characters that browsers encode are encoded."""
    return normalizeLink(str(token.attrGet(key) or ""))


def _with_line_breaks(token: Token) -> Iterator[Token]:
    """Replace `<br>` with a line break: the only tag that texts really need, mostly in tables."""
    first, *others = _BREAK.split(token.content)
    yield Token("text", "", 0, content=first)
    for part in others:
        yield Token("hardbreak", "br", 0)
        yield Token("text", "", 0, content=part)


def _link(token: Token, address: str) -> Token:
    outside = {} if address.startswith(("#", ".")) else {"rel": "noopener nofollow ugc"}
    return token.copy(attrs={"href": address, **outside})


def _has_words(following: Sequence[Token]) -> bool:
    """Whether a link has words; an image of another site is dropped, which may leave no words."""
    inner = takewhile(lambda token: token.type != "link_close", following)
    return bool(text_of(list(inner)).strip())


@functools.cache
def _renderer() -> MarkdownIt:
    renderer = markdown([])
    renderer.add_render_rule("fence", _fence)
    renderer.add_render_rule("code_block", _fence)
    renderer.add_render_rule("table_open", _always(_TABLE_OPEN))
    renderer.add_render_rule("table_close", _always("</table></div>\n"))
    renderer.add_render_rule("task_box", _task_box)
    return renderer


def _fence(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    environment: EnvType,
) -> str:
    token = tokens[index]
    language = token.info.strip().partition(" ")[0]
    shown = language if _LANGUAGE.fullmatch(language) else ""
    label = f' data-language="{shown}"' if shown else ""
    code = highlighting.highlight_fence(token.content, shown)
    return f'<pre class="code" tabindex="0"{label}><code>{code}</code></pre>\n'


def _always(markup: str) -> Callable[..., str]:
    """Return a rule that renders every token of a kind the same way."""
    return lambda *ignored: markup


def _task_box(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    environment: EnvType,
) -> str:
    done = tokens[index].meta.get("checked") is True
    state, mark = ("done", "\u2611") if done else ("to do", "\u2610")
    return f'<span role="img" aria-label="{state}">{mark}</span>'
