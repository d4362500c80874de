"""The record of an output as tests read and damage it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from skillbuild.cli.reference import schema_text
from skillbuild.model import Digest
from skillbuild.release import parts, record
from skillbuild.release.entries import EntryLines
from skillbuild.release.layout import (
    CHECKSUMS_FILE,
    INDEX_FILE,
    RECORD_FILE,
    RELEASE_FILE,
    blob_path,
    part_path,
)
from skillbuild.release.parts import Part
from skillbuild.release.record import Record
from skillbuild.release.search.reading import search_files
from skillbuild.storage.files import MOST_BYTES, DamagedError, Directory, MissingError
from skillbuild.text.json import json_line


def head_of(out: Path) -> Any:
    """`catalog.json` as plain values."""
    return json.loads((out / RECORD_FILE).read_bytes())


def record_of(out: Path) -> Record:
    return record.decode((out / RECORD_FILE).read_bytes(), Directory(out))


class MemoryFiles:
    """Files in memory, by path."""

    where = "memory"

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files

    def read(self, path: str, most: int) -> bytes:
        if path not in self.files:
            raise MissingError(path)
        if len(self.files[path]) > most:
            raise DamagedError(path, f"larger than {most:,} bytes")
        return self.files[path]

    def size(self, path: str) -> int:
        return len(self.read(path, MOST_BYTES))

    def paths(self) -> Iterator[str]:
        return iter(self.files)


def addressed_of(out: Path) -> dict[str, Digest]:
    """Every addressed file of the release that an output holds, without those kept of others."""
    release = record_of(out)
    catalog = release.catalog
    own = record.named_files(release) | record.files_of(catalog.entries, catalog.icons)
    files = {**own, **search_files(release.fixed.search, Directory(out), "")}
    return {path: digest for path, (digest, _) in files.items()}


def parts_of(out: Path) -> Sequence[Part]:
    """The parts of the record, as its head names them."""
    return EntryLines.of(record_of(out).catalog.entries).parts


def files_of_record(release: Record) -> dict[str, bytes]:
    """The head files, the parts and the blobs of a record that no output holds, by path.

    Without the index and SHA256SUMS.
    """
    entries = EntryLines.of(release.catalog.entries)
    named = {
        part.path: parts.content(entries.lines_of(number))
        for number, part in enumerate(entries.parts)
    }
    heads = {RECORD_FILE: record.encode(release), RELEASE_FILE: release.release_object}
    return {**heads, **named, **record.stored_files(release)}


def plain(release: Record) -> Record:
    """The same record with its entries as objects, to be compared with one that has them so."""
    entries = tuple(release.catalog.entries)
    return replace(release, catalog=replace(release.catalog, entries=entries))


def entries_of(out: Path) -> list[Any]:
    """All entries of the record as plain values, in order."""
    digests = [part["digest"] for part in head_of(out)["release"]["parts"]]
    contents = [(out / part_path(Digest.parse(digest))).read_bytes() for digest in digests]
    return [json.loads(line) for content in contents for line in content.splitlines()]


def entry_of(out: Path, path: str) -> Any:
    """The entry of one skill as plain values."""
    return next(entry for entry in entries_of(out) if entry["path"] == path)


def rewrite_parts(out: Path, change: Callable[[bytes], bytes]) -> None:
    """Replace the content of each part, and its digest wherever it is named."""
    head = (out / RECORD_FILE).read_bytes()
    names = {RECORD_FILE: head}
    for part in json.loads(head)["release"]["parts"]:
        old = Digest.parse(part["digest"])
        data = change((out / part_path(old)).read_bytes())
        (out / part_path(old)).unlink()
        new = Digest.of(data)
        (out / part_path(new)).parent.mkdir(exist_ok=True)
        (out / part_path(new)).write_bytes(data)
        described = b'"digest":"%b","size":%d'
        before = described % (str(old).encode(), part["size"])
        names[RECORD_FILE] = names[RECORD_FILE].replace(
            before, described % (str(new).encode(), len(data))
        )
        names[part_path(old)] = data
    names[RELEASE_FILE] = write_head(out, names[RECORD_FILE])
    _replace_lines(out, names)


def rewrite_entries(out: Path, change: Callable[[Any], object]) -> None:
    """Let `change` edit the list of all entries, which then stand in parts as they are to be.

    Everything that names or counts parts follows, so the change itself is the only fault.
    """
    entries = entries_of(out)
    change(entries)
    lines = EntryLines(list(map(json_line, entries)))
    old = record_of(out)
    new = replace(old, catalog=replace(old.catalog, entries=lines), source=b"")
    gone = {
        RECORD_FILE,
        RELEASE_FILE,
        blob_path(old.release_digest),
        *(part.path for part in parts_of(out)),
    }
    for path in gone:
        (out / path).unlink()
    files = files_of_record(new)
    for path, data in files.items():
        (out / path).parent.mkdir(exist_ok=True)
        (out / path).write_bytes(data)
    kept = [
        line for line in (out / CHECKSUMS_FILE).read_text().splitlines() if _path(line) not in gone
    ]
    kept += [f"{Digest.of(data).hex}  {path}" for path, data in files.items()]
    (out / CHECKSUMS_FILE).write_text("".join(f"{line}\n" for line in sorted({*kept}, key=_path)))


def write_head(out: Path, head: bytes) -> bytes:
    """Replace `catalog.json` and, by its `release` object, what holds that; returns this object."""
    (out / RECORD_FILE).unlink(missing_ok=True)
    (out / RECORD_FILE).write_bytes(head)
    release = bytes(msgspec.json.decode(head, type=dict[str, msgspec.Raw])["release"])
    (out / RELEASE_FILE).write_bytes(release)
    blob = out / blob_path(Digest.of(release))
    blob.unlink(missing_ok=True)
    blob.write_bytes(release)
    return release


FOREIGN = ".well-known/agent-skills/index.json"


def write_foreign(out: Path) -> None:
    """Let the index of discovery lead to somebody else's archives, and SHA256SUMS agree."""
    data = (out / FOREIGN).read_bytes()
    assert b'"url":"../../' in data
    (out / FOREIGN).write_bytes(data.replace(b'"url":"../../', b'"url":"https://evil.example/'))
    _replace_lines(out, {FOREIGN: (out / FOREIGN).read_bytes()})


def _replace_lines(out: Path, names: dict[str, bytes]) -> None:
    """Make SHA256SUMS name other bytes for some paths; a part gets its new name, too."""
    lines = []
    for line in (out / CHECKSUMS_FILE).read_text().splitlines():
        path = line[66:]
        if path in names:
            digest = Digest.of(names[path])
            path = part_path(digest) if path.startswith("record/") else path
            lines.append(f"{digest.hex}  {path}")
        else:
            lines.append(line)
    (out / CHECKSUMS_FILE).write_text("".join(f"{line}\n" for line in sorted(lines, key=_path)))


def _path(line: str) -> str:
    return line[66:]


def assert_fits_schemas(out: Path, more_than: int = 0) -> None:
    """Index, head, and every line of every part; of so many skills and one more."""
    index, head, entry = (json.loads(schema_text(name)) for name in ("index", "catalog", "entry"))
    jsonschema.validate(json.loads((out / INDEX_FILE).read_bytes()), index)
    jsonschema.validate(head_of(out), head)
    release = json.loads(schema_text("release"))
    jsonschema.validate(json.loads((out / RELEASE_FILE).read_bytes()), release)
    entries = entries_of(out)
    assert len(entries) == head_of(out)["release"]["counts"]["skills"] > more_than
    for value in entries:
        jsonschema.validate(value, entry)
    version = json.loads(schema_text("version"))
    for path in out.glob("versions/*/version.json"):
        jsonschema.validate(json.loads(path.read_bytes()), version)
