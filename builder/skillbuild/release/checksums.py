"""SHA256SUMS: the digests of all that an output holds, as `sha256sum --check` reads them.

They are held as the lines of that file: a large release has hundreds of thousands of them, and
lines take little memory and are quick to compare.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from skillbuild.model import Digest
from skillbuild.release.record import CHECKSUMS_FILE, RECORD_FILE
from skillbuild.storage import disk

_PATH_AT = 66
"""Behind 64 hex digits and two blanks."""
_LINES_AT_ONCE = 4096
_FEW = 100
"""To sort takes as long as to put one line in a hundred where it belongs."""


def line(path: str, digest: Digest) -> bytes:
    """What stands in SHA256SUMS of one file, without the end of the line."""
    return f"{digest.hex}  {path}".encode()


def lines(files: Mapping[str, Digest]) -> list[bytes]:
    return [line(path, digest) for path, digest in files.items()]


def path_of(line: bytes) -> str:
    return _path(line).decode(errors="replace")


def _path(line: bytes) -> bytes:
    return line[_PATH_AT:]


class Checksums:
    """Files and their digests: one line a path, sorted by the bytes of the paths."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        """In any order; what several skills have in common may come several times."""
        self.lines = [line for line, _ in groupby(sorted(lines, key=_path))]

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.find(path) is not None

    def find(self, path: str) -> bytes | None:
        """The line of a path."""
        wanted = path.encode()
        at = bisect_left(self.lines, wanted, key=_path)
        found = self.lines[at : at + 1]
        return found[0] if found and _path(found[0]) == wanted else None

    def over(self, lines: Iterable[bytes]) -> Checksums:
        """The lines given, quickly sorted where most of them are among these."""
        if not self.lines:
            return Checksums(lines)
        wanted = {*lines}
        same = [line for line in self.lines if line in wanted]
        return _merged(same, wanted.difference(same))

    def plus(self, others: Iterable[bytes]) -> Checksums:
        """These, and the lines of further paths."""
        return _merged(self.lines, {one for one in others if path_of(one) not in self})

    def without(self, path: str) -> Checksums:
        line = self.find(path)
        return _merged([one for one in self.lines if one is not line], ())

    def paths(self) -> Iterator[str]:
        return map(path_of, self.lines)

    def text(self) -> Iterator[bytes]:
        """The file, piece by piece."""
        for start in range(0, len(self.lines), _LINES_AT_ONCE):
            yield b"\n".join([*self.lines[start : start + _LINES_AT_ONCE], b""])


def _merged(lines: Sequence[bytes], others: Collection[bytes]) -> Checksums:
    """Of lines in their order and others; a few of those are put in their places."""
    if len(others) > len(lines) // _FEW:
        return Checksums([*lines, *others])
    made = Checksums()
    made.lines = [*lines]
    for line in others:
        insort(made.lines, line, key=_path)
    return made


def unfinished(listed: Checksums, wanted: Checksums) -> Checksums:
    """What is told while a release is on its way: not of the record, so it is not complete.

    Old and new files are listed, so that the build after a killed one knows what to remove.
    """
    both = wanted.plus({*listed.lines}.difference(wanted.lines))
    return both.without(RECORD_FILE)


def listed_in(out: Path) -> Checksums:
    """What the SHA256SUMS of an output says."""
    return parsed(disk.read(out / CHECKSUMS_FILE) or b"")


def parsed(data: bytes) -> Checksums:
    """Lines of another form are left out."""
    return Checksums(line for line in data.split(b"\n") if line[64:_PATH_AT] == b"  ")
