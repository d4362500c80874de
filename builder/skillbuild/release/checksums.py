"""SHA256SUMS: the digests of every file of a release, as `sha256sum --check` reads them.

They are held as the lines of that file, without their ends: a large release has hundreds of
thousands of them, and lines take little memory and are quick to compare.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import groupby, pairwise

from skillbuild.model import Digest
from skillbuild.release.layout import RECORD_FILE, is_at_fixed_address

_DIGEST_END = 64
_PATH_START = 66
"""A line is 64 hex digits, two blanks and the path."""
_LINES_AT_ONCE = 4096
_SORTING_PAYS = 100
"""If more than one line in this many is new, to sort all is quicker than to insert them."""


def line(path: str, digest: Digest) -> bytes:
    """The line of one file."""
    return f"{digest.hex}  {path}".encode()


def lines(files: Mapping[str, Digest]) -> list[bytes]:
    """The lines of several files, in their order."""
    return [line(path, digest) for path, digest in files.items()]


def path_of(line: bytes) -> str:
    """The path that a line names."""
    return _path(line).decode(errors="replace")


def _path(line: bytes) -> bytes:
    return line[_PATH_START:]


class Checksums:
    """Files and their digests: lines sorted by the bytes of the paths, none of them twice."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        """`lines` may come in any order, and several times for files that skills have in common."""
        self.lines = [line for line, _ in groupby(sorted(lines, key=_path))]

    @classmethod
    def parse(cls, data: bytes) -> Checksums:
        """Read SHA256SUMS; lines of another form are left out."""
        return cls(line for line in data.split(b"\n") if line[_DIGEST_END:_PATH_START] == b"  ")

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.find(path) is not None

    def find(self, path: str) -> bytes | None:
        """The line of a path, or None."""
        wanted = path.encode()
        position = bisect_left(self.lines, wanted, key=_path)
        line = self.lines[position] if position < len(self.lines) else None
        return line if line is not None and _path(line) == wanted else None

    def replaced_by(self, lines: Iterable[bytes]) -> Checksums:
        """Checksums of exactly these lines, sorted quickly where most of them are in here too."""
        if not self.lines:
            return Checksums(lines)
        wanted = {*lines}
        same = [line for line in self.lines if line in wanted]
        return _merged(same, wanted.difference(same))

    def plus(self, lines: Iterable[bytes]) -> Checksums:
        """These, and the given lines of paths that are not among them."""
        return _merged(self.lines, {line for line in lines if path_of(line) not in self})

    def paths(self) -> Iterator[str]:
        return map(path_of, self.lines)

    def repeated_paths(self) -> list[str]:
        """Paths with several digests, which no release may have: one file would hide another."""
        pairs = pairwise(map(_path, self.lines))
        return sorted(
            {path.decode(errors="replace") for path, next_path in pairs if path == next_path}
        )

    def hex_digests(self) -> dict[str, str]:
        """64 hex digits by path."""
        return {path_of(line): line[:_DIGEST_END].decode(errors="replace") for line in self.lines}

    def pieces(self) -> Iterator[bytes]:
        """The bytes of SHA256SUMS, piece by piece."""
        for start in range(0, len(self.lines), _LINES_AT_ONCE):
            yield b"\n".join([*self.lines[start : start + _LINES_AT_ONCE], b""])


def files_digest(checksums: Checksums, more: Iterable[bytes] = ()) -> Digest:
    """The `filesDigest` of a release: one digest over all files at fixed addresses.

    It is that of their lines, each with a line feed; `more` are sorted lines of such files that are
    not among the checksums.
    """
    fixed = (line for line in checksums.lines if is_at_fixed_address(path_of(line)))
    digest = hashlib.sha256()
    for line in merge(fixed, more, key=_path):
        digest.update(b"%b\n" % line)
    return Digest(digest.hexdigest())


def _merged(lines: Sequence[bytes], others: Collection[bytes]) -> Checksums:
    """Lines that are sorted, and others that are not; a few of those are inserted one by one."""
    if len(others) > len(lines) // _SORTING_PAYS:
        return Checksums([*lines, *others])
    merged = Checksums()
    merged.lines = [*lines]
    for line in others:
        insort(merged.lines, line, key=_path)
    return merged


def during_publish(old: Checksums, new: Checksums) -> Checksums:
    """What SHA256SUMS says while a release is being published: the files of both releases.

    A page that both have stands there with two digests: until it is replaced it is the former one.
    The record is not among them, which tells an interrupted publish from a finished one. The build
    after it finds here what it has to remove.
    """
    both = _merged(new.lines, {*old.lines}.difference(new.lines))
    record = RECORD_FILE.encode()
    both.lines = [line for line in both.lines if _path(line) != record]
    return both
