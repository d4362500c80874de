"""The entries of a record as the lines of JSON that they are published as.

A catalog of ten thousand skills takes five times the memory as objects, and most of its entries
are only copied from one release to the next.
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
"""Parts of a published record that are held after they were read: a build asks for them twice."""


class Entries(Collection[Entry]):
    """The entries of one release, sorted by path; each is decoded when somebody iterates."""

    @property
    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """The parts that the entries stand in, in order."""

    @abstractmethod
    def lines_of(self, number: int) -> Sequence[bytes]:
        """The lines of one part, by its number in `parts`."""

    @property
    def lines(self) -> Iterator[bytes]:
        """All lines in order, part by part."""
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
        """The lines by skill path."""
        return {path_in(line): line for line in self.lines}

    def paths_by_directory(self) -> dict[str, str]:
        """The skill paths by directory."""
        return {each.directory: each.path for each in self.summaries()}

    def flat_names(self) -> dict[str, str]:
        """The flat names by skill path."""
        return {each.path: each.flat_name for each in self.summaries()}

    def summaries(self) -> Iterator[EntrySummary]:
        """Some fields of each entry, in order."""
        return map(summary_of, self.lines)

    def without(self, *others: Entries) -> EntryLines:
        """The lines that do not stand among the others, byte for byte.

        Only parts are read that these and the others have not in common.
        """
        own = {part.digest for part in self.parts}
        theirs = {part.digest for other in others for part in other.parts}
        excluded = {line for other in others for line in other._lines_beside(own)}
        return EntryLines([line for line in self._lines_beside(theirs) if line not in excluded])

    def _lines_beside(self, digests: Collection[Digest]) -> Iterator[bytes]:
        """The lines of parts with none of these digests."""
        for number, part in enumerate(self.parts):
            if part.digest not in digests:
                yield from self.lines_of(number)


class EntryLines(Entries):
    """Entries in memory."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        """`lines` are sorted by path."""
        self._lines = lines

    @classmethod
    def of(cls, entries: Collection[Entry]) -> Entries:
        """The same entries as lines, encoded only if they are not lines yet."""
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
    """Entries that stand in the parts of a published record; each part is read when needed."""

    def __init__(self, stored: Sequence[Part], files: Files, remedy: str = REMEDY) -> None:
        """`remedy` is the end of the message about a part that cannot be had."""
        self._parts = stored
        read_lines = partial(_read_lines, stored, files, remedy)
        self._lines_of = lru_cache(_PARTS_HELD)(read_lines)  # Without a reference to this object.

    @property
    def parts(self) -> Sequence[Part]:
        return self._parts

    def lines_of(self, number: int) -> Sequence[bytes]:
        """Raises `OutputError` for a part that is missing or damaged."""
        return self._lines_of(number)


def _read_lines(stored: Sequence[Part], files: Files, remedy: str, number: int) -> Sequence[bytes]:
    return read_part(stored[number], files, remedy).splitlines()


def read_part(part: Part, files: Files, remedy: str = REMEDY) -> bytes:
    """The content of a part; `OutputError` if it is missing or has another digest."""
    try:
        return read_named(files, part.path, part.digest, part.size)
    except (MissingError, DamagedError) as error:
        what = f"{part.path}, a part of catalog.json, is {error.state}"
        raise OutputError(f"{what}; {remedy}") from error
