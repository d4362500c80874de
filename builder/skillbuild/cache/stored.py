"""The results of one build as they are stored: a head, rows of JSON, checksum numbers, lines.

The record and SHA256SUMS of the output hold the rest of each result, so the file is only good for
the very release that it was stored with.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from skillbuild.cache import signed_files
from skillbuild.compile.result import Lines, VersionTally, joined_lines
from skillbuild.diagnostics import Finding, Severity
from skillbuild.model import Place
from skillbuild.output.base import Published
from skillbuild.output.directory import is_whole
from skillbuild.output.signature import signature
from skillbuild.output.stage import Publication
from skillbuild.release.entries import EntryLines
from skillbuild.rules.registry import RULES
from skillbuild.text.json import json_line

KIND = "skills"
_BETWEEN_ROWS = b",\n"
"""No JSON in one line holds a line feed."""
_ROWS_AT_ONCE = 500
_COPIED_AT_ONCE = 1 << 20
_MOSTLY_EMPTY = ("linked", "lookups", "pictures", "codes", "silenced")
_NO_VERSIONS = asdict(VersionTally())
"""Most rows of a large catalog hold what has no items: it is in memory once."""


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding that no record holds, because it is silenced; `line` 0 stands for no place."""

    code: str
    severity: str
    path: str
    line: int
    column: int
    message: str
    hint: str
    fingerprint: str

    @classmethod
    def of(cls, item: Finding) -> StoredFinding:
        line, column = (item.place.line, item.place.column) if item.place else (0, 0)
        code, severity = item.rule.code, str(item.severity)
        return cls(
            code, severity, item.path, line, column, item.message, item.hint, item.fingerprint
        )

    def finding(self) -> Finding:
        return Finding(
            RULES[self.code],
            self.path,
            Place(self.line, self.column) if self.line else None,
            self.message,
            self.hint,
            Severity(self.severity),
            fingerprint=self.fingerprint,
        )


@dataclass(frozen=True, slots=True)
class CachedSkill:
    """The result of one published skill, but for what the record and SHA256SUMS say of it."""

    path: str
    name: str
    directory: str
    key: str
    answers: str
    """The key of what it learnt of paths outside of it."""
    skill_file_id: str
    """Object id of its SKILL.md."""
    name_place: Sequence[int] | None
    """Line and column of its name."""
    linked: Sequence[str]
    lookups: Sequence[str]
    pictures: Sequence[str]
    codes: Sequence[str]
    files: int
    unlisted: Mapping[str, Sequence[str]]
    """Where it could not be listed among others, whatever the record of the release says."""
    silenced: Sequence[StoredFinding]
    versions: Mapping[str, Any]
    """The fields of its `VersionTally`."""
    gone: str
    """Its line in the record, if it is no longer in the source; else empty."""
    checksum_count: int
    """Files of the output that are its own."""
    line_lengths: Mapping[str, int]
    """Of its lines in catalog-wide files, by the path of each file."""

    @property
    def version_codes(self) -> Sequence[str]:
        """Codes of all rules that its older versions met."""
        codes: Sequence[str] = self.versions["codes"]
        return codes

    def row(self) -> bytes:
        """The row of JSON that it is stored as, with named fields."""
        return json_line(asdict(self))


@dataclass(frozen=True, slots=True)
class StoredSkill:
    """A cached skill with the bytes that belong to it; unchanged skills are stored as they are."""

    skill: CachedSkill
    row: bytes
    lines: Lines
    checksums: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class StoredRelease:
    """What is stored about the release that an output holds; skills are by directory."""

    skills: Mapping[str, StoredSkill] = field(default_factory=dict)
    entries: Mapping[str, bytes] = field(default_factory=dict)
    """Entries of its record by skill path."""
    size: int = 0
    """Bytes of the whole output."""
    paths: str = ""
    """The key of all that skills can learn of paths outside of them."""
    file: BinaryIO | None = None
    """Where the lines of its skills are."""

    def close(self) -> None:
        """The lines of its skills cannot be read any more."""
        if self.file is not None:
            self.file.close()


def read_stored(out: Path, inputs: str, base: Published) -> StoredRelease | None:
    """What was stored with the release that `base` is; None if it was stored with another one.

    `inputs` is the key of what the build depends on. Addressed files must be as they were, too.
    """
    with ExitStack() as opened:
        file = signed_files.open_body(out, KIND)
        if file is None:
            return None
        opened.enter_context(file)
        try:
            head = json.loads(file.readline())
            if not _is_of(head, inputs, base):
                return None
            if head["signature"] != base.signature and not is_whole(out, base.checksums):
                return None
            rows = file.read(head["rowBytes"]).split(_BETWEEN_ROWS)
            numbers = array("I", file.read(head["numberBytes"]))
            skills = _with_bytes(rows, numbers, file, base.checksums.lines)
            size, paths = head["size"], head["paths"]
        except (LookupError, OSError, TypeError, ValueError):  # By another version of this program.
            return None
        opened.pop_all()
    entries = EntryLines.of(base.release.catalog.entries).by_path()
    return StoredRelease(skills, entries, size, paths, file)


def _is_of(head: Mapping[str, object], inputs: str, base: Published) -> bool:
    return (head["inputs"], head["record"], head["checksums"]) == (
        inputs,
        base.record_digest.hex,
        base.checksums_digest.hex,
    )


def _with_bytes(
    rows: Sequence[bytes], numbers: array[int], file: BinaryIO, checksums: Sequence[bytes]
) -> dict[str, StoredSkill]:
    """Each skill by its directory with its row, its lines, which begin here, and its checksums."""
    stored, number, start = {}, 0, file.tell()
    for skill, row in zip(_skills(rows), rows, strict=False):
        own = tuple(checksums[n] for n in numbers[number : number + skill.checksum_count])
        line = Lines(skill.line_lengths, file, start)
        stored[skill.directory] = StoredSkill(skill, row, line, own)
        number += skill.checksum_count
        start += sum(skill.line_lengths.values())
    return stored


def _skills(rows: Sequence[bytes]) -> Iterator[CachedSkill]:
    """Some at once, as all would be in memory twice, and one by one takes longer."""
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = b",".join(rows[start : start + _ROWS_AT_ONCE])
        for row in json.loads(b"[%b]" % some):
            for key in _MOSTLY_EMPTY:
                row[key] = row[key] or ()
            if row["versions"] == _NO_VERSIONS:
                row["versions"] = _NO_VERSIONS
            row["silenced"] = tuple(StoredFinding(**each) for each in row["silenced"])
            yield CachedSkill(**row)


def write_stored(out: Path, inputs: str, publication: Publication, release: StoredRelease) -> None:
    """Store the skills of a release that was just published; its entries are in its record.

    Their checksum lines are stored as numbers of lines in SHA256SUMS.
    """
    ordered = list(release.skills.values())
    rows = _BETWEEN_ROWS.join(each.row for each in ordered)
    number = {line: number for number, line in enumerate(publication.checksums.lines)}
    numbers = array("I", (number[line] for each in ordered for line in each.checksums)).tobytes()
    head = {
        "inputs": inputs,
        "record": publication.record_digest.hex,
        "checksums": publication.checksums_digest.hex,
        "signature": signature(out),
        "size": release.size,
        "paths": release.paths,
        "rowBytes": len(rows),
        "numberBytes": len(numbers),
    }
    signed_files.write(out, KIND, _Parts([json_line(head), b"\n", rows, numbers], ordered))


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is stored; the lines of each skill are read when it is their turn."""

    first: Sequence[bytes]
    skills: Sequence[StoredSkill]

    def __iter__(self) -> Iterator[bytes]:
        yield from self.first
        yield from joined_lines((each.lines for each in self.skills), _COPIED_AT_ONCE)
