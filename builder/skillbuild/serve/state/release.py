"""One release in the server's memory: every URI is known, the content stays on disk.

An entry is held as its line of `catalog.json` and read again when somebody asks for it: five
thousand skills as objects would take five times the memory of their text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from skillbuild.model import Digest, Icon
from skillbuild.release.record import Record
from skillbuild.serve.state.bounded_cache import BoundedCache
from skillbuild.serve.state.entries import (
    ListingRow,
    ServedEntry,
    SkillSummary,
    read_entry,
    read_summary,
)
from skillbuild.serve.state.raw_json import RawJsonList
from skillbuild.uris import INDEX_URI


@dataclass(frozen=True, slots=True)
class ReleaseCaches:
    """Values that were made from a release and are asked for again; they die with it."""

    entries: BoundedCache[int, ServedEntry] = field(default_factory=lambda: BoundedCache(256))
    """By their number."""
    skill_pages: BoundedCache[int, RawJsonList] = field(default_factory=lambda: BoundedCache(12))
    """Pages of `skills/list` by the position of their first skill."""
    icon_uris: BoundedCache[Icon, str | None] = field(default_factory=lambda: BoundedCache(1024))
    """`data:` URIs; None for an icon that is too large or damaged."""


@dataclass(frozen=True, eq=False)
class ServedRelease:
    """Everything the server may answer. The number of an entry is its position in `entry_lines`."""

    out: Path
    digest: Digest
    """Of `catalog.json`; cursors are bound to it."""
    record: Record
    """`catalog.json` without its entries."""
    entry_lines: Sequence[bytes]
    owners: Mapping[str, int]
    """Every file and archive by its exact URI: the number of the entry that has it."""
    file_uris: Sequence[str]
    """URIs of the files of all skills, sorted, so that a directory is a range."""
    listed_numbers: Sequence[int]
    """Numbers of the entries that `skills/list` has, sorted by the URIs of their SKILL.md."""
    shown_numbers: Sequence[int]
    """Numbers of all entries but internal ones, in the same order."""
    skill_rows: Sequence[ListingRow]
    """The rows of the shown skills, in the same order."""
    archive_uris: Sequence[str]
    """URIs of the archives of shown skills."""
    completable_uris: Sequence[str]
    """URIs of the files of shown skills, sorted: what completion may offer."""
    index: bytes
    """Content of `index.json`."""
    last_modified: Mapping[str, str]
    """When the skill at a path was last changed (ISO 8601); empty where the history is unknown."""
    caches: ReleaseCaches = field(default_factory=ReleaseCaches)

    @property
    def title(self) -> str:
        return self.record.catalog.title

    @property
    def listing_rows(self) -> Iterator[ListingRow]:
        """Everything that `resources/list` has: skills, the index, archives."""
        yield from self.skill_rows
        yield ListingRow(INDEX_URI, "index", "index.json")
        for uri in self.archive_uris:
            yield ListingRow(uri, "archive", uri.rpartition("/")[2])

    @cached_property
    def listing_uris(self) -> Sequence[str]:
        """The URIs of `listing_rows`."""
        return [row.uri for row in self.listing_rows]

    @cached_property
    def summaries(self) -> Sequence[SkillSummary]:
        """The shown skills, in the order of `shown_numbers`."""
        return [read_summary(self.entry_lines[number]) for number in self.shown_numbers]

    def entry_at(self, uri: str) -> ServedEntry | None:
        """The entry that has the file or archive at this URI; None for any other URI."""
        number = self.owners.get(uri)
        if number is None:
            return None
        return self.caches.entries.get(number, partial(read_entry, self.entry_lines[number]))

    def skill_at(self, uri: str) -> ServedEntry | None:
        """The skill, whether or not it is listed, whose SKILL.md is at this URI."""
        entry = self.entry_at(uri)
        return entry if entry is not None and entry.uri == uri else None

    def range_below(self, directory: str) -> slice:
        """The part of `file_uris` that is below a directory; empty for what is no directory."""
        start = bisect_left(self.file_uris, f"{directory}/")
        return slice(start, bisect_left(self.file_uris, f"{directory}0", start))

    def is_directory(self, uri: str) -> bool:
        below = self.range_below(uri)
        return below.start < below.stop and not uri.endswith("/")
