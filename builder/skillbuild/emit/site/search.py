"""What the search in the browser reads: every skill as one short row, a thousand rows a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from skillbuild import jsontext
from skillbuild.emit.site.cards import LOUD, Card, picture
from skillbuild.model import Digest, OutputFile
from skillbuild.texts import code_points, invisible

_WORD = re.compile(r"\w[\w-]{3,}")
_MOST_WORDS = 24
_DULL_WORDS = """
    also asks does from have into more need needs other such than that their them then this used
    user users using want wants when with your
"""
_COMMON = frozenset(_DULL_WORDS.split())
SHARD_SIZE = 1000
"""Skills of one file, in the order of the list."""


def shards(cards: Sequence[Card]) -> Iterator[OutputFile]:
    """Classic scripts, as nothing else can be loaded from `file://`; each hands over its rows."""
    for number, start in enumerate(range(0, len(cards), SHARD_SIZE)):
        rows = ",\n".join(
            jsontext.compact(_row(card)) for card in cards[start : start + SHARD_SIZE]
        )
        data = f"skillbuildRows({number},[\n{rows}\n]);\n".encode()
        yield OutputFile(f"assets/search-{number}.{Digest.of(data).short[:8]}.js", data)


def _row(card: Card) -> list[object]:
    """The columns that `search.js` knows."""
    entry = card.entry
    return [
        entry.path,
        _shown(card.brief),
        list(card.tags),
        card.licence,
        card.group,
        list(card.contents),
        len(entry.resources),
        card.summary.body_tokens,
        [f"!{signal}" if signal in LOUD else signal for signal in card.signals],
        int(not entry.listed),
        picture(entry).code,
        _further_words(card),
    ]


def _further_words(card: Card) -> str:
    """The words of the description that are not shown, each once: they can be searched for."""
    shown = set(_WORD.findall(card.brief.lower()))
    text = card.entry.text("description").lower()
    known = _COMMON | shown | {*card.tags, card.entry.name}
    rest = dict.fromkeys(word for word in _WORD.findall(text) if word not in known)
    return " ".join(list(rest)[:_MOST_WORDS])


def _shown(text: str) -> str:
    """The text with hidden characters spelled out: scripts show it as it is."""
    parts, end = [], 0
    for match in invisible(text):
        parts += [text[end : match.start()], f"[{code_points(match[0])}]"]
        end = match.end()
    return "".join([*parts, text[end:]])
