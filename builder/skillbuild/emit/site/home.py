"""The start page of the catalog: the publisher, the groups, what is new, and all skills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.emit.site import install, lists
from skillbuild.emit.site.cards import Card, Picture, pictured
from skillbuild.emit.site.group_pages import Tile, largest, titles_of
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Catalog, Change, OutputFile

_MOST_NEW = 3
"""Maximum number of changed skills, and of new skills, shown above the list."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A skill, and the day on which it was added or changed."""

    path: str
    title: str
    brief: str
    picture: Picture
    date: str
    inlined: str
    """Its icons as `data:` URIs, if the page has room for them."""


@dataclass(frozen=True, slots=True)
class Face:
    """What the start page shows above the list of skills."""

    tiles: Sequence[Tile]
    """The largest groups with several skills; empty if there are fewer than two."""
    inlined: Mapping[str, str]
    """The icons of tiles as `data:` URIs, by the names of groups."""
    groups: int
    """The number of groups."""
    date: str
    """The day of the last change; empty if unknown."""
    changed: Sequence[Fresh]
    """The skills that changed last."""
    new: Sequence[Fresh]
    """The skills that were added last."""


def face(catalog: Catalog, cards: Sequence[Card], tiles: Sequence[Tile]) -> Face:
    shown = largest(tiles)
    room = Room()
    return Face(
        tiles=shown,
        inlined={tile.name: room.take(tile.inlined) for tile in shown},
        groups=len(tiles),
        date=max((card.date for card in cards), default=""),
        changed=_latest(cards, _later(catalog), room),
        new=_latest(cards, catalog.firsts, room),
    )


class Room:
    """Counts how many more characters of icon data a page may embed. Each embedded icon saves a
    request.
    """

    def __init__(self) -> None:
        self._left = lists.MOST_INLINED

    def take(self, inlined: str) -> str:
        """Return the icons if they still fit into the page; otherwise an empty string."""
        if len(inlined) > self._left:
            return ""
        self._left -= len(inlined)
        return inlined


def _later(catalog: Catalog) -> Mapping[str, Change]:
    """Map skill paths to the last change, except for skills that this change added."""
    changes, firsts = catalog.changes, catalog.firsts
    return {path: change for path, change in changes.items() if firsts.get(path) != change}


def _latest(cards: Sequence[Card], changes: Mapping[str, Change], room: Room) -> Sequence[Fresh]:
    """Return the latest skills, newest first; none if all have the same day, which says nothing."""
    known = [(changes[card.path], card) for card in cards if card.path in changes]
    if len({change.date for change, _ in known}) < 2:
        return ()
    ordered = sorted(known, key=lambda each: (-each[0].seconds, each[1].path))
    return [
        Fresh(
            card.path, card.title, card.brief, pictured(card), change.date, room.take(card.inlined)
        )
        for change, card in ordered[:_MOST_NEW]
    ]


def emit(
    theme: Theme, catalog: Catalog, cards: Sequence[Card], tiles: Sequence[Tile]
) -> Iterator[OutputFile]:
    """Yield the pages of the list of all skills. The first of these pages is the start page. It
    also shows the publisher, the largest groups and what is new.

    `cards` must be sorted by `lists.by_title`.
    """
    values = {
        **lists.values_of_list(cards, titles_of(tiles)),
        "catalog": catalog,
        "face": face(catalog, cards, tiles),
        "offers": install.offers(theme) if cards else [],
    }
    titles = lists.titles_shown(titles_of(tiles))
    for page in lists.cards_pages("", cards, lists.usual(cards), titles):
        yield render(theme, "list.html", page.path, page=page, **values)
