"""Lists cut into pages: what stands on each, at which path, and which other pages it offers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from skillbuild.emit.site.addresses import href, root_of
from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.facets import Value
from skillbuild.emit.site.theme import ROOT

CARDS_ON_PAGE = 100
VALUES_ON_PAGE = 500
_MOST_INLINED = 8 * 1024
"""Characters of icons that a page holds itself, at most: they spare a request for each."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list that may have several."""

    number: int
    """From 1."""
    others: Sequence[str]
    """The paths of all pages of the list, this one included."""

    @property
    def path(self) -> str:
        return self.others[self.number - 1]

    @property
    def numbers(self) -> Sequence[tuple[int | None, str]]:
        """The pages to offer, with their addresses from this one; None stands for a gap.

        They are the first, the last, this one, and two on either side of it.
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
    """Values of a facet."""

    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class CardsPage(ListPage):
    """Cards of skills."""

    cards: Sequence[Card]

    @property
    def with_inlined(self) -> frozenset[str]:
        """Paths of the skills whose icons stand in the page itself."""
        return with_inlined(self.cards)

    @property
    def items(self) -> Markup:
        """The HTML of the cards in the list."""
        return self._joined(card.item for card in self.cards)

    @property
    def rows(self) -> Markup:
        """The shorter HTML of the cards on the page of a value."""
        return self._joined(card.row for card in self.cards)

    def _joined(self, pieces: Iterable[bytes]) -> Markup:
        chosen = self.with_inlined
        filled = (
            _inline(card, piece) if card.path in chosen else piece
            for card, piece in zip(self.cards, pieces, strict=True)
        )
        html = b"".join(filled).replace(ROOT.encode(), root_of(self.path).encode())
        # The pieces come from templates, which escape all text.
        return Markup(html.decode())  # noqa: S704


def cards_pages(folder: str, cards: Sequence[Card]) -> Iterator[CardsPage]:
    """The pages below `folder`, which is empty or ends with `/`; at least one."""
    paths = _paths(folder, len(cards), CARDS_ON_PAGE)
    for number in range(1, len(paths) + 1):
        start = (number - 1) * CARDS_ON_PAGE
        yield CardsPage(number, paths, cards[start : start + CARDS_ON_PAGE])


def values_pages(folder: str, values: Sequence[Value]) -> Iterator[ValuesPage]:
    """The same for values of a facet: large catalogs have thousands of tags."""
    paths = _paths(folder, len(values), VALUES_ON_PAGE)
    for number in range(1, len(paths) + 1):
        start = (number - 1) * VALUES_ON_PAGE
        yield ValuesPage(number, paths, values[start : start + VALUES_ON_PAGE])


def with_inlined(cards: Sequence[Card]) -> frozenset[str]:
    """Paths of the skills whose icons a page holds itself: the first ones, which are in view.

    An icon that several skills share stays a file, as it is fetched once for all of them.
    """
    uses = Counter(card.inlined for card in cards)
    chosen, room = set(), _MOST_INLINED
    for card in cards:
        if uses[card.inlined] == 1 and card.inlined:
            room -= len(card.inlined)
            if room < 0:
                break
            chosen.add(card.path)
    return frozenset(chosen)


def _inline(card: Card, piece: bytes) -> bytes:
    """The piece with `data:` URIs in place of the addresses of the card's icons."""
    for (name, _), icon in zip(card.picture.icons, card.inlined.split(), strict=True):
        piece = piece.replace(f"{ROOT}icons/{name}".encode(), icon.encode())
    return piece


def _paths(folder: str, count: int, size: int) -> Sequence[str]:
    pages = max(1, -(-count // size))
    later = (f"{folder}page/{number}/index.html" for number in range(2, pages + 1))
    return [f"{folder}index.html", *later]
