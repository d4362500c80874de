"""What the list says about each skill, and the facets that skills can be found by."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild import icons
from skillbuild.emit.site import licences
from skillbuild.model import Digest, Entry, Icon, Summary

NOT_DECLARED = "not declared"
_PATH = re.compile(r'fill="#([0-9a-f]{6})".*? d="([^"]*)"')
_CELL = re.compile(r"M(\d) (\d)h")
_LONGEST_TAG = 40
_MOST_TAGS = 20
LOUD = ("runs commands when loaded", "hooks", "invisible text")
"""Signals that ask for a look at the skill before it is installed."""
_CONTENTS = (
    *LOUD,
    *("has scripts", "no scripts", "declares tools", "declares no tools", "unlisted"),
)
_SMALL_ICON = 1024
_MOST_INLINED = 8 * 1024
"""Bytes of an icon, and characters of a page, that spare requests more than they cost."""
_BRIEF = 230
"""Characters: two lines of the list on a wide screen."""


@dataclass(frozen=True, slots=True)
class Card:
    """One skill in a list."""

    entry: Entry
    summary: Summary
    licence: str
    """An SPDX expression, `see file`, `other`, or `not declared`."""
    tags: tuple[str, ...]
    group: str
    """The first segments of the path; empty for a skill that stands alone."""

    @property
    def brief(self) -> str:
        """As much of the description as a list shows."""
        text = " ".join(self.entry.text("description").split())
        cut = text[:_BRIEF].rpartition(" ")[0] or text[:_BRIEF]
        return text if len(text) <= _BRIEF else f"{cut} \u2026"

    @property
    def signals(self) -> Iterator[str]:
        """What stands out, in words."""
        return signals(self.summary, self.entry)

    @property
    def licence_words(self) -> str:
        """The licence where nothing beside it says that it is one."""
        return f"licence: {self.licence}" if self.licence[:1].islower() else self.licence

    @property
    def contents(self) -> tuple[str, ...]:
        """The values of the facet `contents`."""
        tools = "allowed-tools" in self.entry.frontmatter
        return (
            *(signal for signal in self.signals if signal in LOUD),
            *(() if self.entry.listed else ("unlisted",)),
            "has scripts" if self.summary.programs else "no scripts",
            "declares tools" if tools else "declares no tools",
        )


def card(entry: Entry, summary: Summary) -> Card:
    group = entry.path.rpartition("/")[0]
    return Card(entry, summary, licences.label(entry), tags(entry), group)


def tags(entry: Entry) -> tuple[str, ...]:
    """Tags of a skill, lower case, each once: `tags` or `metadata.tags`, list or commas."""
    metadata = entry.frontmatter.get("metadata")
    inner = metadata.get("tags") if isinstance(metadata, Mapping) else None
    found: list[str] = []
    for given in (entry.frontmatter.get("tags"), inner):
        if isinstance(given, str):
            found += re.split(r"[,;\n]", given.strip("[] "))
        elif isinstance(given, Sequence):
            found += [str(item) for item in given if isinstance(item, str)]
    plain = (" ".join(tag.split()).strip("\"'").lower() for tag in found)
    return tuple(dict.fromkeys(tag for tag in plain if tag and len(tag) <= _LONGEST_TAG))[
        :_MOST_TAGS
    ]


def signals(summary: Summary, entry: Entry) -> Iterator[str]:
    if summary.expansions:
        yield "runs commands when loaded"
    if summary.hooks:
        yield "hooks"
    if summary.invisible:
        yield "invisible text"
    if summary.programs:
        yield f"{summary.programs} script" + ("" if summary.programs == 1 else "s")
    if summary.binaries:
        yield f"{summary.binaries} binar" + ("y" if summary.binaries == 1 else "ies")
    if "allowed-tools" in entry.frontmatter:
        yield "declares tools"


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a facet: how it is shown, how many skills have it, and its page's folder."""

    label: str
    count: int
    slug: str


@dataclass(frozen=True, slots=True)
class Facet:
    """A way to narrow the list: `key` is its folder and its name in addresses."""

    key: str
    title: str
    values: tuple[Value, ...]
    has_pages: bool = True


def facets(cards: Sequence[Card]) -> tuple[Facet, ...]:
    """The facets that tell skills apart, most used values first; `not declared` comes last."""
    tag = Counter(tag for one in cards for tag in one.tags or (NOT_DECLARED,))
    licence = Counter(one.licence for one in cards)
    group = Counter(one.group for one in cards if one.group)
    contents = Counter(value for one in cards for value in one.contents)
    found = (
        Facet("tags", "Tags", _values(tag) if tag.keys() - {NOT_DECLARED} else ()),
        Facet("groups", "Groups", _values(group)),
        Facet("licences", "Licence", _values(licence)),
        Facet("contents", "Contents", _contents(contents, len(cards)), has_pages=False),
    )
    return tuple(facet for facet in found if facet.values)


def values_of(one: Card, key: str) -> tuple[str, ...]:
    """The values that a skill has in a facet."""
    match key:
        case "tags":
            return one.tags or (NOT_DECLARED,)
        case "groups":
            return (one.group,) if one.group else ()
        case "licences":
            return (one.licence,)
        case _:
            return one.contents


def _values(counts: Counter[str]) -> tuple[Value, ...]:
    ordered = sorted(counts.items(), key=lambda item: (item[0] == NOT_DECLARED, -item[1], item[0]))
    return tuple(Value(label, count, slug(label)) for label, count in ordered)


def _contents(counts: Counter[str], total: int) -> tuple[Value, ...]:
    """In an order of their own, without those that all skills share."""
    telling = (label for label in _CONTENTS if 0 < counts[label] < total)
    return tuple(Value(label, counts[label], slug(label)) for label in telling)


def slug(label: str) -> str:
    """A folder name for a facet value; a part of a digest keeps different values apart."""
    plain = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:60]
    if plain == label:
        return plain
    return f"{plain}-{hashlib.sha256(label.encode()).hexdigest()[:8]}".lstrip("-")


@dataclass(frozen=True, slots=True)
class Picture:
    """How a list shows a skill: drawn in place from colour and path, or its own icons."""

    colour: str
    path: str
    icons: tuple[Icon, ...]

    @property
    def code(self) -> str:
        """The same for the search: colour and cells as hex, or file names by theme."""
        if self.icons:
            return "|".join(f"{icon.file_name}:{icon.theme or ''}" for icon in self.icons)
        cells = sum(1 << ((int(y) - 1) * 5 + int(x) - 1) for x, y in _CELL.findall(self.path))
        return f"{self.colour}{cells:x}"


def picture(entry: Entry) -> Picture:
    """A skill that declares no icon has the one drawn from its name."""
    drawn = icons.identicon(entry.name).data
    if any(icon.digest != Digest.of(drawn) for icon in entry.icons):
        return Picture("", "", smallest(entry.icons))
    return drawing(entry.name)


@functools.lru_cache(maxsize=64)
def drawing(name: str) -> Picture:
    """The picture drawn from a name."""
    match = _PATH.search(icons.identicon(name).data.decode())
    return Picture(match[1], match[2], ()) if match else Picture("", "", ())


def inlined(entry: Entry, data: Mapping[str, bytes]) -> str:
    """Small icons as `data:` URIs between spaces; empty for large ones and for drawn ones.

    `data` are the icons of the skill by file name.
    """
    shown = picture(entry).icons
    if not shown or sum(len(data[icon.file_name]) for icon in shown) > _SMALL_ICON:
        return ""
    return " ".join(
        f"data:{icon.media_type};base64,{base64.b64encode(data[icon.file_name]).decode()}"
        for icon in shown
    )


def with_inlined(cards: Sequence[Card]) -> frozenset[str]:
    """Paths of the skills whose icons a page holds itself: the first ones, as they are in view.

    An icon of several skills is fetched once for all of them.
    """
    uses = Counter(card.summary.inlined for card in cards)
    chosen, room = set(), _MOST_INLINED
    for card in cards:
        if uses[card.summary.inlined] == 1 and card.summary.inlined:
            room -= len(card.summary.inlined)
            if room < 0:
                break
            chosen.add(card.entry.path)
    return frozenset(chosen)


def smallest(declared: Sequence[Icon]) -> tuple[Icon, ...]:
    """One icon, or one for each theme: of several sizes the first, which is the small one."""
    themed = {icon.theme: icon for icon in reversed(declared)}
    if {"light", "dark"} <= themed.keys():
        return (themed["light"], themed["dark"])
    return tuple(declared[:1])
