"""Which skills a query finds, the best first, in integers alone.

A term of a query has levels, the best first: the compounds that it is a part of; the word itself;
words with its stem, and synonyms; words that begin with it, if it is the last one or nothing else
was found; and where there is nothing at all, words with one slip, of those in the shards of its
first three characters.

A term gives a skill the largest of quality x weight x rarity over its levels; the rarity of a level
is the bit length of all skills over those that have the term at this level or a better one. The
score is the sum over the terms times the square of how many of them the skill has. Those with more
than half of the terms come first, then the higher score, then the path that comes first.

The twins of this module are `site_src/search/matching.js` and `site_src/search/ranking.js`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from skillbuild.release.search import encoding
from skillbuild.release.search.numbers import BODY, SHOWN
from skillbuild.release.search.reading import Index
from skillbuild.text.terms import (
    Query,
    Term,
    is_ideographic,
    is_stemmed,
    parse,
    stem,
    words_of_stem,
)

_SHARD_LETTERS = 3

Weights = Mapping[int, int]
"""By the number of each skill that has a word, its weight there."""
Sets = tuple[int, str]
"""The kind of a word, and the sets of skills that have it."""


@dataclass(frozen=True, slots=True)
class Level:
    """Skills that have a term in some quality."""

    quality: int
    weights: Weights


@dataclass(frozen=True, slots=True)
class Answer:
    """What an index says to a query: numbers of skills, the best first."""

    query: Query
    matches: Sequence[int]
    """Those that have more than half of the terms."""
    also: Sequence[int]
    """Those that have fewer."""


def ask(
    index: Index,
    text: str,
    among: Container[int] | None = None,
    proceed: Callable[[], None] = lambda: None,
) -> Answer | None:
    """The skills that have words of a query; None if it has no words.

    `among` are the numbers of the skills that are asked for, None for all. `proceed` is called
    before each word is looked for, and may raise.
    """
    query = parse(text, index.synonyms)
    if not query.terms and not query.ignored:
        return None
    terms = []
    for term in query.terms:
        proceed()
        terms.append(_levels(index, term))
    return Answer(query, *_ranked(terms, index.manifest.count, among))


# The order of skills.


def _ranked(
    terms: Sequence[Sequence[Level]], count: int, among: Container[int] | None
) -> tuple[list[int], list[int]]:
    """The skills with more than half of the terms, and the others, of `count` skills."""
    totals, hits = [0] * count, [0] * count
    for levels in terms:
        for number, points in _points(levels, count).items():
            totals[number] += points
            hits[number] += 1
    matches: list[int] = []
    also: list[int] = []
    for number, own in enumerate(hits):
        if own and (among is None or number in among):
            # Of equal scores the lower number comes first.
            key = totals[number] * own * own * count + count - 1 - number
            (matches if 2 * own > len(terms) else also).append(key)
    return _numbers(matches, count), _numbers(also, count)


def _numbers(keys: list[int], count: int) -> list[int]:
    return [count - 1 - key % count for key in sorted(keys, reverse=True)]


def _points(levels: Sequence[Level], count: int) -> Weights:
    """What a term gives to each skill that has it."""
    best: dict[int, int] = {}
    for level in levels:
        having = len(best.keys() | level.weights.keys())
        if having:
            factor = level.quality * (count // having).bit_length()
            for number, weight in level.weights.items():
                if factor * weight > best.get(number, 0):
                    best[number] = factor * weight
    return best


# The levels of a term.


def _levels(index: Index, term: Term) -> list[Level]:
    """The levels at which skills have a term, the best first."""
    numbers, word = index.manifest.numbers, term.word
    wholes = [sets for each in term.wholes for sets in _exact(index, each)]
    meant = [_phrase(index, each) for each in term.synonyms]
    every = [
        Level(numbers.whole, _weigh(index, wholes)),
        Level(numbers.exact, _weigh(index, _exact(index, word))),
        Level(numbers.stem, reduce(_heavier, meant, _weigh(index, _stems(index, word)))),
    ]
    is_word = not is_ideographic(word)
    if is_word and len(word) >= numbers.shortest_prefix and (term.has_prefix or _is_empty(every)):
        every.append(Level(numbers.prefix, _weigh(index, _prefixed(index, word))))
    if is_word and len(word) >= numbers.shortest_edit and _is_empty(every):
        every.append(Level(numbers.edit, _weigh(index, _edited(index, word))))
    return every


def _is_empty(levels: Iterable[Level]) -> bool:
    return not any(level.weights for level in levels)


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


def _phrase(index: Index, words: Sequence[str]) -> Weights:
    """Skills that have all words of a synonym, with the smallest of their weights."""
    first, *others = [_weigh(index, [*_exact(index, word), *_stems(index, word)]) for word in words]
    return {
        number: min([weight, *(own[number] for own in others)])
        for number, weight in first.items()
        if all(number in own for own in others)
    }


def _weigh(index: Index, entries: Iterable[Sets]) -> Weights:
    """The largest weight of each skill in any of the entries."""
    weights = index.manifest.weights
    weighed = [
        (weight, code)
        for kind, sets in entries
        for weight, code in zip(weights[kind], sets.split(encoding.BETWEEN_WEIGHTS), strict=False)
    ]
    heaviest: dict[int, int] = {}
    for weight, code in sorted(weighed):
        heaviest |= dict.fromkeys(encoding.members(code), weight)
    return heaviest


def _heavier(one: Weights, other: Weights) -> Weights:
    """The larger of the two weights of each skill."""
    larger = {number: max(weight, one.get(number, 0)) for number, weight in other.items()}
    return {**one, **larger}
