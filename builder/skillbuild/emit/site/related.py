"""For each skill, a page of related skills: skills that are similar to it, refer to it, or are in
the same group.

Related skills depend on all skills of the catalog. If they were on the skill's own page, that page
would change whenever another skill changes. So they have a separate page, which a script loads into
the skill's page. A build writes only the pages that changed, because writing all of them takes a
second for 5,000 skills.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from markupsafe import Markup

from skillbuild.emit.site.addresses import between, related_page, root_of, skill_page
from skillbuild.emit.site.cards import Card, pictured
from skillbuild.emit.site.kinship import MOST_SKILLS, Kin, Likeness, similar
from skillbuild.emit.site.links import resolved_references
from skillbuild.emit.site.lists import Usual, has_icons, titled, usual
from skillbuild.emit.site.theme import ROOT, Theme, render
from skillbuild.model import KeyedFile
from skillbuild.text.wording import joined

_MOST = 12
"""Maximum number of skills on the page that this skill refers to, and of skills that refer to it.
"""
_MOST_OF_GROUP = 5
SECTIONS = ("Similar", "Named in the text", "In the same group")
"""The titles of the sections of the page, in order."""
_FACTS = '<p class="meta">'
"""The HTML with which the facts on a card begin."""
_DIGESTS_HELD = 1024
"""Number of cached card digests. The pages of neighboring skills show the same cards."""


@dataclass(frozen=True, slots=True)
class Relative:
    """A related skill, why it is related, and whether agents may confuse the two skills.

    The HTML of the skill's card is in three parts: `item` ends with the description, `facts` is the
    paragraph of facts without its end tag, and `rest` is everything after that.
    """

    path: str
    item: Markup
    facts: Markup
    rest: Markup
    why: Sequence[str]
    is_confusing: bool
    section: str
    """The title of the section that shows it."""


def emit(theme: Theme, cards: Sequence[Card], titles: Mapping[str, str]) -> Iterator[KeyedFile]:
    """Yield a page of related skills for each listed skill.

    `cards` must be sorted by path. `titles` maps groups to the titles that cards show.
    """
    leading = resolved_references({card.path: card.refers for card in cards})
    coming = _reversed(leading)
    groups = _groups(cards)
    places = {path: place for group in groups.values() for place, path in enumerate(group)}
    by_path = {card.path: card for card in cards}
    usual_license = usual(cards).license

    @lru_cache(_DIGESTS_HELD)
    def digest(path: str) -> tuple[bytes, str]:
        return by_path[path].digest, titles.get(by_path[path].group, "")

    for card, like in zip(cards, _similar(cards, groups), strict=True):
        similar = {cards[kin.number].path: kin for kin in like.kin}
        refers, referred = leading[card.path][:_MOST], coming.get(card.path, [])[:_MOST]
        group = groups.get(card.group, [])
        taken = {*similar, *refers, *referred, card.path}
        near = [cards[number] for number in like.near]
        nearest = [each.path for each in near if each.group == card.group and group]
        siblings = {path for path in taken if card.group and by_path[path].group == card.group}
        most = max(0, _MOST_OF_GROUP - max(0, len(siblings) - _MOST_OF_GROUP))
        others = _around(nearest, group, places.get(card.path, 0), taken)[:most]
        title = titles.get(card.group, card.group)
        found = (similar, refers, referred, others)
        shown = Neighbors(card, *found, len(group), title, usual_license)
        yield KeyedFile(
            related_page(card.path), shown.key(digest), partial(shown.page, theme, by_path, titles)
        )


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The paths of the skills that one page of related skills shows."""

    card: Card
    similar: Mapping[str, Kin]
    refers: Sequence[str]
    referred: Sequence[str]
    others: Sequence[str]
    """Other skills in the same group."""
    in_group: int
    """Number of skills in the group, including this one."""
    group: str
    """The title of the group."""
    usual_license: str
    """The license that most skills of the catalog share. Cards do not show it."""

    def key(self, digest: Callable[[str], object]) -> str:
        """Return a key for everything that the page shows. `digest` takes the path of a skill and
        returns a value that identifies the content of the skill's card.
        """
        reasons = [(kin.words, kin.is_confusing) for kin in self.similar.values()]
        paths = [self.similar, self.refers, self.referred, self.others, [self.card.path]]
        cards = [list(map(digest, each)) for each in paths]
        parts = repr((cards, reasons, self.in_group, self.group, self.usual_license))
        return hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()

    def why(self, path: str) -> Iterator[str]:
        """Yield the reasons why a skill is related, strongest first."""
        if path in self.refers and path in self.referred:
            yield "Each names the other"
        elif path in self.refers:
            yield "Named in this skill"
        elif path in self.referred:
            yield "Names this skill"
        # One word that both use says nothing about what they do.
        if (kin := self.similar.get(path)) is not None and len(kin.words) > 1:
            yield f"Both mention {joined(kin.words)}"

    def in_order(self, cards: Mapping[str, Card]) -> Sequence[str]:
        """Return the paths of all related skills, in the order in which the page shows them.

        Similar skills come first: those that agents may confuse with this skill, then those in the
        same group, then the others. Next come the skills that refer to this skill, or that this
        skill refers to. The other skills of the group come last.
        """
        every = dict.fromkeys((*self.similar, *self.refers, *self.referred, *self.others))
        confusing = {path for path, kin in self.similar.items() if kin.is_confusing}

        def place(path: str) -> tuple[int, bool, bool]:
            is_near = bool(self.card.group) and cards[path].group == self.card.group
            return SECTIONS.index(self.section(path)), path not in confusing, not is_near

        return sorted(every, key=place)

    def section(self, path: str) -> str:
        """Return the title of the section that shows a related skill."""
        if path in self.similar:
            return SECTIONS[0]
        return SECTIONS[1] if path in self.refers or path in self.referred else SECTIONS[2]

    def page(self, theme: Theme, cards: Mapping[str, Card], titles: Mapping[str, str]) -> bytes:
        """Return the HTML of the page; `cards` maps the path of every listed skill to its card."""
        page = related_page(self.card.path)

        def relative(path: str) -> Relative:
            html = titled(cards[path], cards[path].item, titles)
            is_near = self.card.group and cards[path].group == self.card.group
            for piece in Usual(self.usual_license, self.group if is_near else "").pieces:
                html = html.replace(piece, b"")
            html = html.replace(ROOT.encode(), root_of(page).encode())
            item, end, rest = html.decode().partition(_FACTS)
            facts, close, rest = rest.partition("</p>")
            if not end:  # A template of the source has no facts there.
                item, close, rest = item.rpartition("</li>")
            kin = self.similar.get(path)
            # The HTML of cards comes from templates, which escape all text.
            return Relative(
                path,
                Markup(item),  # noqa: S704
                Markup(end + facts),  # noqa: S704
                Markup(close + rest),  # noqa: S704
                [*self.why(path)],
                kin is not None and kin.is_confusing,
                self.section(path),
            )

        every = self.in_order(cards)
        return render(
            theme,
            "related.html",
            page,
            card=self.card,
            picture=pictured(self.card),
            skill_page=between(page, skill_page(self.card.path)),
            related=list(map(relative, every)),
            has_icons=has_icons([cards[path] for path in every]),
            in_group=self.in_group,
            group=self.group,
        ).data


def _similar(cards: Sequence[Card], groups: Container[str]) -> Sequence[Likeness]:
    if len(cards) > MOST_SKILLS:
        return [Likeness((), ())] * len(cards)
    named = [card.group if card.group in groups else "" for card in cards]
    return similar([card.words for card in cards], named)


def _reversed(leading: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    coming: dict[str, list[str]] = defaultdict(list)
    for path, targets in leading.items():
        for target in targets:
            coming[target].append(path)
    return coming


def _groups(cards: Sequence[Card]) -> Mapping[str, Sequence[str]]:
    """Return the paths of the skills in each group, in order; empty if there is only one group."""
    groups: dict[str, list[str]] = defaultdict(list)
    for card in cards:
        if card.group:
            groups[card.group].append(card.path)
    return groups if len(groups) > 1 else {}


def _around(
    nearest: Sequence[str], group: Sequence[str], place: int, taken: set[str]
) -> Sequence[str]:
    """Return other skills of the group: the nearest ones, then the next ones after `place`.

    So a new skill changes only a few pages of a large group.
    """
    enough = _MOST_OF_GROUP + len(taken)
    ring = [*group[place + 1 : place + 1 + enough], *group[: min(place, enough)]]
    every = dict.fromkeys((*nearest, *ring))
    return [path for path in every if path not in taken][:_MOST_OF_GROUP]
