"""The card of a skill: all data that pages show about the skill in lists, filters and search
results.

A card is made when its skill is compiled, perhaps in another process or in an earlier build. Pages
about many skills need only the cards.
"""

from __future__ import annotations

import base64
import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from hashlib import blake2b
from types import MappingProxyType

from skillbuild.emit.site import kinship
from skillbuild.emit.site.facts import PageFacts
from skillbuild.media import icons
from skillbuild.model import (
    ALWAYS_SAID,
    Change,
    Digest,
    Entry,
    Icon,
    JsonStruct,
    RunKind,
    changed,
    decoder,
    plain,
)
from skillbuild.release.facts import license_labels
from skillbuild.release.frontmatter import tags_of
from skillbuild.text.json import json_line
from skillbuild.text.wording import plural

# Signals: what stands out in a skill, in a few words.


DEPRECATED = "deprecated"
"""The signal of a skill that the settings deprecate."""
_LOUD_KINDS: Mapping[str, str] = {
    RunKind.DOWNLOAD: "runs what it downloads",
    RunKind.DECODED: "runs what it decodes",
    RunKind.OPENS_SHELL: "opens a shell to the network",
    RunKind.OVERWRITES_DISK: "overwrites a disk",
    RunKind.DELETES_ALL: "deletes a whole folder",
    RunKind.ON_LOAD: "runs commands when loaded",
    RunKind.HOOK: "hooks",
    RunKind.AGENT: "starts an agent that does not ask",
    RunKind.CREDENTIALS: "reads credentials",
}
_HIDDEN = "hidden text"
LOUD = (*_LOUD_KINDS.values(), _HIDDEN, DEPRECATED)
"""Signals that tell readers to look at the skill before they install it."""
_RUNS_CODE = frozenset([RunKind.SCRIPT, *tuple(_LOUD_KINDS)[:2], RunKind.ON_LOAD, RunKind.HOOK])
_FEATURES: Mapping[str, frozenset[str]] = {
    "runs code": _RUNS_CODE,
    "reaches the network": frozenset([RunKind.REACHES]),
    "installs or downloads packages": frozenset([RunKind.INSTALLS, RunKind.PACKAGE]),
}
"""Values of the `contents` facet; a skill has a value if it has a fact of one of these kinds."""
_TEXT_ONLY = "text only"
_OF_TEXTS = frozenset([RunKind.SAMPLES, RunKind.WORKS_WITH, RunKind.OPENS_PAGE, RunKind.NAMES])
"""Kinds of facts that a skill without scripts and commands can have."""
CONTENTS = (*LOUD, *_FEATURES, _TEXT_ONLY, "declares tools", "declares no tools")
"""All values of the `contents` facet, in the order in which they are shown."""


def _kinds_of(entry: Entry) -> Set[str]:
    """Return the kinds of facts about a skill, except those that it only shows as bad examples."""
    runs = entry.facts.runs
    return {fact.kind for fact in runs if fact.kind in ALWAYS_SAID or not fact.not_to_do}


def _loud_signals(entry: Entry) -> Iterator[str]:
    kinds = _kinds_of(entry)
    yield from (signal for kind, signal in _LOUD_KINDS.items() if kind in kinds)
    if entry.facts.hidden:
        yield _HIDDEN


def signals_of(entry: Entry, facts: PageFacts) -> Iterator[str]:
    """Yield the short remarks on a skill's card, such as `2 scripts`, most serious first."""
    yield from _loud_signals(entry)
    scripts = sum(fact.kind == RunKind.SCRIPT for fact in entry.facts.runs)
    if scripts:
        yield plural(scripts, "script")
    if RunKind.REACHES in _kinds_of(entry):
        yield "reaches the network"
    binaries = sum(not fact.detail.startswith("image/") for fact in facts.binaries)
    if binaries:
        yield f"{binaries:,} binar" + ("y" if binaries == 1 else "ies")
    if facts.tools is not None:
        yield "declares tools"


def contents_of(entry: Entry, facts: PageFacts) -> Iterator[str]:
    """Yield the skill's values in the `contents` facet."""
    kinds = _kinds_of(entry)
    yield from _loud_signals(entry)
    yield from (label for label, own in _FEATURES.items() if kinds & own)
    if kinds <= _OF_TEXTS and not facts.binaries:
        yield _TEXT_ONLY
    yield "declares no tools" if facts.tools is None else "declares tools"


# The picture of a skill: its own icons, or an identicon drawn from its name.


_NO_DATA: Mapping[str, bytes] = MappingProxyType({})
_FIRST_WORDS = 90
"""Maximum characters of a description in the list of new skills on the start page."""
MOST_INLINED = 1024
"""Maximum total bytes of a skill's icons that can be embedded in a page."""
_DRAWN = re.compile(r'fill="#([0-9a-f]{6})".*? d="([^"]*)"')
_CELL = re.compile(r"M(\d) (\d)h")


class Picture(JsonStruct, frozen=True):
    """The picture of a skill: either its `icons`, or the `color` and `path` of an identicon
    in SVG.
    """

    color: str
    """Six hex digits."""
    path: str
    """The attribute `d` of the SVG path: a unit square for each filled cell of a 5 x 5 grid."""
    icons: tuple[tuple[str, str], ...]
    """File name and theme of each icon.

    The theme is `light` or `dark`, or empty if one icon serves both. It is `light-plate` or
    `dark-plate` if the icon needs a plate behind it to be seen.
    """

    @property
    def code(self) -> str:
        """The picture in the format of the search index: `<name>:<theme>|...` for icons, or color
        and cells in hex for an identicon.

        Bit `5 * row + column` of the cells is set if that cell is filled. Rows and columns are
        counted from 0.
        """
        if self.icons:
            return "|".join(f"{name}:{theme}" for name, theme in self.icons)
        return f"{self.color}{sum(1 << (row * 5 + column) for row, column in self.cells):x}"

    @property
    def cells(self) -> Sequence[tuple[int, int]]:
        """The filled cells of an identicon as pairs of row and column, counted from 0."""
        return [(int(y) - 1, int(x) - 1) for x, y in _CELL.findall(self.path)]


def picture(entry: Entry, data: Mapping[str, bytes] = _NO_DATA) -> Picture:
    """Return the icons that a skill declares. If the skill declares none, return the identicon of
    its name.

    `data` maps the file names of icons to their content. An icon whose content is not given gets no
    background plate.
    """
    identicon = icons.identicon(entry.name).data
    if any(icon.digest != Digest.of(identicon) for icon in entry.icons):
        shown = [(icon.file_name, icon.theme or "") for icon in shown_icons(entry.icons)]
        if len(shown) == 1:
            plate = icons.plate(data.get(shown[0][0], b""))
            shown = [(shown[0][0], f"{plate}-plate" if plate else "")]
        return Picture("", "", tuple(shown))
    return drawing(entry.name)


def pictured(card: Card) -> Picture:
    """Return the picture of a card. An identicon is not stored, so it is drawn again."""
    return card.picture if card.picture.icons else drawing(card.name)


@functools.lru_cache(maxsize=64)
def drawing(name: str) -> Picture:
    """Return the identicon of a name."""
    match = _DRAWN.search(icons.identicon(name).data.decode())
    return Picture(match[1], match[2], ()) if match else Picture("", "", ())


def shown_icons(declared: Sequence[Icon]) -> tuple[Icon, ...]:
    """Return the icons to show: the first icon of each theme if there are icons for both themes,
    otherwise only the first icon.

    `declared` lists the small size of an icon before larger sizes.
    """
    themed = {icon.theme: icon for icon in reversed(declared)}
    if {"light", "dark"} <= themed.keys():
        return (themed["light"], themed["dark"])
    return tuple(declared[:1])


def inlined(entry: Entry, data: Mapping[str, bytes], most: int = MOST_INLINED) -> str:
    """Return the shown icons as `data:` URIs separated by spaces, in the order of `Picture.icons`.

    The text is empty for an identicon, and for icons of more than `most` bytes in total. `data`
    maps the file names of icons to their content.
    """
    shown = [name for name, _ in picture(entry).icons]
    if not shown or sum(len(data[name]) for name in shown) > most:
        return ""
    types = {icon.file_name: icon.media_type for icon in entry.icons}
    return " ".join(
        f"data:{types[name]};base64,{base64.b64encode(data[name]).decode()}" for name in shown
    )


# The card.


_LONGEST_BRIEF = 230
"""Maximum characters of a brief: two lines of the list on a wide screen."""
_SEPARATOR = b"\xff"
"""Separates the parts of an encoded card. UTF-8 never uses this byte, so no text contains it."""


class Card(JsonStruct, frozen=True):
    """The data and the HTML that represent one skill in lists."""

    path: str
    """The skill path."""
    title: str
    """The display name."""
    brief: str
    """The beginning of the description, cut to the length that lists show."""
    tags: tuple[str, ...]
    licenses: tuple[str, ...]
    """The values of the `licenses` facet; there is at least one."""
    contents: tuple[str, ...]
    """The values of the `contents` facet."""
    signals: tuple[str, ...]
    """The signals of the skill, as pages show them."""
    files: int
    tokens: int
    """Estimated tokens in the body of SKILL.md."""
    picture: Picture
    group: str
    """The name of its group; empty if the catalog has no groups."""
    inlined: str
    """Its icons as `data:` URIs separated by spaces; empty if pages link to the files instead."""
    date: str = ""
    """The day of its last change; empty if unknown."""
    versions: int = 0
    """Number of published versions."""
    first_day: int = 0
    """The day of the commit that added the skill, counted from 1970 in UTC; 0 if unknown."""
    words: tuple[str, ...] = ()
    """The words that are compared with other skills (`kinship.words_of`)."""
    refers: tuple[str, ...] = ()
    """The references in its texts, as returned by `links.refers`."""
    lines: Sequence[bytes] = ()
    """The encoded lines of all cards, from which its HTML is read when needed; empty until the card
    is decoded.
    """
    place: int = 0
    """The index of this card's line in `lines`."""

    @property
    def item(self) -> bytes:
        """The HTML of the card in lists, with `theme.ROOT` in place of the path to the top of the
        output.

        The HTML is empty unless the card was returned by `decode`.
        """
        return self.lines[self.place].partition(_SEPARATOR)[2] if self.lines else b""

    @property
    def digest(self) -> bytes:
        """A digest of the whole card; empty unless the card was returned by `decode`."""
        return blake2b(self.lines[self.place], digest_size=16).digest() if self.lines else b""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The skill path without its last segment; empty for a path of one segment."""
        return self.path.rpartition("/")[0]

    @property
    def is_deprecated(self) -> bool:
        return DEPRECATED in self.contents

    @property
    def license(self) -> str:
        """One or more SPDX expressions, or one of the other labels from `facts.license_labels`."""
        return ", ".join(self.licenses)

    @property
    def license_words(self) -> str:
        return license_words(self.license)


def license_words(label: str) -> str:
    """Return the label of a license for display. A label in lowercase, such as `none found`, gets
    the prefix `license:`.
    """
    return f"license: {label}" if label[:1].islower() else label


def card(
    entry: Entry, facts: PageFacts, icons: Mapping[str, bytes], change: Change | None = None
) -> Card:
    """Return the card of a skill, without HTML. `icons` maps the file name of each icon to its
    content.
    """
    tags = tags_of(entry.frontmatter)
    brief = _brief(entry.text("description"))
    name = entry.path.rpartition("/")[2]
    deprecated = (DEPRECATED,) if entry.deprecated else ()
    return Card(
        path=entry.path,
        title=entry.title,
        brief=brief,
        tags=tags,
        licenses=license_labels(entry.facts.license),
        contents=(*deprecated, *contents_of(entry, facts)),
        signals=(*deprecated, *signals_of(entry, facts)),
        files=len(entry.resources),
        tokens=facts.body_tokens,
        picture=picture(entry, icons),
        group=entry.group,
        inlined=inlined(entry, icons),
        date=change.date if change else "",
        words=kinship.words_of(" ".join((name, entry.title, *tags)), entry.text("description")),
    )


def _brief(description: str) -> str:
    words = " ".join(description.replace("`", "").replace("**", "").split())
    cut = words[:_LONGEST_BRIEF].rpartition(" ")[0] or words[:_LONGEST_BRIEF]
    return words if len(words) <= _LONGEST_BRIEF else f"{cut} \u2026"


def bare(card: Card) -> Card:
    """Return the card without the fields that are no longer needed once its HTML is rendered."""
    picture = Picture("", "", card.picture.icons)
    return changed(card, brief=card.brief[:_FIRST_WORDS], signals=(), picture=picture)


def samples() -> tuple[Card, Card]:
    """Return two sample cards: one with a drawn icon, one with an icon file.

    The search script in the browser copies these cards, replaces their texts, and puts real
    addresses in place of `~/path~` and `~icon~`.
    """
    drawn = Card(
        path="~/path~",
        title="title",
        brief="description",
        tags=(),
        licenses=("license",),
        contents=(),
        signals=(LOUD[0], "signal"),
        files=0,
        tokens=0,
        picture=Picture("000000", "M0 0", ()),
        group="group",
        inlined="",
        date="2000-01-01",
    )
    return drawn, changed(drawn, picture=Picture("", "", (("~icon~", ""),)))


_READ_CARD = decoder(Card)


def encode(card: Card, item: bytes) -> bytes:
    """Return a card as a JSON object, followed by its HTML for lists."""
    return _SEPARATOR.join((json_line(plain(card)), item))


def decode(lines: Sequence[bytes]) -> list[Card]:
    """Decode the cards that `encode` wrote. The HTML of each card stays in `lines` until it is
    needed.
    """
    return [_decoded(line, lines, place) for place, line in enumerate(lines)]


def _decoded(line: bytes, lines: Sequence[bytes], place: int) -> Card:
    card = _READ_CARD.decode(line[: line.index(_SEPARATOR)])
    return changed(
        card,
        tags=_shared(card.tags),
        licenses=_shared(card.licenses),
        contents=_shared(card.contents),
        signals=_shared(card.signals),
        words=_shared(card.words),
        lines=lines,
        place=place,
    )


def _shared(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the strings; equal strings share memory between cards."""
    return tuple(map(sys.intern, texts))
