"""SHA256SUMS: the digest of every file of a release, in the format of `sha256sum --check`.

Checksums are kept in memory as the lines of that file, without line endings. A large release has
hundreds of thousands of files, and lines take little memory and compare fast.
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
"""The index of the path in a line, after 64 hex digits and two spaces."""
_LINES_AT_ONCE = 4096
_SORTING_PAYS = 100
"""All lines are sorted, instead of inserting new ones, if more than one line in this many is
new."""


def line(path: str, digest: Digest) -> bytes:
    """Return the SHA256SUMS line of one file."""
    return f"{digest.hex}  {path}".encode()


def lines(files: Mapping[str, Digest]) -> list[bytes]:
    """Return the SHA256SUMS lines of several files, in the order given."""
    return [line(path, digest) for path, digest in files.items()]


def path_of(line: bytes) -> str:
    """Return the path in a line."""
    return _path(line).decode(errors="replace")


def _path(line: bytes) -> bytes:
    return line[_PATH_START:]


class Checksums:
    """The SHA256SUMS lines of a set of files, sorted by the bytes of their paths, without
    duplicates.
    """

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        """Sort `lines` and drop duplicates, such as files that several skills share."""
        self.lines = [line for line, _ in groupby(sorted(lines, key=_path))]

    @classmethod
    def parse(cls, data: bytes) -> Checksums:
        """Parse SHA256SUMS; malformed lines are skipped."""
        return cls(line for line in data.split(b"\n") if line[_DIGEST_END:_PATH_START] == b"  ")

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.find(path) is not None

    def find(self, path: str) -> bytes | None:
        """Return the line of a path; None if there is none."""
        wanted = path.encode()
        position = bisect_left(self.lines, wanted, key=_path)
        line = self.lines[position] if position < len(self.lines) else None
        return line if line is not None and _path(line) == wanted else None

    def plus(self, lines: Iterable[bytes]) -> Checksums:
        """Return a copy with the given lines added; lines for paths that are already listed are
        ignored.
        """
        return _merged(self.lines, {line for line in lines if path_of(line) not in self})

    def paths(self) -> Iterator[str]:
        return map(path_of, self.lines)

    def repeated_paths(self) -> list[str]:
        """Return the paths that are listed with several digests. A release must not have any,
        because two files would have the same path.
        """
        pairs = pairwise(map(_path, self.lines))
        return sorted(
            {path.decode(errors="replace") for path, next_path in pairs if path == next_path}
        )

    def hex_digests(self) -> dict[str, str]:
        """Return the digest of each file as 64 hex digits, keyed by path."""
        return {path_of(line): line[:_DIGEST_END].decode(errors="replace") for line in self.lines}

    def pieces(self) -> Iterator[bytes]:
        """Yield the content of SHA256SUMS in pieces."""
        for start in range(0, len(self.lines), _LINES_AT_ONCE):
            yield b"\n".join([*self.lines[start : start + _LINES_AT_ONCE], b""])


def files_digest(checksums: Checksums, more: Iterable[bytes] = ()) -> Digest:
    """Return the `filesDigest` of a release: one digest for all files that clients read at fixed
    addresses.

    The digest is the SHA-256 of the SHA256SUMS lines of these files, each with a line feed. `more`
    contains the lines of files at fixed addresses that are missing from `checksums`, sorted by the
    bytes of their paths.
    """
    fixed = (line for line in checksums.lines if is_at_fixed_address(path_of(line)))
    digest = hashlib.sha256()
    for line in merge(fixed, more, key=_path):
        digest.update(b"%b\n" % line)
    return Digest(digest.hexdigest())


def _merged(lines: Sequence[bytes], others: Collection[bytes]) -> Checksums:
    """Merge unsorted `others` into sorted `lines`; if they are few, insert them one by one."""
    if len(others) > len(lines) // _SORTING_PAYS:
        return Checksums([*lines, *others])
    merged = Checksums()
    merged.lines = [*lines]
    for line in others:
        insort(merged.lines, line, key=_path)
    return merged


def during_publish(old: Checksums, new: Checksums) -> Checksums:
    """Return the content of SHA256SUMS during a publish: the files of the old and the new release.

    A page that is in both releases is listed with both digests, because either version may be on
    disk. The record is left out to mark the publish as unfinished. If the publish is interrupted,
    the next build uses this file to find out what to remove.
    """
    both = _merged(new.lines, {*old.lines}.difference(new.lines))
    record = RECORD_FILE.encode()
    both.lines = [line for line in both.lines if _path(line) != record]
    return both
