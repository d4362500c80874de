"""`catalog.json`, the complete record of a release: to JSON and back.

`serve`, `verify`, `diff` and the next build read this file and need nothing else. Its JSON Schema
is `schemas/catalog.schema.json`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skillbuild import jsontext
from skillbuild.errors import OutputError
from skillbuild.fields import Fields
from skillbuild.jsontext import valid_text
from skillbuild.model import Archive, Catalog, Digest, Entry, Icon, Note, Place, Resource
from skillbuild.uris import archive_uri

LAYOUT = 1
RECORD_FILE = "catalog.json"
INDEX_FILE = "index.json"
SUMS_FILE = "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class Kept:
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
    releases: tuple[Kept, ...] = ()
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
    if not _ADDRESSED.fullmatch(path):
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
        return isinstance(entry, Entry) and entry_line(entry) in self.lines

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and self.lines == other.lines

    def __hash__(self) -> int:
        return hash(tuple(self.lines))

    def by_path(self) -> dict[str, bytes]:
        """The same by the paths of the skills, with which every line begins."""
        return {json.loads(line[_PATH_AT : line.index(_AFTER_PATH)]): line for line in self.lines}

    def without(self, others: Lines) -> Lines:
        """Those that are not, to the byte, among the others."""
        known = set(others.lines)
        return Lines([line for line in self.lines if line not in known])


def lines_of(entries: Collection[Entry]) -> Lines:
    return entries if isinstance(entries, Lines) else Lines(list(map(entry_line, entries)))


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
        "icons": [_icon_json(icon) for icon in catalog.icons],
        "skipped": list(map(valid_text, catalog.skipped)),
        "ignored": [
            {"path": valid_text(path), "reason": reason}
            for path, reason in sorted(catalog.ignored.items())
        ],
        "releases": [_kept_json(kept) for kept in record.releases],
        "withdrawn": [
            {"path": path, "lastDigest": str(digest)}
            for path, digest in sorted(record.withdrawn.items())
        ],
    }
    return jsontext.pieces(fields, "entries", lines_of(catalog.entries).lines)


def _kept_json(kept: Kept) -> dict[str, object]:
    files = {path: str(digest) for path, digest in sorted(kept.files.items())}
    said = {"commit": kept.commit, "indexDigest": str(kept.index_digest), "files": files}
    return {**said, "lastOf": sorted(kept.last_of)}


def entry_line(entry: Entry) -> bytes:
    """One item of the list `entries`."""
    said = {
        "path": entry.path,
        "flatName": entry.flat_name,
        "directory": valid_text(entry.directory),
        "frontmatter": entry.frontmatter,
        "url": entry.uri,
        "resources": [_resource_json(item) for item in entry.resources],
        "archives": [archive_json(item) for item in entry.archives],
        "icons": [_icon_json(icon) for icon in entry.icons],
        "skillDigest": str(entry.skill_digest),
        "tarDigest": str(entry.tar_digest) if entry.tar_digest else None,
        "listed": entry.listed,
        "reasons": list(entry.reasons),
        "warnings": [_note_json(note) for note in entry.notes if note.warns],
        "notes": [_note_json(note) for note in entry.notes if not note.warns],
    }
    return jsontext.line(said)


def _resource_json(item: Resource) -> dict[str, object]:
    return {
        "uri": item.uri,
        "path": item.path,
        "digest": str(item.digest),
        "size": item.size,
        "mimeType": item.media_type,
        "executable": item.executable,
    }


def archive_json(item: Archive) -> dict[str, object]:
    """An archive as both the index and the record describe it."""
    return {
        "url": archive_uri(item.file_name),
        "path": f"archives/{item.file_name}",
        "mimeType": item.media_type,
        "digest": str(item.digest),
        "size": item.size,
    }


def _icon_json(icon: Icon) -> dict[str, object]:
    said = {"path": f"icons/{icon.file_name}", "digest": str(icon.digest)}
    said |= {"mimeType": icon.media_type, "sizes": icon.sizes}
    return {**said, "theme": icon.theme}


def _note_json(note: Note) -> dict[str, object]:
    return {
        "code": note.code,
        "path": valid_text(note.path),
        "line": note.place.line if note.place else None,
        "column": note.place.column if note.place else None,
        "message": valid_text(note.message),
        "hint": valid_text(note.hint),
    }


_REMEDY = "remove the output and build again"


def decode_bare(data: bytes) -> Record:
    """As `decode`, for a record that we have written: the entries stay as they are."""
    head, lines = _head_and_lines(data)
    bare = decode(head)
    entries = Lines(list(lines))
    return replace(bare, catalog=replace(bare.catalog, entries=entries)) if entries else bare


def decode(data: bytes, remedy: str = _REMEDY) -> Record:
    """Read `catalog.json`; anything it should not be is an `OutputError` that says what.

    Entry by entry where each has its line: all of them as JSON take several times their memory.
    """
    head, lines = _head_and_lines(data)
    try:
        bare = _record(Fields(json.loads(head), "catalog.json"))
        entries = tuple(
            _entry(Fields(json.loads(line), f"catalog.json.entries[{index}]"))
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


def decode_icon(value: object) -> Icon:
    """One item of a list `icons`; a `ValueError` for what is none."""
    return _icon(Fields(value, "icon"))


def decode_entry(data: bytes) -> Entry:
    """One item of the list `entries`."""
    try:
        return _entry(Fields(json.loads(data), "entry"))
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {_REMEDY}") from error


def notes_in(line: bytes) -> Iterator[Note]:
    """The notes of an item that we have written, where they come last; the rest is not read."""
    said = json.loads(b"{" + line[line.rindex(b'"warnings":[') :])
    for key in ("warnings", "notes"):
        for one in said[key]:
            place = None if one["line"] is None else Place(one["line"], one["column"])
            warns = key == "warnings"
            yield Note(one["code"], one["path"], place, one["message"], one["hint"], warns)


def parse_sums(data: bytes) -> dict[str, str]:
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
        icons=tuple(map(_icon, top.each("icons"))),
        entries=tuple(map(_entry, top.each("entries"))),
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


_ADDRESSED = re.compile(r"(blobs/sha256|archives|icons)/[a-z0-9][a-z0-9.-]*")


def addressed(path: str) -> str:
    """A path that is read and removed by its name, so it may not lead elsewhere."""
    if not _ADDRESSED.fullmatch(path):
        raise ValueError(f"{path!r} is no path of a blob, an archive or an icon")
    return path


def _kept(item: Fields) -> Kept:
    files = {
        addressed(path): Digest.parse(str(digest)) for path, digest in item.table("files").items()
    }
    last_of = tuple(sorted(item.texts("lastOf")))
    return Kept(item.object_id("commit"), item.digest("indexDigest"), files, last_of)


def _entry(item: Fields) -> Entry:
    entry = Entry(
        path=item.text("path"),
        directory=item.text("directory"),
        frontmatter=item.table("frontmatter"),
        resources=tuple(map(_resource, item.each("resources"))),
        archives=tuple(map(_archive, item.each("archives"))),
        icons=tuple(map(_icon, item.each("icons"))),
        skill_digest=item.digest("skillDigest"),
        tar_digest=item.digest("tarDigest") if item.maybe_text("tarDigest") else None,
        flat_name=item.maybe_text("flatName"),
        reasons=item.texts("reasons"),
        notes=(
            *(_note(one, warns=True) for one in item.each("warnings")),
            *(_note(one, warns=False) for one in item.each("notes")),
        ),
    )
    if not any(resource.path == "SKILL.md" for resource in entry.resources):
        raise ValueError(f"entry {entry.path} has no SKILL.md")
    if item.flag("listed") != entry.listed:
        raise ValueError(f"entry {entry.path} is listed and has reasons not to be")
    return entry


def _resource(item: Fields) -> Resource:
    return Resource(
        uri=item.text("uri"),
        path=item.text("path"),
        media_type=item.text("mimeType"),
        digest=item.digest("digest"),
        size=item.number("size"),
        executable=item.flag("executable"),
    )


def _archive(item: Fields) -> Archive:
    name = addressed(item.text("path")).removeprefix("archives/")
    return Archive(name, item.text("mimeType"), item.digest("digest"), item.number("size"))


def _icon(item: Fields) -> Icon:
    theme = item.maybe_text("theme")
    return Icon(item.digest("digest"), item.text("mimeType"), item.text("sizes"), theme)


def _note(item: Fields, *, warns: bool) -> Note:
    place = None
    if item.maybe_number("line") is not None:
        place = Place(item.number("line"), item.number("column"))
    return Note(
        code=item.text("code"),
        path=item.text("path"),
        place=place,
        message=item.text("message"),
        hint=item.text("hint"),
        warns=warns,
    )
