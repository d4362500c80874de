"""The record of a release: its head, `catalog.json`, to JSON and back.

The head has two objects. `release` is a function of what the release was built of: the commit, the
settings, the programs; it names the parts in which the entries stand (`parts.py`). `publication`
is what one output knows of the releases before. Lists that may grow large stand in the head while
they are short, else in a blob that it names. `serve`, `verify`, `diff` and the next build read the
record and need nothing else. Its JSON Schemas are `schemas/catalog.schema.json` and
`schemas/entry.schema.json`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Digest, Entry, Icon
from skillbuild.release.entries import Entries, EntryLines, StoredEntries
from skillbuild.release.entry import REMEDY, icon_json, icon_of
from skillbuild.release.layout import LAYOUT, RECORD_FILE, blob_path
from skillbuild.release.parts import Part
from skillbuild.release.versions import gone_json, gone_of, totals_json, totals_of
from skillbuild.storage.files import DamagedError, Files, MissingError, read_named
from skillbuild.text.json import json_line, valid_text
from skillbuild.text.json_fields import Fields

LONGEST_LIST = 16 * 1024
"""Bytes of a list that may stand in the head itself."""
_LARGEST_LIST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RetainedRelease:
    """An earlier release whose files stay."""

    commit: str
    digest: Digest
    """Of its `release` object, which is published as a blob."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The last release of a skill that is in the catalog no more."""

    digest: Digest
    """The `skillDigest` that it had."""
    commit: str


@dataclass(frozen=True, slots=True)
class Record:
    """A release, how it was built, and what its output knows of earlier ones."""

    catalog: Catalog
    version: str
    """Of the skillbuild that built it."""
    archive_format: int
    renderers: Mapping[str, str]
    """Versions of the packages that shape pages, by name."""
    config_digest: Digest
    index_digest: Digest
    search_digest: Digest
    """Of the manifest of the search, which is also published as a blob."""
    yanked: Mapping[Digest, str] = field(default_factory=dict)
    """By skill digest, why a version is published no more."""
    releases: tuple[RetainedRelease, ...] = ()
    """The newest first."""
    withdrawn: Mapping[str, Withdrawn] = field(default_factory=dict)
    """By the path of each skill that earlier releases had."""
    before: Digest | None = None
    """Of the `catalog.json` that this one came after."""
    source: bytes = field(default=b"", compare=False, repr=False)
    """The `release` object as it was read; empty for a release that is being built."""

    @property
    def release_object(self) -> bytes:
        """The bytes of the object `release`, which is also published as a blob."""
        return self.source or json_line(_release_json(self))

    @property
    def release_digest(self) -> Digest:
        """Two releases are the same if and only if this is."""
        return Digest.of(self.release_object)


def stored_files(record: Record) -> dict[str, bytes]:
    """What a record consists of beside its head and its parts: blobs, by path."""
    texts = [*filter(_is_long, map(json_line, _lists(record))), record.release_object]
    return {blob_path(Digest.of(text)): text for text in texts}


def named_files(record: Record) -> dict[str, tuple[Digest, int | None]]:
    """Every addressed file of a release that its head names: digest, and size where it is known.

    These are its parts, its own `release` object, `index.json` and the manifest of the search as
    blobs, long lists, and icons of the catalog. What the manifest names is not among them
    (`search.manifest.search_files`).
    """
    files = files_of((), record.catalog.icons)
    for digest in (record.index_digest, record.search_digest):
        files[blob_path(digest)] = (digest, None)
    for path, text in stored_files(record).items():
        files[path] = (Digest.of(text), len(text))
    for part in EntryLines.of(record.catalog.entries).parts:
        files[part.path] = (part.digest, part.size)
    return files


def files_of(
    entries: Collection[Entry], icons: Collection[Icon] = ()
) -> dict[str, tuple[Digest, int | None]]:
    """Every addressed file that entries name: its digest and, unless it is an icon, its size.

    `icons` are those of the catalog itself.
    """
    files: dict[str, tuple[Digest, int | None]] = {}
    for icon in (*icons, *(icon for entry in entries for icon in entry.icons)):
        files[f"icons/{icon.file_name}"] = (icon.digest, None)
    for entry in entries:
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
    publication = {
        "releases": [
            {"commit": each.commit, "digest": str(each.digest)} for each in record.releases
        ],
        "withdrawn": _list_or_digest(_withdrawn_json(record)),
        "before": str(record.before) if record.before else None,
    }
    parts = (LAYOUT, record.release_object, json_line(publication))
    return b'{"layout":%d,\n"release":%b,\n"publication":%b}\n' % parts


def _release_json(record: Record) -> dict[str, object]:
    catalog = record.catalog
    entries = EntryLines.of(catalog.entries)
    return {
        "archiveFormat": record.archive_format,
        "skillbuild": record.version,
        "renderers": dict(sorted(record.renderers.items())),
        "source": {"commit": catalog.commit, "tree": catalog.tree},
        "baseUrl": catalog.base_url,
        "configDigest": str(record.config_digest),
        "indexDigest": str(record.index_digest),
        "searchDigest": str(record.search_digest),
        "title": catalog.title,
        "description": catalog.tagline,
        "websiteUrl": catalog.website_url,
        "icons": [icon_json(icon) for icon in catalog.icons],
        "counts": {"skills": len(entries), "unlisted": unlisted_counts(entries)},
        "skipped": _list_or_digest(_skipped_json(record)),
        "ignored": _list_or_digest(_ignored_json(record)),
        **_version_fields(record),
        **({"yanked": _list_or_digest(_yanked_json(record))} if record.yanked else {}),
        "parts": [_part_json(part) for part in entries.parts],
    }


def _version_fields(record: Record) -> dict[str, object]:
    """What a release says of versions and of moves; nothing where there are none."""
    totals, fields = record.catalog.versions, dict[str, object]()
    if totals is not None:
        fields["versions"] = totals_json(totals)
    if gone := _gone_json(record):
        fields["gone"] = _list_or_digest(gone)
    if moved := _moved_json(record):
        fields["moved"] = _list_or_digest(moved)
    return fields


def unlisted_counts(entries: Entries) -> dict[str, int]:
    """How many skills each format leaves out; formats that leave out none are absent."""
    counts = Counter[str]()
    for part in entries.parts:
        counts.update(part.unlisted)
    return dict(sorted(counts.items()))


def _part_json(part: Part) -> dict[str, object]:
    fields = {"first": part.first, "digest": str(part.digest), "size": part.size}
    unlisted = {"unlisted": dict(part.unlisted)} if part.unlisted else {}
    return {**fields, "count": part.count, **unlisted}


def _lists(record: Record) -> Sequence[Sequence[object]]:
    """The lists that may be long."""
    return (
        _skipped_json(record),
        _ignored_json(record),
        _gone_json(record),
        _moved_json(record),
        _yanked_json(record),
        _withdrawn_json(record),
    )


def _skipped_json(record: Record) -> list[str]:
    return list(map(valid_text, record.catalog.skipped))


def _ignored_json(record: Record) -> list[dict[str, str]]:
    ignored = sorted(record.catalog.ignored.items())
    return [{"path": valid_text(path), "reason": reason} for path, reason in ignored]


def _gone_json(record: Record) -> list[dict[str, object]]:
    return [gone_json(each) for each in record.catalog.gone]


def _moved_json(record: Record) -> list[dict[str, str]]:
    return [{"path": path, "to": to} for path, to in sorted(record.catalog.moved.items())]


def _yanked_json(record: Record) -> list[dict[str, str]]:
    yanked = sorted(record.yanked.items())
    return [{"digest": str(digest), "reason": reason} for digest, reason in yanked]


def _withdrawn_json(record: Record) -> list[dict[str, str]]:
    return [
        {"path": path, "lastDigest": str(last.digest), "lastCommit": last.commit}
        for path, last in sorted(record.withdrawn.items())
    ]


def _is_long(text: bytes) -> bool:
    return len(text) > LONGEST_LIST


def _list_or_digest(items: Sequence[object]) -> object:
    """A list as the head has it: itself, or the digest and size of the blob that it stands in."""
    text = json_line(items)
    return {"digest": str(Digest.of(text)), "size": len(text)} if _is_long(text) else items


def decode(data: bytes, files: Files, remedy: str = REMEDY, unread: Collection[str] = ()) -> Record:
    """Read `catalog.json`; anything it should not be is an `OutputError` that says what.

    `files` are those of the release. Entries are read when somebody asks for them; the
    lists named in `unread` are empty, if they are so long that they stand in files of their own.
    """
    try:
        top = Fields(json.loads(data), RECORD_FILE)
        _require_layout(top, remedy)
        release = Fields(_without(top.table("release"), unread), f"{RECORD_FILE}.release")
        published = _without(top.table("publication"), unread)
        publication = Fields(published, f"{RECORD_FILE}.publication")
        withdrawn = _items(publication, "withdrawn", files)
        return replace(
            _record(release, files, remedy),
            releases=tuple(map(_retained, publication.each("releases"))),
            withdrawn={item.text("path"): _withdrawn(item) for item in withdrawn},
            before=publication.digest("before") if publication.maybe_text("before") else None,
            source=json_line(top.table("release")),
        )
    except (ValueError, OverflowError, RecursionError) as error:
        raise OutputError(f"{RECORD_FILE} is damaged: {error}; {remedy}") from error


def _without(table: Mapping[str, object], lists: Collection[str]) -> dict[str, object]:
    """The same object; lists with these names that stand elsewhere are empty ones."""
    elsewhere = {key for key in lists if isinstance(table.get(key), dict)}
    return {key: [] if key in elsewhere else value for key, value in table.items()}


def decode_release(data: bytes, files: Files, remedy: str = REMEDY) -> Record:
    """Read the `release` object of an earlier release from the blob that it is stored in."""
    try:
        release = Fields(json.loads(data), "release")
        return replace(_record(release, files, remedy), source=data)
    except (ValueError, OverflowError, RecursionError) as error:
        message = f"the record of an earlier release is damaged: {error}; {remedy}"
        raise OutputError(message) from error


def read_layout(data: bytes) -> int | None:
    """The layout number of a record, whatever else it holds; None for other files."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    layout = value.get("layout") if isinstance(value, dict) else None
    return layout if type(layout) is int else None


def _require_layout(top: Fields, remedy: str) -> None:
    layout = top.number("layout")
    if layout < LAYOUT:
        raise OutputError(f"{RECORD_FILE} has layout {layout}, which is no longer read; {remedy}")
    if layout > LAYOUT:
        raise OutputError(f"{RECORD_FILE} has layout {layout}; this skillbuild reads {LAYOUT}")


def _record(release: Fields, files: Files, remedy: str) -> Record:
    entries = StoredEntries(tuple(map(_part, release.each("parts"))), files, remedy)
    _require_counts(Fields(release.table("counts"), "release.counts"), entries)
    source = Fields(release.table("source"), "release.source")
    catalog = Catalog(
        commit=source.object_id("commit"),
        tree=source.object_id("tree"),
        title=release.text("title"),
        tagline=release.text("description"),
        base_url=release.maybe_text("baseUrl"),
        website_url=release.maybe_text("websiteUrl"),
        icons=tuple(map(icon_of, release.each("icons"))),
        entries=entries,
        skipped=_texts(release, "skipped", files),
        ignored={
            item.text("path"): item.text("reason") for item in _items(release, "ignored", files)
        },
        versions=totals_of(release.nested("versions")) if release.has("versions") else None,
        gone=tuple(map(gone_of, _maybe_items(release, "gone", files))),
        moved={
            item.text("path"): item.text("to") for item in _maybe_items(release, "moved", files)
        },
    )
    return Record(
        catalog=catalog,
        version=release.text("skillbuild"),
        archive_format=release.number("archiveFormat"),
        renderers={name: str(value) for name, value in release.table("renderers").items()},
        config_digest=release.digest("configDigest"),
        index_digest=release.digest("indexDigest"),
        search_digest=release.digest("searchDigest"),
        yanked=_yanked(release, files),
    )


def _maybe_items(fields: Fields, key: str, files: Files) -> list[Fields]:
    return _items(fields, key, files) if fields.has(key) else []


def _yanked(release: Fields, files: Files) -> dict[Digest, str]:
    if not release.has("yanked"):
        return {}
    return {item.digest("digest"): item.text("reason") for item in _items(release, "yanked", files)}


def _require_counts(counts: Fields, entries: Entries) -> None:
    unlisted = counts.numbers("unlisted")
    if (counts.number("skills"), unlisted) != (len(entries), unlisted_counts(entries)):
        raise ValueError("release.counts are not those of its parts")


def _part(item: Fields) -> Part:
    return Part(
        first=item.text("first"),
        digest=item.digest("digest"),
        size=item.number("size"),
        count=item.number("count"),
        unlisted=item.numbers("unlisted") if item.has("unlisted") else {},
    )


def _retained(item: Fields) -> RetainedRelease:
    return RetainedRelease(item.object_id("commit"), item.digest("digest"))


def _withdrawn(item: Fields) -> Withdrawn:
    return Withdrawn(item.digest("lastDigest"), item.object_id("lastCommit"))


def _items(fields: Fields, key: str, files: Files) -> list[Fields]:
    """The objects of a list, which may stand in a blob of its own."""
    return _whole_list(fields, key, files).each(key)


def _texts(fields: Fields, key: str, files: Files) -> tuple[str, ...]:
    return _whole_list(fields, key, files).texts(key)


def _whole_list(fields: Fields, key: str, files: Files) -> Fields:
    """An object with the list itself under the key."""
    if fields.is_list(key):
        return fields
    stored = Fields(fields.table(key), key)
    digest = stored.digest("digest")
    most = min(stored.number("size"), _LARGEST_LIST)
    try:
        data = read_named(files, blob_path(digest), digest, most=most)
    except (MissingError, DamagedError) as error:
        where = blob_path(digest)
        raise ValueError(f"{key} stands in {where}, which is missing or damaged") from error
    return Fields({key: json.loads(data)}, RECORD_FILE)
