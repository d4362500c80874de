"""Which skills have a word: collected from the lines of skills, and cut into shards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from skillbuild.release.search import codes, files
from skillbuild.release.search.files import Named, Shelf
from skillbuild.release.search.lines import group_of, words_of
from skillbuild.release.search.numbers import BODY, MOST_IN_BODY, WEIGHTS


def sets_of(kind: int, group: int, lines: Iterable[bytes], count: int) -> dict[str, str]:
    """The words of a kind in one group, sorted, and of each the skills that have it.

    A set stands for each weight, and nothing for the last ones if they are empty; `count` is how
    many skills there are.
    """
    tables: list[dict[str, list[int]]] = [defaultdict(list) for _ in WEIGHTS[kind]]
    for number, line in enumerate(lines):
        for table, words in zip(tables, words_of(line, kind, group), strict=True):
            for word in words:
                table[word].append(number)
    sets = [
        {word: set_code(kind, numbers, count) for word, numbers in table.items()}
        for table in tables
    ]
    every = sorted(set[str]().union(*sets))
    return {word: joined([own.get(word, "") for own in sets]) for word in every}


def set_code(kind: int, numbers: Sequence[int], count: int) -> str:
    """The skills that have a word of a kind at one weight; of a common one only how many."""
    if is_common(kind, len(numbers)):
        return codes.encode_size(len(numbers))
    return codes.encode_set(numbers, count) if numbers else ""


def is_common(kind: int, size: int) -> bool:
    """Whether so many skills have a word of a kind at one weight that they are only counted."""
    return kind == BODY and size > MOST_IN_BODY


def joined(by_weight: Iterable[str]) -> str:
    """The sets of a word, by weight."""
    return codes.BETWEEN_WEIGHTS.join(by_weight).rstrip(codes.BETWEEN_WEIGHTS)


def write_shards(shelf: Shelf, sets: Mapping[str, str], count: int) -> Iterator[Named]:
    """The shards of sorted words, each with its first word, in an index of `count` skills."""
    words = list(sets)
    for stretch in _stretches(words):
        own = words[stretch.start : stretch.stop]
        texts = [sets[word] for word in own]
        sizes = [len(word) + len(text) for word, text in zip(own, texts, strict=True)]
        for leaf in files.cut(own, sizes, files.most_bytes(count)):
            inner = slice(leaf.start, leaf.stop)
            value = [codes.encode_words(own[inner]), codes.BETWEEN_WORDS.join(texts[inner])]
            yield own[leaf.start], shelf.add(value)


def _stretches(words: Sequence[str]) -> Iterator[range]:
    """What lies between two words that begin a leaf wherever they stand."""
    starts = [i for i in range(len(words)) if begins_stretch(words, i)]
    for start, stop in pairwise([*starts, len(words)]):
        yield range(start, stop)


def begins_stretch(words: Sequence[str], place: int) -> bool:
    """Whether a leaf begins at one of these sorted words: its hash, or a new group says so."""
    word = words[place]
    return (
        place == 0
        or files.begins_stretch(word)
        or (word[0] != words[place - 1][0] and group_of(word) > group_of(words[place - 1]))
    )
