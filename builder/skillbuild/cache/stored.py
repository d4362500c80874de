"""Stores the results for skills in one file, as lines of `subject TAB key TAB JSON`.

The subject of a line is one skill or the whole release. A line is decoded only if its key matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from skillbuild.cache import own_files
from skillbuild.cache.own_files import Stored
from skillbuild.compile.result import Lines, Lookups, PublishedSkill, SkillResult, VersionTally
from skillbuild.compile.states import StateResults
from skillbuild.diagnostics import Finding
from skillbuild.model import decoder
from skillbuild.source.discovery import DeclaredName
from skillbuild.source.history import Walk

_Value = TypeVar("_Value")


class StoredRelease(msgspec.Struct, frozen=True):
    """The release that the stored results belong to."""

    inputs: str
    """A hash of everything that the build depended on besides the skills."""
    record: str
    """The digest of the record, in hex; `checksums` is the digest of SHA256SUMS."""
    checksums: str
    signature: str | None
    """The signature of the output."""
    size: int
    """The size of the whole output in bytes."""


class StoredPublished(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stored `PublishedSkill`. Bytes fields that are always UTF-8 are stored as strings."""

    path: str
    name: str
    entry: str
    lines: dict[str, bytes]
    checksums: tuple[str, ...]
    tally: VersionTally


class StoredLookups(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The part of a result that is decoded first, because it decides whether the rest is still
    valid.
    """

    outside: str
    """The key for the content at the paths that were looked up."""
    lookups: Lookups = Lookups()


class States(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The part of a result that is still useful if the skill has changed."""

    states: StateResults | None = None


class StoredResult(StoredLookups, frozen=True, kw_only=True, omit_defaults=True):
    """A stored `SkillResult`. Its `states` can be used even if the skill has changed."""

    directory: str
    files: int
    findings: tuple[Finding, ...] = ()
    silenced: tuple[Finding, ...] = ()
    unlisted: dict[str, tuple[str, ...]] = {}
    published: StoredPublished | None = None
    linked: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    states: StateResults | None = None

    @classmethod
    def of(cls, result: SkillResult, outside: str) -> StoredResult:
        """Convert a result to its stored form. `outside` is the hash that `Outside.key` returned
        for the lookups of the result.
        """
        published = result.published
        return cls(
            directory=result.directory,
            files=result.files,
            outside=outside,
            findings=result.findings,
            silenced=result.silenced,
            unlisted=dict(result.unlisted),
            published=_stored(published) if published else None,
            linked=result.linked,
            lookups=result.lookups,
            withheld=tuple(result.withheld),
            states=result.states,
        )

    def result(self) -> SkillResult:
        return SkillResult(
            directory=self.directory,
            findings=self.findings,
            files=self.files,
            silenced=self.silenced,
            unlisted=self.unlisted,
            published=_published(self.published) if self.published else None,
            linked=self.linked,
            lookups=self.lookups,
            withheld=self.withheld,
        )


def _stored(skill: PublishedSkill) -> StoredPublished:
    return StoredPublished(
        skill.path,
        skill.name,
        skill.entry.decode(),
        dict(skill.lines),
        tuple(line.decode() for line in skill.checksums),
        skill.versions,
    )


def _published(stored: StoredPublished) -> PublishedSkill:
    return PublishedSkill(
        stored.path,
        stored.name,
        stored.entry.encode(),
        Lines.of(stored.lines),
        tuple(line.encode() for line in stored.checksums),
        stored.tally,
    )


def decode(row: Row | None, reader: msgspec.json.Decoder[_Value]) -> _Value | None:
    """Decode the JSON of a line. Returns None if there is no line, or if the JSON does not have the
    expected type.
    """
    try:
        return reader.decode(row.json) if row else None
    except ValueError:
        return None


RELEASE, WALK, KEYS = decoder(StoredRelease), decoder(Walk), decoder(dict[str, str])
NAMES = decoder(dict[str, DeclaredName])
LOOKUPS, STATES, RESULT = decoder(StoredLookups), decoder(States), decoder(StoredResult)
"""Decoders for different parts of the same line."""


KIND = "results"
_BETWEEN, _END = b"\t", b"\n"  # Neither occurs in one-line JSON.


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file: its key, and where the JSON is in the file."""

    key: bytes
    file: Stored
    start: int
    end: int

    @property
    def json(self) -> bytes:
        return self.file.data[self.start : self.end]


def read_rows(out: Path) -> Mapping[bytes, Row]:
    """Map each subject to the line that the last build of this output stored for it."""
    file = own_files.read(out, KIND)
    return dict(_rows(file)) if file else {}


def _rows(file: Stored) -> Iterator[tuple[bytes, Row]]:
    data, start = file.data, file.start
    while (end := data.find(_END, start, file.end)) >= 0:
        key = data.find(_BETWEEN, start, end) + 1
        json = data.find(_BETWEEN, key, end) + 1
        yield data[start : key - 1], Row(data[key : json - 1], file, json, end)
        start = end + 1


def write_rows(out: Path, rows: Iterable[tuple[bytes, bytes, bytes]]) -> None:
    """Replace the stored lines. Each row is a tuple: the subject, the key and the JSON of a
    line.
    """
    own_files.write(out, KIND, (_BETWEEN.join(row) + _END for row in rows))
