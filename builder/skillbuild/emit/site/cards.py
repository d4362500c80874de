"""The card of a skill: all that lists, filters and the search say of it.

A card is made when its skill is compiled, perhaps in another process or an earlier build. The
pages about many skills need nothing else of a skill.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from skillbuild.emit.site import kinship, licenses, pictures, signals
from skillbuild.emit.site.facts import Facts
from skillbuild.emit.site.pictures import Picture
from skillbuild.model import Change, Entry
from skillbuild.release.frontmatter import tags_of
from skillbuild.text.json import json_line

_LONGEST_BRIEF = 230
"""Characters: two lines of the list on a wide screen."""
_SEPARATOR = b"\xff"
"""Between the parts of an encoded card: a byte that UTF-8 never has, so no text holds it."""


@dataclass(frozen=True, slots=True)
class Card:
    """What lists say of one skill, and the pieces of pages that are rendered from that."""

    path: str
    """The skill path."""
    title: str
    """The name as people read it."""
    brief: str
    """As much of the description as a list shows."""
    tags: tuple[str, ...]
    license: str
    """An SPDX expression, `see file`, `other`, or `not declared`."""
    contents: tuple[str, ...]
    """The values of the facet `contents`."""
    signals: tuple[str, ...]
    """What stands out, in words."""
    files: int
    tokens: int
    """Of the body of SKILL.md, estimated."""
    picture: Picture
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
    lines: Sequence[bytes] = field(default=(), repr=False, compare=False)
    """Where its pieces are read when a page needs them; empty until the card is decoded."""
    place: int = field(default=0, repr=False, compare=False)
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

    def _piece(self, number: int) -> bytes:
        return self.lines[self.place].split(_SEPARATOR)[number] if self.lines else b""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def group(self) -> str:
        """The skill path without the name; empty for a skill that is in no group."""
        return self.path.rpartition("/")[0]

    @property
    def is_deprecated(self) -> bool:
        return signals.DEPRECATED in self.contents

    @property
    def license_words(self) -> str:
        """The license, called one where it is not the name of a license."""
        return f"license: {self.license}" if self.license[:1].islower() else self.license


def card(
    entry: Entry, facts: Facts, icons: Mapping[str, bytes], change: Change | None = None
) -> Card:
    """The card of a skill, without pieces; `icons` are those of the skill by file name."""
    tags = tags_of(entry.frontmatter)
    brief = _brief(entry.text("description"))
    name = entry.path.rpartition("/")[2]
    deprecated = (signals.DEPRECATED,) if entry.deprecated else ()
    return Card(
        path=entry.path,
        title=entry.title,
        brief=brief,
        tags=tags,
        license=licenses.label(entry),
        contents=(*deprecated, *signals.contents_of(facts)),
        signals=(*deprecated, *signals.signals_of(facts)),
        files=len(entry.resources),
        tokens=facts.body_tokens,
        picture=pictures.picture(entry),
        inlined=pictures.inlined(entry, icons),
        date=change.date if change else "",
        words=kinship.words_of(" ".join((name, entry.title, *tags)), entry.text("description")),
    )


def _brief(description: str) -> str:
    words = " ".join(description.split())
    cut = words[:_LONGEST_BRIEF].rpartition(" ")[0] or words[:_LONGEST_BRIEF]
    return words if len(words) <= _LONGEST_BRIEF else f"{cut} \u2026"


def bare(card: Card) -> Card:
    """The card without the fields that nothing reads once its pieces are rendered."""
    picture = Picture("", "", card.picture.icons)
    return replace(card, brief="", signals=(), picture=picture)


def samples() -> tuple[Card, Card]:
    """The cards that the search in the browser clones: with a drawn icon, and with a file.

    The script puts texts in place of theirs, and real addresses in place of `~/path~` and `~icon~`.
    """
    drawn = Card(
        path="~/path~",
        title="title",
        brief="description",
        tags=(),
        license="license",
        contents=(),
        signals=(signals.LOUD[0], "signal"),
        files=0,
        tokens=0,
        picture=Picture("000000", "M0 0", ()),
        inlined="",
        date="2000-01-01",
    )
    return drawn, replace(drawn, picture=Picture("", "", (("~icon~", ""),)))


def encode(card: Card, item: bytes, row: bytes) -> bytes:
    """A card as an object of JSON, followed by its two pieces."""
    fields = asdict(card)
    for where in ("lines", "place"):
        del fields[where]
    return _SEPARATOR.join((json_line(fields), item, row))


def decode(lines: Sequence[bytes]) -> list[Card]:
    """The cards that `encode` was given; their pieces stay in `lines` until they are needed."""
    return [_decoded(line, lines, place) for place, line in enumerate(lines)]


def _decoded(line: bytes, lines: Sequence[bytes], place: int) -> Card:
    fields = json.loads(line[: line.index(_SEPARATOR)])
    picture = fields["picture"]
    # A catalog may have 50,000 cards: `Card(**fields)` would take a fifth longer for each.
    return Card(
        path=fields["path"],
        title=fields["title"],
        brief=fields["brief"],
        tags=_shared(fields["tags"]),
        license=fields["license"],
        contents=_shared(fields["contents"]),
        signals=_shared(fields["signals"]),
        files=fields["files"],
        tokens=fields["tokens"],
        picture=Picture(
            color=picture["color"],
            path=picture["path"],
            icons=tuple(map(tuple, picture["icons"])),
        ),
        inlined=fields["inlined"],
        date=fields["date"],
        first_day=fields["first_day"],
        words=_shared(fields["words"]),
        refers=tuple(fields["refers"]),
        lines=lines,
        place=place,
    )


def _shared(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts, each of which is in memory once, whatever number of cards it is on."""
    return tuple(map(sys.intern, texts))
