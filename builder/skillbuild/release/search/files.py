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
FORMAT = 2
"""The number in the manifest of all that this package writes."""
MOST_BYTES = 2 * 1024
"""Of the text of a leaf; one item alone may be larger."""
FEW_SKILLS = 1000
_TIMES_OF_FEW = 2
MOST_NAMES = 96
"""Of files in the manifest, for each of its trees; if there are more, directories lead to them."""
NAMES_IN_DIRECTORY = 16
"""At most."""

_STRETCH_BELOW = 2**32 // 1024

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


def items(value: object) -> Sequence[object]:
    """The value, if it is a list."""
    if not isinstance(value, list):
        raise ValueError("not a list of the search")
    return value


def texts(value: object) -> Sequence[str]:
    """The value, if it is a list of texts."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("not a list of texts of the search")
    return value


def pairs(value: object) -> Sequence[Named]:
    """The value, if it is a list of pairs of texts."""
    return [(first, second) for first, second in map(texts, items(value))]


@dataclass(slots=True)
class Shelf:
    """Collects the files of an index that are named by their digest."""

    files: dict[str, OutputFile] = field(default_factory=dict)
    """By path; those that nobody has taken yet."""

    def add(self, value: object) -> str:
        """Put a value into a file; returns the 64 hex digits that name it."""
        return self.add_bytes(encode(value))

    def add_list(self, items: Sequence[bytes]) -> str:
        """The same for a list of values that are JSON already."""
        return self.add_bytes(b"%b[%b]\n" % (PREFIX, b",".join(items)))

    def add_bytes(self, data: bytes) -> str:
        digest = Digest.of(data)
        path = search_path(digest)
        self.files[path] = OutputFile(path, data)
        return digest.hex

    def take(self) -> Sequence[OutputFile]:
        """What was added since the last time."""
        files, self.files = [*self.files.values()], {}
        return files

    def tree(self, named: Sequence[Named]) -> list[object]:
        """How leaves are found: how many directories lead to one, and the files to begin with.

        `named` are the leaves in the order of their first keys.
        """
        depth = 0
        while len(named) > MOST_NAMES:
            ranges = cut([first for first, _ in named], [1] * len(named), NAMES_IN_DIRECTORY)
            inner = [list(map(list, named[each.start : each.stop])) for each in ranges]
            named = [(str(files[0][0]), self.add(files)) for files in inner]
            depth += 1
        return [depth, list(map(list, named))]


def most_bytes(count: int) -> int:
    """Of the text of a leaf in an index of so many skills.

    A query reads a few lines of each, so the leaves of many skills are small. Few skills have short
    sets, and an answer is sooner there the fewer files it needs.
    """
    return MOST_BYTES * _TIMES_OF_FEW if count <= FEW_SKILLS else MOST_BYTES


def begins_stretch(key: str) -> bool:
    """Whether a leaf begins at a key, whatever stands around it: so it is with one in 1,024.

    What lies between two such keys is cut without a look at the rest, so that a change of one word
    needs no more than the leaves of its stretch.
    """
    return zlib.crc32(key.encode()) < _STRETCH_BELOW


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
