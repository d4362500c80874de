"""The manifest of the search index; read before any other index file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from skillbuild.model import Digest, JsonStruct, Size, decoder
from skillbuild.release.search import encoding
from skillbuild.release.search.encoding import Named
from skillbuild.release.search.numbers import Numbers

_HEX = re.compile("[0-9a-f]{64}")


class Tree(JsonStruct, frozen=True, array_like=True):
    """Index files sorted by their first keys.

    If there are many files, they are listed in directories, which are index files too. `named` then
    holds only the top level of directories.
    """

    depth: Size
    """How many levels of directories are above a leaf."""
    named: Sequence[Named]


class Rows(JsonStruct, frozen=True):
    """The files that contain the rows of skills.

    Rows are found by skill number: `leaf` is the number of rows in an index file, and `directory`
    is the number of files that a directory lists.
    """

    leaf: Size
    directory: Size
    depth: Size
    """How many levels of directories are above a leaf."""
    files: Sequence[str]
    """The leaves, or the directories above them."""


class Facets(JsonStruct, frozen=True):
    """The index files that contain the facet values."""

    frequent: str
    """The file with the most frequent values of each facet."""
    others: Tree


class _Head(JsonStruct, frozen=True):
    """The fields that the manifest of every format has."""

    format: Size


class Manifest(_Head, frozen=True):
    """The whole manifest. Its keys are written in the order of these fields."""

    count: Size
    """The number of skills."""
    numbers: Numbers
    stemmer: str
    """The release of Snowball whose rules stemmed the words."""
    fields: Sequence[Sequence[tuple[str, Size]]]
    """For each kind of shard, the field name and weight of each set of a word."""
    synonyms: Sequence[Sequence[str]]
    """Groups of phrases with the same meaning."""
    words: Sequence[Tree]
    """One tree for each kind of shard."""
    rows: Rows
    facets: Facets

    def files(self) -> Iterator[tuple[Digest, int]]:
        """Yield the digest of each file that the manifest names, and its level above the data.

        A file with data has level 0, a directory of such files has level 1, and so on.
        """
        yield digest_of(self.facets.frequent), 0
        yield from ((digest_of(name), self.rows.depth) for name in self.rows.files)
        for tree in (*self.words, self.facets.others):
            yield from ((digest_of(name), tree.depth) for _, name in tree.named)


_READ_HEAD, _READ_MANIFEST = decoder(_Head), decoder(Manifest)


def read_manifest(data: bytes) -> Manifest:
    """Decode a manifest; raise `ValueError` if it is damaged or of another format."""
    text = encoding.json_of(data)
    form, known = _READ_HEAD.decode(text).format, encoding.FORMAT
    if form != known:
        raise ValueError(f"the search index has format {form}; this version reads {known}")
    return _READ_MANIFEST.decode(text)


def digest_of(name: str) -> Digest:
    """Return the digest that is the name of an index file."""
    if not _HEX.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a search index file")
    return Digest(name)
