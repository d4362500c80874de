"""Ranks the skills that match a query, best first, using only integer arithmetic.

Each term of a query can match on several levels. From best to worst, the levels are: a compound
that contains the term, such as `database` for the query `data base`; the word itself; words with
the same stem, and synonyms; words that begin with the term, if the term is the last one or nothing
else matches; words that have one typo, if nothing else matches. Most of the words with a typo begin
with the same three characters as the term.

A word is looked up in all fields except the body. If fewer than ten skills have the word in these
fields, bodies are also searched for the word and its stem. The word is then called rare if one to
six skills have the word only in the body. If the whole query is a rare word, skills with exactly
this word come before skills with another form of the word.

For each term, a skill gets points: the largest product of quality, weight and rarity over the
levels. To get the rarity of a level, the total number of skills is divided by the number of skills
that match on this level or a better one; the rarity is the bit length of the quotient. The
qualities are chosen so that a word in a description or heading is worth more than a name that only
begins with the word.

The score of a skill is the sum of its points, times the square of the number of terms that the
skill has. A term in the description counts as one, and a term that is only in the body counts as an
eighth. Results are sorted first by whether a skill has more than half of the terms, then by score,
and finally by path.

`site_src/search/matching.js` and `site_src/search/ranking.js` are the JavaScript versions of this
module.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from skillbuild.release.search import encoding
from skillbuild.release.search.numbers import BODY, STARTS, WORDS
from skillbuild.release.search.reading import Index
from skillbuild.text.terms import Query, Term, is_ideographic, parse, stem

_SHARD_LETTERS = 3

Weights = Mapping[int, int]
"""Maps the number of each skill that has a word to the weight of the word in the skill."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level on which a term can match: the skills that match, and the quality of the match."""

    quality: int
    weights: Weights
    lift: int = 0
    """A number added to each weight when skills are ranked."""


@dataclass(frozen=True, slots=True)
class Match:
    """Everything in an index that one term of a query matches."""

    levels: Sequence[Level]
    """The levels, the best first."""
    words: frozenset[str]
    """The words in texts that match the term."""
    start: str
    """The prefix of further matching words; empty if prefixes do not match."""

    def has(self, word: str) -> bool:
        """Return whether a word in a text matches the term."""
        return word in self.words or bool(self.start and word.startswith(self.start))

    def weight(self, number: int) -> int:
        """Return the weight of the field in which a skill has the term; 0 if the skill lacks it."""
        best = max(self.levels, key=lambda own: own.quality * own.weights.get(number, 0))
        return best.weights.get(number, 0)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query: the numbers of the matching skills, best first."""

    query: Query
    found: Sequence[Match]
    """One match for each term of the query."""
    matches: Sequence[int]
    """Skills with more than half of the terms."""
    also: Sequence[int]
    """Skills with fewer terms."""

    def fields(self, index: Index, number: int) -> Sequence[str]:
        """Return one field name for each query term: the field of the skill that contains the term,
        or an empty string if no field does.
        """
        names = {weight: name for fields in index.manifest.fields for name, weight in fields}
        return [names.get(match.weight(number), "") for match in self.found]


def ask(
    index: Index,
    text: str,
    among: Container[int] | None = None,
    proceed: Callable[[], None] = lambda: None,
) -> Answer | None:
    """Search the index; return None if the query has no words.

    `among` limits the result to these skill numbers; None allows all. `proceed` is called before
    each word is looked up, and may raise an exception to stop the search.
    """
    query = parse(text, index.synonyms)
    if not query.terms and not query.ignored:
        return None
    found = []
    for term in query.terms:
        proceed()
        found.append(_match(index, term, is_alone=len(query.terms) == 1))
    return Answer(query, found, *_ranked(index, found, among))


# The order of skills.


def _ranked(
    index: Index, found: Sequence[Match], among: Container[int] | None
) -> tuple[list[int], list[int]]:
    """Return the skills with more than half of the terms, and the others, each ranked."""
    count, full = index.manifest.count, index.manifest.numbers.full
    sums = [0] * count
    for match in found:
        for number, own in _points(match.levels, count, full).items():
            sums[number] += own
    matches: list[int] = []
    also: list[int] = []
    for number, own in enumerate(sums):
        if own and (among is None or number in among):
            total, parts, hits = own >> 2 * _BITS, own >> _BITS & _MOST, own & _MOST
            # Among equal scores, the lower number comes first.
            key = total * parts * parts * count + count - 1 - number
            (matches if 2 * hits > len(found) else also).append(key)
    return _numbers(matches, count), _numbers(also, count)


def _numbers(keys: list[int], count: int) -> list[int]:
    return [count - 1 - key % count for key in sorted(keys, reverse=True)]


def _points(levels: Sequence[Level], count: int, full: int) -> Mapping[int, int]:
    """Return what a term adds to each skill: its points, its share of a full term, and `1`.

    The three numbers are packed into one integer, so that one sum adds all of them.
    """
    best: dict[int, int] = {}
    for level in levels:
        having = len(best.keys() | level.weights.keys())
        if having:
            factor = level.quality * (count // having).bit_length()
            lifted = {weight: weight + level.lift for weight in {*level.weights.values()}}
            values = {
                weight: (factor * own << _BITS | min(full, own)) << _BITS | 1
                for weight, own in lifted.items()
            }
            for number, weight in level.weights.items():
                if values[weight] > best.get(number, 0):
                    best[number] = values[weight]
    return best


_BITS = 8
"""Width of each of the two smaller numbers."""
_MOST = (1 << _BITS) - 1


# Looking up a term in the index.


@dataclass(slots=True)
class _Found:
    """The skills that match a word, and the matching words."""

    exact: Weights = field(default_factory=dict)
    stems: Weights = field(default_factory=dict)
    """The weights for words with the same stem."""
    words: set[str] = field(default_factory=set)
    is_rare: bool = False


def _match(index: Index, term: Term, *, is_alone: bool) -> Match:
    numbers, word = index.manifest.numbers, term.word
    wholes = [_find(index, each) for each in term.wholes]
    own = _find(index, word)
    others = [_phrase(index, each) for each in term.synonyms]
    lift = numbers.lift if is_alone and own.is_rare else 0
    meant = [own.stems, *(each.exact for each in others)]
    levels = [
        Level(numbers.whole, reduce(_heavier, (each.exact for each in wholes), {}), lift),
        Level(numbers.exact, own.exact, lift),
        Level(numbers.stem, reduce(_heavier, meant)),
    ]
    words = {word, *term.wholes}.union(own.words, *(each.words for each in others))
    start = ""
    is_word = not is_ideographic(word)
    if is_word and len(word) >= numbers.shortest_prefix and (term.has_prefix or _is_empty(levels)):
        start = word
        prefixed = {
            other: sets
            for other, sets in index.beginning(word)
            if other != word and other.startswith(word)
        }
        levels.append(Level(numbers.prefix, _weigh(index, STARTS, prefixed.values())))
    if is_word and len(word) >= numbers.shortest_edit and _is_empty(levels):
        near = dict(index.beginning(word[:_SHARD_LETTERS]))
        edited = {other: sets for other, sets in near.items() if is_edit(word, other)}
        levels.append(Level(numbers.edit, _weigh(index, STARTS, edited.values())))
        words |= edited.keys()
    return Match(levels, frozenset(words), start)


def _is_empty(levels: Iterable[Level]) -> bool:
    return not any(level.weights for level in levels)


def _find(index: Index, word: str) -> _Found:
    """Find the skills with a word or its stem; bodies are searched if few skills have it
    elsewhere.
    """
    numbers, own = index.manifest.numbers, stem(word)
    family = index.family(WORDS, own)
    exact = family.pop(word, "")
    found = _Found(_weigh(index, WORDS, [exact]), _weigh(index, WORDS, family.values()))
    found.words = {word, *family}
    # For common words the index does not store which skills have them.
    is_common = any(code and not encoding.members(code) for code in exact.split(_BETWEEN))
    if len(found.exact) < numbers.few and not is_common:
        bodies = index.family(BODY, own)
        inside = _weigh(index, BODY, [bodies.pop(word, "")])
        found.is_rare = 0 < len(inside) <= numbers.rare
        found.exact = _heavier(found.exact, inside)
        found.stems = _heavier(found.stems, _weigh(index, BODY, bodies.values()))
        found.words |= bodies.keys()
    return found


def is_edit(word: str, other: str) -> bool:
    """Whether two words differ by one inserted, deleted or replaced character, or by two swapped
    neighbors.
    """
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    shorter = min(len(word), len(other))
    start = next((i for i in range(shorter) if word[i] != other[i]), shorter)
    rest = shorter - start
    end = next((i for i in range(rest) if word[-1 - i] != other[-1 - i]), rest)
    own, others = word[start : len(word) - end], other[start : len(other) - end]
    return max(len(own), len(others)) < 2 or (len(own) == 2 and own == others[::-1])


def _phrase(index: Index, words: Sequence[str]) -> _Found:
    """Find the skills that have all words of a synonym in some form; the smallest weight of the
    words counts.
    """
    found = [_find(index, word) for word in words]
    first, *others = [_heavier(each.exact, each.stems) for each in found]
    weights = {
        number: min([weight, *(own[number] for own in others)])
        for number, weight in first.items()
        if all(number in own for own in others)
    }
    return _Found(weights, words=set[str]().union(*(each.words for each in found)))


def _weigh(index: Index, kind: int, entries: Iterable[str]) -> Weights:
    """Return the largest weight of each skill in all sets of one kind of shard."""
    weights = [weight for _, weight in index.manifest.fields[kind]]
    weighed = [
        (weight, code)
        for sets in entries
        for weight, code in zip(weights, sets.split(_BETWEEN), strict=False)
    ]
    heaviest: dict[int, int] = {}
    for weight, code in sorted(weighed):
        heaviest |= dict.fromkeys(encoding.members(code), weight)
    return heaviest


_BETWEEN = encoding.BETWEEN_FIELDS


def _heavier(one: Weights, other: Weights) -> Weights:
    """Return the larger of the two weights of each skill."""
    larger = {number: max(weight, one.get(number, 0)) for number, weight in other.items()}
    return {**one, **larger}
