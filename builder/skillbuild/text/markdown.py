"""The door to markdown-it-py: rendering for pages, links and code spans for the checks."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.gfm import gfm_plugin

from skillbuild.model import Place
from skillbuild.text import highlighting
from skillbuild.text.markdown_cost import may_exceed, rendered_size
from skillbuild.text.markdown_links import MAY_REFER, thinned
from skillbuild.text.measure import may_hide

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
    if len(text) > LONGEST_TEXT or not MAY_REFER.search(text):
        return
    lines = text.split("\n")
    scanner = _scanner()
    environment: dict[str, object] = {}
    thin, numbers = thinned(text)
    for block in scanner.parse(thin, environment):
        named = "[" in block.content and bool(environment.get("references"))
        if block.type == "inline" and block.map and (named or MAY_REFER.search(block.content)):
            children: list[Token] = []
            scanner.inline.parse(block.content, scanner, environment, children)
            start, end = numbers[block.map[0]], numbers[block.map[1] - 1] + 1
            yield from _in_block(children, lines, start, end, first_line)


def _in_block(
    children: Sequence[Token], lines: Sequence[str], start: int, end: int, first_line: int
) -> Iterator[Reference]:
    line, column = start, 0
    opened: list[Token] = []
    for item in children:
        if item.type == "link_open":
            opened.append(item)
            continue
        # The target of a link stands behind its text, where there may be code and images.
        token = opened.pop() if item.type == "link_close" else item
        kind, target = _target(token)
        if not target:
            continue
        leads = ("`", "") if kind == "code" else ("](", "](<", "")
        found = (_find(lines, lead, target, line, column, end) for lead in leads)
        at = next(filter(None, found), None)
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
    lines: Sequence[str], lead: str, target: str, line: int, column: int, end: int
) -> tuple[int, int] | None:
    """Line and column of the target behind what leads to it, from a position on."""
    room = _FARTHEST
    for number in range(line, end):
        start = column if number == line else 0
        found = lines[number].find(lead + target, start, start + room)
        if found >= 0:
            return number, found + len(lead)
        room -= len(lines[number]) - start + 1
        if room <= 0:
            break
    return None


_FARTHEST = 16 * 1024
"""Characters in which a target is looked for: what is written with escapes is never found."""


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
    parser.inline.terminator_re = re.compile(r"[\\`\[\]<]|!(?=\[)")
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


Resolve = Callable[[str, str], str | None]
"""The address for a `link` or an `image` and its target as written, None to drop it.

Fragments of the text itself are not asked for: they lead to its headings, or nowhere.
"""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a rendered text: `level` is the one it is shown at, from 2."""

    level: int
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """Safe HTML of a text, and its headings in order; a text that is shown plain has none."""

    html: str
    headings: tuple[Heading, ...] = ()
    plain: bool = False


def render(text: str, resolve: Resolve) -> Rendered:
    """Render GitHub's dialect; raw HTML in it is shown as text, hidden characters by their code.

    Headings move one level down, skip none, and their ids begin with `user-content-`. A text over
    `LONGEST_TEXT`, or one that would grow to far more than its size, is shown plain.
    """
    if len(text) > LONGEST_TEXT:
        return _plain(text)
    parser = _renderer()
    environment: dict[str, object] = {"docId": "user-content"}
    tokens = parser.parse(text, environment)
    if _weight(tokens) > 4 * len(text) + _ROOM:
        return _plain(text)
    dress = _Dress(resolve)
    dress.blocks(tokens)
    page = str(parser.renderer.render(tokens, parser.options, environment))
    if len(page) > _MOST_GROWTH * len(text) + _ROOM:
        return _plain(text)
    return Rendered(highlighting.spelled_out(page), tuple(dress.headings))


def is_shown_plain(text: str) -> bool:
    """Whether `render` shows a text plain; few texts are parsed to find out, and fewer rendered."""
    budget = 4 * len(text) + _ROOM
    if len(text) > LONGEST_TEXT or not may_exceed(text, budget):
        return len(text) > LONGEST_TEXT
    tokens = _renderer().parse(text, {"docId": "user-content"})
    most = sum(rendered_size(token.type, token.content) for token in _every(tokens))
    if most <= _MOST_GROWTH * len(text) + _ROOM and not may_hide(text):
        return _weight(tokens) > budget
    return render(text, lambda kind, target: None).plain


_ROOM = LONGEST_TEXT
_TABLE_OPEN = '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n'
_MOST_GROWTH = 16
_ALIGNED = re.compile(r"text-align:(left|center|right)")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z0-9+#_.-]{1,20}")


def _plain(text: str) -> Rendered:
    return Rendered(
        f'<pre class="plain" tabindex="0">{highlighting.visible(text)}</pre>\n', (), True
    )


@functools.cache
def _renderer() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "typographer": False})
    gfm_plugin(parser)
    parser.inline.terminator_re = _STOP
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("table_open", _always(_TABLE_OPEN))
    parser.add_render_rule("table_close", _always("</table></div>\n"))
    parser.add_render_rule("task_box", _task_box)
    return parser


_STOP = re.compile(r"[\n\\`\[\]<&*_~@]|!(?=\[)|(?<=[pso]):|w(?=ww\.)")
"""Where an inline rule may begin; the parser's own set stops at every `w`, and for unused rules."""


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
    code = highlighting.fence(token.content, shown)
    return f'<pre class="code" tabindex="0"{label}><code>{code}</code></pre>\n'


def _always(markup: str) -> Callable[..., str]:
    """A rule that renders every token of a kind the same."""
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
    return f'<span class="box" role="img" aria-label="{state}">{mark}</span>'


def _weight(tokens: Sequence[Token]) -> int:
    every = list(_every(tokens))
    values = (value for token in every if token.attrs for value in token.attrs.values())
    return sum(len(token.content) + 20 for token in every) + sum(map(len, map(str, values)))


def _every(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _every(token.children or ())


@dataclass(slots=True)
class _Dress:
    """Makes the tokens of one text fit for a page of ours."""

    resolve: Resolve
    headings: list[Heading] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    uses: Counter[str] = field(default_factory=Counter)
    level: int = 1

    def blocks(self, tokens: Sequence[Token]) -> None:
        """Apply the link policy, shift the headings, turn alignment styles into classes."""
        for position, token in enumerate(tokens):
            following = tokens[position + 1] if position + 1 < len(tokens) else token
            match token.type:
                case "heading_open":
                    self._heading(token, following)
                case "heading_close":
                    token.tag = "p" if tokens[position - 2].tag == "p" else f"h{self.level}"
                case "th_open" if not following.content.strip():
                    token.tag = tokens[position + 2].tag = "td"
                case "list_item_open" if "checked" in token.meta:
                    _add_box(token, tokens[position + 1 : position + 3])
                case _:
                    pass
            style = _ALIGNED.match(str(token.attrs.pop("style", ""))) if token.attrs else None
            if style:
                token.attrSet("class", f"align-{style[1]}")
        for token in tokens:
            if token.children:
                token.children = list(self._inline(token.children))

    def _heading(self, token: Token, inline: Token) -> None:
        text = _text_of(inline.children or []).strip()
        if not text:
            token.tag = "p"
            return
        self.level = min(6, int(token.tag[1]) + 1, self.level + 1)
        token.tag = f"h{self.level}"
        heading = Heading(self.level, self._id(text), text)
        token.attrSet("id", heading.id)
        self.headings.append(heading)

    def _id(self, text: str) -> str:
        slug = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") or "section"
        name = slug
        while name in self.ids:
            self.uses[slug] += 1
            name = f"{slug}-{self.uses[slug]}"
        self.ids.add(name)
        return f"user-content-{name}"

    def _inline(self, children: Sequence[Token]) -> Iterator[Token]:
        dropped: list[bool] = []
        for position, token in enumerate(children):
            match token.type:
                case "link_open":
                    address = self._address(str(token.attrGet("href") or ""))
                    dropped.append(address is None)
                    if address is not None:
                        yield _link(token, address)
                        if not _is_named(children[position + 1 :]):
                            yield Token("text", "", 0, content=address)
                case "link_close":
                    if not dropped.pop():
                        yield token
                case "image":
                    yield self._image(token)
                case "text" if "<br" in token.content:
                    yield from _broken(token)
                case _:
                    yield token

    def _address(self, target: str) -> str | None:
        if not target.startswith("#"):
            return self.resolve("link", target)
        name = unquote(target[1:]).lower().removeprefix("user-content-")
        return f"#user-content-{quote(name)}" if name in self.ids else None

    def _image(self, token: Token) -> Token:
        words = _text_of(token.children or [])
        address = self.resolve("image", str(token.attrGet("src") or ""))
        if address is None:
            return Token("text", "", 0, content=words)
        token.attrs = {"src": address, "alt": "", "loading": "lazy"}
        return token


def heading_names(text: str) -> frozenset[str]:
    """What a link may name after `#` to reach a heading of a rendered text."""
    if len(text) > LONGEST_TEXT:
        return frozenset()
    dress = _Dress(lambda kind, target: None)
    dress.blocks(_renderer().parse(text, {"docId": "user-content"}))
    return frozenset(dress.ids)


def _broken(token: Token) -> Iterator[Token]:
    """The one tag that real texts cannot do without: a line break, in tables above all."""
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


def _is_named(following: Sequence[Token]) -> bool:
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
