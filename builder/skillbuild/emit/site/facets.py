"""Facets: the properties by which a reader narrows the list, and how often each value occurs."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.signals import CONTENTS
from skillbuild.paths import segment_fault
from skillbuild.release.frontmatter import NOT_DECLARED


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a facet: how it is shown, how many skills have it, and its page's folder."""

    label: str
    count: int
    slug: str


@dataclass(frozen=True, slots=True)
class Facet:
    """One property; `key` is the folder of its pages and its name in the address of a search."""

    key: str
    title: str
    values: tuple[Value, ...]
    has_pages: bool = True
    """False for a facet that only the script of the list can filter by."""


def facets(cards: Sequence[Card]) -> tuple[Facet, ...]:
    """The facets that have values, most used values first and `not declared` last.

    There is no facet of tags where no skill has one.
    """
    tags = Counter(tag for card in cards for tag in values_of(card, "tags"))
    groups = Counter(group for card in cards for group in values_of(card, "groups"))
    licenses = Counter(card.license for card in cards)
    contents = Counter(value for card in cards for value in card.contents)
    every = (
        Facet("tags", "Tags", _by_use(tags) if tags.keys() - {NOT_DECLARED} else ()),
        Facet("contents", "Scripts and tools", _contents(contents), has_pages=False),
        Facet("licenses", "License", _by_use(licenses)),
        Facet("groups", "Groups", _by_use(groups)),
    )
    return tuple(facet for facet in every if facet.values)


def values_of(card: Card, key: str) -> tuple[str, ...]:
    """The labels of the values that a skill has in the facet `key`."""
    match key:
        case "tags":
            return card.tags or (NOT_DECLARED,)
        case "groups":
            return (card.group,) if card.group else ()
        case "licenses":
            return (card.license,)
        case _:
            return card.contents


def slug(label: str) -> str:
    """A folder name for a value, on Windows too.

    A part of a digest keeps labels apart that would share one, and from the names of devices.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:60]
    if plain == label and segment_fault(plain) is None:
        return plain
    return f"{plain}-{hashlib.sha256(label.encode()).hexdigest()[:8]}".lstrip("-")


def _by_use(counts: Counter[str]) -> tuple[Value, ...]:
    ordered = sorted(counts.items(), key=lambda item: (item[0] == NOT_DECLARED, -item[1], item[0]))
    return tuple(Value(label, count, slug(label)) for label, count in ordered)


def _contents(counts: Counter[str]) -> tuple[Value, ...]:
    """In the order of `CONTENTS`; that all skills have a value is news too."""
    labels = (label for label in CONTENTS if counts[label])
    return tuple(Value(label, counts[label], slug(label)) for label in labels)
