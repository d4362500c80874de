"""Splits a text into the words that the search indexes, and parses queries.

This code writes the index, but browsers read it. So `site_src/search/terms.js` does the same in
JavaScript, and the tests in `tests/cases/terms/` require that both give the same results.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise

# Which characters are letters, and how a word is folded so that spellings of it become one. Hosts
# know different versions of Unicode, so what is a letter is decided by a table of our own: the
# letters, marks and numbers of Unicode 3.2, which every Python has as `unicodedata.ucd_3_2_0`. What
# becomes of these characters in NFKD, NFC and lower case is the same on all hosts.
# `site_src/search/letters.js` has the same table.

LETTERS = """
    1c 9 8 p 7 p 1c 0 8 1 2 0 4 1 2 2 2 m 2 u 2 88 2 h t 2l 3 8 3 6 f 1 f 4 a 0 i 27 h f b 0 c 0 2
    2 2 0 2 j 2 17 2 11 b 3l 2 3 2 1y 2 11 3 1 7 f y 11 3 0 8 12 a g 2 m 2 2 2 0 2 1 2 0 c q 6 2
    1b p 6 l b 9 5 2t 2 7 2 a 2 3 3 c k s 4 q 1i 1d 9c 2 2 1g 3 h 3 4 4 b 3 9 i 2 2 7 3 1 3 l 2 6
    2 0 4 3 3 0 2 6 3 1 3 2 a 0 5 1 2 4 3 b 3 5 9 0 3 5 5 1 3 l 2 6 2 1 2 1 2 1 3 0 2 4 5 1 3 2 c
    3 2 0 8 e d 2 2 6 2 0 2 2 2 l 2 6 2 1 2 4 3 9 2 2 2 2 3 0 g 0 6 9 i 2 2 7 3 1 3 l 2 6 2 1 3 3
    3 7 4 1 3 2 9 1 5 1 2 2 5 9 j 1 2 5 4 2 2 3 4 1 2 0 2 1 4 1 4 2 4 7 2 2 5 4 4 2 2 3 a 0 g b f
    2 2 7 2 2 2 m 2 9 2 4 5 6 2 2 2 3 8 1 a 1 5 9 j 1 2 7 2 2 2 m 2 9 2 4 5 6 2 2 2 3 8 1 8 0 2 1
    5 9 j 1 2 7 2 2 2 m 2 f 5 5 3 2 2 3 a 0 9 1 5 9 j 1 2 h 4 n 2 8 2 0 3 6 4 0 5 5 2 0 2 7 j 1 e
    1l 6 e 2 9 14 1 2 0 3 1 2 0 3 0 7 3 2 6 2 2 2 0 2 0 3 1 2 c 2 2 3 4 2 0 2 5 3 9 3 1 z 0 o 1 7
    j 2 0 2 0 2 0 5 9 2 x 7 j 2 5 5 7 2 z a 0 1m x 2 4 2 1 2 6 4 3 7 9 7 9 1z 11 b 14 8 2h 6 1v 6
    29 7 6 2 1q 2 0 2 3 3 6 2 0 2 3 3 12 2 0 2 3 3 u 2 0 2 3 3 6 2 0 2 3 3 6 2 6 2 m 2 u 2 0 2 3 3
    6 2 12 2 i f j 10 2c d h7 3 7 b p 6 22 4 2 g c 2 6 c k c j d c 2 2 2 1 d 2b 4 0 5 0 4 9 y 2 3
    9 7 2f 9 15 11z 4b 5 2h 7 l 3 5 3 11 3 5 3 7 2 0 2 0 2 0 2 u 3 1g 2 6 2 0 4 2 2 6 4 3 3 5 5 c
    6 2 2 6 38 1 3 5 6 a 1z q o 0 5 0 3 9 2 0 4 4 7 0 2 0 2 0 2 3 2 2 2 6 4 2 6 4 a 1c kd 1n 27 k
    hk t 1o2 2 q e 2 4 3 4 5 2d 3 1 3 2 2 2h 2 3 6 13 5 2l 4 3 b n 1l f x 9 14 e x 9 14 e 8x 52t
    23 g4l 2j wc 1h0 8mb 6l9 8d 3 1m 46 6 d 4 6 b 2 c 2 4 2 0 2 1 2 1 2 2z y a2 j 1r 3 1h 15 b 5 f
    h 3 25 4 2 3q k 9 8 p 7 p c 2g 4 5 3 5 3 5 3 2 mc u 2 3 d q 52 11 3 11 14ig 4 4 5 9 7 3 6 v 3
    gj 2c 2 1y 2 1 3 0 3 1 3 3 2 b 2 0 2 3 2 1 2 1s 2 3 3 7 2 6 2 r 2 3 2 4 2 0 4 6 2 9d 5 o 2 o 2
    u 2 o 2 u 2 o 2 u 2 o 2 u 2 o 2 5 5 1d 7wh wye g16 f1
"""
"""The ranges of letters, each as two base-36 numbers: distance from the previous range, length
minus 1."""
IDEOGRAPHS = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff66-\uffdc\U00020000-\U0002fa1f"
)
"""Chinese, Japanese and Korean characters, whose words need no spaces between them, for a class of
`re`."""
_DROPPED = re.compile("[\u0300-\u036f]")
"""Accents. Other marks stay, because without its mark が would become か."""


def ranges() -> Iterator[tuple[int, int]]:
    """Yield the first and the last code point of each range of letters, in order."""
    numbers, last = [int(number, 36) for number in LETTERS.split()], 0
    for way, length in zip(numbers[::2], numbers[1::2], strict=True):
        yield last + way, last + way + length
        last += way + length


def letter_class() -> str:
    """Return all letters as a character class of a regular expression, without the brackets."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges())


@functools.cache
def _other() -> re.Pattern[str]:
    """Return the pattern for a text that is not ASCII. Compiling it takes longer than all other
    imports.
    """
    return re.compile(f"[^{letter_class()}]")


def folded(word: str) -> str:
    """Return a word in the form in which words are compared: no accents, no upper case, one
    spelling of each letter.

    If a character such as ½ becomes several characters, only letters and digits among them are
    kept.
    """
    if word.isascii():
        return word.lower()
    plain = _DROPPED.sub("", unicodedata.normalize("NFKD", word))
    lower = plain.lower().replace("\u00df", "ss").replace("\u03c2", "\u03c3")
    return _other().sub("", unicodedata.normalize("NFC", lower))


LONGEST_WORD = 64
"""Maximum characters of a word that is searched; a longer one is not a word of any language."""
MOST_TERMS = 16
_LONGEST_WHOLE = 40
_MOST_PARTS = 4
_ASCII_RUN = re.compile("[0-9A-Za-z]+")
_ASCII_TOKEN = re.compile("[0-9A-Za-z]+(?:[-_/.][0-9A-Za-z]+)*")
_JOINED = re.compile("[-_/.]")
_BETWEEN_PARTS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[0-9A-Z])(?=[A-Z](?:[a-rt-z]|s[a-zA-Z]))")
"""Matches between `git` and `Hub`, or `PDF` and `Reader`; not inside `PDFs` or `K8S`."""
_RUN = re.compile(f"[{IDEOGRAPHS}]+|[^{IDEOGRAPHS}]+")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
_STOP_TEXT = """
    a about after all also am an and any are as at be because been before being but by can cannot
    could did do does doing don for from get had has have having he her here him his how i if in
    into is it its just ll like me more most my no not of off on one or our out over own please
    re s shall she should so some such t than that the their them then there these they this those
    to too up use used using ve very want was we were what when where which while who why will with
    would you your
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
"""Words that are ignored in queries with other words; the index contains them."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a query, and other words that may match instead."""

    word: str
    wholes: tuple[str, ...] = ()
    """Compounds that contain the word, each written as one word.

    They include compounds with the previous or next word: `data base` makes `database`."""
    synonyms: tuple[tuple[str, ...], ...] = ()
    """Phrases with the same meaning; all words of a phrase have to match."""
    has_prefix: bool = False
    """Whether words that begin with the word match too, even if other words match exactly."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query split into terms, with the synonyms that are also searched and the number of ignored
    words.
    """

    terms: tuple[Term, ...]
    synonyms: tuple[tuple[str, str], ...] = ()
    """Pairs of a phrase that was typed and a synonym that is searched as well."""
    ignored: int = 0
    """Number of words that are not searched because they are too long or the query has too many."""


def words(text: str, most: int | None = None) -> list[str]:
    """Return the words of a text, each once, in order of first appearance.

    `most` limits the number of words. A compound yields its parts, and the whole without
    punctuation: `GitHub-Actions` yields `git`, `hub`, `github`, `actions` and `githubactions`.
    Chinese, Japanese and Korean text yields each character and each pair of neighbors.
    """
    tokens = dict.fromkeys(_tokens(text))
    return list(islice(dict.fromkeys(chain.from_iterable(map(_words_of, tokens))), most))


def text_words(text: str) -> list[str]:
    """Return the words of a long text: like `words`, but without compounds joined by `-_/.`.

    `GitHub-Actions` yields `git`, `hub`, `github` and `actions`, but not `githubactions`, because
    otherwise every path and identifier would add a word.
    """
    found = (_run(line).findall(line) for line in _lines(text))
    runs = dict.fromkeys(chain.from_iterable(found))
    return [*dict.fromkeys(chain.from_iterable(map(_words_of, runs)))]


def placed_words(line: str) -> Iterator[tuple[int, str]]:
    """Yield the start index of each word in a line, together with the word.

    The line is split as in `words`, but repeated words are included.
    """
    for match in _token(line).finditer(line):
        token = match[0].lower()
        for word in _words_of(match[0]):
            yield match.start() + max(0, token.find(word)), word


def _tokens(text: str) -> list[str]:
    """Return the tokens: runs of letters, possibly joined by single punctuation marks."""
    return [token for line in _lines(text) for token in _token(line).findall(line)]


def _lines(text: str) -> Sequence[str]:
    """Split a text into lines unless it is ASCII, so that ASCII lines take the faster patterns."""
    return [text] if text.isascii() else text.split("\n")


def _token(line: str) -> re.Pattern[str]:
    """Return the pattern for words, which may be joined by single punctuation marks."""
    return _ASCII_TOKEN if line.isascii() else _other_token()


def _run(line: str) -> re.Pattern[str]:
    """Return the pattern for runs of letters and digits."""
    return _ASCII_RUN if line.isascii() else _other_run()


@functools.cache
def _other_token() -> re.Pattern[str]:
    return re.compile(f"[{letter_class()}]+(?:[-_/.][{letter_class()}]+)*")


@functools.cache
def _other_run() -> re.Pattern[str]:
    return re.compile(f"[{letter_class()}]+")


@functools.lru_cache(maxsize=1 << 16)
def _words_of(token: str) -> tuple[str, ...]:
    """Return the words of one token."""
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


Segment = tuple[list[str], str]
"""The folded parts of a segment, and the compound of all parts if there are several."""


def _split(token: str) -> tuple[list[Segment], str]:
    """Return the segments between punctuation, and the compound of all segments if there are
    several.
    """
    segments: list[Segment] = []
    for segment in _JOINED.split(token):
        parts = [part for part in map(folded, _parts(segment)) if part]
        segments.append((parts, _compound(parts)))
    return segments, _compound(["".join(parts) for parts, _ in segments])


def _parts(segment: str) -> Sequence[str]:
    """Return the parts of a segment in their original spelling."""
    if segment.isascii():
        return [segment] if segment == segment.lower() else _BETWEEN_PARTS.split(segment)
    return [run for part in _BETWEEN_PARTS.split(segment) for run in _RUN.findall(part)]


def _compound(parts: Sequence[str]) -> str:
    """Return the parts joined into one word; empty for a single part, and for a word that nobody
    would write.
    """
    whole = "".join(parts)
    is_compound = 1 < len(parts) <= _MOST_PARTS and len(whole) <= _LONGEST_WHOLE
    is_plain = whole.isascii() or not _IDEOGRAPH.search(whole)
    return whole if is_compound and is_plain else ""


def _pieces(part: str) -> Iterator[str]:
    """Yield the word itself; for a run of ideographs, each character and each pair of neighbors."""
    if part.isascii() or not is_ideographic(part):
        yield part
        return
    yield from part
    yield from _pairs(part)


def is_ideographic(word: str) -> bool:
    """Whether a word consists of ideographs. Such words are not matched by prefix or with typos."""
    return _IDEOGRAPH.match(word) is not None


def _pairs(part: str) -> Iterator[str]:
    return (first + second for first, second in pairwise(part))


@functools.lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the part that a word shares with related words: `queri` for `query`, `queries` and
    `querying`.

    The rules are the Snowball rules for English. The Python stemmer of `snowballstemmer` is called
    directly, because `snowballstemmer.stemmer` would use PyStemmer if it is installed, and
    PyStemmer may have different rules.
    """
    if not is_stemmed(word):
        return word
    from snowballstemmer import EnglishStemmer  # Slower to import than all else here.

    return str(EnglishStemmer().stemWord(word))


@functools.cache
def stemmer_release() -> str:
    """Return the version of the Snowball stemmer."""
    from importlib.metadata import version

    return version("snowballstemmer")


def is_stemmed(word: str) -> bool:
    """Whether a word has at least three characters and only ASCII letters; `stem` returns all other
    words unchanged.
    """
    return len(word) > 2 and word.isascii() and word.isalpha()


def parse(text: str, synonyms: Sequence[Sequence[Sequence[str]]] = ()) -> Query:
    """Parse a query. Each item of `synonyms` is a group of phrases with the same meaning, split
    into words.
    """
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
    """Return the words of a phrase, in the form that `parse` expects in `synonyms`."""
    return tuple(term.word for term in parse(text).terms)


def _terms(text: str) -> Iterator[Term]:
    """Yield the terms of a query in order; some may occur twice."""
    tokens = list(map(_split, _tokens(text)))
    plain = ["", *(_plain_word(segments) for segments, _ in tokens), ""]
    for place, (segments, whole) in enumerate(tokens):
        before, own, after = plain[place : place + 3]
        if own:
            pairs = (before and before + own, after and own + after)
            yield Term(own, tuple(pair for pair in pairs if 0 < len(pair) <= _LONGEST_WHOLE))
            continue
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


def _plain_word(segments: Sequence[Segment]) -> str:
    """Return the word of a token if it can be half of a compound; otherwise an empty string."""
    if len(segments) != 1 or len(segments[0][0]) != 1:
        return ""
    word = segments[0][0][0]
    return word if is_stemmed(word) and word not in STOP_WORDS else ""


def _add_synonyms(
    terms: list[Term], groups: Sequence[Sequence[Sequence[str]]]
) -> Iterator[tuple[str, str]]:
    """Add synonyms to the terms of phrases that have some; yields the pairs that were added."""
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
