"""Reads an index: its manifest, and of its other files those that a question leads to.

Whoever opens an index gives a function that reads its files and answers for their digests.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.errors import OutputError
from skillbuild.model import Digest, SizedDigest
from skillbuild.release.layout import blob_path, search_path
from skillbuild.release.search import encoding
from skillbuild.release.search.encoding import Named
from skillbuild.release.search.numbers import Numbers
from skillbuild.storage.files import DamagedError, Files, MissingError, read_named
from skillbuild.text.json_fields import Fields
from skillbuild.text.terms import phrase

ReadPart = Callable[[Digest], bytes]
"""Reads a file of the index by its digest, which it has checked."""
Choice = Callable[[Sequence[Named]], Sequence[Named]]
"""Chooses files from a sorted list of them."""

_HEX = re.compile("[0-9a-f]{64}")
_LARGEST = 64 * 1024 * 1024
_HELD = 16 * 1024 * 1024
"""Bytes of files that an open index holds, about a fifth of what they take as objects."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Leaves in the order of their first keys, or directories of them."""

    depth: int
    """How many directories lead to a leaf."""
    named: Sequence[Named]

    @staticmethod
    def of(value: object) -> Tree:
        depth, named = encoding.items(value)
        return Tree(_number(depth), encoding.pairs(named))


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an index says of itself before any other file of it is read."""

    count: int
    """Of skills."""
    numbers: Numbers
    weights: Sequence[Sequence[int]]
    """By kind of words."""
    synonyms: Sequence[Sequence[Sequence[str]]]
    """Groups of phrases that mean the same, as words."""
    words: Sequence[Tree]
    """By kind."""
    rows_in_leaf: int
    rows_depth: int
    """How many directories lead to a leaf of rows."""
    names_in_directory: int
    """Of rows."""
    row_files: Sequence[str]
    """The leaves of rows, or directories of them."""
    facets: Tree
    frequent: str
    """The file of the values that lists show first."""

    @staticmethod
    def of(data: bytes) -> Manifest:
        """Read a manifest; `ValueError` for anything that is none, or of another format."""
        value = encoding.decode(data)
        top = Fields(value, "search")
        if top.number("format") != encoding.FORMAT or not isinstance(value, dict):
            form, known = top.number("format"), encoding.FORMAT
            raise ValueError(f"the search has format {form}, and this version reads {known}")
        rows, facets = top.nested("rows"), top.nested("facets")
        lists = {key: encoding.items(value.get(key)) for key in ("weights", "synonyms", "words")}
        return Manifest(
            count=top.number("count"),
            numbers=Numbers(**top.numbers("numbers")),
            weights=[list(map(_number, encoding.items(each))) for each in lists["weights"]],
            synonyms=[list(map(phrase, encoding.texts(each))) for each in lists["synonyms"]],
            words=list(map(Tree.of, lists["words"])),
            rows_in_leaf=rows.number("leaf"),
            rows_depth=rows.number("depth"),
            names_in_directory=rows.number("directory"),
            row_files=rows.texts("files"),
            facets=Tree.of(_field(value, "facets", "others")),
            frequent=facets.text("frequent"),
        )

    def files(self) -> Iterator[tuple[Digest, int]]:
        """The files that the index begins with; of each, how many directories lead to a leaf."""
        yield _digest_of(self.frequent), 0
        yield from ((_digest_of(name), self.rows_depth) for name in self.row_files)
        for tree in (*self.words, self.facets):
            yield from ((_digest_of(name), tree.depth) for _, name in tree.named)


def _field(value: Mapping[str, object], key: str, inner: str) -> object:
    table = value[key]
    return table.get(inner) if isinstance(table, dict) else None


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{value!r} is no weight of the search")
    return value


def _digest_of(name: str) -> Digest:
    """The digest that a file of the index is named by."""
    if not _HEX.fullmatch(name):
        raise ValueError(f"{name!r} names no file of the search")
    return Digest(name)


def _names_in(directory: object) -> Sequence[str]:
    """What the files in a directory are named by: of rows names alone, else with first keys."""
    every = encoding.items(directory)
    return [name if isinstance(name, str) else encoding.texts(name)[1] for name in every]


# The files of an index, by their digests.


def require_known_format(manifest: SizedDigest, stored: Files, remedy: str) -> None:
    """`OutputError` if the index of this manifest is of another format; a damaged one passes."""
    try:
        path = blob_path(manifest.digest)
        Manifest.of(read_named(stored, path, manifest.digest, manifest.size))
    except (MissingError, DamagedError):
        return
    except (ValueError, TypeError, RecursionError) as error:
        raise OutputError(f"of the release before, {error}; {remedy}") from error


def search_files(
    manifest: SizedDigest, stored: Files, remedy: str
) -> dict[str, tuple[Digest, int | None]]:
    """Every file below `search/` that is named by its digest, of the index with this manifest.

    Only directories are read. The size of no file is known. `OutputError` if one is damaged.
    """

    def part(path: str, digest: Digest, size: int | None = None) -> bytes:
        try:
            return read_named(stored, path, digest, size, _LARGEST)
        except (MissingError, DamagedError) as error:
            what = f"{path}, a part of the search, is {error.state}"
            raise OutputError(f"{what}; {remedy}") from error

    try:
        start = part(blob_path(manifest.digest), manifest.digest, manifest.size)
        waiting = [*Manifest.of(start).files()]
        every: list[Digest] = []
        while waiting:
            digest, depth = waiting.pop()
            every.append(digest)
            if depth:
                inner = encoding.decode(part(search_path(digest), digest))
                waiting += [(_digest_of(name), depth - 1) for name in _names_in(inner)]
    except (ValueError, TypeError, RecursionError) as error:
        raise OutputError(f"the index of the search is damaged: {error}; {remedy}") from error
    return {search_path(digest): (digest, None) for digest in every}


# An index that answers.


@dataclass(frozen=True, slots=True)
class Shard:
    """Sorted words, and of each the sets of skills that have it, by weight."""

    words: Sequence[str]
    sets: Sequence[str]

    @staticmethod
    def of(value: object) -> Shard:
        words, sets = encoding.texts(value)
        return Shard(encoding.decode_words(words), sets.split(encoding.BETWEEN_WORDS))

    def find(self, word: str) -> str | None:
        place = bisect_right(self.words, word) - 1
        return self.sets[place] if place >= 0 and self.words[place] == word else None


@dataclass(frozen=True, slots=True)
class _Directory:
    """Files with their first keys."""

    named: Sequence[Named]


class Index:
    """An index that answers; `ValueError` for files that no build writes."""

    def __init__(self, manifest: bytes, read: ReadPart) -> None:
        self.manifest = Manifest.of(manifest)
        self._read = read
        self._values: OrderedDict[str, tuple[object, int]] = OrderedDict()
        self._size = 0

    def _value(self, name: str) -> object:
        """The value in a file; a leaf of words and a directory as they were decoded once."""
        if name in self._values:
            self._values.move_to_end(name)
            return self._values[name][0]
        data = self._read(_digest_of(name))
        value = encoding.decode(data)
        self._hold(name, value, len(data))
        return value

    def _shard(self, name: str) -> Shard:
        value = self._value(name)
        if isinstance(value, Shard):
            return value
        shard = Shard.of(value)
        self._values[name] = (shard, self._values[name][1])
        return shard

    def _directory(self, name: str) -> _Directory:
        value = self._value(name)
        if isinstance(value, _Directory):
            return value
        directory = _Directory(encoding.pairs(value))
        self._values[name] = (directory, self._values[name][1])
        return directory

    def _hold(self, name: str, value: object, size: int) -> None:
        self._values[name] = (value, size)
        self._size += size
        while self._size > _HELD and len(self._values) > 1:
            _, (_, size) = self._values.popitem(last=False)
            self._size -= size

    def _names(self, tree: Tree, choose: Choice) -> list[str]:
        """The leaves that are chosen, of those of the directories that are."""
        named = choose(tree.named)
        for _ in range(tree.depth):
            directories = [self._directory(name) for _, name in named]
            named = [each for own in directories for each in choose(own.named)]
        return [name for _, name in named]

    def find(self, kind: int, word: str) -> str | None:
        """The sets of a word, by weight."""
        names = self._names(self.manifest.words[kind], lambda named: _at(named, word))
        shards = map(self._shard, names)
        return next((sets for shard in shards if (sets := shard.find(word)) is not None), None)

    def beginning(self, kind: int, start: str) -> Iterator[tuple[str, str]]:
        """Words with their sets: all that begin so, and others of the same shards."""
        tree = self.manifest.words[kind]
        for name in self._names(tree, lambda named: _overlapping(named, start)):
            shard = self._shard(name)
            yield from zip(shard.words, shard.sets, strict=True)

    def row(self, number: int) -> Sequence[object]:
        """What lists show of a skill; `emit/search.py` has the columns."""
        manifest = self.manifest
        leaf, place = divmod(number, manifest.rows_in_leaf)
        names = manifest.row_files
        for depth in range(manifest.rows_depth, 0, -1):
            directory, leaf = divmod(leaf, manifest.names_in_directory**depth)
            names = _names_in(self._value(names[directory]))
        return encoding.items(encoding.items(self._value(names[leaf]))[place])

    def having(self, key: str, value: str) -> frozenset[int]:
        """The numbers of the skills with this value of a facet."""
        name = f"{key} {value}"
        for own, values in map(encoding.items, encoding.items(self._value(self.manifest.frequent))):
            if own == key:
                for each, code in encoding.pairs(values):
                    if each == value:
                        return frozenset(encoding.members(code))
        for leaf in self._names(self.manifest.facets, lambda named: _at(named, name)):
            for each, code in encoding.pairs(self._value(leaf)):
                if each == name:
                    return frozenset(encoding.members(code))
        return frozenset()


def _place(named: Sequence[Named], key: str) -> int:
    """The last file that may hold a key; the first if all come after it."""
    return max(0, bisect_right(named, key, key=lambda each: each[0]) - 1)


def _at(named: Sequence[Named], key: str) -> Sequence[Named]:
    start = _place(named, key)
    return named[start : start + 1]


def _overlapping(named: Sequence[Named], start: str) -> Sequence[Named]:
    """The files that may hold keys with this beginning."""
    first = _place(named, start)
    end = first + 1
    while end < len(named) and named[end][0].startswith(start):
        end += 1
    return named[first:end]
