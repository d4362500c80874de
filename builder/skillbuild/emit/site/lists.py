"""The list of all skills, and a list for each value of a facet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from skillbuild.emit.emitter import Unchanged
from skillbuild.emit.site import install
from skillbuild.emit.site.cards import Card, samples
from skillbuild.emit.site.facets import Facet, facets, values_of
from skillbuild.emit.site.list_pages import ListPage, cards_pages, values_pages
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Catalog, Digest, OutputFile, UnchangedFile
from skillbuild.release.search.encoding import encode

_MOST_VALUES = 12
"""Values of a facet that stand beside the list; the facet's own pages have the others."""


def in_order(cards: Sequence[Card]) -> Sequence[Card]:
    """Cards that are sorted by path as lists have them: what is deprecated is last in its group."""
    if not any(card.is_deprecated for card in cards):
        return cards
    groups: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        groups[card.group].append(card)
    ordered = {
        group: iter(sorted(members, key=lambda card: card.is_deprecated))
        for group, members in groups.items()
    }
    return [next(ordered[card.group]) for card in cards]


def emit(
    theme: Theme, catalog: Catalog, cards: Sequence[Card], unchanged: Unchanged
) -> Iterator[OutputFile | UnchangedFile]:
    """The pages of the list; cards as `in_order` has them. Only the first one names the commit.

    `unchanged` is asked as for the values of facets.
    """
    common: dict[str, object] = {
        "facets": facets(cards),
        "most": _MOST_VALUES,
        "samples": samples(),
        "total": len(cards),
        "has_groups": any(card.group for card in cards),
        "has_first_days": any(card.first_day for card in cards),
        "offers": install.offers(theme) if cards else [],
    }
    on_all = Digest.of(repr((common, bool(catalog.changes))).encode())
    for page in cards_pages("", cards):
        paths = [card.path for card in page.cards]
        stays = page.number > 1 and unchanged(page.path, (on_all, page.number, page.others), paths)
        if stays and not theme.templates:
            yield UnchangedFile(page.path)
            continue
        yield _list(theme, "list.html", page, catalog=catalog, **common)


def emit_orders(cards: Sequence[Card]) -> Iterator[OutputFile]:
    """For the script of the search, a number of each skill to sort by, in the order of paths.

    Lower ones are first; so that new skills are, their days are less than 0.
    """
    by_name = sorted(range(len(cards)), key=lambda number: cards[number].title.casefold())
    places = {number: place for place, number in enumerate(by_name)}
    orders = {"name": [places[number] for number in range(len(cards))]}
    orders["tokens"] = [card.tokens for card in cards]
    if any(card.first_day for card in cards):
        orders["added"] = [-card.first_day for card in cards]
    for name, numbers in orders.items():
        yield OutputFile(f"orders/{name}.js", encode(numbers))


def emit_facets(
    theme: Theme, catalog: Catalog, cards: Sequence[Card], unchanged: Unchanged
) -> Iterator[OutputFile | UnchangedFile]:
    """An index of the tags, licenses and groups, and the pages of each of their values.

    `unchanged` is asked with all that the template of a value shows beyond settings and skills.
    A template of the source may show more, so with such templates every page is written.
    """
    for facet in facets(cards):
        if not facet.has_pages:
            continue
        for index in values_pages(f"{facet.key}/", facet.values):
            yield _list(theme, "facet.html", index, facet=facet, catalog=catalog)
        having = _having(cards, facet)
        for value in facet.values:
            for page in cards_pages(f"{facet.key}/{value.slug}/", having[value.label]):
                shown = (facet.key, facet.title, value, page.number, page.others)
                paths = [card.path for card in page.cards]
                if unchanged(page.path, shown, paths) and not theme.templates:
                    yield UnchangedFile(page.path)
                    continue
                yield _list(theme, "value.html", page, catalog=catalog, facet=facet, value=value)


def _having(cards: Sequence[Card], facet: Facet) -> Mapping[str, Sequence[Card]]:
    """The cards by the labels of their values."""
    having: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        for label in values_of(card, facet.key):
            having[label].append(card)
    return having


def _list(theme: Theme, template: str, page: ListPage, **values: object) -> OutputFile:
    return render(theme, template, page.path, page=page, **values)
