"""The files of the index: a manifest at a fixed path, and below it files named by their digest.

All are classic scripts, as a page opened from `file://` can load nothing else: a fixed beginning
and then JSON. What is found by words stands in lists of pairs: the key `__proto__` of an object
means something in a script.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from skillbuild.model import Digest, OutputFile
from skillbuild.release.layout import search_path

PREFIX = b"skillbuild.part="
FORMAT = 1
"""The number in the manifest of all that this package writes."""
MOST_BYTES = 12 * 1024
"""Of the text of a leaf; one item alone may be larger."""
_MOST_LEAVES = 64
"""That one file names; where there are more, there are directories of them in between."""
_DIRECTORY_BYTES = 32
"""Leaves in a directory, at most; each counts as one byte."""

Named = tuple[str, str]
"""The first key of a file, and the 64 hex digits of its digest."""


def encode(value: object) -> bytes:
    """The bytes of a file of the index."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return PREFIX + text.encode() + b"\n"


def decode(data: bytes) -> object:
    """The value in a file of the index; `ValueError` for any other file."""
    if not data.startswith(PREFIX):
        raise ValueError("not a file of the search")
    value: object = json.loads(data[len(PREFIX) :])
    return value


@dataclass(slots=True)
class Shelf:
    """Collects the files of an index that are named by their digest."""

    files: dict[str, OutputFile] = field(default_factory=dict)
    """By path."""

    def add(self, value: object) -> str:
        """Put a value into a file; returns the 64 hex digits that name it."""
        data = encode(value)
        digest = Digest.of(data)
        path = search_path(digest)
        self.files[path] = OutputFile(path, data)
        return digest.hex

    def tree(self, named: Sequence[Named]) -> list[object]:
        """How leaves are found: whether directories come before them, and the files to begin with.

        `named` are the leaves in the order of their first keys.
        """
        if len(named) <= _MOST_LEAVES:
            return [0, list(map(list, named))]
        ranges = cut([first for first, _ in named], [1] * len(named), _DIRECTORY_BYTES)
        inner = [list(map(list, named[each.start : each.stop])) for each in ranges]
        return [1, [[leaves[0][0], self.add(leaves)] for leaves in inner]]


def cut(keys: Sequence[str], sizes: Sequence[int], most: int) -> Iterator[range]:
    """Ranges of items of at most `most` bytes, in order; an item that is larger is one by itself.

    A range that is too large is cut where the hash of a key is smallest, in its middle half. So a
    new item changes the range that it falls in, and seldom another.
    """
    hashes = [zlib.crc32(key.encode()) for key in keys]
    ends = [0, *accumulate(sizes)]
    waiting = [range(len(keys))] if keys else []
    while waiting:
        own = waiting.pop()
        if len(own) < 2 or ends[own.stop] - ends[own.start] <= most:
            yield own
            continue
        quarter = len(own) // 4
        middle = range(max(own.start + quarter, own.start + 1), own.stop - quarter)
        at = min(middle, key=hashes.__getitem__)
        waiting += [range(at, own.stop), range(own.start, at)]
