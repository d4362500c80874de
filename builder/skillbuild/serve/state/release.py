"""One release as it is served. The head of the record is in memory, and other files are read on
demand.

Skills are looked up by the path in their URI; there is no table of URIs. So a catalog of 50,000
skills needs hardly more memory than a catalog of 1,000.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from urllib.parse import unquote

from skillbuild.errors import OutputError
from skillbuild.media.types import media_type
from skillbuild.model import Digest, Listing, Version
from skillbuild.paths import SKILL_FILE, parent
from skillbuild.release import record
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import REMEDY_AFAR, versions_in
from skillbuild.release.layout import HISTORY_FILE, RECORD_FILE, blob_path
from skillbuild.release.parts import Part
from skillbuild.release.record import Record
from skillbuild.release.sorted_lines import SortedLines, path_in
from skillbuild.release.versions import version_path
from skillbuild.serve.state.caches import BoundedCache, ReleaseCaches
from skillbuild.serve.state.entries import (
    ServedEntry,
    StoredContent,
    read_entry,
    read_version,
)
from skillbuild.serve.state.look_up import Selection, ServedParts
from skillbuild.serve.state.published import (
    LocalFiles,
    Named,
    ReleaseFiles,
    RemoteChecksums,
    RemoteFiles,
    read_published,
    require_output,
)
from skillbuild.serve.state.search import ServedSearch
from skillbuild.storage.files import (
    MOST_BYTES,
    DamagedError,
    Directory,
    Files,
    MissingError,
    read_or_none,
)
from skillbuild.storage.mirror import Mirror
from skillbuild.uris import CATALOG_ROOT, skill_uri

PUBLIC = Listing.SITE
"""The listing of all skills that are not internal."""
_SCHEME = "skill://"
LARGEST_DOCUMENT = 16 << 20
"""Size limit for a resource in `resources/read`: the size of a whole listed skill. Each answer is
in memory several times, also as base64.
"""
LONGEST_ASKED_URI = 16_384
"""Longest URI that is looked up; the percent-encoded path of any file in git is shorter."""
ARCHIVES = f"{CATALOG_ROOT}/archives/"
_ARCHIVE = re.compile(r"[a-z0-9][a-z0-9-]*-([0-9a-f]{16})\.(?:zip|tar\.gz)")
_VERSIONS = f"{CATALOG_ROOT}/versions/"
_DIGITS = re.compile("[0-9a-f]{16}")
_UNREAD = ("skipped", "ignored", "removed")
"""Lists in the record that no answer needs; one of them takes 700 kB in a registry of 60,000
skills.
"""
_MOST_VERSIONS = 64
"""Maximum number of versions in memory."""
_LARGEST_VERSION = 16 << 20
"""Size limit of a `version.json`, which names all files of a skill."""
_ISO_8601 = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, eq=False)
class ServedRelease:
    """A release, and everything else that the server needs to answer requests about it."""

    files: Files
    published: ReleaseFiles
    """Looks up the same files by name."""
    head_digest: Digest
    """Digest of `catalog.json`; cursors are bound to it."""
    record: Record
    parts: ServedParts
    history: SortedLines
    """The last change of each skill: lines of `history.json`, or empty if unknown."""
    is_partial: bool = False
    """Whether `--only` selects only some of the skills."""
    caches: ReleaseCaches = field(default_factory=ReleaseCaches)

    @property
    def title(self) -> str:
        return self.record.catalog.title

    @property
    def skill_count(self) -> int:
        """The number of skills that are not internal."""
        return self.parts.count(PUBLIC)

    @property
    def index(self) -> StoredContent | None:
        """The index; None if the index is too large for one response. The index is read from a
        blob, because the next publish replaces `index.json` but keeps the blob.
        """
        named = self.record.fixed.index
        if named.size > LARGEST_DOCUMENT:
            return None
        return StoredContent(blob_path(named.digest), "application/json", named.digest, named.size)

    @cached_property
    def digest(self) -> Digest:
        """The release digest, which `build` prints: the digest of `release.json`."""
        return self.record.release_digest

    @cached_property
    def search(self) -> ServedSearch:
        return ServedSearch(self.files, self.record.fixed.search, self.parts.only)

    @cached_property
    def versions(self) -> ServedVersions:
        return ServedVersions(self)

    @cached_property
    def moved(self) -> Mapping[str, str]:
        """Maps each former path of a skill to its current path."""
        catalog = self.record.catalog
        left = {gone.path: gone.successor for gone in catalog.gone if gone.successor}
        return {**catalog.moved, **left}

    def read(self, path: str, digest: Digest, size: int | None = None) -> bytes:
        """Read a file that the release names. Raises `DamagedError` if its digest or size is wrong,
        and `UnavailableError` if it cannot currently be read.
        """
        return read_published(self.files, path, Named(digest, size))

    def skills(self, listing: str, position: int, count: int) -> list[ServedEntry]:
        """Return `count` skills of a listing in the order of their paths, starting at a
        position.
        """
        lines = islice(self.parts.listed(listing, position), count)
        return list(map(self._entry, lines))

    def entry_at(self, uri: str) -> ServedEntry | None:
        """Return the skill or version that has a file at this URI; None if there is none.

        If nested skills have the file, the innermost skill is returned.
        """
        if not uri.startswith(_SCHEME) or len(uri) > LONGEST_ASKED_URI:
            return None
        entries = self._around(parent(unquote(uri.removeprefix(_SCHEME))), uri)
        return next((entry for entry in entries if entry.file(uri) is not None), None)

    def skill_at(self, uri: str) -> ServedEntry | None:
        """Return the skill or version whose SKILL.md is at this URI, listed or not; None if there
        is none.
        """
        directory, _, name = uri.rpartition("/")
        if name != SKILL_FILE or not uri.startswith(_SCHEME) or len(uri) > LONGEST_ASKED_URI:
            return None
        path = unquote(directory.removeprefix(_SCHEME))
        entry = self.versions.around(uri) or self.entry_of(path)
        return entry if entry is not None and entry.uri == uri else None

    def entry_of(self, path: str) -> ServedEntry | None:
        """Return the skill with this path; None if there is none."""
        line = self.parts.find(path)
        return None if line is None else self._entry(line)

    def archive_at(self, uri: str) -> StoredContent | None:
        """Return the archive at this URI; None if there is none.

        Raises `DamagedError` if the digest of the archive does not match the digits in the file
        name.
        """
        if not uri.startswith(ARCHIVES) or len(uri) > LONGEST_ASKED_URI:
            return None
        name = uri.removeprefix(ARCHIVES)
        match = _ARCHIVE.fullmatch(name)
        if match is None or (self.is_partial and not self._has_archive(name)):
            return None
        return self.caches.archives.get(name, partial(self._read_archive, name, match[1]))

    def _has_archive(self, name: str) -> bool:
        """Return whether an archive belongs to a skill that `--only` selects."""
        path = b'"archives/%b"' % name.encode()
        return any(path in line for line in self.parts.following(""))

    def last_modified(self, path: str) -> str | None:
        """Return when the skill at a path last changed (ISO 8601); None if unknown.

        No digest protects these dates, so a value that is not a date is ignored.
        """
        try:
            line = self.history.find(path)
            if line is None:
                return None
            seconds = json.loads(line.rstrip(b","))["seconds"]
            if type(seconds) is not int:
                return None
            return datetime.fromtimestamp(seconds, UTC).strftime(_ISO_8601)
        except (KeyError, OSError, OverflowError, RecursionError, TypeError, ValueError):
            return None

    def is_directory(self, uri: str) -> bool:
        """Return whether a URI is a non-empty directory. The check is fast for a directory of any
        size.
        """
        path = self._directory_path(uri)
        if path is None:
            return False
        inside = self.parts.children(path)
        return next(inside, None) is not None or any(self._files_in(path, uri))

    def names_in(self, uri: str) -> list[str]:
        """Return the names of the direct children of a directory, percent-encoded and sorted.

        Names of subdirectories end in `/`. Empty if the URI is not a directory.
        """
        path = self._directory_path(uri)
        if path is None:
            return []
        return self.caches.directories.get(uri, partial(self._names_in, path, uri))

    def _directory_path(self, uri: str) -> str | None:
        """Return the path in a URI if it can be a directory, else None."""
        if not uri.startswith(_SCHEME) or len(uri) > LONGEST_ASKED_URI or uri.endswith("/"):
            return None
        path = unquote(uri.removeprefix(_SCHEME))
        return path if directory_uri(path) == uri else None

    def _files_in(self, path: str, uri: str) -> Iterator[str]:
        """Yield the URIs of files below a directory that belong to a skill at or above it."""
        start = f"{uri}/"
        for entry in self._around(path, uri):
            yield from (file.uri for file in entry.files if file.uri.startswith(start))

    def _around(self, path: str, uri: str) -> Iterable[ServedEntry]:
        """Yield the skills at and above a path, innermost first; or else the version of a URI."""
        version = self.versions.around(uri)
        return map(self._entry, self.parts.above(path)) if version is None else (version,)

    def _names_in(self, path: str, uri: str) -> list[str]:
        start = f"{uri}/"
        uris = (directory_uri(f"{path}/{name}") for name in self.parts.children(path))
        names = {f"{each.rpartition('/')[2]}/" for each in uris}
        for file_uri in self._files_in(path, uri):
            name, slash, _ = file_uri[len(start) :].partition("/")
            names.add(name + slash)
        return sorted(names)

    def _entry(self, line: bytes) -> ServedEntry:
        return self.caches.entries.get(path_in(line), partial(read_entry, line))

    def _read_archive(self, name: str, start: str) -> StoredContent | None:
        path = f"archives/{name}"
        named = self.published.find(path)
        if named is None:
            return None
        if named.digest.short != start:
            raise DamagedError(path, "wrong digest")
        size = named.size or self._size_on_disk(path)
        if size > LARGEST_DOCUMENT:
            return StoredContent(path, media_type(name, b""), named.digest, size)
        data = read_published(self.files, path, named)
        return StoredContent(path, media_type(name, data), named.digest, len(data))

    def _size_on_disk(self, path: str) -> int:
        """Return the size of a file that the release names; 0 if it is at an origin."""
        if not isinstance(self.files, Directory):
            return 0
        try:
            return self.files.size(path)
        except MissingError as error:
            require_output(self.files)
            raise DamagedError(path, error.reason) from None


class ServedVersions:
    """Looks up the versions of one release by address. Safe to share between threads.

    The record does not name the `version.json` files, because there are too many. A `version.json`
    can be checked without the record, because its address contains the start of the version's
    digest.
    """

    def __init__(self, release: ServedRelease) -> None:
        self._files, self._published = release.files, release.published
        self._parts, self._record = release.parts, release.record
        self._yanked = frozenset(digest.short for digest in release.record.yanked)
        self._held: BoundedCache[str, ServedEntry | None] = BoundedCache(_MOST_VERSIONS)

    def around(self, uri: str) -> ServedEntry | None:
        """Return the version that a URI belongs to; None if the URI is not inside a version.

        Raises `DamagedError` if the `version.json` of the version differs from what was published,
        and `UnavailableError` if it cannot currently be read.
        """
        if self._record.catalog.versions is None or not uri.startswith(_VERSIONS):
            return None
        digits = uri[len(_VERSIONS) :].partition("/")[0]
        if not _DIGITS.fullmatch(digits) or digits in self._yanked:
            return None
        return self._held.get(digits, partial(self._read, digits))

    def of(self, version: Version) -> ServedEntry | None:
        """Return the entry of a version that a skill lists; None if the version is not served."""
        return self.around(f"{CATALOG_ROOT}/{version.address}")

    def _read(self, digits: str) -> ServedEntry | None:
        where = version_path(f"versions/{digits}")
        named = self._published.find(where)
        if named is None:
            return None
        data = read_published(self._files, where, named, _LARGEST_VERSION)
        entry = read_version(data, where)
        return entry if self._chosen is None or entry.version in self._chosen else None

    @cached_property
    def _chosen(self) -> frozenset[str] | None:
        """Skill digests of the versions that the selected skills list; None without a selection."""
        only = self._parts.only
        if only is None:
            return None
        gone = (each.versions for each in self._record.catalog.gone if only(each.path))
        every = chain(map(versions_in, self._parts.following("")), gone)
        return frozenset(version.digest for versions in every for version in versions)


def load_release(out: Path, only: Selection | None = None) -> ServedRelease:
    """Load the release in the directory `out`, or only the skills that `only` selects.

    Raises `OutputError` with the reason if the release cannot be served, and `UnavailableError` if
    trying again later may help.
    """
    files = Directory(out)
    data = read_or_none(files, RECORD_FILE, MOST_BYTES) if out.is_dir() else None
    if data is None:
        raise OutputError(f"{out / RECORD_FILE} is missing; run build first")
    head = record.decode(data, files, unread=_UNREAD)
    _require_files(files, head, EntryLines.of(head.catalog.entries).parts)
    return _served(files, LocalFiles(files), data, head, only, _read_history(files))


def remote_release(
    files: Mirror, checksums: RemoteChecksums, data: bytes, only: Selection | None = None
) -> ServedRelease:
    """Load a release at an origin; `data` is the head of its record. Raises the same errors as
    `load_release`.

    The dates on which skills last changed are not read, because no digest shows which release they
    belong to.
    """
    head = record.decode(data, files, REMEDY_AFAR, _UNREAD)
    published = RemoteFiles(files, checksums, data, head)
    return _served(files, published, data, head, only, SortedLines(b""))


def _served(
    files: Files,
    published: ReleaseFiles,
    data: bytes,
    head: Record,
    only: Selection | None,
    history: SortedLines,
) -> ServedRelease:
    parts = ServedParts(files, EntryLines.of(head.catalog.entries).parts, only)
    try:
        parts.count(PUBLIC)  # Now, and not while a client waits.
    except DamagedError as error:
        raise OutputError(f"{files.where} is damaged: {error}; run build again") from error
    return ServedRelease(
        files=files,
        published=published,
        head_digest=Digest.of(data),
        record=head,
        parts=parts,
        is_partial=only is not None,
        history=history,
    )


def _require_files(files: Directory, head: Record, parts: Sequence[Part]) -> None:
    """Raise `OutputError` if a part or the index is missing, or a part has another size."""
    sizes = {part.path: part.size for part in parts}
    for path, size in {**sizes, blob_path(head.fixed.index.digest): None}.items():
        try:
            actual = files.size(path)
        except MissingError as error:
            raise OutputError(f"{files.folder / path} is missing; run build again") from error
        if size not in (None, actual):
            raise OutputError(f"{files.folder / path} is damaged: wrong size; run build again")


def _read_history(files: Directory) -> SortedLines:
    """Return the rows of `history.json`, which are between its first line and its last."""
    data = b""
    with suppress(MissingError, DamagedError):
        data = files.read(HISTORY_FILE, MOST_BYTES)
    return SortedLines(data, data.find(b"\n") + 1, max(0, data.rfind(b"\n", 0, -1)))


def directory_uri(path: str) -> str:
    """Return the URI of a directory, without a trailing slash."""
    return skill_uri(path, "x")[: -len("/x")]
