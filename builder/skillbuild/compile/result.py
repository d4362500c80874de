"""What working on a skill gives, and the lines of skills in catalog-wide files.

The lines of a registry are some hundred megabytes, and nothing looks at one before its file is
written: so they wait on disk until all skills are known.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, BinaryIO, Protocol, overload

from skillbuild.diagnostics import Finding
from skillbuild.errors import OutputError
from skillbuild.model import Unlisted
from skillbuild.source.conflicts import Described
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader

if TYPE_CHECKING:  # To check makes no versions.
    from skillbuild.compile.states import StateResults

_HAS_PREAD = sys.platform != "win32"


@dataclass(frozen=True, slots=True, eq=False)
class Lines(Mapping[str, bytes]):
    """The line of a skill in each catalog-wide file, by the path of that file."""

    lengths: Mapping[str, int]
    """Bytes of each line, in the order in which they stand one after another."""
    where: bytes | BinaryIO
    """A file has nothing in a buffer that waits to be written; if it lacks bytes, `OutputError`."""
    start: int = 0
    """Where the first line begins."""

    @staticmethod
    def of(lines: Mapping[str, bytes]) -> Lines:
        return Lines({path: len(line) for path, line in lines.items()}, b"".join(lines.values()))

    def __getitem__(self, path: str) -> bytes:
        start = self.start
        for each, length in self.lengths.items():
            if each == path:
                return _read(self.where, start, length)
            start += length
        raise KeyError(path)

    def __contains__(self, path: object) -> bool:
        return path in self.lengths

    def __iter__(self) -> Iterator[str]:
        return iter(self.lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    def joined(self) -> bytes:
        """All lines, with nothing between them."""
        return _read(self.where, self.start, sum(self.lengths.values()))


def _read(where: bytes | BinaryIO, start: int, length: int) -> bytes:
    if isinstance(where, bytes):
        return where[start : start + length]
    if _HAS_PREAD:  # Two processes may read, which have one place in the file.
        data = os.pread(where.fileno(), length, start)
    else:
        where.seek(start)
        data = where.read(length)
    if len(data) != length:
        raise OutputError("a file of this build was cut short by another program; build again")
    return data


@dataclass(frozen=True, slots=True)
class VersionTally:
    """Which versions of a skill are published, and what became of the others."""

    published: Mapping[str, int] = field(default_factory=dict)
    """By skill digest, in hex, bytes of the addressed files that only this and older ones have."""
    ended: int = 0
    """Older than the setting `keep` allows."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """By the code of the rule, or another reason."""
    withheld: Sequence[str] = ()
    """Skill digests, in hex, of those that are left out."""
    former: Sequence[str] = ()
    """Other skill paths that it had."""


@dataclass(frozen=True, slots=True)
class PublishedSkill:
    """What a release has of one skill; its files wait in a stage or stand in the output.

    Of a skill that is no longer in the source only versions are left, and `entry` is a line of
    `release.gone`.
    """

    path: str
    name: str
    """As its frontmatter has it."""
    entry: bytes
    """Its line in the record."""
    lines: Lines
    """Its lines in all other catalog-wide files."""
    checksums: tuple[bytes, ...]
    """Lines of SHA256SUMS for its own files."""
    versions: VersionTally = field(default_factory=VersionTally)
    unlisted: Unlisted = field(default_factory=dict)
    """Where it is not listed; empty until all skills are known (`Compiled.published`)."""


@dataclass(frozen=True, slots=True)
class SkillResult:
    """One skill after it was checked, and published unless it is invalid or only checked."""

    directory: str
    findings: tuple[Finding, ...]
    files: int
    silenced: tuple[Finding, ...] = ()
    """Findings that `[[ignore]]` silences."""
    unlisted: Unlisted = field(default_factory=dict)
    """Where it could not be listed among others; `compile/skills.py` decides for all of them."""
    published: PublishedSkill | None = None
    linked: tuple[str, ...] = ()
    """Directories of other skills that its texts lead to."""
    lookups: tuple[str, ...] = ()
    """Paths outside of the skill that its texts name, whether or not anything is there."""
    pictures: tuple[str, ...] = ()
    """Paths outside of the skill that it names as its icons, whether or not anything is there."""
    sought: tuple[str, ...] = ()
    """Paths that its texts name, and that other skills may have below their own directories."""
    withheld: Sequence[str] = ()
    """Skill digests, in hex, of the versions of a gone skill that has none to publish."""
    described: Described | None = None
    """What agents choose it by; only where skills are checked and not published."""
    states: StateResults | None = None
    """What became of its older states; None if the skill itself comes from an earlier build."""


class SkillStep(Protocol):
    """What is done with one skill. Picklable: it is sent to other processes."""

    def run(self, tree: SkillTree, outline: Outline, reader: Reader) -> SkillResult:
        """The result of one skill; `reader` gives the contents of its files."""


Compile = Callable[[Sequence[SkillTree], Outline, Reader], Iterator[SkillResult]]
"""Works on skills; one result for each, in the order given."""


def on_disk(results: Iterable[SkillResult], file: BinaryIO) -> Iterator[SkillResult]:
    """The same results, but that the lines of each are in a file."""
    for result in results:
        if result.published is None:
            yield result
        else:
            lines = _kept(result.published.lines, file)
            yield replace(result, published=replace(result.published, lines=lines))


def _kept(lines: Lines, file: BinaryIO) -> Lines:
    start = file.seek(0, 2)
    file.write(lines.joined())
    file.flush()
    return Lines(lines.lengths, file, start)


class LinesOf(Sequence[bytes]):
    """The lines of skills in one catalog-wide file, each read when somebody asks for it."""

    def __init__(self, path: str, lines: Sequence[Lines]) -> None:
        """`path` is that of the file, and every skill has a line in it."""
        self._path, self._lines = path, lines

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...

    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(place, slice):
            return LinesOf(self._path, self._lines[place])
        return self._lines[place][self._path]

    def __iter__(self) -> Iterator[bytes]:
        return (lines[self._path] for lines in self._lines)

    def __len__(self) -> int:
        return len(self._lines)
