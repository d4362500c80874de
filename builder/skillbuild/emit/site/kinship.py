"""Which skills are like which: those that share the words by which a search tells skills apart.

A score is one division of two integers, so that every host has one order.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillbuild.text import terms

MOST_SKILLS = 5_000
"""To compare more of them, all with all, takes longer than a build may."""
MOST_SIMILAR = 5
_MOST_NEAR = 40
_MOST_WORDS = 4
"""Shared words that are named."""
_LEAST = 0.004
"""The square of a cosine: what shares less is not alike."""
_CONFUSING = 0.2
"""The same: who shares more has a description that says nearly the same."""
_MOST_TELLING = 16
"""Words of a skill that others are compared by: the rarest."""
_COMMON = 8
"""A word of more than one skill in this many says nothing, unless the catalog is small."""
_ALWAYS_TELLS = 6
_NEVER_TELLS = 150
_NAMED, _DESCRIBED = 2, 1
"""Weights of the words of a name, a title or tags, and of a description."""
_SHORTEST = 3

Weights = Mapping[str, int]
"""How much the words of one skill weigh, by stem."""
Postings = Mapping[str, Sequence[tuple[int, int]]]
"""The numbers of the skills that have a word, each with the weight of the word there, by stem."""


@dataclass(frozen=True, slots=True)
class Kin:
    """A skill by its number, and the words that make it similar, those that tell most first."""

    number: int
    words: tuple[str, ...]
    is_confusing: bool = False
    """Whether an agent that reads both descriptions may take one skill for the other."""


def words_of(named: str, described: str) -> tuple[str, ...]:
    """What a skill is compared by: words of its name with `+` before them, then all others."""
    strong = dict.fromkeys(filter(_tells, terms.words(named)))
    weak = (word for word in terms.words(described) if _tells(word) and word not in strong)
    return (*(f"+{word}" for word in strong), *weak)


def _tells(word: str) -> bool:
    is_short = len(word) < _SHORTEST and not terms.is_ideographic(word)
    return not is_short and word not in terms.STOP_WORDS and not word.isdecimal()


@dataclass(frozen=True, slots=True)
class Likeness:
    """What is like one skill."""

    kin: Sequence[Kin]
    """The skills most like it, if any are; the most similar first."""
    near: Sequence[int]
    """The numbers of those and of others that share a little, in the same order."""


def similar(skills: Sequence[Sequence[str]]) -> Sequence[Likeness]:
    """What is like each skill, which are given by their words."""
    count = len(skills)
    weighed = [_weights(words) for words in skills]
    having = _postings(weighed)
    rarity = {stem: (count // len(each)).bit_length() for stem, each in having.items()}
    sizes = [_size(weights, rarity, count.bit_length()) for weights in weighed]
    likenesses = []
    for own in range(count):
        nearest = _nearest(own, weighed, having, rarity, sizes)
        best = [(score, other) for score, other in nearest[:MOST_SIMILAR] if score >= _LEAST]
        kin = _kin(skills[own], weighed, rarity, best)
        likenesses.append(Likeness(kin, [other for _, other in nearest]))
    return likenesses


def _weights(words: Sequence[str]) -> Weights:
    weights: dict[str, int] = {}
    for word in words:
        bare = word.removeprefix("+")
        weights.setdefault(_stem(bare), _DESCRIBED if bare == word else _NAMED)
    return weights


_stem = functools.lru_cache(maxsize=1 << 16)(terms.stem)


def _postings(weighed: Sequence[Weights]) -> Postings:
    """Of the words that several skills have, but not so many that they say nothing."""
    having: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, weights in enumerate(weighed):
        for stem, weight in weights.items():
            having[stem].append((number, weight))
    most = min(max(_ALWAYS_TELLS, len(weighed) // _COMMON), _NEVER_TELLS)
    return {stem: each for stem, each in having.items() if 1 < len(each) <= most}


def _size(weights: Weights, rarity: Mapping[str, int], rarest: int) -> int:
    """The square of a skill's weight; a word that no other has, or too many, is as the rarest."""
    return sum((weight * rarity.get(stem, rarest)) ** 2 for stem, weight in weights.items()) or 1


def _nearest(
    own: int,
    weighed: Sequence[Weights],
    having: Postings,
    rarity: Mapping[str, int],
    sizes: Sequence[int],
) -> Sequence[tuple[float, int]]:
    """Scores and numbers of the skills that share several words with one, most similar first."""
    totals: dict[int, int] = {}
    several: set[int] = set()
    """Who shares more than one word."""
    telling = sorted(weighed[own].keys() & having.keys(), key=lambda stem: (-rarity[stem], stem))
    for stem in telling[:_MOST_TELLING]:
        factor = weighed[own][stem] * rarity[stem] ** 2
        for other, weight in having[stem]:
            if other in totals:
                totals[other] += factor * weight
                several.add(other)
            else:
                totals[other] = factor * weight
    several.discard(own)
    size = sizes[own]
    ordered = sorted((-(totals[other] ** 2) / (size * sizes[other]), other) for other in several)
    return [(-score, other) for score, other in ordered[:_MOST_NEAR]]


def _kin(
    words: Sequence[str],
    weighed: Sequence[Weights],
    rarity: Mapping[str, int],
    best: Sequence[tuple[float, int]],
) -> Sequence[Kin]:
    """The best with the words that tell most, as the skill itself writes them."""
    if not best:
        return []
    bare = [word.removeprefix("+") for word in words]
    written = {stem: word for word in reversed(bare) if (stem := _stem(word)) in rarity}
    telling = sorted(written, key=lambda stem: (-rarity[stem], stem))
    return [
        Kin(other, _named(telling, written, weighed[other]), score >= _CONFUSING)
        for score, other in best
    ]


def _named(telling: Sequence[str], written: Mapping[str, str], other: Weights) -> tuple[str, ...]:
    """The first words that the other skill has in any form.

    A compound is left out where its parts are there.
    """
    both = [written[stem] for stem in telling if stem in other][: 2 * _MOST_WORDS]
    plain = [word for word in both if not any(part in word and part != word for part in both)]
    return tuple(plain[:_MOST_WORDS])
