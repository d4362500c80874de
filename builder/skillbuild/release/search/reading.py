"""Reads a search index: first the manifest, and then only the files that a query needs.

The caller provides a function that reads a file and verifies its digest.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from skillbuild.errors import OutputError
from skillbuild.model import Digest, SizedDigest
from skillbuild.release.layout import blob_path, search_path
from skillbuild.release.search import encoding
from skillbuild.release.search.encoding import Named
from skillbuild.release.search.manifest import Tree, digest_of, read_manifest
from skillbuild.release.search.numbers import STARTS
from skillbuild.storage.files import DamagedError, Files, MissingError, read_named
from skillbuild.text.terms import phrase

ReadPart = Callable[[Digest], bytes]
"""A function that reads an index file by its digest and verifies it."""
Choice = Callable[[Sequence[Named]], Sequence[Named]]
"""A function that selects files from a sorted list."""

_LARGEST = 64 * 1024 * 1024
_HELD = 16 * 1024 * 1024
"""Maximum bytes of files that an open index keeps; as objects they take about five times as
much."""


def _names_in(directory: object) -> Sequence[str]:
    """Return the file names in a directory, whose items are names or pairs of first key and
    name.
    """
    every = encoding.items(directory)
    return [name if isinstance(name, str) else encoding.texts(name)[1] for name in every]


# The files of an index, by their digests.


def require_known_format(manifest: SizedDigest, stored: Files, remedy: str) -> None:
    """Raise `OutputError` if the index has a format that this version cannot read.

    A missing or damaged index is not an error here.
    """
    try:
        path = blob_path(manifest.digest)
        read_manifest(read_named(stored, path, manifest.digest, manifest.size))
    except (MissingError, DamagedError):
        return
    except (ValueError, TypeError, RecursionError) as error:
        raise OutputError(f"the previous release: {error}; {remedy}") from error


def search_files(
    manifest: SizedDigest, stored: Files, remedy: str
) -> dict[str, tuple[Digest, int | None]]:
    """Return the digest and size of each index file except the manifest, keyed by path.

    Only the manifest and the directories are read; directories are index files that list other
    index files. The size of a file is therefore unknown, and always None. Raises `OutputError` if
    the manifest or a directory is missing or damaged.
    """

    def part(path: str, digest: Digest, size: int | None = None) -> bytes:
        try:
            return read_named(stored, path, digest, size, _LARGEST)
        except (MissingError, DamagedError) as error:
            what = f"{path}, a part of the search index, is {error.state}"
            raise OutputError(f"{what}; {remedy}") from error

    try:
        start = part(blob_path(manifest.digest), manifest.digest, manifest.size)
        waiting = [*read_manifest(start).files()]
        every: list[Digest] = []
        while waiting:
            digest, depth = waiting.pop()
            every.append(digest)
            if depth:
                inner = encoding.decode(part(search_path(digest), digest))
                waiting += [(digest_of(name), depth - 1) for name in _names_in(inner)]
    except (ValueError, TypeError, RecursionError) as error:
        raise OutputError(f"the search index is damaged: {error}; {remedy}") from error
    return {search_path(digest): (digest, None) for digest in every}


# Querying an index.


@dataclass(frozen=True, slots=True)
class Shard:
    """An index file with sorted words or keys. For each word or key, `sets` encodes one set of
    skills per field.
    """

    words: Sequence[str]
    sets: Sequence[str]

    @staticmethod
    def of(value: object) -> Shard:
        words, sets = encoding.texts(value)
        return Shard(encoding.decode_words(words), sets.split(encoding.BETWEEN_WORDS))

    def family(self, stem: str) -> Iterator[tuple[str, str]]:
        """Yield the keys of all words with this stem, each with its encoded sets of skills."""
        place = bisect_left(self.words, stem)
        while place < len(self.words) and encoding.has_stem(self.words[place], stem):
            yield self.words[place], self.sets[place]
            place += 1


@dataclass(frozen=True, slots=True)
class _Directory:
    """The names of files, and the first key in each file."""

    named: Sequence[Named]


class Index:
    """A search index that can be queried. Its methods raise `ValueError` for malformed files."""

    def __init__(self, manifest: bytes, read: ReadPart) -> None:
        self.manifest = read_manifest(manifest)
        self.synonyms = [list(map(phrase, group)) for group in self.manifest.synonyms]
        """Groups of phrases with the same meaning, each phrase split into words."""
        self._read = read
        self._values: OrderedDict[str, tuple[object, int]] = OrderedDict()
        self._size = 0

    def _value(self, name: str) -> object:
        """Return the value in a file, from memory if it was read before."""
        if name in self._values:
            self._values.move_to_end(name)
            return self._values[name][0]
        data = self._read(digest_of(name))
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
        """Return the names of the leaves that `choose` selects, level by level."""
        named = choose(tree.named)
        for _ in range(tree.depth):
            directories = [self._directory(name) for _, name in named]
            named = [each for own in directories for each in choose(own.named)]
        return [name for _, name in named]

    def family(self, kind: int, stem: str) -> dict[str, str]:
        """Return all words with this stem, each with its encoded sets of skills, one set per field.

        `kind` is the kind of shard, `WORDS` or `BODY`.
        """
        start = stem + encoding.AFTER_STEM
        tree = self.manifest.words[kind]
        names = self._names(tree, lambda named: _overlapping(named, stem, start))
        shards = map(self._shard, names)
        return {encoding.word_of(key): sets for own in shards for key, sets in own.family(stem)}

    def beginning(self, start: str) -> Iterator[tuple[str, str]]:
        """Yield the words that begin with `start`, and all other words of the same index files.

        Each word comes with its encoded sets of skills by field.
        """
        tree = self.manifest.words[STARTS]
        for name in self._names(tree, lambda named: _overlapping(named, start, start)):
            shard = self._shard(name)
            yield from zip(shard.words, shard.sets, strict=True)

    def row(self, number: int) -> Sequence[object]:
        """Return the row of a skill, as shown in lists of skills; `emit/search.py` defines the
        columns.
        """
        rows = self.manifest.rows
        leaf, place = divmod(number, rows.leaf)
        names: Sequence[str] = rows.files
        for depth in range(rows.depth, 0, -1):
            directory, leaf = divmod(leaf, rows.directory**depth)
            names = _names_in(self._value(names[directory]))
        return encoding.items(encoding.items(self._value(names[leaf]))[place])

    def having(self, key: str, value: str) -> frozenset[int]:
        """Return the numbers of the skills with this value of a facet."""
        name = f"{key} {value}"
        frequent = encoding.items(self._value(self.manifest.facets.frequent))
        for own, values in map(encoding.items, frequent):
            if own == key:
                for each, code in encoding.pairs(values):
                    if each == value:
                        return frozenset(encoding.members(code))
        for leaf in self._names(self.manifest.facets.others, lambda named: _at(named, name)):
            for each, code in encoding.pairs(self._value(leaf)):
                if each == name:
                    return frozenset(encoding.members(code))
        return frozenset()


def _place(named: Sequence[Named], key: str) -> int:
    """Return the index of the last file that may hold a key; 0 if the key comes before all
    files.
    """
    return max(0, bisect_right(named, key, key=lambda each: each[0]) - 1)


def _at(named: Sequence[Named], key: str) -> Sequence[Named]:
    start = _place(named, key)
    return named[start : start + 1]


def _overlapping(named: Sequence[Named], first: str, start: str) -> Sequence[Named]:
    """Return the files that may hold `first`, or keys after it that begin with `start`."""
    place = _place(named, first)
    end = place + 1
    while end < len(named) and named[end][0].startswith(start):
        end += 1
    return named[place:end]
