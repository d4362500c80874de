"""The lines of skills in catalog-wide files, which wait on disk until all skills are known.

Those of a registry are some hundred megabytes, and nothing looks at one before its file is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, overload

from skillbuild.compile.result import Compiler, Lines, SkillResult
from skillbuild.source.discovery import DeclaredName
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Leaf, Reader


@dataclass(frozen=True, slots=True)
class LinesOnDisk:
    """A compiler like the one that it wraps, but that the lines it gives are in a file."""

    compiler: Compiler
    file: BinaryIO

    def read_names(
        self, skill_files: Sequence[Leaf], reader: Reader
    ) -> Iterator[tuple[str, DeclaredName]]:
        return self.compiler.read_names(skill_files, reader)

    def compile(
        self, skills: Sequence[SkillTree], outline: Outline, reader: Reader
    ) -> Iterator[SkillResult]:
        for result in self.compiler.compile(skills, outline, reader):
            if result.published is None:
                yield result
            else:
                lines = self._kept(result.published.lines)
                yield replace(result, published=replace(result.published, lines=lines))

    def _kept(self, lines: Lines) -> Lines:
        start = self.file.seek(0, 2)
        self.file.write(lines.joined())
        self.file.flush()
        return Lines(lines.lengths, self.file, start)


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
