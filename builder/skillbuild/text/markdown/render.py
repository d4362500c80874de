"""Markdown in GitHub's dialect as HTML that is safe in a page, whoever wrote it.

Raw HTML is shown as text. A text that is too large, or would make far too large a page, is shown
as it is written: plain.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.gfm import gfm_plugin

from skillbuild.text import highlighting
from skillbuild.text.invisible import may_hide, visible_html, visible_in_page
from skillbuild.text.markdown.cost import LONGEST_TEXT, may_exceed, rendered_size
from skillbuild.text.markdown.rewrite import Heading, Resolve, TokenRewriter
from skillbuild.text.markdown.rows import without_simple_rows

_ROOM = LONGEST_TEXT
"""Characters by which a page may exceed the multiple of its text, so that short texts pass."""
_MOST_GROWTH = 16
"""How many times as long as its text a page may be."""
_TABLE_OPEN = '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n'
_LANGUAGE = re.compile(r"[A-Za-z0-9+#_.-]{1,20}")


@dataclass(frozen=True, slots=True)
class Rendered:
    """Safe HTML of a text, and its headings in order; a text that is shown plain has none."""

    html: str
    headings: tuple[Heading, ...] = ()
    plain: bool = False


def render_markdown(text: str, resolve: Resolve) -> Rendered:
    """Render a text; hidden characters are shown as code points, links go through `resolve`.

    Headings move one level down, skip none, and their ids begin with `user-content-`. A text over
    `LONGEST_TEXT`, or one that would grow to far more than its size, is shown plain.
    """
    if len(text) > LONGEST_TEXT:
        return _plain(text)
    parser = _parser()
    environment = _environment()
    tokens = parser.parse(text, environment)
    if _weight(tokens) > _most_weight(text):
        return _plain(text)
    rewriter = TokenRewriter(resolve)
    rewriter.rewrite(tokens)
    page = str(parser.renderer.render(tokens, parser.options, environment))
    if len(page) > _longest_page(text):
        return _plain(text)
    return Rendered(visible_in_page(page), tuple(rewriter.headings))


def is_shown_plain(text: str) -> bool:
    """Whether a text is shown plain; few texts are parsed to find out, and fewer rendered."""
    if len(text) > LONGEST_TEXT or not may_exceed(text, _most_weight(text)):
        return len(text) > LONGEST_TEXT
    short = without_simple_rows(text)
    tokens = _parser().parse(short.text, _environment())
    if _weight(tokens) + short.weight > _most_weight(text):
        return True
    most = sum(rendered_size(token.type, token.content) for token in _every(tokens)) + short.size
    if most <= _longest_page(text) and not may_hide(text):
        return False
    return render_markdown(text, lambda kind, target: None).plain


def heading_names(text: str) -> frozenset[str]:
    """What a link may name after `#` to reach a heading of the rendered text."""
    if len(text) > LONGEST_TEXT:
        return frozenset()
    rewriter = TokenRewriter(lambda kind, target: None)
    rewriter.rewrite(_parser().parse(text, _environment()))
    return frozenset(rewriter.anchors)


def _plain(text: str) -> Rendered:
    return Rendered(f'<pre class="plain" tabindex="0">{visible_html(text)}</pre>\n', (), True)


def _most_weight(text: str) -> int:
    return 4 * len(text) + _ROOM


def _longest_page(text: str) -> int:
    return _MOST_GROWTH * len(text) + _ROOM


def _weight(tokens: Sequence[Token]) -> int:
    """Roughly the characters of the HTML: what tokens hold, and 20 for the tag of each."""
    every = list(_every(tokens))
    values = (value for token in every if token.attrs for value in token.attrs.values())
    return sum(len(token.content) + 20 for token in every) + sum(map(len, map(str, values)))


def _every(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _every(token.children or ())


def _environment() -> dict[str, object]:
    return {"docId": "user-content"}


@functools.cache
def _parser() -> MarkdownIt:
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
    code = highlighting.highlight_fence(token.content, shown)
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
