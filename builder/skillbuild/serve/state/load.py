"""Reads a release from an output and checks it, so that what is served needs no further checks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from pydantic_core import from_json

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release import record
from skillbuild.release.layout import HISTORY_FILE, INDEX_FILE, RECORD_FILE
from skillbuild.release.record import Record
from skillbuild.serve.state.entries import ListingRow, index_entry
from skillbuild.serve.state.release import ServedRelease
from skillbuild.storage import disk

_ISO_8601 = "%Y-%m-%dT%H:%M:%SZ"


def load_release(out: Path) -> ServedRelease:
    """The release that `out` holds; `OutputError` gives the reason when it cannot be served."""
    digest, head, lines = _read_record(out / RECORD_FILE)
    index = _read_index(out / INDEX_FILE, head.index_digest)
    owners: dict[str, int] = {}
    file_uris: list[str] = []
    completable_uris: list[str] = []
    skills: list[tuple[str, int, ListingRow]] = []
    listed: list[tuple[str, int]] = []
    archive_uris: list[str] = []
    for number, line in enumerate(lines):
        entry = index_entry(line, number)
        file_uris += entry.file_uris
        for uri in (*entry.file_uris, *entry.archive_uris):
            owners[uri] = number
        if entry.listed:
            listed.append((entry.row.uri, number))
        if not entry.internal:
            skills.append((entry.row.uri, number, entry.row))
            completable_uris += entry.file_uris
            archive_uris += entry.archive_uris
    skills.sort()
    return ServedRelease(
        out=out,
        digest=digest,
        record=head,
        entry_lines=lines,
        owners=owners,
        file_uris=sorted(set(file_uris)),
        listed_numbers=[number for _, number in sorted(listed)],
        shown_numbers=[number for _, number, _ in skills],
        skill_rows=[row for _, _, row in skills],
        archive_uris=archive_uris,
        completable_uris=sorted(set(completable_uris)),
        index=index,
        last_modified=_read_history(out / HISTORY_FILE),
    )


def _read_record(path: Path) -> tuple[Digest, Record, list[bytes]]:
    """Digest, head and entries of `catalog.json`.

    Line by line, as the memory of one large block would stay with the process.
    """
    sha256 = hashlib.sha256()

    def hashed_lines(file: BinaryIO) -> Iterator[bytes]:
        for line in file:
            sha256.update(line)
            yield line

    try:
        with disk.opened(path) as file:
            head, lines = record.split(hashed_lines(file))
    except OSError as error:
        raise OutputError(f"{path} is missing; run build first") from error
    return Digest(sha256.hexdigest()), head, lines


def _read_index(path: Path, expected: Digest) -> bytes:
    """The content of `index.json`, which the next publish will replace on disk."""
    data = disk.read(path)
    if data is None or Digest.of(data) != expected:
        raise OutputError(f"{path} is not the index of this release; run build again")
    return data


def _read_history(path: Path) -> dict[str, str]:
    """Dates by skill path. No digest covers them: whatever does not read as a date is left out."""
    try:
        rows = from_json(disk.read(path) or b"{}").get("skills", [])
        return {
            str(row["path"]): datetime.fromtimestamp(row["seconds"], UTC).strftime(_ISO_8601)
            for row in rows
        }
    except (AttributeError, KeyError, OSError, OverflowError, TypeError, ValueError):
        return {}
