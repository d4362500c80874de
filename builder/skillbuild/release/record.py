"""`catalog.json`, the complete record of a release: to JSON and back.

`serve`, `verify`, `diff` and the next build read this file and need nothing else. Its JSON Schema
is `schemas/catalog.schema.json`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Digest, Entry
from skillbuild.release.entry import REMEDY, entry_of, icon_json, icon_of
from skillbuild.release.entry_lines import EntryLines
from skillbuild.release.layout import LAYOUT, addressed_path, blob_path
from skillbuild.text.json import json_pieces, valid_text
from skillbuild.text.json_fields import Fields


@dataclass(frozen=True, slots=True)
class RetainedRelease:
    """An earlier release, and the files of it that stay although no later release names them."""

    commit: str
    index_digest: Digest
    files: Mapping[str, Digest]
    last_of: tuple[str, ...] = ()
    """Paths of withdrawn skills that this release had and no later one."""


@dataclass(frozen=True, slots=True)
class Record:
    """What `catalog.json` says: a release, how it was built, and what stays of earlier ones."""

    catalog: Catalog
    version: str
    """Of the skillbuild that built it."""
    archive_format: int
    renderers: Mapping[str, str]
    """Versions of the packages that shape pages, by name."""
    config_digest: Digest
    index_digest: Digest
    releases: tuple[RetainedRelease, ...] = ()
    """The newest first."""
    withdrawn: Mapping[str, Digest] = field(default_factory=dict)
    """Skill paths that earlier releases had, with the last `skillDigest` of each."""


def files_of(catalog: Catalog) -> dict[str, tuple[Digest, int | None]]:
    """Every addressed file that a catalog names: its digest and, unless it is an icon, its size."""
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
    """Where a skill of one file is published as Markdown for discovery; None for larger skills."""
    if len(entry.resources) > 1:
        return None
    return f"archives/{entry.stem}-{entry.skill_md.digest.short}.md"


def encode(record: Record) -> bytes:
    """The bytes of `catalog.json`."""
    return b"".join(pieces(record))


def pieces(record: Record) -> Iterator[bytes]:
    """The same, piece by piece: a large record would double the memory of a build."""
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
        "releases": [_retained_json(release) for release in record.releases],
        "withdrawn": [
            {"path": path, "lastDigest": str(digest)}
            for path, digest in sorted(record.withdrawn.items())
        ],
    }
    return json_pieces(fields, "entries", EntryLines.of(catalog.entries).lines)


def _retained_json(release: RetainedRelease) -> dict[str, object]:
    return {
        "commit": release.commit,
        "indexDigest": str(release.index_digest),
        "files": {path: str(digest) for path, digest in sorted(release.files.items())},
        "lastOf": sorted(release.last_of),
    }


def decode_lines(data: bytes) -> Record:
    """As `decode`, but entries stay lines; each is checked when it is decoded."""
    head, lines = _head_and_lines(data)
    return _with_entries(decode(head), EntryLines(list(lines)))


def decode(data: bytes, remedy: str = REMEDY) -> Record:
    """Read `catalog.json`; anything it should not be is an `OutputError` that says what.

    Entries that have a line each are read one by one: together they would take more memory.
    """
    head, lines = _head_and_lines(data)
    try:
        record = _record(Fields(json.loads(head), "catalog.json"))
        entries = tuple(
            entry_of(Fields(json.loads(line), f"catalog.json.entries[{index}]"))
            for index, line in enumerate(lines)
        )
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {remedy}") from error
    return _with_entries(record, entries)


def _with_entries(record: Record, entries: EntryLines | tuple[Entry, ...]) -> Record:
    """The entries may have stood in the head, where the file was not written by this program."""
    return replace(record, catalog=replace(record.catalog, entries=entries)) if entries else record


def _head_and_lines(data: bytes) -> tuple[bytes, Iterator[bytes]]:
    """The record without its entries, and the JSON of each entry.

    A record that was not written by this program comes back whole, without lines.
    """
    start = data.find(_ENTRIES_LINE)
    if start < 0 or not data.endswith(_END_LINE):
        return data, iter(())
    file = io.BytesIO(data)
    file.seek(start + len(_ENTRIES_LINE))
    end = len(data) - len(_END_LINE) + 1
    lines = (line.rstrip(b",\n") for line in file if file.tell() <= end)
    return data[:start] + _ENTRIES_LINE + _END, filter(None, lines)


def split(lines: Iterable[bytes]) -> tuple[Record, list[bytes]]:
    """The record without its entries, and the JSON of each entry, for a reader with little memory.

    `lines` are those of the file with their ends; the whole file need never be in memory.
    """
    stripped = [line.rstrip(b",\n") for line in lines]
    if _ENTRIES not in stripped or stripped[-1] != _END:
        raise OutputError("catalog.json is damaged: not as build writes it; run build again")
    start = stripped.index(_ENTRIES)
    head = decode(b",".join(stripped[:start]) + b"," + _ENTRIES + _END)
    return head, [line for line in stripped[start + 1 : -1] if line]


_ENTRIES = b'"entries":['
_END = b"]}"
_ENTRIES_LINE, _END_LINE = b"\n%b\n" % _ENTRIES, b"\n%b\n" % _END


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
        releases=tuple(map(_retained, top.each("releases"))),
        withdrawn={item.text("path"): item.digest("lastDigest") for item in top.each("withdrawn")},
    )


def _retained(item: Fields) -> RetainedRelease:
    files = {
        addressed_path(path): Digest.parse(str(digest))
        for path, digest in item.table("files").items()
    }
    last_of = tuple(sorted(item.texts("lastOf")))
    return RetainedRelease(item.object_id("commit"), item.digest("indexDigest"), files, last_of)
