"""`catalog.json`, the complete record of a release: to JSON and back.

`serve`, `verify`, `diff` and the next build read this file and need nothing else. Its JSON Schema
is `schemas/catalog.schema.json`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Digest, Entry
from skillbuild.release.entry import (
    ADDRESSED,
    REMEDY,
    addressed,
    decode_entry,
    encode_entry,
    entry_of,
    icon_json,
    icon_of,
)
from skillbuild.text.json import json_pieces, valid_text
from skillbuild.text.json_fields import Fields

LAYOUT = 1
RECORD_FILE = "catalog.json"
INDEX_FILE = "index.json"
CHECKSUMS_FILE = "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class RetainedRelease:
    """Files of an earlier release that stay in the output, as no later release names them."""

    commit: str
    index_digest: Digest
    files: Mapping[str, Digest]
    last_of: tuple[str, ...] = ()
    """Paths of withdrawn skills that no later release had."""


@dataclass(frozen=True, slots=True)
class Record:
    """What `catalog.json` says: one release, how it was made, and what is kept of earlier ones."""

    catalog: Catalog
    version: str
    archive_format: int
    renderers: Mapping[str, str]
    config_digest: Digest
    index_digest: Digest
    releases: tuple[RetainedRelease, ...] = ()
    withdrawn: Mapping[str, Digest] = field(default_factory=dict)
    """Skill paths that earlier releases had, with the last `skillDigest` of each."""


def files_of(catalog: Catalog) -> dict[str, tuple[Digest, int | None]]:
    """Every content-addressed file that a catalog names: path to digest and, if said, size."""
    files: dict[str, tuple[Digest, int | None]] = {}
    for icon in (*catalog.icons, *(icon for entry in catalog.entries for icon in entry.icons)):
        files[f"icons/{icon.file_name}"] = (icon.digest, None)
    for entry in catalog.entries:
        for item in entry.resources:
            files[blob_path(item.digest)] = (item.digest, item.size)
        for archive in entry.archives:
            files[f"archives/{archive.file_name}"] = (archive.digest, archive.size)
        if single := markdown_path(entry):
            files[single] = (entry.skill_md.digest, entry.skill_md.size)
    return files


def markdown_path(entry: Entry) -> str | None:
    """The whole of a one-file skill under a name that says what it is; None for other skills."""
    if len(entry.resources) > 1:
        return None
    return f"archives/{entry.name}-{entry.skill_md.digest.short}.md"


def blob_path(digest: Digest) -> str:
    return f"blobs/sha256/{digest.hex}"


def is_named_by(path: str, digest: Digest) -> bool:
    """True when a path is one that a file of this digest is published at."""
    if not ADDRESSED.fullmatch(path):
        return False
    if path.startswith("blobs/"):
        return path == blob_path(digest)
    return path.rpartition("/")[2].partition(".")[0].rpartition("-")[2] == digest.short


_PATH_AT = len(b'{"path":')
_AFTER_PATH = b',"flatName":'


class Lines(Collection[Entry]):
    """Entries as the JSON they are published as; each is decoded when it is asked for."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.lines = lines

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Entry]:
        return map(decode_entry, self.lines)

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, Entry) and encode_entry(entry) in self.lines

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and self.lines == other.lines

    def __hash__(self) -> int:
        return hash(tuple(self.lines))

    def by_path(self) -> dict[str, bytes]:
        """The same by the paths of the skills, with which every line begins."""
        return {_path_in(line): line for line in self.lines}

    def without(self, others: Lines) -> Lines:
        """Those that are not, to the byte, among the others."""
        known = set(others.lines)
        return Lines([line for line in self.lines if line not in known])


def _path_in(line: bytes) -> str:
    text = line[_PATH_AT : line.index(_AFTER_PATH)]
    return str(json.loads(text)) if b"\\" in text else text[1:-1].decode()


def lines_of(entries: Collection[Entry]) -> Lines:
    return entries if isinstance(entries, Lines) else Lines(list(map(encode_entry, entries)))


def encode(record: Record) -> bytes:
    """The bytes of `catalog.json`."""
    return b"".join(pieces(record))


def pieces(record: Record) -> Iterator[bytes]:
    """The same, piece by piece: all at once they take as much memory as the rest of a build."""
    catalog = record.catalog
    fields: dict[str, object] = {
        "layout": LAYOUT,
        "archiveFormat": record.archive_format,
        "skillbuild": record.version,
        "renderers": dict(sorted(record.renderers.items())),
        "source": {"commit": catalog.commit, "tree": catalog.tree},
        "configDigest": str(record.config_digest),
        "indexDigest": str(record.index_digest),
        "title": catalog.title,
        "description": catalog.tagline,
        "baseUrl": catalog.base_url,
        "websiteUrl": catalog.website_url,
        "icons": [icon_json(icon) for icon in catalog.icons],
        "skipped": list(map(valid_text, catalog.skipped)),
        "ignored": [
            {"path": valid_text(path), "reason": reason}
            for path, reason in sorted(catalog.ignored.items())
        ],
        "releases": [_retained_json(kept) for kept in record.releases],
        "withdrawn": [
            {"path": path, "lastDigest": str(digest)}
            for path, digest in sorted(record.withdrawn.items())
        ],
    }
    return json_pieces(fields, "entries", lines_of(catalog.entries).lines)


def _retained_json(kept: RetainedRelease) -> dict[str, object]:
    files = {path: str(digest) for path, digest in sorted(kept.files.items())}
    said = {"commit": kept.commit, "indexDigest": str(kept.index_digest), "files": files}
    return {**said, "lastOf": sorted(kept.last_of)}


def decode_bare(data: bytes) -> Record:
    """As `decode`, for a record that we have written: the entries stay as they are."""
    head, lines = _head_and_lines(data)
    bare = decode(head)
    entries = Lines(list(lines))
    return replace(bare, catalog=replace(bare.catalog, entries=entries)) if entries else bare


def decode(data: bytes, remedy: str = REMEDY) -> Record:
    """Read `catalog.json`; anything it should not be is an `OutputError` that says what.

    Entry by entry where each has its line: all of them as JSON take several times their memory.
    """
    head, lines = _head_and_lines(data)
    try:
        bare = _record(Fields(json.loads(head), "catalog.json"))
        entries = tuple(
            entry_of(Fields(json.loads(line), f"catalog.json.entries[{index}]"))
            for index, line in enumerate(lines)
        )
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {remedy}") from error
    return replace(bare, catalog=replace(bare.catalog, entries=entries)) if entries else bare


def _head_and_lines(data: bytes) -> tuple[bytes, Iterator[bytes]]:
    """The record with an empty list of entries, and the JSON of each; or all of it, and none."""
    start = data.find(_ENTRIES_LINE)
    if start < 0 or not data.endswith(_END_LINE):
        return data, iter(())
    file = io.BytesIO(data)
    file.seek(start + len(_ENTRIES_LINE))
    room = len(data) - len(_END_LINE) + 1
    lines = (line.rstrip(b",\n") for line in file if file.tell() <= room)
    return data[:start] + _ENTRIES_LINE + _END, filter(None, lines)


def split(lines: Iterable[bytes]) -> tuple[Record, list[bytes]]:
    """The record without its entries, and the JSON of each: for a reader that must stay small.

    `lines` are those of the file with their ends; the whole file need never be in memory.
    """
    found = [line.rstrip(b",\n") for line in lines]
    if _ENTRIES not in found or found[-1] != _END:
        raise OutputError("catalog.json is damaged: not as build writes it; run build again")
    start = found.index(_ENTRIES)
    head = decode(b",".join(found[:start]) + b"," + _ENTRIES + _END)
    return head, [line for line in found[start + 1 : -1] if line]


_ENTRIES = b'"entries":['
_END = b"]}"
_ENTRIES_LINE, _END_LINE = b"\n%b\n" % _ENTRIES, b"\n%b\n" % _END


def parse_checksums(data: bytes) -> dict[str, str]:
    """SHA256SUMS: hex digests by path; lines of another form are left out."""
    files = {}
    for line in data.decode(errors="replace").splitlines():
        hex_digest, separator, path = line.partition("  ")
        if separator and len(hex_digest) == 64:
            files[path] = hex_digest
    return files


def read_layout(data: bytes) -> int | None:
    """The layout number of a record, whatever else it holds; None for other files."""
    try:
        value = json.loads(_head_and_lines(data)[0])
    except (ValueError, RecursionError):
        return None
    layout = value.get("layout") if isinstance(value, dict) else None
    return layout if type(layout) is int else None


def _record(top: Fields) -> Record:
    layout = top.number("layout")
    if layout != LAYOUT:
        raise OutputError(f"catalog.json has layout {layout}; this skillbuild reads {LAYOUT}")
    source = Fields(top.table("source"), "catalog.json.source")
    catalog = Catalog(
        commit=source.object_id("commit"),
        tree=source.object_id("tree"),
        title=top.text("title"),
        tagline=top.text("description"),
        base_url=top.maybe_text("baseUrl"),
        website_url=top.maybe_text("websiteUrl"),
        icons=tuple(map(icon_of, top.each("icons"))),
        entries=tuple(map(entry_of, top.each("entries"))),
        skipped=top.texts("skipped"),
        ignored={item.text("path"): item.text("reason") for item in top.each("ignored")},
    )
    return Record(
        catalog=catalog,
        version=top.text("skillbuild"),
        archive_format=top.number("archiveFormat"),
        renderers={name: str(version) for name, version in top.table("renderers").items()},
        config_digest=top.digest("configDigest"),
        index_digest=top.digest("indexDigest"),
        releases=tuple(map(_kept, top.each("releases"))),
        withdrawn={item.text("path"): item.digest("lastDigest") for item in top.each("withdrawn")},
    )


def _kept(item: Fields) -> RetainedRelease:
    files = {
        addressed(path): Digest.parse(str(digest)) for path, digest in item.table("files").items()
    }
    last_of = tuple(sorted(item.texts("lastOf")))
    return RetainedRelease(item.object_id("commit"), item.digest("indexDigest"), files, last_of)
