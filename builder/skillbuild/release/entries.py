"""The entries of a record, kept as the JSON lines that are published.

Decoded, the entries of ten thousand skills would take five times as much memory. Most entries are
only copied from one release to the next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache, partial

from skillbuild.errors import OutputError
from skillbuild.model import Digest, Entry
from skillbuild.release import parts
from skillbuild.release.entry import (
    REMEDY,
    EntrySummary,
    decode_entry,
    encode_entry,
    summary_of,
)
from skillbuild.release.parts import Part
from skillbuild.release.sorted_lines import path_in
from skillbuild.storage.files import DamagedError, Files, MissingError, read_named

_PARTS_HELD = 16
"""The number of parts of a published record that stay in memory; a build reads each part twice."""


class Entries(Collection[Entry]):
    """The entries of one release, sorted by path and decoded on iteration."""

    @property
    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """The parts that hold the entries, in order."""

    @abstractmethod
    def lines_of(self, number: int) -> Sequence[bytes]:
        """Return the lines of the part with this index in `parts`."""

    @property
    def lines(self) -> Iterator[bytes]:
        """The lines of all entries, in order."""
        for number in range(len(self.parts)):
            yield from self.lines_of(number)

    def __len__(self) -> int:
        return sum(part.count for part in self.parts)

    def __iter__(self) -> Iterator[Entry]:
        return map(decode_entry, self.lines)

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, Entry) and encode_entry(entry) in self.lines

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entries) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(tuple(part.digest for part in self.parts))

    def by_path(self) -> dict[str, bytes]:
        """Map each skill path to its line."""
        return {path_in(line): line for line in self.lines}

    def paths_by_directory(self) -> dict[str, str]:
        """Map each directory to its skill path."""
        return {each.directory: each.path for each in self.summaries()}

    def flat_names(self) -> dict[str, str]:
        """Map each skill path to its flat name."""
        return {each.path: each.flat_name for each in self.summaries()}

    def summaries(self) -> Iterator[EntrySummary]:
        """Decode a few fields of each entry, in order."""
        return map(summary_of, self.lines)

    def without(self, *others: Entries) -> EntryLines:
        """Return the lines that are in none of the `others`; lines are compared byte by byte.

        Parts that are also in one of the `others` are not read.
        """
        own = {part.digest for part in self.parts}
        theirs = {part.digest for other in others for part in other.parts}
        excluded = {line for other in others for line in other._lines_beside(own)}
        return EntryLines([line for line in self._lines_beside(theirs) if line not in excluded])

    def _lines_beside(self, digests: Collection[Digest]) -> Iterator[bytes]:
        """Yield the lines of all parts except those with one of these digests."""
        for number, part in enumerate(self.parts):
            if part.digest not in digests:
                yield from self.lines_of(number)


class EntryLines(Entries):
    """Entries that are held in memory as lines."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        """Use `lines`, which must be sorted by path."""
        self._lines = lines

    @classmethod
    def of(cls, entries: Collection[Entry]) -> Entries:
        """Return the entries as lines; encode them unless they already are lines."""
        return entries if isinstance(entries, Entries) else cls(list(map(encode_entry, entries)))

    @cached_property
    def _cut(self) -> Sequence[tuple[Part, range]]:
        return list(parts.cut(self._lines))

    @property
    def parts(self) -> Sequence[Part]:
        return tuple(part for part, _ in self._cut)

    def lines_of(self, number: int) -> Sequence[bytes]:
        numbers = self._cut[number][1]
        return self._lines[numbers.start : numbers.stop]

    @property
    def lines(self) -> Iterator[bytes]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class StoredEntries(Entries):
    """Entries in the parts of a published record; each part is read when needed."""

    def __init__(self, stored: Sequence[Part], files: Files, remedy: str = REMEDY) -> None:
        """Read entries from `files` when needed; `remedy` ends the error message about an
        unreadable part.
        """
        self._parts = stored
        read_lines = partial(_read_lines, stored, files, remedy)
        self._lines_of = lru_cache(_PARTS_HELD)(read_lines)  # Must not refer to `self`.

    @property
    def parts(self) -> Sequence[Part]:
        return self._parts

    def lines_of(self, number: int) -> Sequence[bytes]:
        """Return the lines of a part; raise `OutputError` if it is missing or damaged."""
        return self._lines_of(number)


def _read_lines(stored: Sequence[Part], files: Files, remedy: str, number: int) -> Sequence[bytes]:
    return read_part(stored[number], files, remedy).splitlines()


def read_part(part: Part, files: Files, remedy: str = REMEDY) -> bytes:
    """Return the content of a part; raise `OutputError` if it is missing or damaged."""
    try:
        return read_named(files, part.path, part.digest, part.size)
    except (MissingError, DamagedError) as error:
        what = f"{part.path}, a part of catalog.json, is {error.state}"
        raise OutputError(f"{what}; {remedy}") from error
