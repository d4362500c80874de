"""Encodes an entry of the record as the JSON line that is published, and decodes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from skillbuild.errors import OutputError
from skillbuild.model import (
    Digest,
    Entry,
    EntryFinding,
    EntryNote,
    JsonStruct,
    Resource,
    Unlisted,
    Version,
    changed,
    decoder,
    plain,
    schema_of,
)
from skillbuild.text.json import json_line, valid_text

_Fields = TypeVar("_Fields")
REMEDY = "remove the output and build again"
REMEDY_AFAR = "build the output again and publish it"


def skill_digest(resources: Iterable[Resource]) -> Digest:
    """Return the digest of a whole skill. The digest does not depend on any archive format.

    The digest is the SHA-256 of a text with one line for each file, sorted by the bytes of the
    path. Each line is `<file digest> <size> <x or -> <path>` and a line feed. `x` marks an
    executable file.
    """
    return digest_of_files(
        [(item.path, item.digest, item.size, item.executable) for item in resources]
    )


def digest_of_files(files: Iterable[tuple[str, Digest, int, bool]]) -> Digest:
    """Return the skill digest of files given as path, digest, size and executable bit."""
    lines = [
        f"{digest} {size} {'x' if executable else '-'} {path}\n".encode(errors="surrogateescape")
        for path, digest, size, executable in sorted(files, key=_bytes_of_path)
    ]
    return Digest.of(b"".join(lines))


def _bytes_of_path(file: tuple[str, Digest, int, bool]) -> bytes:
    return file[0].encode(errors="surrogateescape")


class EntrySummary(JsonStruct, frozen=True, rename="camel"):
    """A few fields of an entry, which are faster to decode than the whole entry."""

    path: str
    flat_name: str
    directory: str
    skill_digest: Digest
    warnings: tuple[EntryFinding, ...]
    notes: tuple[EntryNote, ...]
    unlisted: Mapping[str, tuple[str, ...]]

    @property
    def findings(self) -> tuple[EntryFinding, ...]:
        return (*self.warnings, *self.notes)


class EntryListing(JsonStruct, frozen=True):
    """The path of an entry and the listings that leave it out."""

    path: str
    unlisted: Mapping[str, tuple[str, ...]]


class EntryVersions(JsonStruct, frozen=True):
    """The `versions` field of an entry."""

    versions: tuple[Version, ...] = ()


_ENTRY = decoder(Entry)
_LISTING = decoder(EntryListing)
_SUMMARY = decoder(EntrySummary)
_VERSIONS = decoder(EntryVersions)


def encode_entry(entry: Entry) -> bytes:
    """Encode an entry as a JSON line. Undecodable bytes in paths and messages are escaped."""
    return json_line(plain(_with_valid_text(entry)))


def _with_valid_text(entry: Entry) -> Entry:
    return changed(
        entry,
        directory=valid_text(entry.directory),
        copies=tuple(map(valid_text, entry.copies)),
        warnings=tuple(map(_valid_finding, entry.warnings)),
        notes=tuple(map(_valid_finding, entry.notes)),
    )


def _valid_finding(item: EntryFinding) -> EntryFinding:
    path, message, hint = map(valid_text, (item.path, item.message, item.hint))
    return changed(item, path=path, message=message, hint=hint)


def parse_entry(line: bytes) -> Entry:
    """Decode a line written by `encode_entry`; raise `ValueError` if it is damaged."""
    return _ENTRY.decode(line)


def decode_entry(line: bytes) -> Entry:
    """Decode a line written by `encode_entry`; raise `OutputError` if it is damaged."""
    return _decoded(line, _ENTRY)


def summary_of(line: bytes) -> EntrySummary:
    """Decode a few fields of an entry; raise `OutputError` if the line is damaged."""
    return _decoded(line, _SUMMARY)


def unlisted_in(line: bytes) -> Unlisted:
    """Return which listings leave out an entry; raise `OutputError` if the line is damaged."""
    return _decoded(line, _LISTING).unlisted


def versions_in(line: bytes) -> tuple[Version, ...]:
    """Return the versions of an entry; raise `OutputError` if the line is damaged."""
    return _decoded(line, _VERSIONS).versions


def _decoded(line: bytes, reader: msgspec.json.Decoder[_Fields]) -> _Fields:
    try:
        return reader.decode(line)
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {REMEDY}") from error


def with_unlisted(line: bytes, unlisted: Unlisted) -> bytes:
    """Return the line of an entry with its field `unlisted` replaced."""
    if unlisted_in(line) == unlisted:
        return line
    return encode_entry(changed(decode_entry(line), unlisted=unlisted))


def entry_schema() -> str:
    """Return the JSON Schema of an entry."""
    title = "An entry in a skillbuild catalog: one line of a record/XX/DIGEST.jsonl file"
    return schema_of(Entry, "entry", title)
