"""Which skills have a term of a query, or what may stand in its place.

The twin of this module is `site_src/search/matching.js`. A term has levels, the best first: the
compounds that it is a part of; the word itself; words with its stem, and synonyms; words that begin
with it, if it is the last one or nothing else was found; and where there is nothing at all, words
with one slip, of those in the shards of its first three characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from skillbuild.release.search import codes
from skillbuild.release.search.numbers import BODY, SHOWN
from skillbuild.release.search.reading import Index
from skillbuild.text.terms import Term, is_ideographic, is_stemmed, stem, words_of_stem

_SHARD_LETTERS = 3

Weighed = Mapping[int, int]
"""By weight, the skills that have at least this one, as bits."""


@dataclass(frozen=True, slots=True)
class Level:
    """Skills that have a term in some quality."""

    quality: int
    weighed: Weighed


def levels(index: Index, term: Term) -> list[Level]:
    """The levels at which skills have a term, the best first."""
    numbers, word = index.manifest.numbers, term.word
    wholes = [sets for each in term.wholes for sets in _exact(index, each)]
    meant = [_phrase(index, each) for each in term.synonyms]
    every = [
        Level(numbers.whole, _weigh(index, wholes)),
        Level(numbers.exact, _weigh(index, _exact(index, word))),
        Level(numbers.stem, _joined(or_, [_weigh(index, _stems(index, word)), *meant])),
    ]
    is_word = not is_ideographic(word)
    if is_word and len(word) >= numbers.shortest_prefix and (term.has_prefix or _is_empty(every)):
        every.append(Level(numbers.prefix, _weigh(index, _prefixed(index, word))))
    if is_word and len(word) >= numbers.shortest_edit and _is_empty(every):
        every.append(Level(numbers.edit, _weigh(index, _edited(index, word))))
    return every


def _is_empty(every: Sequence[Level]) -> bool:
    return not any(any(level.weighed.values()) for level in every)


Sets = tuple[int, str]
"""The kind of a word, and the sets of skills that have it."""


def _exact(index: Index, word: str) -> Iterator[Sets]:
    """Of the word itself; words of files are known by their stems."""
    for kind, own in ((SHOWN, word), (BODY, stem(word))):
        sets = index.find(kind, own)
        if sets is not None:
            yield kind, sets


def _stems(index: Index, word: str) -> Iterator[Sets]:
    """Of other words with the same stem."""
    others = words_of_stem(stem(word)) - {word} if is_stemmed(word) else ()
    for other in sorted(others):
        sets = index.find(SHOWN, other)
        if sets is not None:
            yield SHOWN, sets


def _prefixed(index: Index, word: str) -> Iterator[Sets]:
    for other, sets in index.beginning(SHOWN, word):
        if other != word and other.startswith(word):
            yield SHOWN, sets


def _edited(index: Index, word: str) -> Iterator[Sets]:
    for other, sets in index.beginning(SHOWN, word[:_SHARD_LETTERS]):
        if is_edit(word, other):
            yield SHOWN, sets


def is_edit(word: str, other: str) -> bool:
    """Whether words differ by one character more, less or other, or by two neighbors swapped."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    shorter = min(len(word), len(other))
    start = next((i for i in range(shorter) if word[i] != other[i]), shorter)
    rest = shorter - start
    end = next((i for i in range(rest) if word[-1 - i] != other[-1 - i]), rest)
    own, others = word[start : len(word) - end], other[start : len(other) - end]
    return max(len(own), len(others)) < 2 or (len(own) == 2 and own == others[::-1])


def _phrase(index: Index, words: Sequence[str]) -> Weighed:
    """Skills that have all words of a synonym, with the smallest of their weights."""
    return _joined(
        and_, [_weigh(index, [*_exact(index, word), *_stems(index, word)]) for word in words]
    )


def _weigh(index: Index, entries: Iterable[Sets]) -> Weighed:
    """The largest weight of each skill in any of the entries."""
    weights = index.manifest.weights
    sets_by_weight: dict[int, list[str]] = {weight: [] for own in weights for weight in own}
    for kind, sets in entries:
        for weight, code in zip(weights[kind], sets.split(codes.BETWEEN_WEIGHTS), strict=False):
            sets_by_weight[weight].append(code)
    at_least, every = {}, 0
    for weight in sorted(sets_by_weight, reverse=True):
        if own := list(filter(None, sets_by_weight[weight])):
            every |= codes.decode_bits(own, index.manifest.count)
        at_least[weight] = every
    return at_least


def _joined(operation: Callable[[int, int], int], each: Sequence[Weighed]) -> Weighed:
    """Several as one: with `or` the largest weight counts, with `and` the smallest."""
    return {weight: reduce(operation, (own[weight] for own in each)) for weight in each[0]}
