"""One release as the server holds it: small, checked once, every URI known before it is asked for.

An entry stays the line of JSON that `catalog.json` has for it and is read again when somebody
asks: five thousand skills as objects would take five times their text.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import from_json

from skillbuild import record, store
from skillbuild.errors import OutputError
from skillbuild.model import Archive, Digest, Entry, Resource
from skillbuild.record import INDEX_FILE, RECORD_FILE, Record
from skillbuild.uris import INDEX_URI, archive_uri

HISTORY_FILE = "history.json"
_ISO_8601 = "%Y-%m-%dT%H:%M:%SZ"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Row:
    """One item of `resources/list`, with what a filter asks about; no content."""

    uri: str
    kind: str
    name: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """An entry that has been read, with its resources and archives by URI."""

    entry: Entry
    resources: Mapping[str, Resource]
    archives: Mapping[str, Archive]


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

    def open(self, uri: str) -> Opened | None:
        """The entry that has this file or archive; None for any other URI."""
        number = self.owners.get(uri)
        return None if number is None else _open(self.lines[number])

    def skill(self, uri: str) -> Entry | None:
        """The skill of this SKILL.md, listed or not."""
        opened = self.open(uri)
        return opened.entry if opened is not None and opened.entry.uri == uri else None

    def below(self, directory: str) -> slice:
        """Where in `files` a directory's content stands; empty for what is no directory."""
        start = bisect_left(self.files, f"{directory}/")
        return slice(start, bisect_left(self.files, f"{directory}0", start))

    def is_directory(self, uri: str) -> bool:
        found = self.below(uri)
        return found.start < found.stop and not uri.endswith("/")


def parsed(line: bytes) -> Mapping[str, Any]:
    """An entry as plain values: what the record has been checked to hold, in half the time."""
    value: Mapping[str, Any] = from_json(line, cache_strings="keys")
    return value


@lru_cache(maxsize=256)
def _open(line: bytes) -> Opened:
    entry = record.decode_entry(line)
    resources = {item.uri: item for item in entry.resources}
    return Opened(entry, resources, {archive_uri(item.file_name): item for item in entry.archives})


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
        brief = _brief(line, number)
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
        rows = from_json(store.read(path) or b"{}").get("skills", [])
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
        with store.opened(path) as file:
            head, entries = record.split(lines(file))
    except OSError as error:
        raise OutputError(f"{path} is missing; run build first") from error
    return Digest(hashed.hexdigest()), head, entries


def _index(path: Path, expected: Digest) -> tuple[bytes, int]:
    """The index packed, and its size, when it is the one of the release."""
    hashed, packer, packed, size = hashlib.sha256(), zlib.compressobj(1), [], 0
    try:
        with store.opened(path) as file:
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


@dataclass(frozen=True, slots=True)
class _Brief:
    row: Row
    files: list[str]
    archives: list[str]
    listed: bool


def _brief(line: bytes, number: int) -> _Brief:
    """What is kept of an entry; all that will be relied on later is checked here, once."""
    try:
        value = parsed(line)
        front, uri = value["frontmatter"], value["url"]
        files = [_sound(item["uri"], item) for item in value["resources"]]
        archives = [_sound(item["url"], item) for item in value["archives"]]
        texts = (uri, front["name"], front["description"], value["path"])
        if uri not in files or not all(isinstance(text, str) for text in texts):
            raise ValueError("no SKILL.md, name or description")
        row = Row(uri, "skill", front["name"], tuple(_tags(front)))
        return _Brief(row, files, archives, value["listed"] is True)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"entry {number + 1}: {type(error).__name__} {error}"
        raise OutputError(f"catalog.json is damaged: {reason}; run build again") from error


def _sound(uri: object, item: Mapping[str, object]) -> str:
    digest, size = item["digest"], item["size"]
    whole = isinstance(digest, str) and isinstance(size, int) and isinstance(item["path"], str)
    if not whole or not isinstance(uri, str) or not _DIGEST.fullmatch(str(digest)):
        raise ValueError("a file without URI, digest, size or path")
    return uri


def _tags(front: Mapping[str, object]) -> Iterator[str]:
    """Tags as authors write them: `metadata.tags` or `tags`, a list or a text with commas."""
    metadata = front.get("metadata")
    declared = metadata.get("tags") if isinstance(metadata, Mapping) else None
    declared = front.get("tags") if declared is None else declared
    words = declared.split(",") if isinstance(declared, str) else declared
    for word in words if isinstance(words, list) else ():
        if isinstance(word, str) and word.strip():
            yield word.strip()
