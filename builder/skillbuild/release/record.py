"""Encodes and decodes the record of a release, whose head is `catalog.json`.

The head consists of two objects. `release` depends only on what the release was built from: the
commit, the settings, and the versions of skillbuild and of the packages that render pages. It also
names the parts that hold the entries (`parts.py`). `publication` describes the earlier releases of
the same output. Long lists are stored in blobs that the head names.

`serve`, `verify`, `diff` and the next build learn from the record alone what a release contains.
The JSON Schemas of the record are generated from the types in this module and in `model.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Protocol, TypeVar

from msgspec import Meta, Raw
from msgspec import field as key

from skillbuild.errors import OutputError
from skillbuild.model import (
    Catalog,
    Digest,
    Entry,
    Gone,
    Icon,
    JsonStruct,
    ObjectId,
    PluginTree,
    Size,
    SizedDigest,
    SkillGroup,
    Text,
    UnlistedCounts,
    VersionTotals,
    changed,
    decoder,
    plain,
    schema_of,
)
from skillbuild.release.entries import Entries, EntryLines, StoredEntries
from skillbuild.release.entry import REMEDY
from skillbuild.release.layout import LAYOUT, RECORD_FILE, blob_path
from skillbuild.release.parts import Part
from skillbuild.storage.files import DamagedError, Files, MissingError, read_named
from skillbuild.text.json import json_line, valid_text

_T = TypeVar("_T")
LONGEST_LIST = 16 * 1024
"""Maximum bytes of a list that is stored in the head itself."""
_LARGEST_LIST = 64 * 1024 * 1024


class RetainedRelease(JsonStruct, frozen=True):
    """An earlier release whose files are still published."""

    commit: ObjectId
    digest: Annotated[
        Digest,
        Meta(
            description="Digest of the object `release` of the earlier release. The object is"
            " still published as a blob."
        ),
    ]
    size: Annotated[int, Meta(ge=1, description="Size of the object in bytes.")]


@dataclass(frozen=True, slots=True)
class Removed:
    """A skill that is no longer in the catalog: its last digest and the commit of its last
    release.
    """

    digest: Digest
    """The last `skillDigest` of the skill."""
    commit: str


@dataclass(frozen=True, slots=True)
class FixedFiles:
    """The digests of the files that clients read at fixed addresses."""

    index: SizedDigest
    """The digest of `index.json`, which is also published as a blob."""
    search: SizedDigest
    """The digest of the manifest of the search index, which is also published as a blob."""
    digest: Digest
    """One digest for all files that clients read at fixed addresses (`checksums.files_digest`)."""


@dataclass(frozen=True, slots=True)
class Record:
    """A release, how it was built, and information about earlier releases of the same output."""

    catalog: Catalog
    version: str
    """The version of skillbuild that built the release."""
    archive_format: int
    renderers: Mapping[str, str]
    """Versions of the packages that shape pages, by name."""
    config_digest: Digest
    fixed: FixedFiles
    yanked: Mapping[Digest, str] = field(default_factory=dict)
    """The reason why a version is no longer published, by skill digest."""
    releases: tuple[RetainedRelease, ...] = ()
    """Retained earlier releases, newest first."""
    removed: Mapping[str, Removed] = field(default_factory=dict)
    """Skills that only earlier releases have, by path."""
    before: Digest | None = None
    """The digest of the previous `catalog.json`."""
    source: bytes = field(default=b"", compare=False, repr=False)
    """The `release` object as it was read; empty for a release that is being built."""

    @property
    def release_object(self) -> bytes:
        """The bytes of the `release` object in `catalog.json`. The same bytes are published as
        `release.json` and as a blob.
        """
        return self.source or json_line(plain(_release_of(self)))

    @property
    def release_digest(self) -> Digest:
        """The release digest; two releases are the same if and only if their digests are equal."""
        return Digest.of(self.release_object)


def stored_files(record: Record) -> dict[str, bytes]:
    """Return the blobs that belong to a record, by path: everything except its head and its
    parts.
    """
    texts = [*_long_lists(record), record.release_object]
    return {blob_path(Digest.of(text)): text for text in texts}


def named_files(record: Record) -> dict[str, tuple[Digest, int]]:
    """Return the digest and size of each file that the head refers to by digest, keyed by path.

    These files are the parts, the icons of the catalog, and blobs: the `release` object,
    `index.json`, the search manifest, and long lists. Files that the search manifest names are not
    included; see `search.reading.search_files`.
    """
    files = files_of((), record.catalog.icons)
    for each in (record.fixed.index, record.fixed.search):
        files[blob_path(each.digest)] = (each.digest, each.size)
    for path, text in stored_files(record).items():
        files[path] = (Digest.of(text), len(text))
    for part in EntryLines.of(record.catalog.entries).parts:
        files[part.path] = (part.digest, part.size)
    return files


def files_of(
    entries: Collection[Entry], icons: Collection[Icon] = ()
) -> dict[str, tuple[Digest, int]]:
    """Return the digest and size of each file that the entries refer to by digest, keyed by path.

    The result also contains `icons`, the icons of the catalog itself.
    """
    files: dict[str, tuple[Digest, int]] = {}
    for icon in (*icons, *(icon for entry in entries for icon in entry.icons)):
        files[f"icons/{icon.file_name}"] = (icon.digest, icon.size)
    for entry in entries:
        for item in entry.resources:
            files[blob_path(item.digest)] = (item.digest, item.size)
        for archive in (*entry.archives, *filter(None, [entry.upload])):
            files[f"archives/{archive.file_name}"] = (archive.digest, archive.size)
        if single := markdown_path(entry):
            files[single] = (entry.skill_md.digest, entry.skill_md.size)
    return files


def markdown_path(entry: Entry) -> str | None:
    """Return the path of the Markdown file of a skill that consists of one file; None for other
    skills.
    """
    if len(entry.resources) > 1:
        return None
    return f"archives/{entry.stem}-{entry.skill_md.digest.short}.md"


class StoredList(JsonStruct, frozen=True):
    """A reference to a list whose JSON is larger than 16 KiB. The list is in the blob that `digest`
    names.
    """

    digest: Digest
    size: Annotated[int, Meta(ge=LONGEST_LIST + 1)]


class IgnoredFile(JsonStruct, frozen=True):
    """A SKILL.md, symbolic link or submodule in the source that is not published as a skill."""

    path: str
    reason: Annotated[
        str,
        Meta(
            extra_json_schema={
                "enum": [
                    *("dot-directory", "excluded", "junk", "link", "output", "outside roots"),
                    *("submodule", "special"),
                ]
            }
        ),
    ]


class Move(JsonStruct, frozen=True):
    """A former skill path and its new path."""

    path: Text
    to: Annotated[
        Text,
        Meta(description="The new path: the path of a current skill, or of a skill in `gone`."),
    ]


class Yank(JsonStruct, frozen=True):
    """A version of a skill that was withdrawn."""

    digest: Annotated[Digest, Meta(description="The skillDigest of the withdrawn version.")]
    reason: Text


class RemovedSkill(JsonStruct, frozen=True, rename="camel"):
    """A skill that was in earlier releases and is not in this one."""

    path: str
    last_digest: Annotated[Digest, Meta(description="The skill's last skillDigest.")]
    last_commit: Annotated[
        ObjectId, Meta(description="Commit of the last release that had the skill.")
    ]


class SourceCommit(JsonStruct, frozen=True):
    """The commit that the release was built from."""

    commit: ObjectId
    tree: ObjectId


class Counts(JsonStruct, frozen=True):
    """The number of skills in the release, and the number that each listing leaves out."""

    skills: Size
    unlisted: UnlistedCounts


_NOT_EMPTY = {"minItems": 1}


class Release(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """The release. Builds of the same commit with the same settings and program versions produce
    the same bytes.

    These bytes are also published as release.json and as a blob. Their digest is the release
    digest.
    """

    archive_format: Annotated[int, Meta(ge=1)]
    version: Annotated[str, Meta(description="Version of skillbuild that built the release.")] = (
        key(name="skillbuild")
    )
    renderers: Annotated[
        Mapping[str, str], Meta(description="Versions of the packages that render the pages.")
    ]
    source: SourceCommit
    base_url: str | None
    config_digest: Annotated[Digest, Meta(description="Digest of the effective settings.")]
    index_digest: Annotated[
        Digest, Meta(description="Digest of index.json, which is also published as a blob.")
    ]
    index_size: Annotated[Size, Meta(description="Size of index.json in bytes.")]
    search_digest: Annotated[
        Digest,
        Meta(
            description="Digest of search/manifest.js, which lists the other files of the search"
            " index. It is also published as a blob."
        ),
    ]
    search_size: Annotated[Size, Meta(description="Size of search/manifest.js in bytes.")]
    files_digest: Annotated[
        Digest,
        Meta(
            description="SHA-256 of the SHA256SUMS lines (in order) for files at fixed addresses:"
            " index.json, llms.txt, search/manifest.js, the files below claude/, and the files in"
            " every .well-known/ directory (at the top level, below skills/ and below versions/)."
        ),
    ]
    title: str
    description: str
    website_url: str | None
    icons: tuple[Icon, ...]
    counts: Counts
    skipped: Annotated[
        tuple[str, ...] | StoredList,
        Meta(description="Directories of the invalid skills that --skip-invalid left out."),
    ]
    ignored: Annotated[
        tuple[IgnoredFile, ...] | StoredList,
        Meta(
            description="Each SKILL.md, symbolic link or submodule in the source that is not"
            " published as a skill, with the reason."
        ),
    ]
    versions: Annotated[
        VersionTotals | None,
        Meta(description="Counts of published versions; absent if [versions] is not set."),
    ] = None
    gone: Annotated[
        tuple[Gone, ...] | StoredList,
        Meta(
            description="Skills that are no longer in the source but still have published"
            " versions; absent if there are none.",
            extra_json_schema=_NOT_EMPTY,
        ),
    ] = ()
    moved: Annotated[
        tuple[Move, ...] | StoredList,
        Meta(
            description="Former paths of skills; absent if no skill has moved.",
            extra_json_schema=_NOT_EMPTY,
        ),
    ] = ()
    yanked: Annotated[
        tuple[Yank, ...] | StoredList,
        Meta(
            description="Withdrawn versions; absent if there are none. Scanners can use them to"
            " find installed copies.",
            extra_json_schema=_NOT_EMPTY,
        ),
    ] = ()
    plugins: Annotated[
        PluginTree | None, Meta(description="Name and owner of the plugin marketplace.")
    ] = None
    groups: Annotated[
        tuple[SkillGroup, ...] | StoredList,
        Meta(
            description="The groups that entries refer to, sorted by name; absent if there"
            " are none."
        ),
    ] = ()
    parts: Annotated[
        tuple[Part, ...],
        Meta(description="Parts of the record, sorted by the skill paths that they contain."),
    ]


class EarlierReleases(JsonStruct, frozen=True):
    """The earlier releases of this output."""

    releases: Annotated[
        tuple[RetainedRelease, ...],
        Meta(description="Earlier releases whose files are all still published, newest first."),
    ]
    removed: Annotated[
        tuple[RemovedSkill, ...] | StoredList,
        Meta(description="Skills of earlier releases that are not in this release."),
    ]
    before: Annotated[
        Digest | None, Meta(description="Digest of the catalog.json that this file replaced.")
    ]


class Head(JsonStruct, frozen=True):
    """The head of the record. The entries are in parts, record/XX/DIGEST.jsonl.

    A part has one JSON object on each line, sorted by path. The schema `entry` describes these
    objects. XX stands for the first 2 of the 64 hex digits of DIGEST.
    """

    layout: Annotated[int, Meta(extra_json_schema={"const": LAYOUT})]
    release: Release
    publication: EarlierReleases


class _Layout(JsonStruct, frozen=True):
    layout: Size


class _ReleaseBytes(JsonStruct, frozen=True):
    """The raw bytes of the object, including keys that this version does not know."""

    release: Raw


_HEAD = decoder(Head)
_RELEASE = decoder(Release)
_LAYOUT = decoder(_Layout)
_RELEASE_BYTES = decoder(_ReleaseBytes)


def catalog_schema() -> str:
    """Return the JSON Schema of `catalog.json`."""
    title = "catalog.json of a skillbuild output: the head of a release's record"
    return schema_of(Head, "catalog", title)


def release_schema() -> str:
    """Return the JSON Schema of `release.json`."""
    title = "release.json of a skillbuild output: the 'release' object of catalog.json"
    return schema_of(Release, "release", title)


def encode(record: Record) -> bytes:
    """Return the bytes of `catalog.json`."""
    publication = EarlierReleases(record.releases, _short(_removed(record)), record.before)
    parts = (LAYOUT, record.release_object, json_line(plain(publication)))
    return b'{"layout":%d,\n"release":%b,\n"publication":%b}\n' % parts


def _release_of(record: Record) -> Release:
    catalog = record.catalog
    entries = EntryLines.of(catalog.entries)
    return Release(
        archive_format=record.archive_format,
        version=record.version,
        renderers=dict(sorted(record.renderers.items())),
        source=SourceCommit(catalog.commit, catalog.tree),
        base_url=catalog.base_url,
        config_digest=record.config_digest,
        index_digest=record.fixed.index.digest,
        index_size=record.fixed.index.size,
        search_digest=record.fixed.search.digest,
        search_size=record.fixed.search.size,
        files_digest=record.fixed.digest,
        title=catalog.title,
        description=catalog.tagline,
        website_url=catalog.website_url,
        icons=catalog.icons,
        counts=Counts(len(entries), unlisted_counts(entries)),
        skipped=_short(_skipped(record)),
        ignored=_short(_ignored(record)),
        versions=catalog.versions,
        gone=_short(_gone(record)),
        moved=_short(_moved(record)),
        yanked=_short(_yanked(record)),
        plugins=catalog.plugins,
        groups=_short(_groups(record)),
        parts=tuple(entries.parts),
    )


def unlisted_counts(entries: Entries) -> dict[str, int]:
    """Return the number of skills that each listing leaves out. Listings that contain every skill
    are not in the result.
    """
    counts = Counter[str]()
    for part in entries.parts:
        counts.update(part.unlisted)
    return dict(sorted(counts.items()))


def _skipped(record: Record) -> tuple[str, ...]:
    return tuple(map(valid_text, record.catalog.skipped))


def _ignored(record: Record) -> tuple[IgnoredFile, ...]:
    ignored = sorted(record.catalog.ignored.items())
    return tuple(IgnoredFile(valid_text(path), reason) for path, reason in ignored)


def _gone(record: Record) -> tuple[Gone, ...]:
    return tuple(
        changed(each, directory=valid_text(each.directory)) for each in record.catalog.gone
    )


def _moved(record: Record) -> tuple[Move, ...]:
    return tuple(Move(path, to) for path, to in sorted(record.catalog.moved.items()))


def _yanked(record: Record) -> tuple[Yank, ...]:
    return tuple(Yank(digest, reason) for digest, reason in sorted(record.yanked.items()))


def _groups(record: Record) -> tuple[SkillGroup, ...]:
    return tuple(record.catalog.groups)


def _removed(record: Record) -> tuple[RemovedSkill, ...]:
    return tuple(
        RemovedSkill(path, last.digest, last.commit)
        for path, last in sorted(record.removed.items())
    )


def _long_lists(record: Record) -> Iterator[bytes]:
    """Yield the lists that are too long for the head, as JSON."""
    for make in (_skipped, _ignored, _gone, _moved, _yanked, _groups, _removed):
        text = json_line(plain(make(record)))
        if len(text) > LONGEST_LIST:
            yield text


def _short(items: tuple[_T, ...]) -> tuple[_T, ...] | StoredList:
    """Return a list as the head stores it: itself, or the digest and size of its blob."""
    text = json_line(plain(items))
    return items if len(text) <= LONGEST_LIST else StoredList(Digest.of(text), len(text))


def decode(data: bytes, files: Files, remedy: str = REMEDY, unread: Collection[str] = ()) -> Record:
    """Decode `catalog.json`; raise `OutputError` if it is damaged or has another layout.

    `files` reads the files of the release; entries are read only when needed. A list that is stored
    in a blob stays empty if its name is in `unread`.
    """
    try:
        _require_layout(_LAYOUT.decode(data).layout, remedy)
        head = _HEAD.decode(data)
        whole = partial(_whole, files=files, unread=unread)
        removed = whole("removed", head.publication.removed, RemovedSkill)
        return replace(
            _record(head.release, whole, files, remedy),
            releases=head.publication.releases,
            removed={each.path: Removed(each.last_digest, each.last_commit) for each in removed},
            before=head.publication.before,
            source=bytes(_RELEASE_BYTES.decode(data).release),
        )
    except (ValueError, OverflowError, RecursionError) as error:
        raise OutputError(f"{RECORD_FILE} is damaged: {error}; {remedy}") from error


def decode_release(data: bytes, files: Files, remedy: str = REMEDY) -> Record:
    """Decode the `release` object of an earlier release from its blob."""
    try:
        whole = partial(_whole, files=files, unread=())
        return replace(_record(_RELEASE.decode(data), whole, files, remedy), source=data)
    except (ValueError, OverflowError, RecursionError) as error:
        message = f"the record of an earlier release is damaged: {error}; {remedy}"
        raise OutputError(message) from error


def read_layout(data: bytes) -> int | None:
    """Return the layout number of a record; None if the file is not a record."""
    try:
        return _LAYOUT.decode(data).layout
    except (ValueError, RecursionError):
        return None


def _require_layout(layout: int, remedy: str) -> None:
    if layout < LAYOUT:
        raise OutputError(
            f"{RECORD_FILE} has layout {layout}, which is no longer supported; {remedy}"
        )
    if layout > LAYOUT:
        raise OutputError(f"{RECORD_FILE} has layout {layout}; this skillbuild reads {LAYOUT}")


def _record(release: Release, whole: _Whole, files: Files, remedy: str) -> Record:
    entries = StoredEntries(release.parts, files, remedy)
    if release.counts != Counts(len(entries), unlisted_counts(entries)):
        raise ValueError("release.counts does not match the parts")
    ignored = whole("ignored", release.ignored, IgnoredFile)
    moved = whole("moved", release.moved, Move)
    yanked = whole("yanked", release.yanked, Yank)
    catalog = Catalog(
        commit=release.source.commit,
        tree=release.source.tree,
        title=release.title,
        tagline=release.description,
        base_url=release.base_url,
        website_url=release.website_url,
        icons=release.icons,
        entries=entries,
        skipped=whole("skipped", release.skipped, str),
        ignored={each.path: each.reason for each in ignored},
        versions=release.versions,
        gone=whole("gone", release.gone, Gone),
        moved={each.path: each.to for each in moved},
        groups=whole("groups", release.groups, SkillGroup),
        plugins=release.plugins,
    )
    return Record(
        catalog=catalog,
        version=release.version,
        archive_format=release.archive_format,
        renderers=release.renderers,
        config_digest=release.config_digest,
        fixed=FixedFiles(
            SizedDigest(release.index_digest, release.index_size),
            SizedDigest(release.search_digest, release.search_size),
            release.files_digest,
        ),
        yanked={each.digest: each.reason for each in yanked},
    )


class _Whole(Protocol):
    def __call__(
        self, name: str, items: tuple[_T, ...] | StoredList, kind: type[_T]
    ) -> tuple[_T, ...]: ...


def _whole(
    name: str,
    items: tuple[_T, ...] | StoredList,
    kind: type[_T],
    *,
    files: Files,
    unread: Collection[str],
) -> tuple[_T, ...]:
    """Return a list, reading its blob if it has one; empty if it has a blob and its name is in
    `unread`.
    """
    if not isinstance(items, StoredList):
        return items
    if name in unread:
        return ()
    where = blob_path(items.digest)
    try:
        data = read_named(files, where, items.digest, most=min(items.size, _LARGEST_LIST))
    except (MissingError, DamagedError) as error:
        raise ValueError(f"{name} is in {where}, which is missing or damaged") from error
    return decoder(tuple[kind, ...]).decode(data)  # type: ignore[valid-type]
