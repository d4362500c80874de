"""The result of compiling a skill, and the skill's lines in catalog-wide files.

In a large catalog, these lines take hundreds of megabytes. They are kept on disk until all skills
are compiled, because they are not needed earlier.
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

if TYPE_CHECKING:  # Checks do not load this.
    from skillbuild.compile.states import StateResults

_HAS_PREAD = sys.platform != "win32"


@dataclass(frozen=True, slots=True, eq=False)
class Lines(Mapping[str, bytes]):
    """One skill's lines in the catalog-wide files, by the path of the file."""

    lengths: Mapping[str, int]
    """The length of each line in bytes, in the order in which they are stored."""
    where: bytes | BinaryIO
    """The bytes themselves, or a flushed file; reading from a truncated file raises
    `OutputError`.
    """
    start: int = 0
    """Offset of the first line."""

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
        """Return all lines, concatenated."""
        return _read(self.where, self.start, sum(self.lengths.values()))


def _read(where: bytes | BinaryIO, start: int, length: int) -> bytes:
    if isinstance(where, bytes):
        return where[start : start + length]
    if _HAS_PREAD:  # Several processes may read, and they share the file position.
        data = os.pread(where.fileno(), length, start)
    else:
        where.seek(start)
        data = where.read(length)
    if len(data) != length:
        raise OutputError("another program truncated a temporary file of this build; build again")
    return data


@dataclass(frozen=True, slots=True)
class VersionTally:
    """The published versions of a skill, and the reasons why other versions are not published."""

    published: Mapping[str, int] = field(default_factory=dict)
    """For each version, by skill digest in hex: the size in bytes of its files that neither the
    current skill nor an older version has.
    """
    ended: int = 0
    """The number of versions beyond the limit `keep`."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The number of other unpublished versions, by rule code or another reason."""
    withheld: Sequence[str] = ()
    """Skill digests, in hex, of versions that are left out."""
    former: Sequence[str] = ()
    """Former skill paths."""


@dataclass(frozen=True, slots=True)
class PublishedSkill:
    """The published content of one skill; the files are in the stage or in the output.

    If the skill is no longer in the source, only versions of the skill are published, and `entry`
    is the skill's line in the `gone` list of the record.
    """

    path: str
    name: str
    """The name in the skill's frontmatter."""
    entry: bytes
    """The skill's line in the record."""
    lines: Lines
    """The skill's lines in all other catalog-wide files."""
    checksums: tuple[bytes, ...]
    """The SHA256SUMS lines of the skill's own files."""
    versions: VersionTally = field(default_factory=VersionTally)
    unlisted: Unlisted = field(default_factory=dict)
    """The listings that leave the skill out; empty until all skills are compiled
    (`Compiled.published`).
    """


@dataclass(frozen=True, slots=True)
class Lookups:
    """The paths outside of a skill that its check depends on, sorted. Some of these paths may not
    exist.
    """

    paths: tuple[str, ...] = ()
    """Paths that the skill's texts mention."""
    pictures: tuple[str, ...] = ()
    """Paths of the skill's icons that are outside its directory."""
    sought: tuple[str, ...] = ()
    """Paths in the skill's texts that may be relative to the directory of another skill."""


@dataclass(frozen=True, slots=True)
class SkillResult:
    """The result for one skill: its findings and, if it is published, the published content."""

    directory: str
    findings: tuple[Finding, ...]
    files: int
    silenced: tuple[Finding, ...] = ()
    """Findings that `[[ignore]]` silences."""
    unlisted: Unlisted = field(default_factory=dict)
    """Listings that should omit the skill; `compile/skills.py` makes the final decision, for all
    skills together.
    """
    published: PublishedSkill | None = None
    linked: tuple[str, ...] = ()
    """Directories of other skills that this skill's texts link to."""
    lookups: Lookups = Lookups()
    withheld: Sequence[str] = ()
    """Skill digests, in hex, of a removed skill without any published version."""
    described: Described | None = None
    """The texts that agents read to choose the skill; set only if the skill is checked without
    being published.
    """
    states: StateResults | None = None
    """The results of the skill's past states; None if the skill's result comes from an earlier
    build.
    """


class SkillStep(Protocol):
    """Checks or compiles one skill. It is pickled and sent to other processes."""

    def run(self, tree: SkillTree, outline: Outline, reader: Reader) -> SkillResult:
        """Return the result for one skill; `reader` reads the files of the skill."""


Compile = Callable[[Sequence[SkillTree], Outline, Reader], Iterator[SkillResult]]
"""A function that compiles skills; it yields one result for each, in the order given."""


def on_disk(results: Iterable[SkillResult], file: BinaryIO) -> Iterator[SkillResult]:
    """Yield the same results, but with their lines moved to a file."""
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
    """The lines of skills in one catalog-wide file. Each line is read from disk when it is
    accessed.
    """

    def __init__(self, path: str, lines: Sequence[Lines]) -> None:
        """Read lines of the file at `path`, in which every skill has a line."""
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
