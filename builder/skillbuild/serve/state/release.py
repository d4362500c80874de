"""One release as the server holds it: small, checked once, every URI known before it is asked for.

An entry stays the line of JSON that `catalog.json` has for it and is read again when somebody
asks: five thousand skills as objects would take five times their text.
"""

from __future__ import annotations

import hashlib
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from pydantic_core import from_json

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release import record
from skillbuild.release.layout import INDEX_FILE, RECORD_FILE
from skillbuild.release.record import Record
from skillbuild.serve.state import entries
from skillbuild.serve.state.entries import Opened, Row
from skillbuild.storage import disk
from skillbuild.uris import INDEX_URI

HISTORY_FILE = "history.json"
_ISO_8601 = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, eq=False)
class Release:
    """Everything the server may answer. `owners` has every file and archive by its exact URI."""

    out: Path
    digest: Digest
    """Of `catalog.json`: cursors are bound to it."""
    head: Record
    lines: Sequence[bytes]
    owners: Mapping[str, int]
    files: Sequence[str]
    """URIs of the files of all skills, sorted, so that a directory is a range."""
    listed: Sequence[int]
    """Numbers of the listed entries, by URI."""
    skills: Sequence[Row]
    """The listed skills as rows, in the order of `listed`."""
    archives: Sequence[str]
    """URIs of the archives of listed skills."""
    offered: Sequence[str]
    """URIs that completion may offer, sorted: the files of listed skills."""
    packed_index: bytes
    index_size: int
    changed: Mapping[str, str]
    """When the skill at a path was last changed, in ISO 8601; empty where nobody knows."""

    @property
    def title(self) -> str:
        return self.head.catalog.title

    @property
    def index(self) -> bytes:
        """What stands at `skill://index.json`; kept small, as it is seldom asked for."""
        return zlib.decompress(self.packed_index)

    @property
    def listing(self) -> Iterator[Row]:
        """Everything `resources/list` has: skills, the index, archives."""
        yield from self.skills
        yield Row(INDEX_URI, "index", "index.json")
        for uri in self.archives:
            yield Row(uri, "archive", uri.rpartition("/")[2])

    @cached_property
    def resources(self) -> Sequence[str]:
        """The URIs of `listing`."""
        return [row.uri for row in self.listing]

    def open(self, uri: str) -> Opened | None:
        """The entry that has this file or archive; None for any other URI."""
        number = self.owners.get(uri)
        return None if number is None else entries.opened(self.lines[number])

    def skill(self, uri: str) -> Opened | None:
        """The skill of this SKILL.md, listed or not."""
        opened = self.open(uri)
        return opened if opened is not None and opened.uri == uri else None

    def below(self, directory: str) -> slice:
        """Where in `files` a directory's content stands; empty for what is no directory."""
        start = bisect_left(self.files, f"{directory}/")
        return slice(start, bisect_left(self.files, f"{directory}0", start))

    def is_directory(self, uri: str) -> bool:
        found = self.below(uri)
        return found.start < found.stop and not uri.endswith("/")


def load(out: Path) -> Release:
    """Read and check a release; raises `OutputError` with the reason when it cannot be served."""
    digest, head, lines = _record(out / RECORD_FILE)
    index, index_size = _index(out / INDEX_FILE, head.index_digest)
    owners: dict[str, int] = {}
    files: list[str] = []
    offered: list[str] = []
    skills: list[tuple[str, int, Row]] = []
    archives: list[str] = []
    for number, line in enumerate(lines):
        brief = entries.brief(line, number)
        files += brief.files
        for uri in (*brief.files, *brief.archives):
            owners[uri] = number
        if brief.listed:
            skills.append((brief.row.uri, number, brief.row))
            offered += brief.files
            archives += brief.archives
    skills.sort()
    return Release(
        out=out,
        digest=digest,
        head=head,
        lines=lines,
        owners=owners,
        files=sorted(set(files)),
        listed=[number for _, number, _ in skills],
        skills=[row for _, _, row in skills],
        archives=archives,
        offered=sorted(set(offered)),
        packed_index=index,
        index_size=index_size,
        changed=_changed(out / HISTORY_FILE),
    )


def _changed(path: Path) -> dict[str, str]:
    """Advice that no digest covers: whatever does not read as a date is left out."""
    try:
        rows = from_json(disk.read(path) or b"{}").get("skills", [])
        return {
            str(row["path"]): datetime.fromtimestamp(row["seconds"], UTC).strftime(_ISO_8601)
            for row in rows
        }
    except (AttributeError, KeyError, OSError, OverflowError, TypeError, ValueError):
        return {}


def _record(path: Path) -> tuple[Digest, Record, list[bytes]]:
    """Line by line, as the memory of one large block would stay with the process."""
    hashed = hashlib.sha256()

    def lines(file: BinaryIO) -> Iterator[bytes]:
        for line in file:
            hashed.update(line)
            yield line

    try:
        with disk.opened(path) as file:
            head, found = record.split(lines(file))
    except OSError as error:
        raise OutputError(f"{path} is missing; run build first") from error
    return Digest(hashed.hexdigest()), head, found


def _index(path: Path, expected: Digest) -> tuple[bytes, int]:
    """The index packed, and its size, when it is the one of the release."""
    hashed, packer, packed, size = hashlib.sha256(), zlib.compressobj(1), [], 0
    try:
        with disk.opened(path) as file:
            while piece := file.read(_PIECE):
                hashed.update(piece)
                packed.append(packer.compress(piece))
                size += len(piece)
    except OSError:
        size = 0
    if hashed.hexdigest() != expected.hex:
        raise OutputError(f"{path} is not the index of this release; run build again")
    return b"".join([*packed, packer.flush()]), size


_PIECE = 64 << 10
