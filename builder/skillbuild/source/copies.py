"""Directories with the same files: many repositories hold a skill once more for each client."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from skillbuild.source.tree import Leaf, Reader

LeavesOf = Callable[[str], Sequence[Leaf]]
"""The leaves below a directory, sorted by the bytes of their path."""


def with_same_files(
    directories: Sequence[str], leaves_of: LeavesOf, reader: Reader
) -> list[list[str]]:
    """The directories in groups whose files have the same paths, kinds and contents.

    Directories and groups keep their order. What has no object id, as files on disk, is read if
    all else is the same.
    """
    if len(directories) == 1:
        return [[*directories]]
    return [
        same
        for alike in _grouped(directories, lambda each: _listing(each, leaves_of(each)))
        for same in _grouped_by_content(alike, leaves_of, reader)
    ]


def _grouped_by_content(
    directories: Sequence[str], leaves_of: LeavesOf, reader: Reader
) -> list[list[str]]:
    """The same for directories that differ at most in files without an object id."""
    if len(directories) == 1 or not _unidentified(leaves_of(directories[0])):
        return [[*directories]]
    return [
        same
        for alike in _grouped(
            directories, lambda each: tuple(reader.sizes(_unidentified(leaves_of(each))))
        )
        for same in _grouped(alike, lambda each: _digests(_unidentified(leaves_of(each)), reader))
    ]


def _grouped(
    directories: Iterable[str], key_of: Callable[[str], tuple[object, ...]]
) -> list[list[str]]:
    groups: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for directory in directories:
        groups[key_of(directory)].append(directory)
    return list(groups.values())


def _listing(directory: str, leaves: Sequence[Leaf]) -> tuple[object, ...]:
    """Path below the directory, kind and object id of each leaf."""
    start = len(directory)
    return tuple((leaf.path[start:], leaf.kind, leaf.object_id) for leaf in leaves)


def _unidentified(leaves: Sequence[Leaf]) -> list[Leaf]:
    return [leaf for leaf in leaves if leaf.is_file and not leaf.object_id]


def _digests(leaves: Sequence[Leaf], reader: Reader) -> tuple[object, ...]:
    """A digest of each file; None for one that cannot be read."""
    return tuple(
        None if data is None else hashlib.blake2b(data, digest_size=16).digest()
        for data in reader.read(leaves)
    )
