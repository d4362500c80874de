"""Renders the documentation of skillbuild with the renderer, theme and search of catalogs.

The texts are the Markdown files in `site_src/docs/`, and `builder/README.md`; they can also be read
on GitHub. Each text becomes one page, and the search finds each heading.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from markupsafe import Markup

from skillbuild import __version__
from skillbuild.config import Config
from skillbuild.emit.site import shared_files
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import OutputFile
from skillbuild.release.search import writing
from skillbuild.release.search.numbers import Field, synonyms
from skillbuild.text import terms
from skillbuild.text.markdown.document import ID_PREFIX, Document, Heading
from skillbuild.text.markdown.render import Rendered, render_markdown

PARTS: Mapping[str, Sequence[str]] = {
    "Learn": ("start", "serve", "write", "publish", "plugins", "verify", "versions", "themes"),
    "Look up": ("commands", "configure", "rules", "clients", "releasing", "internals"),
}
"""The parts of the documentation with the names of their pages, as `index` lists them."""
PAGES = ("index", *chain.from_iterable(PARTS.values()))
"""The names of the pages, in the order of the navigation."""
_FILES = {f"site_src/docs/{name}.md": name for name in PAGES} | {"builder/README.md": "internals"}
"""The page of each Markdown file, by its path in the repository."""
_FOLDERS = {name: posixpath.dirname(path) for path, name in _FILES.items()}
_WEB = re.compile(r"https?://|mailto:", re.IGNORECASE)
_FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_CELLS = re.compile(r"\s*(?<!\\)\|\s*")
"""The separator between the cells of a row."""
_TABLE_HEAD = re.compile(r"^\|.*\n\|[-|: ]+$", re.MULTILINE)
_FENCE = re.compile(r"^`{3,}.*$", re.MULTILINE)
_PARAGRAPH = re.compile(r"[A-Za-z`*\[(][^\n]*(?:\n[A-Za-z`*\[(][^\n]*)*")
_MARKS = re.compile(r"\]\([^)]*\)|[*\[\]]")
_HEADING = re.compile(r"(</?h)([2-6])\b")
_BULLET = re.compile(r"^ *(?:[-*]|[0-9]+\.) ", re.MULTILINE)
_LINKS = re.compile(r"(- \[[^\n]*(\n {2}[^\n]*)*\n*)+")
"""A text that is only a list of links."""
_LONGEST_SUMMARY = 160
_LONGEST_TEXT = 1500
"""Maximum characters of a section that the search can quote from."""


@dataclass(frozen=True, slots=True)
class _Page:
    name: str
    document: Document

    @property
    def path(self) -> str:
        return f"{self.name}.html"

    @property
    def title(self) -> str:
        return self.document.headings[0].text

    def sections(self) -> Iterator[tuple[Heading, str]]:
        """Yield each heading with the text up to the next heading."""
        headings, lines = self.document.headings, self.document.lines
        ends = [heading.line - 1 for heading in headings[1:]] + [len(lines)]
        for heading, end in zip(headings, ends, strict=True):
            yield heading, "\n".join(lines[heading.line : end]).strip()


def documentation(texts: Mapping[str, str], config: Config) -> Iterator[OutputFile]:
    """Yield the pages, their search index, and the scripts and styles that the pages need.

    `texts` maps each of `PAGES` to its Markdown, which must begin with the title as a heading.
    """
    pages = [_Page(name, Document(texts[name])) for name in PAGES]
    theme = Theme(config)
    own = shared_files.documentation_files()
    wanted = ("style.css", "theme.js", "page.js", "snowball.txt")
    shared = [theme.assets[name] for name in wanted]
    yield from (*shared, *own.values())
    names = {name: file.path for name, file in own.items()}
    named = {page.name: page for page in pages}
    menu = {title: [named[name] for name in inner] for title, inner in PARTS.items()}
    for page in pages:
        rendered = _rendered(page)
        yield render(
            theme,
            "documentation.html",
            page.path,
            page=page,
            version=__version__,
            menu=menu,
            around=_around(page, pages),
            body=Markup(_HEADING.sub(_raised, rendered.html)),  # noqa: S704  # The renderer escapes all else.
            headings=[each for each in rendered.headings[1:] if each.level in (3, 4)],
            own=names,
        )
    yield from writing.write(list(_lines(pages)), synonyms(), {})


def _around(page: _Page, pages: Sequence[_Page]) -> Sequence[tuple[str, _Page]]:
    """Return the previous and the next page, each with the `rel` of its link."""
    place = pages.index(page)
    before, after = pages[:place][-1:], pages[place + 1 :][:1]
    return [*(("prev", each) for each in before), *(("next", each) for each in after)]


def _raised(tag: re.Match[str]) -> str:
    """Return a heading one level higher, because the renderer expects a page with a title of its
    own.
    """
    return f"{tag[1]}{int(tag[2]) - 1}"


def _rendered(page: _Page) -> Rendered:
    """Return a page's text as HTML; links to other documents lead to their pages."""

    def resolve(kind: str, target: str) -> str | None:
        if kind == "image" or _WEB.match(target):
            return target if kind == "link" else None
        path, _, anchor = target.partition("#")
        name = _FILES.get(posixpath.normpath(posixpath.join(_FOLDERS[page.name], path)))
        if name is None:
            return None
        return f"./{name}.html" + (f"#{ID_PREFIX}{anchor}" if anchor else "")

    return render_markdown(page.document, resolve)


def _lines(pages: Sequence[_Page]) -> Iterator[bytes]:
    """Yield the lines of the search index, one for the section below each heading.

    If two sections have the same score, the first line wins. So the shortest headings come first
    (`keep` before `versions.keep`), and headings of the reference (`[limits]` before `Limits`).
    """
    every = [(page, *section) for page in pages for section in page.sections()]
    for page, heading, text in sorted(every, key=_place):
        row = [f"{page.path}#{heading.id}", heading.text, _shown(text), page.title]
        words = {
            Field.NAME: terms.words(heading.text),
            Field.TITLE: terms.words(page.title),
            Field.OPENING: terms.words(_summary(text)),
            # Texts that only link to others would hide these.
            Field.BODY: [] if _LINKS.fullmatch(text) else terms.text_words(_FENCE.sub("", text)),
        }
        yield writing.line_of(row, [() for _ in writing.FACETS], words)


def _place(section: tuple[_Page, Heading, str]) -> tuple[int, bool]:
    page, heading, _ = section
    return len(terms.words(heading.text)), page.name not in PARTS["Look up"]


def _shown(text: str) -> str:
    """Return the text of a section without markup, except backticks: its prose in one line, then
    each row of its tables, and each line of its code after a tab.
    """
    code = [match[0].splitlines()[1:-1] for match in _FENCED.finditer(text)]
    others = _TABLE_HEAD.sub("", _FENCED.sub("", text))
    rows = [_item(match[0]) for match in _ROW.finditer(others)]
    prose = _BULLET.sub("\u00b7 ", _ROW.sub("", others)).replace("#", "")
    plain = [" ".join(_MARKS.sub("", line).split()) for line in (prose, *rows)]
    lines = [f"\t{line.strip()}" for line in chain.from_iterable(code) if line.strip()]
    return "\n".join((*plain, *lines)).strip("\n")[:_LONGEST_TEXT]


def _item(row: str) -> str:
    """Return a row of a table as words: `name: description`."""
    return ": ".join(_CELLS.split(row.strip("| "))).replace("\\|", "|")


def _summary(text: str) -> str:
    """Return the beginning of the first paragraph of a section, without code, tables and markup."""
    match = _PARAGRAPH.search(_ROW.sub("", _FENCED.sub("", text)))
    words = _MARKS.sub("", " ".join(match[0].replace("`", "").split())) if match else ""
    if len(words) <= _LONGEST_SUMMARY:
        return words
    return words[:_LONGEST_SUMMARY].rpartition(" ")[0] + "\u2026"
