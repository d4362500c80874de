"""The line of a skill, from which the index is made: its row, its values of facets, its words."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from skillbuild.release.search.numbers import FIELDS, SHOWN, WEIGHTS, Field
from skillbuild.text.json import json_line
from skillbuild.text.terms import stem

_BETWEEN_SECTIONS = b"\t"
"""JSON escapes it, and no word has one."""
_BETWEEN_WEIGHTS = "!"
_GROUP_STARTS = ("", "d", "j", "q")
GROUPS = range(len(_GROUP_STARTS))
"""Words in their order, cut in four, so that not all postings have to be in memory at once."""
_PLACES = {field: (kind, WEIGHTS[kind].index(weight)) for field, (kind, weight) in FIELDS.items()}
_FIRST_OF_WORDS = 2
_PATH_START = b'["'

Words = Sequence[Sequence[str]]
"""By weight, in the order of `WEIGHTS`."""


def encode(
    row: Sequence[object], facets: Sequence[Sequence[str]], fields: Mapping[Field, Iterable[str]]
) -> bytes:
    """The line of a skill; of each word the largest weight is kept, and that alone.

    A word of its files stands by its stem, and not if a word that it is listed by has the same one.
    """
    sections: list[list[list[list[str]]]] = [
        [[[] for _ in weights] for _ in GROUPS] for weights in WEIGHTS
    ]
    words: set[str] = set()
    stems: set[str] = set()
    for field, (kind, position) in _PLACES.items():
        seen = words if kind == SHOWN else stems
        for word in fields.get(field, ()):
            own = word if kind == SHOWN else stem(word)
            if own not in seen:
                seen.add(own)
                sections[kind][group_of(own)][position].append(own)
            if kind == SHOWN:
                stems.add(stem(word))
    texts = (
        _BETWEEN_WEIGHTS.join(map(" ".join, by_weight)) for kind in sections for by_weight in kind
    )
    parts = (json_line(row), json_line(facets), *(text.encode() for text in texts))
    return _BETWEEN_SECTIONS.join(parts)


def group_of(word: str) -> int:
    """Which of `GROUPS` a word is in."""
    return bisect_right(_GROUP_STARTS, word) - 1


def row_of(line: bytes) -> bytes:
    """What lists show of the skill, as JSON."""
    return line[: line.index(_BETWEEN_SECTIONS)]


def path_of(line: bytes) -> str:
    """The skill path, which is the first column of the row."""
    path = line[len(_PATH_START) : line.index(b'"', len(_PATH_START))]
    return path.decode() if b"\\" not in path else str(json.loads(row_of(line))[0])


def facets_of(line: bytes) -> bytes:
    """The values in each facet, as JSON."""
    return line.split(_BETWEEN_SECTIONS, _FIRST_OF_WORDS)[1]


def words_of(line: bytes, kind: int, group: int) -> Words:
    """The words of a kind in one group."""
    section = _FIRST_OF_WORDS + kind * len(GROUPS) + group
    text = line.split(_BETWEEN_SECTIONS, section + 1)[section].decode()
    return [own.split() for own in text.split(_BETWEEN_WEIGHTS)]


def places_in(line: bytes) -> Iterator[tuple[int, int, str]]:
    """Kind, position of its weight, and word, of all words."""
    for kind in range(len(WEIGHTS)):
        for group in GROUPS:
            for position, words in enumerate(words_of(line, kind, group)):
                yield from ((kind, position, word) for word in words)
