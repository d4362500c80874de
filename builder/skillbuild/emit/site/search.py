"""The index that the search in the browser loads: a short row for each skill."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.signals import LOUD
from skillbuild.model import Digest, OutputFile
from skillbuild.text.invisible import code_points, invisible
from skillbuild.text.json import json_line

SHARD_SIZE = 1000
"""Rows in one file, in the order of the list."""


def shards(cards: Sequence[Card]) -> Iterator[OutputFile]:
    """`assets/search-<n>.<part of digest>.js`, each a call that hands over its rows to `list.js`.

    They are classic scripts, because a page opened from `file://` can load nothing else.
    """
    for number, start in enumerate(range(0, len(cards), SHARD_SIZE)):
        rows = b",\n".join(card.search for card in cards[start : start + SHARD_SIZE])
        data = b"skillbuildRows(%d,[\n%b\n]);\n" % (number, rows)
        yield OutputFile(f"assets/search-{number}.{Digest.of(data).short[:8]}.js", data)


def row(card: Card) -> bytes:
    """The row of a skill as JSON, its columns in the order that `search.js` knows."""
    columns = [
        card.path,
        _shown(card.brief),
        card.tags,
        card.licence,
        card.group,
        card.contents,
        card.files,
        card.tokens,
        [f"!{signal}" if signal in LOUD else signal for signal in card.signals],
        card.picture.code,
        card.further,
    ]
    if card.title != card.name:
        columns.append(_shown(card.title))
    return json_line(columns)


def _shown(text: str) -> str:
    """The text with hidden characters spelled out: scripts show it as it is."""
    parts, end = [], 0
    for match in invisible(text):
        parts += [text[end : match.start()], f"[{code_points(match[0])}]"]
        end = match.end()
    return "".join([*parts, text[end:]])
