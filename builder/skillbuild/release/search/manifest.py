"""The manifest of the index: what it says of itself, and with which files it begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release.entries import ReadPath
from skillbuild.release.layout import blob_path, search_path
from skillbuild.release.search import files
from skillbuild.release.search.files import Named
from skillbuild.release.search.numbers import Numbers
from skillbuild.text.json_fields import Fields
from skillbuild.text.terms import phrase

_HEX = re.compile("[0-9a-f]{64}")
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Tree:
    """Leaves in the order of their first keys, or directories of them."""

    depth: int
    """How many directories lead to a leaf."""
    named: Sequence[Named]

    @staticmethod
    def of(value: object) -> Tree:
        depth, named = files.items(value)
        return Tree(_number(depth), files.pairs(named))


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
        value = files.decode(data)
        top = Fields(value, "search")
        if top.number("format") != files.FORMAT or not isinstance(value, dict):
            form, known = top.number("format"), files.FORMAT
            raise ValueError(f"the search has format {form}, and this version reads {known}")
        rows, facets = top.nested("rows"), top.nested("facets")
        lists = {key: files.items(value.get(key)) for key in ("weights", "synonyms", "words")}
        return Manifest(
            count=top.number("count"),
            numbers=Numbers(**top.numbers("numbers")),
            weights=[list(map(_number, files.items(each))) for each in lists["weights"]],
            synonyms=[list(map(phrase, files.texts(each))) for each in lists["synonyms"]],
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
        yield digest_of(self.frequent), 0
        yield from ((digest_of(name), self.rows_depth) for name in self.row_files)
        for tree in (*self.words, self.facets):
            yield from ((digest_of(name), tree.depth) for _, name in tree.named)


def _field(value: Mapping[str, object], key: str, inner: str) -> object:
    table = value[key]
    return table.get(inner) if isinstance(table, dict) else None


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{value!r} is no weight of the search")
    return value


def digest_of(name: str) -> Digest:
    """The digest that a file of the index is named by."""
    if not _HEX.fullmatch(name):
        raise ValueError(f"{name!r} names no file of the search")
    return Digest(name)


def names_in(directory: object) -> Sequence[str]:
    """What the files in a directory are named by: of rows names alone, else with first keys."""
    every = files.items(directory)
    return [name if isinstance(name, str) else files.texts(name)[1] for name in every]


def require_known_format(manifest: Digest, read: ReadPath, remedy: str) -> None:
    """`OutputError` if the index of this manifest is of another format; a damaged one passes."""
    data = read(blob_path(manifest), _LARGEST)
    if data is None or Digest.of(data) != manifest:
        return
    try:
        Manifest.of(data)
    except (ValueError, TypeError, RecursionError) as error:
        raise OutputError(f"of the release before, {error}; {remedy}") from error


def search_files(
    manifest: Digest, read: ReadPath, remedy: str
) -> dict[str, tuple[Digest, int | None]]:
    """Every file below `search/` that is named by its digest, of the index with this manifest.

    Only directories are read. The size of no file is known. `OutputError` if one is damaged.
    """

    def part(path: str, digest: Digest) -> bytes:
        data = read(path, _LARGEST)
        if data is None or Digest.of(data) != digest:
            state = "missing" if data is None else "damaged"
            raise OutputError(f"{path}, a part of the search, is {state}; {remedy}")
        return data

    try:
        waiting = [*Manifest.of(part(blob_path(manifest), manifest)).files()]
        every: list[Digest] = []
        while waiting:
            digest, depth = waiting.pop()
            every.append(digest)
            if depth:
                inner = files.decode(part(search_path(digest), digest))
                waiting += [(digest_of(name), depth - 1) for name in names_in(inner)]
    except (ValueError, TypeError, RecursionError) as error:
        raise OutputError(f"the index of the search is damaged: {error}; {remedy}") from error
    return {search_path(digest): (digest, None) for digest in every}
