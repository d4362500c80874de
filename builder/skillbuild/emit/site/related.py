"""For each skill a page with the skills that are like it, refer to it, or are in its group.

These depend on all skills, so they are no part of the page of the skill, which would change with
others; a script shows them there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from skillbuild.emit.site.addresses import between, related_page, root_of, skill_page
from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.kinship import MOST_SKILLS, Kin, similar
from skillbuild.emit.site.links import resolved_references
from skillbuild.emit.site.theme import ROOT, Theme, render
from skillbuild.model import OutputFile

_MOST = 12
"""Skills of one kind that the page names."""
_MOST_OF_GROUP = 5
_ROWS_HELD = 1024
"""Of skills, which are near each other on the pages of those beside them."""


@dataclass(frozen=True, slots=True)
class Relative:
    """Another skill: why it is similar, and whether it is easily confused.

    `row` is its HTML on lists, without the end of the item, so that more can follow.
    """

    path: str
    row: Markup
    words: tuple[str, ...] = ()
    is_confusing: bool = False


def emit(theme: Theme, cards: Sequence[Card]) -> Iterator[OutputFile]:
    """The pages of all listed skills, which are sorted by path."""
    leading = resolved_references({card.path: card.refers for card in cards})
    coming = _reversed(leading)
    groups = _groups(cards)
    places = {path: place for group in groups.values() for place, path in enumerate(group)}
    alike = _similar(cards)
    by_path = {card.path: card for card in cards}
    row = lru_cache(_ROWS_HELD)(lambda path: by_path[path].row)
    for card, kin in zip(cards, alike, strict=True):
        reasons = [(cards[each.number].path, (each.words, each.is_confusing)) for each in kin]
        kindred = [path for path, _ in reasons]
        refers, referred = leading[card.path][:_MOST], coming.get(card.path, [])[:_MOST]
        taken = {*kindred, *refers, *referred, card.path}
        group = groups.get(card.group, [])
        others = _around(group, places.get(card.path, 0), taken)
        page = related_page(card.path)
        yield render(
            theme,
            "related.html",
            page,
            card=card,
            skill_page=between(page, skill_page(card.path)),
            similar=[_relative(path, row(path), page, *why) for path, why in reasons],
            refers=[_relative(path, row(path), page) for path in refers],
            referred=[_relative(path, row(path), page) for path in referred],
            others=[_relative(path, row(path), page) for path in others],
            in_group=len(group),
        )


def _similar(cards: Sequence[Card]) -> Sequence[Sequence[Kin]]:
    if len(cards) > MOST_SKILLS:
        return [()] * len(cards)
    return similar([card.words for card in cards])


def _relative(
    path: str, row: bytes, page: str, words: tuple[str, ...] = (), is_confusing: bool = False
) -> Relative:
    html = row.replace(ROOT.encode(), root_of(page).encode()).decode().strip()
    # The pieces come from templates, which escape all text.
    return Relative(path, Markup(html.removesuffix("</li>")), words, is_confusing)  # noqa: S704


def _reversed(leading: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    coming: dict[str, list[str]] = defaultdict(list)
    for path, targets in leading.items():
        for target in targets:
            coming[target].append(path)
    return coming


def _groups(cards: Sequence[Card]) -> Mapping[str, Sequence[str]]:
    """The paths of the skills in each group, in order."""
    groups: dict[str, list[str]] = defaultdict(list)
    for card in cards:
        if card.group:
            groups[card.group].append(card.path)
    return groups


def _around(group: Sequence[str], place: int, taken: set[str]) -> Sequence[str]:
    """Others of the group, from a place on: so a new one changes few pages of a large group."""
    enough = _MOST_OF_GROUP + len(taken)
    ring = [*group[place + 1 : place + 1 + enough], *group[: min(place, enough)]]
    return [path for path in ring if path not in taken][:_MOST_OF_GROUP]
