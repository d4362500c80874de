"""The card of a skill: all that lists, filters and the search say of it.

A card is made when its skill is compiled, perhaps in another process or an earlier build. The
pages about many skills need nothing else of a skill.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from skillbuild.emit.site import licences, pictures, signals
from skillbuild.emit.site.facts import Facts
from skillbuild.emit.site.pictures import Picture
from skillbuild.model import Entry
from skillbuild.release.frontmatter import tags_of
from skillbuild.text.json import json_line

_LONGEST_BRIEF = 230
"""Characters: two lines of the list on a wide screen."""
_WORD = re.compile(r"\w[\w-]{3,}")
_MOST_WORDS = 24
_DULL_WORDS = """
    also asks does from have into more need needs other such than that their them then this used
    user users using want wants when with your
"""
_DULL = frozenset(_DULL_WORDS.split())
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
    further: str
    """Words of the rest of the description, each once, for the search."""
    tags: tuple[str, ...]
    licence: str
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
    search: bytes = b""
    """Its row in the index of the search; this and the pieces are empty until it is decoded."""
    item: bytes = b""
    """Its HTML in the list; the way to the top of the output is left open (see `theme.piece`)."""
    row: bytes = b""
    """Its HTML on the page of a tag, licence or group, likewise."""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def group(self) -> str:
        """The skill path without the name; empty for a skill that is in no group."""
        return self.path.rpartition("/")[0]

    @property
    def licence_words(self) -> str:
        """The licence, called one where it is not the name of a licence."""
        return f"licence: {self.licence}" if self.licence[:1].islower() else self.licence


def card(entry: Entry, facts: Facts, icons: Mapping[str, bytes]) -> Card:
    """The card of a skill, without pieces; `icons` are those of the skill by file name."""
    tags = tags_of(entry.frontmatter)
    brief = _brief(entry.text("description"))
    return Card(
        path=entry.path,
        title=entry.title,
        brief=brief,
        further=_further(entry, brief, tags),
        tags=tags,
        licence=licences.label(entry),
        contents=tuple(signals.contents_of(facts)),
        signals=tuple(signals.signals_of(facts)),
        files=len(entry.resources),
        tokens=facts.body_tokens,
        picture=pictures.picture(entry),
        inlined=pictures.inlined(entry, icons),
    )


def _brief(description: str) -> str:
    words = " ".join(description.split())
    cut = words[:_LONGEST_BRIEF].rpartition(" ")[0] or words[:_LONGEST_BRIEF]
    return words if len(words) <= _LONGEST_BRIEF else f"{cut} \u2026"


def _further(entry: Entry, brief: str, tags: tuple[str, ...]) -> str:
    """Words that the search would not find in the other fields of the card."""
    left_out = {*_DULL, *_WORD.findall(brief.lower()), *tags, entry.name}
    words = dict.fromkeys(_WORD.findall(entry.text("description").lower()))
    return " ".join([word for word in words if word not in left_out][:_MOST_WORDS])


def bare(card: Card) -> Card:
    """The card without the fields that nothing reads once its pieces are rendered."""
    picture = Picture("", "", card.picture.icons)
    return replace(card, brief="", further="", signals=(), picture=picture)


def encode(card: Card, search: bytes, item: bytes, row: bytes) -> bytes:
    """A card as an object of JSON, followed by its row of the search and its two pieces."""
    fields = asdict(card)
    for piece in ("search", "item", "row"):
        del fields[piece]
    return _SEPARATOR.join((json_line(fields), search, item, row))


def decode(data: bytes) -> Card:
    """The card, with its pieces, that `encode` was given."""
    head, search, item, row = data.split(_SEPARATOR)
    fields = json.loads(head.decode())
    picture = fields["picture"]
    # A catalog may have 50,000 cards: `Card(**fields)` would take a fifth longer for each.
    return Card(
        path=fields["path"],
        title=fields["title"],
        brief=fields["brief"],
        further=fields["further"],
        tags=tuple(fields["tags"]),
        licence=fields["licence"],
        contents=tuple(fields["contents"]),
        signals=tuple(fields["signals"]),
        files=fields["files"],
        tokens=fields["tokens"],
        picture=Picture(
            colour=picture["colour"],
            path=picture["path"],
            icons=tuple(map(tuple, picture["icons"])),
        ),
        inlined=fields["inlined"],
        search=search,
        item=item,
        row=row,
    )
