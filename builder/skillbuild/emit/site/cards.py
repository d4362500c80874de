"""What the list says about each skill, and the facets that skills can be found by."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from skillbuild.emit.site import licences
from skillbuild.emit.site.facts import Facts
from skillbuild.media import icons
from skillbuild.model import Digest, Entry, Icon
from skillbuild.release.frontmatter import tags_of
from skillbuild.text.json import json_line
from skillbuild.text.wording import plural

NOT_DECLARED = "not declared"
_PATH = re.compile(r'fill="#([0-9a-f]{6})".*? d="([^"]*)"')
_CELL = re.compile(r"M(\d) (\d)h")
LOUD = ("runs commands when loaded", "hooks", "invisible text")
"""Signals that ask for a look at the skill before it is installed."""
_CONTENTS = (
    *LOUD,
    *("has scripts", "no scripts", "declares tools", "declares no tools", "unlisted"),
)
_WORD = re.compile(r"\w[\w-]{3,}")
_MOST_WORDS = 24
_DULL_WORDS = """
    also asks does from have into more need needs other such than that their them then this used
    user users using want wants when with your
"""
_COMMON = frozenset(_DULL_WORDS.split())
_SMALL_ICON = 1024
_MOST_INLINED = 8 * 1024
"""Bytes of an icon, and characters of a page, that spare requests more than they cost."""
_BETWEEN = b"\xff"
"""Stands between the parts of a line: a byte that no UTF-8 holds, so no text has it."""
_BRIEF = 230
"""Characters: two lines of the list on a wide screen."""


@dataclass(frozen=True, slots=True)
class Picture:
    """How a list shows a skill: drawn in place from colour and path, or its own icons.

    An icon is a file name and its theme, or nothing.
    """

    colour: str
    path: str
    icons: tuple[tuple[str, str], ...]

    @property
    def code(self) -> str:
        """The same for the search: colour and cells as hex, or file names by theme."""
        if self.icons:
            return "|".join(f"{name}:{theme}" for name, theme in self.icons)
        cells = sum(1 << ((int(y) - 1) * 5 + int(x) - 1) for x, y in _CELL.findall(self.path))
        return f"{self.colour}{cells:x}"


@dataclass(frozen=True, slots=True)
class Card:
    """All that lists say of one skill; small, as it travels between processes and builds."""

    path: str
    brief: str
    """As much of the description as a list shows."""
    further: str
    """Words of the rest of it, each once: they can be searched for."""
    tags: tuple[str, ...]
    licence: str
    """An SPDX expression, `see file`, `other`, or `not declared`."""
    contents: tuple[str, ...]
    """The values of the facet `contents`."""
    signals: tuple[str, ...]
    """What stands out, in words."""
    files: int
    tokens: int
    listed: bool
    picture: Picture
    inlined: str
    """Its icons as `data:` URIs between spaces; empty where they are files."""
    line: bytes = b""
    """What `encode` wrote, where it was read from that."""

    @property
    def search(self) -> bytes:
        """Its row in a shard of the search."""
        return self.line.split(_BETWEEN)[1]

    @property
    def item(self) -> bytes:
        """Its HTML in the list, a piece."""
        return self.line.split(_BETWEEN)[2]

    @property
    def row(self) -> bytes:
        """Its HTML on the page of a tag, licence or group, a piece."""
        return self.line.split(_BETWEEN)[3]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def group(self) -> str:
        """The first segments of the path; empty for a skill that stands alone."""
        return self.path.rpartition("/")[0]

    @property
    def licence_words(self) -> str:
        """The licence where nothing beside it says that it is one."""
        return f"licence: {self.licence}" if self.licence[:1].islower() else self.licence


def card(entry: Entry, facts: Facts, data: Mapping[str, bytes]) -> Card:
    """`data` are the icons of the skill by file name."""
    words = " ".join(entry.text("description").split())
    cut = words[:_BRIEF].rpartition(" ")[0] or words[:_BRIEF]
    brief = words if len(words) <= _BRIEF else f"{cut} \u2026"
    found, has = tags_of(entry.frontmatter), tuple(_signals(facts, entry))
    return Card(
        entry.path,
        brief,
        _further(entry, brief, found),
        found,
        licences.label(entry),
        tuple(_contents_of(entry, facts, has)),
        has,
        len(entry.resources),
        facts.body_tokens,
        entry.listed,
        picture(entry),
        _inlined(entry, data),
    )


def _further(entry: Entry, brief: str, found: tuple[str, ...]) -> str:
    shown = set(_WORD.findall(brief.lower()))
    known = _COMMON | shown | {*found, entry.name}
    text = entry.text("description").lower()
    rest = dict.fromkeys(word for word in _WORD.findall(text) if word not in known)
    return " ".join(list(rest)[:_MOST_WORDS])


def _contents_of(entry: Entry, facts: Facts, has: tuple[str, ...]) -> Iterator[str]:
    yield from (signal for signal in has if signal in LOUD)
    if not entry.listed:
        yield "unlisted"
    yield "has scripts" if facts.programs else "no scripts"
    yield "declares tools" if "allowed-tools" in entry.frontmatter else "declares no tools"


def bare(one: Card) -> Card:
    """Without what is only read to make the pieces."""
    picture = Picture("", "", one.picture.icons)
    return replace(one, brief="", further="", signals=(), picture=picture)


def encode(one: Card, search: bytes, item: bytes, row: bytes) -> bytes:
    """A card as JSON, and the pieces that were made of it."""
    return _BETWEEN.join((json_line(astuple(one)[:-1]), search, item, row))


def decode(data: bytes) -> Card:
    """Read what `encode` wrote."""
    head = data[: data.index(_BETWEEN)]
    path, brief, further, tags, licence, contents, signals, *rest = json.loads(head)
    files, tokens, listed, (colour, drawn, icons), inlined = rest
    shown = Picture(colour, drawn, tuple((name, theme) for name, theme in icons))
    texts = (path, brief, further, tuple(tags), licence, tuple(contents), tuple(signals))
    return Card(*texts, files, tokens, listed, shown, inlined, data)


def _signals(facts: Facts, entry: Entry) -> Iterator[str]:
    if facts.expansions:
        yield "runs commands when loaded"
    if facts.hooks:
        yield "hooks"
    if facts.invisible:
        yield "invisible text"
    if facts.programs:
        yield plural(len(facts.programs), "script")
    binaries = sum(not fact.detail.startswith("image/") for fact in facts.binaries)
    if binaries:
        yield f"{binaries:,} binar" + ("y" if binaries == 1 else "ies")
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


def picture(entry: Entry) -> Picture:
    """A skill that declares no icon has the one drawn from its name."""
    drawn = icons.identicon(entry.name).data
    if any(icon.digest != Digest.of(drawn) for icon in entry.icons):
        own = ((icon.file_name, icon.theme or "") for icon in smallest(entry.icons))
        return Picture("", "", tuple(own))
    return drawing(entry.name)


@functools.lru_cache(maxsize=64)
def drawing(name: str) -> Picture:
    """The picture drawn from a name."""
    match = _PATH.search(icons.identicon(name).data.decode())
    return Picture(match[1], match[2], ()) if match else Picture("", "", ())


def _inlined(entry: Entry, data: Mapping[str, bytes]) -> str:
    """Small icons as `data:` URIs between spaces; empty for large ones and for drawn ones."""
    shown = [name for name, _ in picture(entry).icons]
    if not shown or sum(len(data[name]) for name in shown) > _SMALL_ICON:
        return ""
    types = {icon.file_name: icon.media_type for icon in entry.icons}
    return " ".join(
        f"data:{types[name]};base64,{base64.b64encode(data[name]).decode()}" for name in shown
    )


def with_inlined(cards: Sequence[Card]) -> frozenset[str]:
    """Paths of the skills whose icons a page holds itself: the first ones, as they are in view.

    An icon of several skills is fetched once for all of them.
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


def smallest(declared: Sequence[Icon]) -> tuple[Icon, ...]:
    """One icon, or one for each theme: of several sizes the first, which is the small one."""
    themed = {icon.theme: icon for icon in reversed(declared)}
    if {"light", "dark"} <= themed.keys():
        return (themed["light"], themed["dark"])
    return tuple(declared[:1])
