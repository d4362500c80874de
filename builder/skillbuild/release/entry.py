"""One entry of the record: to the line that it is published as, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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

REMEDY = "remove the output and build again"
REMEDY_AFAR = "build the output again and publish it"


def skill_digest(resources: Iterable[Resource]) -> Digest:
    """The digest of a whole skill, which does not depend on any archive format.

    SHA-256 over the lines `<file digest> <size> <x or -> <path>`, each with its line feed, sorted
    by the bytes of the path; `x` stands for an executable file.
    """
    return digest_of_files(
        [(item.path, item.digest, item.size, item.executable) for item in resources]
    )


def digest_of_files(files: Iterable[tuple[str, Digest, int, bool]]) -> Digest:
    """The skill digest by path, digest, size and executable bit of each file."""
    lines = [
        f"{digest} {size} {'x' if executable else '-'} {path}\n".encode(errors="surrogateescape")
        for path, digest, size, executable in sorted(files, key=_bytes_of_path)
    ]
    return Digest.of(b"".join(lines))


def _bytes_of_path(file: tuple[str, Digest, int, bool]) -> bytes:
    return file[0].encode(errors="surrogateescape")


class EntrySummary(JsonStruct, frozen=True, rename="camel"):
    """Some fields of an entry, for what needs no others of very many entries."""

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
    """Which listings leave out an entry."""

    path: str
    unlisted: Mapping[str, tuple[str, ...]]


class EntryVersions(JsonStruct, frozen=True):
    """The versions of an entry."""

    versions: tuple[Version, ...] = ()


_ENTRY = decoder(Entry)
_LISTING = decoder(EntryListing)
_SUMMARY = decoder(EntrySummary)
_VERSIONS = decoder(EntryVersions)


def encode_entry(entry: Entry) -> bytes:
    """The line of an entry, in which all text is valid Unicode."""
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
    """Read what `encode_entry` wrote; `ValueError` says what is wrong with a damaged line."""
    return _ENTRY.decode(line)


def decode_entry(line: bytes) -> Entry:
    """Read what `encode_entry` wrote; a damaged line is an `OutputError`."""
    try:
        return parse_entry(line)
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {REMEDY}") from error


def summary_of(line: bytes) -> EntrySummary:
    """Some fields of the entry in a line; a damaged line is an `OutputError`."""
    try:
        return _SUMMARY.decode(line)
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {REMEDY}") from error


def unlisted_in(line: bytes) -> Unlisted:
    """Which listings leave out the entry in a line; a damaged line is an `OutputError`."""
    try:
        return _LISTING.decode(line).unlisted
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {REMEDY}") from error


def versions_in(line: bytes) -> tuple[Version, ...]:
    """The versions of the entry in a line; a damaged line is an `OutputError`."""
    try:
        return _VERSIONS.decode(line).versions
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {REMEDY}") from error


def with_unlisted(line: bytes, unlisted: Unlisted) -> bytes:
    """The line of the same entry that is unlisted like this."""
    if unlisted_in(line) == unlisted:
        return line
    return encode_entry(changed(decode_entry(line), unlisted=unlisted))


def entry_schema() -> str:
    """The JSON Schema of the line of an entry."""
    title = (
        "An entry of a skillbuild catalog: one line of a part of the record, record/XX/DIGEST.jsonl"
    )
    return schema_of(Entry, "entry", title)
