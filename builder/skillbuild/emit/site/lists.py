"""The list of all skills, a list for each value of a facet, and the pages of each list.

A facet is a property by which readers can filter the list.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from markupsafe import Markup, escape

from skillbuild.emit.site.addresses import href, root_of, slug
from skillbuild.emit.site.cards import CONTENTS, Card, license_words, samples
from skillbuild.emit.site.theme import ROOT, Theme, render
from skillbuild.model import Catalog, KeyedFile, OutputFile
from skillbuild.release.frontmatter import NOT_DECLARED, UNSAID
from skillbuild.release.license_names import meaning, text_address
from skillbuild.release.search.encoding import encode

_NO_TITLES: Mapping[str, str] = {}


# Facets.


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a facet: its label, the number of skills that have this value, and the folder of
    its page.
    """

    label: str
    count: int
    slug: str
    title: str
    """The title for display; it differs from the label only for groups."""
    about: str = ""
    """The full name of a license and what it asks of users, or the meaning of the label."""
    terms: str = ""
    """The URL of the license text."""

    @property
    def is_unclear(self) -> bool:
        """True if the label names no license, so that readers must read the terms or ask for
        them.
        """
        return self.label[0].islower()


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet. `key` is the folder of the facet's pages, and also the name of the facet in the URL
    of a search.
    """

    key: str
    title: str
    values: tuple[Value, ...]
    has_pages: bool = True
    """False for a facet that only the script of the list can filter by."""
    is_folded: bool = False
    """True if only a few skills have a value."""


def facets(cards: Sequence[Card], groups: Mapping[str, str] | None = None) -> tuple[Facet, ...]:
    """Return the facets that have values. The facets that distinguish skills best come first.

    The most frequent value of a facet comes first, and the value for undeclared data comes last.
    The values of "What it does" have a fixed order instead. If no skill has tags, there is no tags
    facet. `groups` maps names of groups to titles.
    """
    tags = Counter(tag for card in cards for tag in values_of(card, "tags"))
    grouped = Counter(group for card in cards for group in values_of(card, "groups"))
    licenses = Counter(label for card in cards for label in card.licenses)
    contents = Counter(value for card in cards for value in card.contents)
    tagged = len(cards) - tags[NOT_DECLARED]
    every = (
        Facet("groups", "Groups", _by_use(grouped, groups or {})),
        Facet("licenses", "Licenses", _licenses(licenses)),
        Facet("contents", "What it does", _contents(contents), has_pages=False),
        Facet("tags", "Tags", _by_use(tags) if tagged else (), is_folded=tagged < len(cards) / 5),
    )
    return tuple(facet for facet in every if facet.values)


def values_of(card: Card, key: str) -> tuple[str, ...]:
    """Return the labels of a skill's values in the facet `key`."""
    match key:
        case "tags":
            return card.tags or (NOT_DECLARED,)
        case "groups":
            return (card.group,) if card.group else ()
        case "licenses":
            return card.licenses
        case _:
            return card.contents


def _by_use(counts: Counter[str], titles: Mapping[str, str] = _NO_TITLES) -> tuple[Value, ...]:
    ordered = sorted(counts.items(), key=lambda item: (item[0] in UNSAID, -item[1], item[0]))
    return tuple(
        Value(label, count, slug(label), titles.get(label, label)) for label, count in ordered
    )


def _licenses(counts: Counter[str]) -> tuple[Value, ...]:
    return tuple(
        replace(value, about=meaning(value.label), terms=text_address(value.label))
        for value in _by_use(counts)
    )


def _contents(counts: Counter[str]) -> tuple[Value, ...]:
    """Return the values in the order of `CONTENTS`, including a value that all skills have."""
    labels = (label for label in CONTENTS if counts[label])
    return tuple(Value(label, counts[label], slug(label), label) for label in labels)


# Pages of a list.


CARDS_ON_PAGE = 100
VALUES_ON_PAGE = 500
MOST_TITLES = 100
"""Maximum number of groups whose titles cards show, because the page passes all titles to its
search.
"""
MOST_INLINED = 8 * 1024
"""Maximum characters of icons that a page embeds, each of which saves a request."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list."""

    number: int
    """The number of the page, from 1."""
    others: Sequence[str]
    """The paths of all pages of the list, including this one."""

    @property
    def path(self) -> str:
        return self.others[self.number - 1]

    @property
    def numbers(self) -> Sequence[tuple[int | None, str]]:
        """The page numbers to show, with their relative addresses; None stands for a gap.

        These are the first page, the last page, this page, and two pages before and after it.
        """
        last, root = len(self.others), root_of(self.path)
        wanted = sorted({1, last, *range(self.number - 2, self.number + 3)} & {*range(1, last + 1)})
        offered: list[tuple[int | None, str]] = []
        for before, number in zip([0, *wanted], wanted, strict=False):
            if number > before + 1:
                offered.append((None, ""))
            offered.append((number, root + href(self.others[number - 1])))
        return offered


@dataclass(frozen=True, slots=True)
class ValuesPage(ListPage):
    """A page that lists values of a facet."""

    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class Usual:
    """The values that most cards share. Cards do not show these values. A field is empty if there
    is no such value.
    """

    license: str = ""
    """The license that most skills have."""
    group: str = ""
    """The group, if all skills are in one."""
    date: str = ""
    """The day of the last change, if it is the same for all."""

    @property
    def pieces(self) -> Sequence[bytes]:
        """The HTML that the built-in templates write for these values, one piece for each value
        that is not empty.
        """
        written = (
            ('<span class="license">{}</span> ', license_words(self.license)),
            (' <span class="path">{}</span>', self.group),
            (' <time class="date">{}</time>', self.date),
        )
        return [html.format(escape(text)).encode() for html, text in written if text]


def usual(cards: Sequence[Card]) -> Usual:
    licenses = Counter(card.license for card in cards).most_common(1)
    groups, dates = {card.group for card in cards}, {card.date for card in cards}
    return Usual(
        licenses[0][0] if licenses and 2 * licenses[0][1] > len(cards) else "",
        *(each.pop() if len(each) == 1 else "" for each in (groups, dates)),
    )


@dataclass(frozen=True, slots=True)
class CardsPage(ListPage):
    """A page of skill cards."""

    cards: Sequence[Card]
    usual: Usual = Usual()
    titles: Mapping[str, str] = field(default_factory=dict)
    """The titles of groups by name, if they differ from the names."""

    @property
    def with_inlined(self) -> frozenset[str]:
        """Paths of the skills whose icons are embedded in the page."""
        return with_inlined(self.cards)

    @property
    def items(self) -> Markup:
        """The HTML of the cards in the list."""
        chosen = self.with_inlined
        filled = (
            titled(card, _inline(card) if card.path in chosen else card.item, self.titles)
            for card in self.cards
        )
        html = b"".join(filled)
        for piece in self.usual.pieces:
            html = html.replace(piece, b"")
        html = html.replace(ROOT.encode(), root_of(self.path).encode())
        # The pieces come from templates, which escape all text.
        return Markup(html.decode())  # noqa: S704


def cards_pages(
    folder: str,
    cards: Sequence[Card],
    usual: Usual = Usual(),
    titles: Mapping[str, str] = _NO_TITLES,
) -> Iterator[CardsPage]:
    """Yield the pages of a list of cards, at least one. `folder` is empty or ends with `/`."""
    paths = page_paths(folder, len(cards), CARDS_ON_PAGE)
    for number in range(1, len(paths) + 1):
        start = (number - 1) * CARDS_ON_PAGE
        yield CardsPage(number, paths, cards[start : start + CARDS_ON_PAGE], usual, titles)


def values_pages(folder: str, values: Sequence[Value]) -> Iterator[ValuesPage]:
    """Yield the pages that list the values of a facet. Several pages may be needed, because large
    catalogs have thousands of tags.
    """
    paths = page_paths(folder, len(values), VALUES_ON_PAGE)
    for number in range(1, len(paths) + 1):
        start = (number - 1) * VALUES_ON_PAGE
        yield ValuesPage(number, paths, values[start : start + VALUES_ON_PAGE])


def with_inlined(cards: Sequence[Card]) -> frozenset[str]:
    """Return the paths of the skills whose icons a page embeds. These skills are at the top of the
    page, where readers see them first.

    An icon that several skills share is not embedded, because a browser fetches such an icon only
    once.
    """
    uses = Counter(card.inlined for card in cards)
    chosen, room = set(), MOST_INLINED
    for card in cards:
        if uses[card.inlined] == 1 and card.inlined:
            room -= len(card.inlined)
            if room < 0:
                break
            chosen.add(card.path)
    return frozenset(chosen)


def _inline(card: Card) -> bytes:
    """Return the HTML of a card with `data:` URIs in place of the addresses of its icons."""
    piece = card.item
    for (name, _), icon in zip(card.picture.icons, card.inlined.split(), strict=True):
        piece = piece.replace(f"{ROOT}icons/{name}".encode(), icon.encode())
    return piece


def titled(card: Card, piece: bytes, titles: Mapping[str, str]) -> bytes:
    """Return the HTML with the name of the card's group replaced by the group's title."""
    title = titles.get(card.group)
    if title is None:
        return piece
    name, shown = (f'<span class="path">{escape(each)}</span>' for each in (card.group, title))
    return piece.replace(name.encode(), shown.encode())


def page_paths(folder: str, count: int, size: int) -> Sequence[str]:
    """Return the paths of the pages of a list of `count` items, with `size` items on each page."""
    pages = max(1, -(-count // size))
    later = (f"{folder}page/{number}/index.html" for number in range(2, pages + 1))
    return [f"{folder}index.html", *later]


# The files.


_MOST_VALUES = 12
"""Maximum number of values of a facet beside the list; the facet's own pages show all values."""


def by_title(card: Card) -> tuple[bool, str]:
    """Return the key that sorts skills by title, from A to Z, with deprecated skills last."""
    return card.is_deprecated, card.title.casefold()


def values_of_list(
    cards: Sequence[Card], groups: Mapping[str, str] | None = None, without: str = ""
) -> dict[str, object]:
    """Return the template values for a page with a searchable list. The facet `without` is left
    out.
    """
    return {
        "facets": [*_narrowing(facets(cards, groups), len(cards), without)],
        "most": _MOST_VALUES,
        "samples": samples(),
        "titles": titles_shown(groups or {}),
        "total": len(cards),
        "has_icons": has_icons(cards),
        "orders": _orders(cards, without),
        "has_dates": any(card.date for card in cards),
        "has_first_days": any(card.first_day for card in cards),
    }


def _orders(cards: Sequence[Card], without: str) -> Sequence[tuple[str, str]]:
    """Return the orders by name and by path with their labels; the order of the published list
    comes first.

    The list of a group and a list without folders have no order by path.
    """
    has_folders = without != "groups" and len({card.folder for card in cards}) > 1
    return [("name", "A to Z"), *([("path", "By folder")] if has_folders else [])]


def has_icons(cards: Sequence[Card]) -> bool:
    """Return whether the icons distinguish the cards; False if most cards show the same picture."""
    [(icons, count)] = Counter(card.picture.icons for card in cards).most_common(1) or [((), 0)]
    return not icons or count < 2 or 2 * count <= len(cards)


def _narrowing(every: Iterable[Facet], total: int, without: str) -> Iterator[Facet]:
    """Yield the facets except `without`, and without values that all of the `total` skills have."""
    for facet in every:
        values = tuple(value for value in facet.values if value.count < total)
        if values and facet.key != without:
            yield replace(facet, values=values)


def titles_shown(groups: Mapping[str, str]) -> Mapping[str, str]:
    """Return the titles that cards show instead of the names of groups. `groups` maps the names of
    all groups to titles.
    """
    if len(groups) > MOST_TITLES:
        return _NO_TITLES
    return {name: title for name, title in groups.items() if title != name}


def emit_orders(cards: Sequence[Card]) -> Iterator[OutputFile]:
    """Yield one file for each sort order. Each file contains one number per skill, in the order of
    skill paths.

    The search script sorts by these numbers in ascending order. Dates are negated, so that the
    newest skills come first.
    """
    by_name = sorted(range(len(cards)), key=lambda number: by_title(cards[number]))
    places = {number: place for place, number in enumerate(by_name)}
    orders = {"name": [places[number] for number in range(len(cards))]}
    orders["tokens"] = [card.tokens for card in cards]
    if any(card.first_day for card in cards):
        orders["added"] = [-card.first_day for card in cards]
    for name, numbers in orders.items():
        yield OutputFile(f"orders/{name}.js", encode(numbers))


def emit_facets(
    theme: Theme, catalog: Catalog, cards: Sequence[Card], titles: Mapping[str, str]
) -> Iterator[OutputFile | KeyedFile]:
    """Yield an index of tags, an index of licenses, and a page for each value of a facet.

    There are hundreds of these pages, and a build writes only those that changed. `titles` are the
    group titles that cards show.
    """
    usual_license = usual(cards).license
    for facet in facets(cards):
        if not facet.has_pages or facet.key == "groups":
            continue
        for index in values_pages(f"{facet.key}/", facet.values):
            yield _list(theme, "facet.html", index, facet=facet, catalog=catalog)
        having = _having(cards, facet)
        for value in facet.values:
            folder, own = f"{facet.key}/{value.slug}/", having[value.label]
            values = {**values_of_list(own, titles, facet.key), "value": value}
            shared = Usual(value.label if facet.key == "licenses" else usual_license)
            for page in cards_pages(folder, own, shared, titles):
                make = partial(
                    _list, theme, "value.html", page, catalog=catalog, facet=facet, **values
                )
                # A template of the source may show anything of the catalog.
                yield make() if theme.templates else _keyed(page, facet.key, values, make)


def _keyed(
    page: CardsPage, facet: str, values: Mapping[str, object], make: Callable[[], OutputFile]
) -> KeyedFile:
    """Return the page of a value, with a key for everything that our template shows."""
    shown = (facet, values, page.number, len(page.others), page.usual, page.items)
    key = hashlib.blake2b(repr(shown).encode(), digest_size=16).hexdigest()
    return KeyedFile(page.path, key, lambda: make().data)


def _having(cards: Sequence[Card], facet: Facet) -> Mapping[str, Sequence[Card]]:
    """Map the label of each value of the facet to the cards that have the value."""
    having: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        for label in values_of(card, facet.key):
            having[label].append(card)
    return having


def _list(theme: Theme, template: str, page: ListPage, **values: object) -> OutputFile:
    return render(theme, template, page.path, page=page, **values)
