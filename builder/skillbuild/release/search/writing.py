"""Writes the index of all skills: which word stands in which of them, rows to show, facets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.model import OutputFile
from skillbuild.release.layout import SEARCH_FILE
from skillbuild.release.search import codes, files
from skillbuild.release.search.files import Named, Shelf
from skillbuild.release.search.numbers import FIELDS, WEIGHTS, Field, Numbers

ROWS_IN_LEAF = 16
_LEAVES_IN_DIRECTORY = 32
MOST_VALUES = 12
"""Values of a facet that one file has for all facets; the others are found by their name."""

Postings = Mapping[str, Sequence[Sequence[int]]]
"""Numbers of skills by word, and by weight in the order of `WEIGHTS`."""


@dataclass(frozen=True, slots=True)
class SkillWords:
    """The words of a skill, by kind and by weight in the order of `WEIGHTS`."""

    words: tuple[tuple[Sequence[str], ...], ...]

    @staticmethod
    def of(fields: Mapping[Field, Iterable[str]]) -> SkillWords:
        """Each word with the largest weight that it has in a field, and there alone."""
        sorted_in: dict[tuple[int, int], list[str]] = {
            (kind, weight): [] for kind, weights in enumerate(WEIGHTS) for weight in weights
        }
        seen: set[str] = set()
        for name, place in FIELDS.items():
            fresh = [word for word in fields.get(name, ()) if word not in seen]
            seen.update(fresh)
            sorted_in[place] += fresh
        return SkillWords(
            tuple(
                tuple(sorted_in[kind, weight] for weight in weights)
                for kind, weights in enumerate(WEIGHTS)
            )
        )


def postings(kind: int, skills: Iterable[SkillWords]) -> Postings:
    """The postings of one kind of words."""
    every: dict[str, list[list[int]]] = defaultdict(lambda: [[] for _ in WEIGHTS[kind]])
    for number, skill in enumerate(skills):
        for position, words in enumerate(skill.words[kind]):
            for word in words:
                every[word][position].append(number)
    return every


def write_words(shelf: Shelf, every: Postings, count: int) -> list[object]:
    """The tree of the shards of one kind of words; `count` is how many skills there are."""
    words = sorted(every)
    texts = [_sets(every[word], count) for word in words]
    named: list[Named] = []
    for own in files.cut(words, list(map(_size, words, texts)), files.MOST_BYTES):
        inner = slice(own.start, own.stop)
        leaf = [codes.encode_words(words[inner]), codes.BETWEEN_WORDS.join(texts[inner])]
        named.append((words[own.start], shelf.add(leaf)))
    return shelf.tree(named)


def _sets(by_weight: Sequence[Sequence[int]], count: int) -> str:
    """The skills that have a word, weight by weight; nothing is written for the last, if empty."""
    sets = [codes.encode_set(numbers, count) if numbers else "" for numbers in by_weight]
    return codes.BETWEEN_WEIGHTS.join(sets).rstrip(codes.BETWEEN_WEIGHTS)


def _size(word: str, text: str) -> int:
    return len(word) + len(text)


def write_rows(shelf: Shelf, rows: Sequence[object]) -> dict[str, object]:
    """How rows are found: how many stand in a leaf, how many leaves in a directory, and these."""
    leaves = [shelf.add(own) for own in _pieces(rows, ROWS_IN_LEAF)]
    directories = [shelf.add(own) for own in _pieces(leaves, _LEAVES_IN_DIRECTORY)]
    return {"leaf": ROWS_IN_LEAF, "directory": _LEAVES_IN_DIRECTORY, "files": directories}


def _pieces(items: Sequence[object], size: int) -> Iterator[Sequence[object]]:
    return (items[start : start + size] for start in range(0, len(items), size))


Facets = Mapping[str, Mapping[str, Sequence[int]]]
"""Numbers of skills by the key of a facet and by its value, those first that lists show first."""


def write_facets(shelf: Shelf, facets: Facets, count: int) -> dict[str, object]:
    """A file with the first values of each facet, and a tree of the others."""
    frequent: list[object] = []
    others: dict[str, str] = {}
    for key, values in facets.items():
        sets = [(value, codes.encode_set(own, count)) for value, own in values.items()]
        frequent.append([key, sets[:MOST_VALUES]])
        others |= {f"{key} {value}": own for value, own in sets[MOST_VALUES:]}
    names = sorted(others)
    sizes = [_size(name, others[name]) for name in names]
    named: list[Named] = []
    for own in files.cut(names, sizes, files.MOST_BYTES):
        leaf = [[name, others[name]] for name in names[own.start : own.stop]]
        named.append((names[own.start], shelf.add(leaf)))
    return {"frequent": shelf.add(frequent), "others": shelf.tree(named)}


def write(
    skills: Sequence[SkillWords],
    rows: Sequence[object],
    facets: Facets,
    synonyms: Sequence[Sequence[str]],
) -> Iterator[OutputFile]:
    """All files of the index, the manifest last; skills and rows are in the order of paths."""
    shelf, count = Shelf(), len(rows)
    manifest = {
        "format": files.FORMAT,
        "count": count,
        "numbers": Numbers().json(),
        "weights": WEIGHTS,
        "synonyms": synonyms,
        "words": [
            write_words(shelf, postings(kind, skills), count) for kind in range(len(WEIGHTS))
        ],
        "rows": write_rows(shelf, rows),
        "facets": write_facets(shelf, facets, count),
    }
    yield from shelf.files.values()
    yield OutputFile(SEARCH_FILE, files.encode(manifest))
