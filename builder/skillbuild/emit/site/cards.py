"""The card of a skill: all that lists, filters and the search say of it.

A card is made when its skill is compiled, perhaps in another process or an earlier build. The
pages about many skills need nothing else of a skill.
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

# What stands out in a skill, in few words.


DEPRECATED = "deprecated"
"""The signal that the settings give."""
_LOUD_KINDS: Mapping[str, str] = {
    RunKind.DOWNLOAD: "runs what it downloads",
    RunKind.DECODED: "runs what it decodes",
    RunKind.OPENS_SHELL: "opens a shell to the network",
    RunKind.OVERWRITES_DISK: "overwrites a disk",
    RunKind.DELETES_ALL: "deletes a whole folder",
    RunKind.ON_LOAD: "runs commands when loaded",
    RunKind.HOOK: "hooks",
    RunKind.AGENT: "starts an agent",
    RunKind.CREDENTIALS: "reads credentials",
}
_HIDDEN = "hidden text"
LOUD = (*_LOUD_KINDS.values(), _HIDDEN, DEPRECATED)
"""Signals that ask for a look at the skill before it is installed."""
_RUNS_CODE = frozenset([RunKind.SCRIPT, *tuple(_LOUD_KINDS)[:2], RunKind.ON_LOAD, RunKind.HOOK])
_FEATURES: Mapping[str, frozenset[str]] = {
    "runs code": _RUNS_CODE,
    "reaches the network": frozenset([RunKind.REACHES]),
    "installs packages": frozenset([RunKind.INSTALLS]),
}
"""Values of the facet `contents`, and the kinds of which a skill has one fact."""
_TEXT_ONLY = "text only"
CONTENTS = (*LOUD, *_FEATURES, _TEXT_ONLY, "declares tools", "declares no tools")
"""All values of the facet `contents`, in the order in which they are shown."""


def _kinds_of(entry: Entry) -> Set[str]:
    """The kinds of what the skill does, but for what its texts show as what not to do."""
    runs = entry.facts.runs
    return {fact.kind for fact in runs if fact.kind in ALWAYS_SAID or not fact.not_to_do}


def _loud_signals(entry: Entry) -> Iterator[str]:
    kinds = _kinds_of(entry)
    yield from (signal for kind, signal in _LOUD_KINDS.items() if kind in kinds)
    if entry.facts.hidden:
        yield _HIDDEN


def signals_of(entry: Entry, facts: PageFacts) -> Iterator[str]:
    """The signals on the card of a skill, loud ones first."""
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
    """The values that a skill has in the facet `contents`."""
    kinds = _kinds_of(entry)
    yield from _loud_signals(entry)
    yield from (label for label, own in _FEATURES.items() if kinds & own)
    if not kinds:
        yield _TEXT_ONLY
    yield "declares no tools" if facts.tools is None else "declares tools"


# The picture of a skill: its own icons, or an identicon drawn from its name.


_NO_DATA: Mapping[str, bytes] = MappingProxyType({})
_FIRST_WORDS = 90
"""Characters of a description that the start shows of what is new."""
MOST_INLINED = 1024
"""Bytes of a skill's icons, all together, that a page may hold itself."""
_DRAWN = re.compile(r'fill="#([0-9a-f]{6})".*? d="([^"]*)"')
_CELL = re.compile(r"M(\d) (\d)h")


class Picture(JsonStruct, frozen=True):
    """Either `icons`, or the `color` and `path` of an identicon that a page draws as SVG."""

    color: str
    """Six hex digits."""
    path: str
    """The attribute `d` of the SVG path: one square of size 1 for each cell of a 5 x 5 grid."""
    icons: tuple[tuple[str, str], ...]
    """File names and where they are shown: one for each theme (`light`, `dark`), or one for both,
    on a plate if it needs one to be seen (`light-plate`, `dark-plate`, or empty)."""

    @property
    def code(self) -> str:
        """The same for the search: `<name>:<theme>|...`, or the color and the cells as hex.

        Bit 5 y + x of the cells stands for the one in row y and column x, both from 0.
        """
        if self.icons:
            return "|".join(f"{name}:{theme}" for name, theme in self.icons)
        return f"{self.color}{sum(1 << (row * 5 + column) for row, column in self.cells):x}"

    @property
    def cells(self) -> Sequence[tuple[int, int]]:
        """The filled cells of an identicon, by row and column, from 0."""
        return [(int(y) - 1, int(x) - 1) for x, y in _CELL.findall(self.path)]


def picture(entry: Entry, data: Mapping[str, bytes] = _NO_DATA) -> Picture:
    """The icons that a skill declares; without any, the identicon of its name.

    `data` are the icons by file name; without them none gets a plate.
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
    """The same of a card that is bare."""
    return card.picture if card.picture.icons else drawing(card.name)


@functools.lru_cache(maxsize=64)
def drawing(name: str) -> Picture:
    """The identicon of a name."""
    match = _DRAWN.search(icons.identicon(name).data.decode())
    return Picture(match[1], match[2], ()) if match else Picture("", "", ())


def shown_icons(declared: Sequence[Icon]) -> tuple[Icon, ...]:
    """The icons to show: one for each theme if there are both, else the first that is declared.

    Of several sizes the small one is declared first.
    """
    themed = {icon.theme: icon for icon in reversed(declared)}
    if {"light", "dark"} <= themed.keys():
        return (themed["light"], themed["dark"])
    return tuple(declared[:1])


def inlined(entry: Entry, data: Mapping[str, bytes]) -> str:
    """The shown icons as `data:` URIs with spaces between them, in the order of `Picture.icons`.

    Empty for an identicon, and for icons that are too large. `data` are the skill's icons by
    file name.
    """
    shown = [name for name, _ in picture(entry).icons]
    if not shown or sum(len(data[name]) for name in shown) > MOST_INLINED:
        return ""
    types = {icon.file_name: icon.media_type for icon in entry.icons}
    return " ".join(
        f"data:{types[name]};base64,{base64.b64encode(data[name]).decode()}" for name in shown
    )


# The card.


_LONGEST_BRIEF = 230
"""Characters: two lines of the list on a wide screen."""
_SEPARATOR = b"\xff"
"""Between the parts of an encoded card: a byte that UTF-8 never has, so no text holds it."""


class Card(JsonStruct, frozen=True):
    """What lists say of one skill, and the pieces of pages that are rendered from that."""

    path: str
    """The skill path."""
    title: str
    """The name as people read it."""
    brief: str
    """As much of the description as a list shows."""
    tags: tuple[str, ...]
    licenses: tuple[str, ...]
    """The values of the facet `licenses`; there is at least one."""
    contents: tuple[str, ...]
    """The values of the facet `contents`."""
    signals: tuple[str, ...]
    """What stands out, in words."""
    files: int
    tokens: int
    """Of the body of SKILL.md, estimated."""
    picture: Picture
    group: str
    """The name of its group; empty where there are no groups."""
    inlined: str
    """Its icons as `data:` URIs with spaces between them; empty where pages name their files."""
    date: str = ""
    """The day of its last change; empty where that is not known."""
    first_day: int = 0
    """Of the commit that brought it, counted from 1970 in UTC; 0 where that is not known."""
    words: tuple[str, ...] = ()
    """By which it is compared with others (`kinship.words_of`)."""
    refers: tuple[str, ...] = ()
    """What its texts refer to (`references.refers`)."""
    lines: Sequence[bytes] = ()
    """Where its pieces are read when a page needs them; empty until the card is decoded."""
    place: int = 0
    """Its own place among these lines."""

    @property
    def item(self) -> bytes:
        """Its HTML in the list; the way to the top of the output is left open (`theme.piece`).

        Empty until the card is decoded, as the next one is.
        """
        return self._piece(1)

    @property
    def row(self) -> bytes:
        """Its HTML on the page of a tag, license or group, likewise."""
        return self._piece(2)

    @property
    def digest(self) -> bytes:
        """Stands for all of it; empty until the card is decoded."""
        return blake2b(self.lines[self.place], digest_size=16).digest() if self.lines else b""

    def _piece(self, number: int) -> bytes:
        return self.lines[self.place].split(_SEPARATOR)[number] if self.lines else b""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The skill path without the name; empty for a path of one segment."""
        return self.path.rpartition("/")[0]

    @property
    def is_deprecated(self) -> bool:
        return DEPRECATED in self.contents

    @property
    def license(self) -> str:
        """An SPDX expression, several of them, or one of the words of `facts.license_labels`."""
        return ", ".join(self.licenses)

    @property
    def license_words(self) -> str:
        return license_words(self.license)


def license_words(label: str) -> str:
    """A license, called one where it is not the name of a license."""
    return f"license: {label}" if label[:1].islower() else label


def card(
    entry: Entry, facts: PageFacts, icons: Mapping[str, bytes], change: Change | None = None
) -> Card:
    """The card of a skill, without pieces; `icons` are those of the skill by file name."""
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
    """The card without what nothing reads once its pieces are rendered."""
    picture = Picture("", "", card.picture.icons)
    return changed(card, brief=card.brief[:_FIRST_WORDS], signals=(), picture=picture)


def samples() -> tuple[Card, Card]:
    """The cards that the search in the browser clones: with a drawn icon, and with a file.

    The script puts texts in place of theirs, and real addresses in place of `~/path~` and `~icon~`.
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


def encode(card: Card, item: bytes, row: bytes) -> bytes:
    """A card as an object of JSON, followed by its two pieces."""
    return _SEPARATOR.join((json_line(plain(card)), item, row))


def decode(lines: Sequence[bytes]) -> list[Card]:
    """The cards that `encode` was given; their pieces stay in `lines` until they are needed."""
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
    """The texts, each of which is in memory once, whatever number of cards it is on."""
    return tuple(map(sys.intern, texts))
