"""The parts of a record: files named by their digest, each with the entries of some skills.

Where a part begins depends only on the skill paths. If one skill is added, changed or removed, only
the part with this skill changes.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Annotated

from msgspec import Meta
from msgspec import field as key

from skillbuild.model import Digest, JsonStruct, Text, UnlistedCounts
from skillbuild.release.entry import unlisted_in
from skillbuild.release.layout import part_path
from skillbuild.release.sorted_lines import path_in

_FIRST_BELOW = 2**32 // 128
"""A part begins at each path whose hash is below this: one path in 128."""
MOST_ENTRIES = 512
MOST_BYTES = 1 << 20
"""Maximum bytes of a part; a larger one is split again, unless it has only one entry."""


class Part(JsonStruct, frozen=True):
    """A part of the record; `size` is its length in bytes."""

    first: Annotated[
        Text,
        Meta(
            description="Path of the first skill in the part. The part ends where the next"
            " part begins."
        ),
    ]
    digest: Digest
    size: Annotated[int, Meta(ge=1)]
    count: Annotated[int, Meta(ge=1, description="Number of skills in the part.")]
    unlisted: UnlistedCounts = key(default_factory=dict)

    @property
    def path(self) -> str:
        return part_path(self.digest)

    def listed(self, listing: str) -> int:
        """Return how many skills of the part are in a listing."""
        return self.count - self.unlisted.get(listing, 0)


def cut(lines: Sequence[bytes]) -> Iterator[tuple[Part, range]]:
    """Split sorted entries into parts; yield each part with the range of its lines."""
    paths = list(map(path_in, lines))
    for numbers in _ranges(paths, list(map(len, lines))):
        own = lines[numbers.start : numbers.stop]
        data = content(own)
        unlisted = Counter(name for line in own for name in unlisted_in(line))
        counts = dict(sorted(unlisted.items()))
        yield Part(paths[numbers.start], Digest.of(data), len(data), len(own), counts), numbers


def content(lines: Sequence[bytes]) -> bytes:
    """Return the bytes of a part that consists of these entries."""
    return b"".join(b"%b\n" % line for line in lines)


def _ranges(paths: Sequence[str], sizes: Sequence[int]) -> list[range]:
    """Return the range of entries of each part.

    A range that is too large is split before the entry with the smallest hash, except the first
    entry, and so on recursively. Trying the hashes in ascending order gives the same result.
    """
    hashes = [int.from_bytes(hashlib.sha256(path.encode()).digest()[:4], "big") for path in paths]
    starts = [i for i, value in enumerate(hashes) if i == 0 or value < _FIRST_BELOW]
    ends = [0, *accumulate(size + 1 for size in sizes)]
    for i in sorted(range(len(paths)), key=hashes.__getitem__):
        after = bisect_right(starts, i)
        start, stop = starts[after - 1], starts[after] if after < len(starts) else len(paths)
        if i != start and (stop - start > MOST_ENTRIES or ends[stop] - ends[start] > MOST_BYTES):
            insort(starts, i)
    return [range(*pair) for pair in pairwise([*starts, len(paths)])] if paths else []
