"""Writes the index of a release whose skills are those of the last one, but for a few words.

The files come out as `writing.write` makes them of all skills; those without a changed word stay.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from skillbuild.model import OutputFile, UnchangedFile
from skillbuild.release.layout import SEARCH_FILE, search_path
from skillbuild.release.search import codes, files, lines, writing
from skillbuild.release.search.files import Named, Shelf
from skillbuild.release.search.manifest import Manifest, Tree, digest_of, names_in
from skillbuild.release.search.numbers import WEIGHTS
from skillbuild.release.search.postings import (
    begins_stretch,
    is_common,
    joined,
    set_code,
    write_shards,
)
from skillbuild.release.search.reading import Shard

Read = Callable[[str], bytes | None]
"""Reads a file of the last index by its path; None if it is not there, or damaged."""
ChangedLine = tuple[int, bytes, bytes]
"""The number of a skill, its line before and its line now."""
Moves = Mapping[str, Sequence[tuple[int, int, bool]]]
"""By word: number of a skill, position of a weight, and whether it is there now or was before."""


class _MissingError(Exception):
    """A file of the last index cannot be had, or the members of a set that has its size alone."""


def update(
    changed: Sequence[ChangedLine], skills: Sequence[bytes], synonyms: writing.Synonyms, read: Read
) -> Sequence[OutputFile | UnchangedFile] | None:
    """All files of the index, or None if the last one is not at hand.

    `skills` are all lines as they are now.
    """
    try:
        data = read(SEARCH_FILE)
        last = Manifest.of(data) if data is not None else None
        if last is None or last.count != len(skills):
            return None
        return _Update(last, read).files(changed, skills, synonyms)
    except (_MissingError, ValueError):
        return None


class _Update:
    def __init__(self, last: Manifest, read: Read) -> None:
        self._last, self._read = last, read
        self._shelf = Shelf()
        self._same: dict[str, None] = {}
        """Names of files that stay."""

    def files(
        self, changed: Sequence[ChangedLine], skills: Sequence[bytes], synonyms: writing.Synonyms
    ) -> Sequence[OutputFile | UnchangedFile]:
        moves = _moves(changed)
        words = [self._words(kind, own) for kind, own in enumerate(moves)]
        rows = self._rows(changed, skills)
        facets = self._facets(changed, skills)
        first = writing.manifest(len(skills), synonyms, words, rows, facets)
        added = self._shelf.files
        same = (path for path in map(_path, self._same) if path not in added)
        return [*added.values(), *map(UnchangedFile, same), first]

    def _value(self, name: str) -> object:
        data = self._read(_path(name))
        if data is None:
            raise _MissingError
        return files.decode(data)

    def _leaves(self, tree: Tree) -> list[Named]:
        """All leaves of a tree of the last index."""
        named = [*tree.named]
        for _ in range(tree.depth):
            named = [inner for _, name in named for inner in files.pairs(self._value(name))]
        return named

    def _words(self, kind: int, moves: Moves) -> list[object]:
        """The tree of one kind of words."""
        leaves = self._leaves(self._last.words[kind])
        written: list[Named] = []
        end = 0
        for own in _touched(leaves, sorted(moves)):
            written += self._keep(leaves[end : own.start])
            sets = self._sets(leaves[own.start : own.stop])
            inner = _between(moves, leaves, own)
            count = self._last.count
            written += write_shards(self._shelf, _moved(kind, sets, inner, count), count)
            end = own.stop
        return self._shelf.tree([*written, *self._keep(leaves[end:])])

    def _keep(self, leaves: Sequence[Named]) -> Sequence[Named]:
        self._same |= dict.fromkeys(name for _, name in leaves)
        return leaves

    def _sets(self, leaves: Sequence[Named]) -> dict[str, str]:
        shards = (Shard.of(self._value(name)) for _, name in leaves)
        return {
            word: sets
            for shard in shards
            for word, sets in zip(shard.words, shard.sets, strict=True)
        }

    def _rows(self, changed: Sequence[ChangedLine], skills: Sequence[bytes]) -> object:
        names = [*self._last.row_files]
        for _ in range(self._last.rows_depth):
            names = [name for own in names for name in names_in(self._value(own))]
        touched = {
            number // self._last.rows_in_leaf
            for number, before, now in changed
            if lines.row_of(before) != lines.row_of(now)
        }
        self._same |= dict.fromkeys(name for i, name in enumerate(names) if i not in touched)
        for leaf in touched:
            start = writing.row_starts(len(skills))[leaf]
            names[leaf] = writing.row_leaf(self._shelf, skills, start)
        return writing.rows_tree(self._shelf, names, len(skills))

    def _facets(self, changed: Sequence[ChangedLine], skills: Sequence[bytes]) -> object:
        if any(lines.facets_of(before) != lines.facets_of(now) for _, before, now in changed):
            return writing.write_facets(self._shelf, writing.facets_of(skills), len(skills))
        self._keep([("", self._last.frequent)])
        others = self._last.facets
        leaves = self._keep(self._leaves(others))
        return {"frequent": self._last.frequent, "others": self._shelf.tree(leaves)}


def _path(name: str) -> str:
    return search_path(digest_of(name))


def _moves(changed: Sequence[ChangedLine]) -> Sequence[Moves]:
    """The words that skills have and had not, or had and have not, by kind."""
    moves: list[dict[str, list[tuple[int, int, bool]]]] = [defaultdict(list) for _ in WEIGHTS]
    for number, before, now in changed:
        earlier, later = set(lines.places_in(before)), set(lines.places_in(now))
        for places, is_there in ((earlier - later, False), (later - earlier, True)):
            for kind, position, word in places:
                moves[kind][word].append((number, position, is_there))
    return moves


def _touched(leaves: Sequence[Named], words: Sequence[str]) -> Iterator[range]:
    """Ranges of leaves that may come out differently if these words change, in order."""
    firsts = [first for first, _ in leaves]
    begins = [begins_stretch(firsts, i) for i in range(len(firsts))]
    last: range | None = None
    for word in words:
        own = _stretch_of(word, firsts, begins)
        if last is not None and own.start <= last.stop:
            own = range(min(last.start, own.start), max(last.stop, own.stop))
        elif last is not None:
            yield last
        last = own
    if last is not None:
        yield last


def _stretch_of(word: str, firsts: Sequence[str], begins: Sequence[bool]) -> range:
    """The leaves of the stretch that a word is in, or that it may join or part.

    The first word of a stretch may go, so that the stretch joins the one before; a word may come
    before the first of its group, which was no beginning but for that.
    """

    def beginning(place: int) -> int:
        while place > 0 and not begins[place]:
            place -= 1
        return place

    def end(place: int) -> int:
        while place < len(begins) and not begins[place]:
            place += 1
        return place

    place = max(0, bisect_right(firsts, word) - 1)
    start, stop = beginning(place), end(min(len(firsts), place + 1))
    if start and firsts[start] == word:
        start = beginning(start - 1)
    if stop < len(firsts) and not files.begins_stretch(firsts[stop]):
        stop = end(stop + 1)
    return range(start, stop)


def _between(moves: Moves, leaves: Sequence[Named], own: range) -> Moves:
    """The moves of words that belong to a range of leaves; all words before the first do, too."""
    low = leaves[own.start][0] if own.start else ""
    high = leaves[own.stop][0] if own.stop < len(leaves) else None
    return {word: each for word, each in moves.items() if low <= word and (not high or word < high)}


def _moved(kind: int, sets: dict[str, str], moves: Moves, count: int) -> dict[str, str]:
    """Sorted words of a kind with their sets, after skills came to them and went."""
    for word, each in moves.items():
        by_weight = sets.get(word, "").split(codes.BETWEEN_WEIGHTS)
        by_weight += [""] * (max(position for _, position, _ in each) + 1 - len(by_weight))
        for position in {position for _, position, _ in each}:
            own = {number: is_there for number, at, is_there in each if at == position}
            by_weight[position] = _moved_set(kind, by_weight[position], own, count)
        sets[word] = joined(by_weight)
    return {word: sets[word] for word in sorted(sets) if sets[word]}


def _moved_set(kind: int, code: str, moves: Mapping[int, bool], count: int) -> str:
    """A set after each of these skills came to it, or went."""
    if size := codes.size_alone(code):
        size += sum(1 if is_there else -1 for is_there in moves.values())
        if not is_common(kind, size):
            raise _MissingError
        return codes.encode_size(size)
    members = set(codes.members(code))
    for number, is_there in moves.items():
        (members.add if is_there else members.discard)(number)
    return set_code(kind, sorted(members), count)
