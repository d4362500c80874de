"""Finds similar skills. Skills are similar if they share words that most other skills do not have.

Each score is the quotient of two integers, so every machine ranks the skills in the same order.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from skillbuild.text import terms

MOST_SKILLS = 5_000
"""Maximum number of skills that are compared, because each is compared with all others."""
MOST_SIMILAR = 5
_MOST_NEAR = 40
_MOST_WORDS = 4
"""Maximum number of shared words that are named."""
_LEAST = 0.004
"""The lowest score of similar skills. A score is the square of a cosine."""
_ALIKE = 0.03
"""From this score on, words that only the descriptions share are named too."""
_CONFUSING = 0.2
"""From this score on, two descriptions say nearly the same."""
_MOST_TELLING = 16
"""Maximum number of words of a skill that are compared: the rarest ones."""
_COMMON = 8
"""A word is ignored if more than one in this many skills has it, unless the catalog is small."""
_ALWAYS_TELLS = 6
_NEVER_TELLS = 150
_NAMED, _DESCRIBED = 2, 1
"""Weight of a word in a name, title or tag, and weight of a word in a description."""
_WHOLE_NAME = 2
"""Factor for the total if one skill has all words of the other skill's name."""
_SHORTEST = 3

Weights = Mapping[str, int]
"""The weight of each word of one skill, by stem."""
Postings = Mapping[str, Sequence[tuple[int, int]]]
"""For each stem, the numbers of the skills that have the word, and its weight in each."""


@dataclass(frozen=True, slots=True)
class Kin:
    """A similar skill, given by its index in the list of all skills, and the words that both skills
    share, the most distinctive first.
    """

    number: int
    words: tuple[str, ...]
    is_confusing: bool = False
    """Whether an agent that reads both descriptions may take one skill for the other."""


def words_of(named: str, described: str) -> tuple[str, ...]:
    """Return the words by which a skill is compared with others. The words of `named` come first,
    marked with `+`, then the other words of `described`.

    `named` contains the name, title and tags of the skill. `described` is its description.
    """
    strong = dict.fromkeys(filter(_tells, terms.words(named)))
    weak = (word for word in terms.words(described) if _tells(word) and word not in strong)
    return (*(f"+{word}" for word in strong), *weak)


def _tells(word: str) -> bool:
    is_short = len(word) < _SHORTEST and not terms.is_ideographic(word)
    return not is_short and word not in terms.STOP_WORDS and not word.isdecimal()


@dataclass(frozen=True, slots=True)
class Likeness:
    """The skills that are similar to one skill."""

    kin: Sequence[Kin]
    """The most similar skills, if any, most similar first; then other similar siblings."""
    near: Sequence[int]
    """The numbers of these and of less similar skills, most similar first."""


def similar(skills: Sequence[Sequence[str]], groups: Sequence[str] = ()) -> Sequence[Likeness]:
    """Return the skills that are similar to each skill, in the order of `skills`.

    `skills` contains the words of each skill, as `words_of` returns them. `groups` contains the
    group of each skill, in the same order. Skills in the same group are called siblings. Siblings
    need fewer shared words to count as similar.
    """
    every = _weighed(skills)
    members: dict[str, set[int]] = defaultdict(set)
    for number, group in enumerate(groups):
        if group:
            members[group].add(number)
    likenesses = []
    for own, words in enumerate(skills):
        siblings = members.get(groups[own], set()) if groups else set()
        nearest = _nearest(own, every, siblings)
        alike = [each for each in nearest[:MOST_SIMILAR] if each[0] >= _LEAST]
        # Siblings are shown in any case, so the words of names that they share are worth saying.
        others = [each for each in nearest if each[1] in siblings and each not in alike]
        best = [*alike, *others[:MOST_SIMILAR]]
        kin = _kin(own, words, every, siblings, best)
        likenesses.append(Likeness(kin, [other for _, other in nearest]))
    return likenesses


@dataclass(frozen=True, slots=True)
class _Weighed:
    """The words of all skills, each field by the number of the skill or by the stem."""

    weights: Sequence[Weights]
    having: Postings
    rarity: Mapping[str, int]
    sizes: Sequence[int]
    naming: Mapping[int, Set[int]]
    """For a skill, the skills of which one has all words of the name of the other."""


def _weighed(skills: Sequence[Sequence[str]]) -> _Weighed:
    count = len(skills)
    weighed = [_weights(words) for words in skills]
    having = _postings(weighed)
    rarity = {stem: (count // len(each)).bit_length() for stem, each in having.items()}
    sizes = [_size(weights, rarity, count.bit_length()) for weights in weighed]
    return _Weighed(weighed, having, rarity, sizes, _naming(weighed, having))


def _weights(words: Sequence[str]) -> Weights:
    weights: dict[str, int] = {}
    for word in words:
        bare = word.removeprefix("+")
        weights.setdefault(_stem(bare), _DESCRIBED if bare == word else _NAMED)
    return weights


_stem = functools.lru_cache(maxsize=1 << 16)(terms.stem)


def _parts_of_name(weights: Weights) -> frozenset[str]:
    """Return the stems of the words of a name without compounds of them; none if the name is one
    word.
    """
    named = [stem for stem, weight in weights.items() if weight == _NAMED]
    parts = [stem for stem in named if not any(each in stem and each != stem for each in named)]
    return frozenset(parts if len(parts) > 1 else ())


def _naming(weighed: Sequence[Weights], having: Postings) -> Mapping[int, Set[int]]:
    """Map each skill to the skills that have all words of its name, and to the skills whose names
    consist of words that it has.
    """
    naming: dict[int, set[int]] = defaultdict(set)
    for own, weights in enumerate(weighed):
        parts = _parts_of_name(weights)
        rarest = min((having[stem] for stem in parts & having.keys()), key=len, default=())
        for other, _ in rarest:
            if other != own and parts <= weighed[other].keys():
                naming[own].add(other)
                naming[other].add(own)
    return naming


def _postings(weighed: Sequence[Weights]) -> Postings:
    """Return the postings of words that several skills share, without words that too many share."""
    having: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, weights in enumerate(weighed):
        for stem, weight in weights.items():
            having[stem].append((number, weight))
    most = min(max(_ALWAYS_TELLS, len(weighed) // _COMMON), _NEVER_TELLS)
    return {stem: each for stem, each in having.items() if 1 < len(each) <= most}


def _size(weights: Weights, rarity: Mapping[str, int], rarest: int) -> int:
    """Return the squared length of a skill's vector; words without postings count like the rarest
    word.
    """
    return sum((weight * rarity.get(stem, rarest)) ** 2 for stem, weight in weights.items()) or 1


def _nearest(
    own: int,
    every: _Weighed,
    siblings: Set[int],
) -> Sequence[tuple[float, int]]:
    """Return scores and numbers of the skills that share several words with one skill, most similar
    first.

    One shared word is enough for siblings, and for two skills of which one has the whole name of
    the other, such as `mutation testing`.
    """
    totals: dict[int, int] = {}
    several: set[int] = set()
    """Skills that share more than one word."""
    weights, rarity, sizes = every.weights[own], every.rarity, every.sizes
    telling = sorted(weights.keys() & every.having.keys(), key=lambda stem: (-rarity[stem], stem))
    for stem in telling[:_MOST_TELLING]:
        factor = weights[stem] * rarity[stem] ** 2
        for other, weight in every.having[stem]:
            if other in totals:
                totals[other] += factor * weight
                several.add(other)
            else:
                totals[other] = factor * weight
    several |= siblings & totals.keys()
    several.discard(own)
    for other in every.naming.get(own, set()) & totals.keys():
        several.add(other)
        totals[other] *= _WHOLE_NAME
    size = sizes[own]
    ordered = sorted((-(totals[other] ** 2) / (size * sizes[other]), other) for other in several)
    return [(-score, other) for score, other in ordered[:_MOST_NEAR]]


def _kin(
    own: int,
    words: Sequence[str],
    every: _Weighed,
    siblings: Set[int],
    best: Sequence[tuple[float, int]],
) -> Sequence[Kin]:
    """Return the best skills, with the most distinctive words that they share with this skill, as
    this skill spells them.

    Words in the name of either skill come first. Words that most of many siblings have are not
    named for siblings. Less similar skills need several words from names, and only these are named:
    a word that both happen to use, such as `every`, says nothing.
    """
    if not best:
        return []
    weighed, rarity = every.weights, every.rarity
    bare = [word.removeprefix("+") for word in words]
    written = {stem: word for word in reversed(bare) if (stem := _stem(word)) in rarity}
    telling = sorted(written, key=lambda stem: (-rarity[stem], stem))
    having = Counter(stem for each in siblings for stem in weighed[each] if stem in written)
    most = max(len(siblings) // 2, MOST_SIMILAR)
    usual = {stem for stem, count in having.items() if count > most}
    kin = []
    for score, other in best:
        shared = [stem for stem in telling if stem in weighed[other]]
        named = [stem for stem in shared if _NAMED in (weighed[own][stem], weighed[other][stem])]
        shown = dict.fromkeys([*named, *shared] if score >= _ALIKE else named)
        said = _named([written[stem] for stem in shown])
        if score >= _ALIKE or len(said) > 1 or other in every.naming.get(own, ()):
            if other in siblings and score < _CONFUSING:
                said = _named([written[stem] for stem in shown if stem not in usual])
            kin.append(Kin(other, said, score >= _CONFUSING))
    return kin


def _named(words: Sequence[str]) -> tuple[str, ...]:
    """Return the first words, without compounds whose parts are among them."""
    both = words[: 2 * _MOST_WORDS]
    plain = [word for word in both if not any(part in word and part != word for part in both)]
    return tuple(plain[:_MOST_WORDS])
