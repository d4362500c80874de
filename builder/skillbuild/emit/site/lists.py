"""The pages about many skills: the list, the facets, and what is said of the whole catalog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from markupsafe import Markup

from skillbuild.emit.emitter import Unchanged
from skillbuild.emit.site import search
from skillbuild.emit.site.addresses import href, root_of, skill_page
from skillbuild.emit.site.cards import Card, Facet, Value, facets, values_of, with_inlined
from skillbuild.emit.site.environment import ROOT, Theme, render
from skillbuild.model import Catalog, Change, OutputFile, UnchangedFile

PAGE_SIZE = 100
VALUES_OF_PAGE = 500
_MOST_ADDRESSES = 50_000
_MOST_VALUES = 12


@dataclass(frozen=True, slots=True)
class _Page:
    """One page of a list: its number from 1, the paths of all pages, and what stands on it."""

    number: int
    others: Sequence[str]
    cards: Sequence[Card] = ()
    values: Sequence[Value] = ()

    @property
    def path(self) -> str:
        return self.others[self.number - 1]

    @property
    def with_inlined(self) -> frozenset[str]:
        """Paths of the skills whose icons stand in the page itself."""
        return with_inlined(self.cards)

    @property
    def items(self) -> Markup:
        """The cards as HTML."""
        return self._joined(lambda card: card.item)

    @property
    def rows(self) -> Markup:
        """The same in short."""
        return self._joined(lambda card: card.row)

    def _joined(self, piece: Callable[[Card], bytes]) -> Markup:
        chosen = self.with_inlined
        pieces = (
            _inline(one, piece(one)) if one.path in chosen else piece(one) for one in self.cards
        )
        html = b"".join(pieces).replace(ROOT.encode(), root_of(self.path).encode())
        # The pieces were made by templates, which escape all text.
        return Markup(html.decode())  # noqa: S704

    @property
    def numbers(self) -> Sequence[tuple[int | None, str]]:
        """The pages to offer, with their addresses from this one; None stands for a gap."""
        last, root = len(self.others), root_of(self.path)
        wanted = sorted({1, last, *range(self.number - 2, self.number + 3)} & {*range(1, last + 1)})
        offered: list[tuple[int | None, str]] = []
        for before, number in zip([0, *wanted], wanted, strict=False):
            if number > before + 1:
                offered.append((None, ""))
            offered.append((number, root + href(self.others[number - 1])))
        return offered


def _inline(card: Card, piece: bytes) -> bytes:
    """A piece that holds its icons itself."""
    for (name, _), icon in zip(card.picture.icons, card.inlined.split(), strict=True):
        piece = piece.replace(f"{ROOT}icons/{name}".encode(), icon.encode())
    return piece


def emit(theme: Theme, catalog: Catalog, cards: Sequence[Card]) -> Iterator[OutputFile]:
    """The list itself, with the shards of its search."""
    shards = list(search.shards(cards))
    listed = any(card.listed for card in cards)
    yield from shards
    common = {
        "catalog": catalog,
        "facets": facets(cards),
        "most": _MOST_VALUES,
        "shards": [shard.path for shard in shards],
        "total": len(cards),
        "discovery": theme.discovery and listed,
        "marketplace": theme.marketplace if listed else None,
    }
    for page in _pages("", cards):
        yield _list(theme, "list.html", page, **common)


def emit_facets(
    theme: Theme, catalog: Catalog, cards: Sequence[Card], unchanged: Unchanged
) -> Iterator[OutputFile | UnchangedFile]:
    """A page for every tag, licence and group, and an index of each.

    A template of the source may show anything, so with one no page of a value is unchanged.
    """
    for facet in facets(cards):
        if not facet.has_pages:
            continue
        for page in _value_pages(f"{facet.key}/", facet.values):
            yield _list(theme, "facet.html", page, facet=facet, catalog=catalog)
        having = _having(cards, facet)
        for value in facet.values:
            for page in _pages(f"{facet.key}/{value.slug}/", having[value.label]):
                shown = (facet.key, facet.title, value, page.number, page.others)
                paths = [card.path for card in page.cards]
                if unchanged(page.path, shown, paths) and not theme.templates:
                    yield UnchangedFile(page.path)
                    continue
                yield _list(theme, "value.html", page, catalog=catalog, facet=facet, value=value)


def _having(cards: Sequence[Card], facet: Facet) -> Mapping[str, Sequence[Card]]:
    having: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        for label in values_of(card, facet.key):
            having[label].append(card)
    return having


def _list(theme: Theme, template: str, page: _Page, **values: object) -> OutputFile:
    return render(theme, template, page.path, page=page, **values)


def _pages(folder: str, cards: Sequence[Card]) -> Iterator[_Page]:
    """At least one page, of at most a hundred cards each."""
    others = _paths(folder, len(cards), PAGE_SIZE)
    for number in range(1, len(others) + 1):
        start = (number - 1) * PAGE_SIZE
        yield _Page(number, others, cards=cards[start : start + PAGE_SIZE])


def _value_pages(folder: str, values: Sequence[Value]) -> Iterator[_Page]:
    """Large catalogs have thousands of tags."""
    others = _paths(folder, len(values), VALUES_OF_PAGE)
    for number in range(1, len(others) + 1):
        start = (number - 1) * VALUES_OF_PAGE
        yield _Page(number, others, values=values[start : start + VALUES_OF_PAGE])


def _paths(folder: str, count: int, size: int) -> Sequence[str]:
    pages = max(1, -(-count // size))
    return [f"{folder}{_folder(number)}index.html" for number in range(1, pages + 1)]


def _folder(number: int) -> str:
    return "" if number == 1 else f"page/{number}/"


def emit_about(
    theme: Theme, catalog: Catalog, cards: Sequence[Card], versions: Mapping[str, str]
) -> Iterator[OutputFile]:
    """What the catalog is and how to verify it, and the page for addresses that are none."""
    values = {"versions": versions, "total": len(cards), "most": VALUES_OF_PAGE}
    listed = sum(card.listed for card in cards)
    yield render(theme, "about.html", "about/index.html", catalog=catalog, listed=listed, **values)
    root = theme.base_path if theme.config.base_url else ""
    yield render(theme, "404.html", "404.html", catalog=catalog, root=root)


def emit_sitemap(
    catalog: Catalog, cards: Sequence[Card], changes: Mapping[str, Change]
) -> Iterator[OutputFile]:
    """`sitemap.xml`, for a catalog whose address is known; an index of several above 50,000."""
    if catalog.base_url is None:
        return
    base = catalog.base_url
    lines = [_address(base, None)]
    lines += [
        _address(base + href(skill_page(card.path)), changes.get(card.path))
        for card in cards
        if card.listed
    ]
    parts = [lines[i : i + _MOST_ADDRESSES] for i in range(0, len(lines), _MOST_ADDRESSES)]
    if len(parts) == 1:
        yield _sitemap("sitemap.xml", "urlset", parts[0])
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        yield _sitemap(name, "urlset", part)
    index = [f"<sitemap><loc>{escape(base + name)}</loc></sitemap>" for name in names]
    yield _sitemap("sitemap.xml", "sitemapindex", index)


def _address(address: str, change: Change | None) -> str:
    when = f"<lastmod>{change.date}</lastmod>" if change else ""
    return f"<url><loc>{escape(address)}</loc>{when}</url>"


def _sitemap(path: str, kind: str, lines: Sequence[str]) -> OutputFile:
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{kind} xmlns="{space}">\n'
    return OutputFile(path, (head + "\n".join(lines) + f"\n</{kind}>\n").encode())
