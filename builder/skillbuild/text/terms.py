"""The words of a text as the search knows them, and what words a query asks for.

The index is written here and read in browsers too, so all of this stands once more in
`site_src/search/terms.js`; `tests/cases/terms/` holds both to the same answers.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from skillbuild.text.letters import IDEOGRAPHS, folded, letter_class

LONGEST_WORD = 64
"""Characters; what is longer is no word of a language, and is not searched."""
MOST_TERMS = 16
_LONGEST_WHOLE = 40
_AT_ONCE = 512
"""Characters of a long text whose words are found together."""
_MOST_PARTS = 4
_ASCII_TOKEN = re.compile("[0-9A-Za-z]+(?:[-_/.][0-9A-Za-z]+)*")
_JOINED = re.compile("[-_/.]")
_BETWEEN_PARTS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[0-9A-Z])(?=[A-Z](?:[a-rt-z]|s[a-zA-Z]))")
"""Between `git` and `Hub`, `PDF` and `Reader`; not inside of `PDFs` or `K8S`."""
_RUN = re.compile(f"[{IDEOGRAPHS}]+|[^{IDEOGRAPHS}]+")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
_ENDINGS = ("", "s", "es", "e", "ed", "is", "ing", "ings")
_OTHER_LAST = {"i": "y", "y": "i"}
_DOUBLED = re.compile("(^|[^aeiou]|qu)[aeiou][^aeiouwxy]$")
"""Words whose last letter is written twice before an ending, as in `stopped`."""

_STOP_TEXT = """
    a about after all also am an and any are as at be because been before being but by can cannot
    could did do does doing don for from get had has have having he her here him his how i if in
    into is it its just ll like me more most my no not of off on one or our out over own please
    re s shall she should so some such t than that the their them then there these they this those
    to too up use used using ve very want was we were what when where which while who why will with
    would you your
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
"""Left out of queries that have other words; the index has them."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query, and what else a skill may have in its place."""

    word: str
    wholes: tuple[str, ...] = ()
    """The compounds that it is a part of, each as one word."""
    synonyms: tuple[tuple[str, ...], ...] = ()
    """Phrases that mean the same, as the words that all have to be there."""
    has_prefix: bool = False
    """Whether words that begin with it match too, whatever else does."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a query asks for."""

    terms: tuple[Term, ...]
    synonyms: tuple[tuple[str, str], ...] = ()
    """Pairs of a phrase that was typed and one that was searched beside it."""
    ignored: int = 0
    """Words that were left out because there are too many, or because they are too long."""


def words(text: str, most: int | None = None) -> list[str]:
    """The words of a text, each once, in the order in which they come first; at most `most`.

    A compound gives its parts and itself, without what joins them: `GitHub-Actions` has `github`
    and `githubactions`. Chinese, Japanese and Korean
    give each character and each pair of neighbors.
    """
    tokens = dict.fromkeys(_tokens(text))
    every = dict.fromkeys(word for token in tokens for word in _words_of(token))
    return list(islice(every, most))


def first_parts(text: str, most: int) -> list[str]:
    """The first words of a long text, as `words` gives them, but no compounds and no stop words.

    At most `most`, from which stop words are then left out.
    """
    chosen: dict[str, None] = {}
    start = 0
    while start < len(text) and len(chosen) < most:
        end = text.find("\n", start + _AT_ONCE)
        end = len(text) if end < 0 else end
        for token in dict.fromkeys(_tokens(text[start:end])):
            for word in _parts_of(token):
                chosen[word] = None
        start = end
    return [word for word in islice(chosen, most) if word not in STOP_WORDS]


def _tokens(text: str) -> list[str]:
    return (_ASCII_TOKEN if text.isascii() else _token()).findall(text)


@functools.cache
def _token() -> re.Pattern[str]:
    letter = f"[{letter_class()}]"
    return re.compile(f"{letter}+(?:[-_/.]{letter}+)*")


@functools.lru_cache(maxsize=1 << 16)
def _words_of(token: str) -> tuple[str, ...]:
    """The words of what stands between two blanks."""
    if token.isalnum() and token.isascii() and token[1:] == token[1:].lower():
        return (token.lower(),) if len(token) <= LONGEST_WORD else ()
    if token.isascii() and token == token.lower():
        parts = _JOINED.split(token)
        return tuple(word for word in (*parts, _compound(parts)) if 0 < len(word) <= LONGEST_WORD)
    segments, whole = _split(token)
    every: list[str] = []
    for parts, inner in segments:
        every += [*(word for part in parts for word in _pieces(part)), inner]
    return tuple(word for word in [*every, whole] if 0 < len(word) <= LONGEST_WORD)


@functools.lru_cache(maxsize=1 << 16)
def _parts_of(token: str) -> tuple[str, ...]:
    """The words of what stands between two blanks, without the compounds."""
    if token.isalnum() and token.isascii() and token[1:] == token[1:].lower():
        return (token.lower(),) if len(token) <= LONGEST_WORD else ()
    every = (word for parts, _ in _split(token)[0] for part in parts for word in _pieces(part))
    return tuple(word for word in every if len(word) <= LONGEST_WORD)


Segment = tuple[list[str], str]
"""Folded parts, and the compound of them if there are several."""


def _split(token: str) -> tuple[list[Segment], str]:
    """The segments between what joins them, and the compound of these if there are several."""
    segments: list[Segment] = []
    for segment in _JOINED.split(token):
        parts = [part for part in map(folded, _parts(segment)) if part]
        segments.append((parts, _compound(parts)))
    return segments, _compound(["".join(parts) for parts, _ in segments])


def _parts(segment: str) -> Sequence[str]:
    """The parts of a segment as they are written."""
    if segment.isascii():
        return [segment] if segment == segment.lower() else _BETWEEN_PARTS.split(segment)
    return [run for part in _BETWEEN_PARTS.split(segment) for run in _RUN.findall(part)]


def _compound(parts: Sequence[str]) -> str:
    """The parts as one word; empty if there is one alone, or if no one would write it."""
    whole = "".join(parts)
    is_compound = 1 < len(parts) <= _MOST_PARTS and len(whole) <= _LONGEST_WHOLE
    is_plain = whole.isascii() or not _IDEOGRAPH.search(whole)
    return whole if is_compound and is_plain else ""


def _pieces(part: str) -> Iterator[str]:
    """The word itself; of a run of ideographs its characters and pairs."""
    if part.isascii() or not is_ideographic(part):
        yield part
        return
    yield from part
    yield from _pairs(part)


def is_ideographic(word: str) -> bool:
    """Whether a word is written without blanks around it: no word begins with it or is a slip."""
    return _IDEOGRAPH.match(word) is not None


def _pairs(part: str) -> Iterator[str]:
    return (first + second for first, second in pairwise(part))


@functools.lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its English ending, so that `queries` and `querying` come to `query`'s stem.

    What is left is the beginning of the word, but for a final `i` in place of `y`.
    """
    if len(word) < 4 or not is_stemmed(word):
        return word
    rest = _without_participle(_without_plural(word))
    if rest.endswith("e") and len(rest) > 3:
        return rest[:-1]
    if rest.endswith("y") and len(rest) > 3 and rest[-2] not in "aeiou":
        return f"{rest[:-1]}i"
    return rest


def is_stemmed(word: str) -> bool:
    """Whether other words may have the same stem."""
    return len(word) > 2 and word.isascii() and word.isalpha()


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("sis"):
        return word[:-2]
    is_plural = word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural and not (word.endswith("us") and len(word) > 4) else word


def _without_participle(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and any(vowel in rest for vowel in "aeiouy"):
            if ending == "ed" and rest[-1] in "ei":
                return f"{rest[:-1]}y" if rest[-1] == "i" else word
            is_doubled = rest[-1] == rest[-2] and rest[-1] not in "aeioulsz"
            return rest[:-1] if is_doubled else rest
    return word


def words_of_stem(own: str) -> set[str]:
    """The words with this stem, but for those that nobody would write, as `testeings`."""
    bases = [own, own[:-1] + _OTHER_LAST.get(own[-1], own[-1])]
    if _DOUBLED.search(own):
        bases.append(own + own[-1])
    return {base + end for base in bases for end in _ENDINGS if stem(base + end) == own}


def stem_start(word: str) -> str:
    """What every word with the stem of this one begins with."""
    own = stem(word)
    return own if word.startswith(own) and not own.endswith("i") else own[:-1]


def parse(text: str, synonyms: Sequence[Sequence[Sequence[str]]] = ()) -> Query:
    """What a query asks for; `synonyms` are groups of phrases that mean the same, as words."""
    first: dict[str, Term] = {}
    for term in _terms(text):
        first.setdefault(term.word, term)
    every = [*first.values()]
    kept = [term for term in every if term.word not in STOP_WORDS] or every
    short = [term for term in kept if len(term.word) <= LONGEST_WORD]
    terms = short[:MOST_TERMS]
    if terms and not is_ideographic(terms[-1].word) and len(terms[-1].word) > 1:
        terms[-1] = replace(terms[-1], has_prefix=True)
    pairs = tuple(_add_synonyms(terms, synonyms))
    return Query(tuple(terms), pairs, len(kept) - len(terms))


def phrase(text: str) -> tuple[str, ...]:
    """The words of a phrase of which synonyms are made."""
    return tuple(term.word for term in parse(text).terms)


def _terms(text: str) -> Iterator[Term]:
    """The terms of a query, in order, some of them perhaps twice."""
    for token in _tokens(text):
        segments, whole = _split(token)
        every = [part for parts, _ in segments for part in parts]
        largest = whole or (segments[0][1] if len(segments) == 1 else "")
        if largest and STOP_WORDS.issuperset(every):
            yield Term(largest)
            continue
        for parts, inner in segments:
            wholes = tuple(filter(None, (inner, whole)))
            for part in parts:
                if len(part) > 1 and is_ideographic(part):
                    yield from map(Term, _pairs(part))
                else:
                    yield Term(part, wholes)


def _add_synonyms(
    terms: list[Term], groups: Sequence[Sequence[Sequence[str]]]
) -> Iterator[tuple[str, str]]:
    """Give terms the synonyms of the phrases that they stand for; yields what was added."""
    typed = [term.word for term in terms]
    for group in groups:
        for own in filter(None, group):
            for start in range(len(typed) - len(own) + 1):
                if typed[start : start + len(own)] != list(own):
                    continue
                others = [tuple(other) for other in group if other != own]
                for i in range(start, start + len(own)):
                    added = tuple(each for each in others if each not in terms[i].synonyms)
                    terms[i] = replace(terms[i], synonyms=(*terms[i].synonyms, *added))
                yield from ((" ".join(own), " ".join(other)) for other in others)
                break
