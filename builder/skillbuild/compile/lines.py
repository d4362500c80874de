"""The lines of skills in catalog-wide files, which wait on disk until all skills are known.

Those of a registry are some hundred megabytes, and nothing looks at one before its file is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO, overload

from skillbuild.compile.result import Lines, SkillResult


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
