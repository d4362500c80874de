"""Writes the index of all skills: which word stands in which of them, rows to show, facets."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from skillbuild.model import OutputFile
from skillbuild.release.frontmatter import NOT_DECLARED
from skillbuild.release.layout import SEARCH_FILE
from skillbuild.release.search import codes, files, lines
from skillbuild.release.search.files import Named, Shelf
from skillbuild.release.search.numbers import WEIGHTS, Numbers
from skillbuild.release.search.postings import sets_of, write_shards

_ROWS_IN_LEAF = 4
_ROWS_IN_LEAF_OF_FEW = 8
NAMES_IN_DIRECTORY = 12
"""Of files of rows."""
MOST_VALUES = 12
"""Values of a facet that one file has for all facets; the others are found by their name."""
FACETS = ("tags", "groups", "licenses", "contents")

Synonyms = Sequence[Sequence[str]]
"""Groups of phrases that mean the same."""
Facets = Mapping[str, Mapping[str, Sequence[int]]]
"""Numbers of skills by the key of a facet and by its value, those first that lists show first."""


def write(skills: Sequence[bytes], synonyms: Synonyms) -> Iterator[OutputFile]:
    """All files of the index, the manifest last; `skills` are lines in the order of paths."""
    shelf, count, trees = Shelf(), len(skills), []
    for kind in range(len(WEIGHTS)):
        named: list[Named] = []
        for group in lines.GROUPS:
            named += write_shards(shelf, sets_of(kind, group, skills, count), count)
            yield from shelf.take()
        trees.append(shelf.tree(named))
    rows = rows_tree(shelf, [row_leaf(shelf, skills, start) for start in row_starts(count)], count)
    facets = write_facets(shelf, facets_of(skills), count)
    yield from shelf.take()
    yield manifest(count, synonyms, trees, rows, facets)


def manifest(
    count: int, synonyms: Synonyms, words: Sequence[object], rows: object, facets: object
) -> OutputFile:
    """The file that the index begins with."""
    value = {
        "format": files.FORMAT,
        "count": count,
        "numbers": Numbers().json(),
        "weights": WEIGHTS,
        "synonyms": synonyms,
        "words": words,
        "rows": rows,
        "facets": facets,
    }
    return OutputFile(SEARCH_FILE, files.encode(value))


def rows_in_leaf(count: int) -> int:
    """In an index of so many skills; an answer needs a few rows, each of another leaf."""
    return _ROWS_IN_LEAF_OF_FEW if count <= files.FEW_SKILLS else _ROWS_IN_LEAF


def row_starts(count: int) -> range:
    """The number of the first skill in each leaf of rows."""
    return range(0, count, rows_in_leaf(count))


def row_leaf(shelf: Shelf, skills: Sequence[bytes], start: int) -> str:
    """Write the leaf of rows that begins with a skill; returns its name."""
    stop = min(start + rows_in_leaf(len(skills)), len(skills))
    return shelf.add_list([lines.row_of(skills[number]) for number in range(start, stop)])


def rows_tree(shelf: Shelf, leaves: Sequence[str], count: int) -> dict[str, object]:
    """How rows are found: as words are, but that all leaves and directories have equally many."""
    depth = 0
    while len(leaves) > files.MOST_NAMES:
        starts = range(0, len(leaves), NAMES_IN_DIRECTORY)
        leaves = [shelf.add(leaves[start : start + NAMES_IN_DIRECTORY]) for start in starts]
        depth += 1
    sizes = {"leaf": rows_in_leaf(count), "directory": NAMES_IN_DIRECTORY, "depth": depth}
    return {**sizes, "files": leaves}


def facets_of(skills: Sequence[bytes]) -> Facets:
    """The skills that have each value of each facet."""
    every: dict[str, dict[str, list[int]]] = {key: defaultdict(list) for key in FACETS}
    for number, line in enumerate(skills):
        for key, values in zip(FACETS, json.loads(lines.facets_of(line)), strict=True):
            for value in values:
                every[key][value].append(number)
    return {key: _by_use(values) for key, values in every.items()}


def _by_use(values: Mapping[str, Sequence[int]]) -> Mapping[str, Sequence[int]]:
    """Most used values first, and `not declared` last."""

    def place(value: str) -> tuple[bool, int, str]:
        return value == NOT_DECLARED, -len(values[value]), value

    return {value: values[value] for value in sorted(values, key=place)}


def write_facets(shelf: Shelf, facets: Facets, count: int) -> dict[str, object]:
    """A file with the first values of each facet, and a tree of the others."""
    frequent: list[object] = []
    others: dict[str, str] = {}
    for key, values in facets.items():
        sets = [(value, codes.encode_set(own, count)) for value, own in values.items()]
        frequent.append([key, sets[:MOST_VALUES]])
        others |= {f"{key} {value}": own for value, own in sets[MOST_VALUES:]}
    names = sorted(others)
    sizes = [len(name) + len(others[name]) for name in names]
    named: list[Named] = []
    for own in files.cut(names, sizes, files.most_bytes(count)):
        leaf = [[name, others[name]] for name in names[own.start : own.stop]]
        named.append((names[own.start], shelf.add(leaf)))
    return {"frequent": shelf.add(frequent), "others": shelf.tree(named)}
