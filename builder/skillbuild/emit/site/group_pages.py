"""The groups of a catalog: tiles on the start page, an index, and a page for each group."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.emit.site import install, lists
from skillbuild.emit.site.cards import LOUD, Card, Picture, drawing, samples
from skillbuild.emit.site.lists import ListPage, Usual
from skillbuild.emit.site.skill_pages import about
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Catalog, OutputFile, SkillGroup, group_address
from skillbuild.text.sentences import opening
from skillbuild.text.wording import some

MOST_TILES = 8
"""Maximum number of groups on the start page; the index has all."""
_TILES_ON_PAGE = 120
_LONGEST_WORDS = 200
_MOST_NAMED = 6
_LETTERS = 2
_ORDERS = {"largest first": "groups/", "A to Z": "groups/-/"}
"""The orders of the index, and the folder of its pages in each; `-` is no name of a group."""
_Icons = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Tile:
    """A group and its listed skills, as pages show them."""

    group: SkillGroup
    cards: Sequence[Card]
    icons: _Icons = ()
    """The icons that most of its skills share; empty if they do not distinguish the groups."""

    @property
    def name(self) -> str:
        return self.group.name

    @property
    def title(self) -> str:
        return self.group.title or self.name

    @property
    def count(self) -> int:
        return len(self.cards)

    @property
    def date(self) -> str:
        """The day on which any skill of the group last changed; empty if unknown."""
        return max(card.date for card in self.cards)

    @property
    def warnings(self) -> Sequence[tuple[str, int]]:
        """The warnings about skills of the group, each with the number of skills that have it."""
        counts = Counter(value for card in self.cards for value in card.contents)
        return [(value, counts[value]) for value in LOUD if counts[value]]

    @property
    def words(self) -> str:
        """A short text about the group: the beginning of its description.

        For a group without a description, this is the shortened description of its only skill, or
        the titles of its first skills.
        """
        if self.group.description:
            text = self.group.description.replace("`", "").strip()
            words = opening(text, 1, _LONGEST_WORDS)
            is_cut = (words != text and words[-1].isalnum()) or words.endswith(",")
            return f"{words.rstrip(',')}\u2026" if is_cut else words
        if self.count == 1:
            return self.cards[0].brief
        return some([card.title for card in self.cards], _MOST_NAMED)

    @property
    def picture(self) -> Picture:
        """The icons of the group. A group without icons gets a drawing made from its name."""
        return Picture("", "", self.icons) if self.icons else drawing(self.name)

    @property
    def inlined(self) -> str:
        """The icons of `picture` as `data:` URIs, if they are small."""
        icons = self.picture.icons
        return next((card.inlined for card in self.cards if icons == card.picture.icons), "")

    @property
    def letters(self) -> str:
        """The letters on a drawn tile: the initials of the title, or the first letters of a title
        of one word.
        """
        words = [word for word in self.title.replace("-", " ").split() if word[0].isalnum()]
        initials = "".join(word[0] for word in words[:_LETTERS])
        return (initials if len(words) > 1 else self.title[:_LETTERS]).upper()

    @property
    def folder(self) -> str:
        """The folder of the group's page, with a final `/`."""
        return group_address(self.name)


@dataclass(frozen=True, slots=True)
class TilesPage(ListPage):
    """A page with groups."""

    tiles: Sequence[Tile]


def tiles_of(catalog: Catalog, cards: Sequence[Card]) -> Sequence[Tile]:
    """Return the groups that have listed skills, largest group first. `cards` must be sorted by
    `lists.by_title`.
    """
    members: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        if card.group:
            members[card.group].append(card)
    known = {group.name: group for group in catalog.groups}
    icons = {name: _most([card.picture.icons for card in each]) for name, each in members.items()}
    # If most groups have the same icons, such as the publisher's logo, they distinguish no group.
    everywhere = _most([*icons.values()]) if len(icons) > 1 else ()
    tiles = (
        Tile(
            known.get(name) or SkillGroup(name=name),
            each,
            () if icons[name] == everywhere else icons[name],
        )
        for name, each in members.items()
    )
    return sorted(tiles, key=lambda tile: (-tile.count, tile.title.casefold(), tile.name))


def _most(every: Sequence[_Icons]) -> _Icons:
    """Return the icons that more than half of the skills have; empty if there are none."""
    [(icons, count)] = Counter(every).most_common(1)
    return icons if 2 * count > len(every) else ()


def largest(tiles: Sequence[Tile]) -> Sequence[Tile]:
    """Return the largest groups with more than one skill. The result is empty if there are fewer
    than two such groups.
    """
    several = [tile for tile in tiles if tile.count > 1]
    return several[:MOST_TILES] if len(several) > 1 else ()


def titles_of(tiles: Sequence[Tile]) -> Mapping[str, str]:
    """Map the names of groups to their titles."""
    return {tile.name: tile.title for tile in tiles}


def emit(
    theme: Theme, catalog: Catalog, tiles: Sequence[Tile], skills: int
) -> Iterator[OutputFile]:
    """Yield the index of groups, `groups/`, and the pages of each group. `skills` is the number of
    listed skills.
    """
    every = [card for tile in tiles for card in tile.cards]
    usual_license = lists.usual(every).license
    titles = lists.titles_shown(titles_of(tiles))
    values_of_index = {
        "catalog": catalog,
        "total": len(tiles),
        "several": sum(tile.count > 1 for tile in tiles),
        "skills": skills,
        "titles": titles,
        "usual_license": usual_license,
        "samples": samples(),
        "has_icons": lists.has_icons(every),
        "orders": [(name, f"{folder}index.html") for name, folder in _ORDERS.items()],
    }
    by_title = sorted(tiles, key=lambda tile: (tile.title.casefold(), tile.name))
    for (order, folder), ordered in zip(_ORDERS.items(), (tiles, by_title), strict=True):
        paths = lists.page_paths(folder, len(tiles), _TILES_ON_PAGE)
        for number in range(1, len(paths) + 1):
            start = (number - 1) * _TILES_ON_PAGE
            page = TilesPage(number, paths, ordered[start : start + _TILES_ON_PAGE])
            values = {**values_of_index, "order": order}
            yield render(theme, "groups.html", page.path, page=page, **values)
    for tile in tiles:
        values = {
            **lists.values_of_list(tile.cards, without="groups"),
            "catalog": catalog,
            "tile": tile,
            "about": about(tile.group.description),
            "offers": install.offers(theme, group=tile.name),
        }
        # A license that all skills have is shown once, above the list.
        own = {card.license for card in tile.cards}
        shared = own.pop() if len(own) == 1 else usual_license
        usual = Usual(shared, tile.name, lists.usual(tile.cards).date)
        for part in lists.cards_pages(tile.folder, tile.cards, usual):
            yield render(theme, "group.html", part.path, page=part, **values)
