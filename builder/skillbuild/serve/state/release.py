"""The release being served: the head of its record is in memory, all else is read when asked for.

A URI leads to its skill by the path in it, so there is no table of URIs, and a catalog of fifty
thousand skills needs hardly more memory than one of a thousand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import islice
from urllib.parse import unquote

from skillbuild.media.types import media_type
from skillbuild.model import Digest, Icon, Listing
from skillbuild.paths import SKILL_FILE, parent
from skillbuild.release.layout import blob_path
from skillbuild.release.record import Record
from skillbuild.release.sorted_lines import SortedLines, path_in
from skillbuild.serve.state import files
from skillbuild.serve.state.bounded_cache import BoundedCache
from skillbuild.serve.state.entries import ServedEntry, StoredContent, read_entry
from skillbuild.serve.state.faults import DamagedError, UnavailableError
from skillbuild.serve.state.files import Output
from skillbuild.serve.state.parts import ServedParts
from skillbuild.serve.state.search import ServedSearch
from skillbuild.serve.state.versions import ServedVersions
from skillbuild.uris import CATALOG_ROOT, skill_uri

PUBLIC = Listing.SITE
"""The listing that has every skill but internal ones."""
_SCHEME = "skill://"
LONGEST_URI = 16_384
"""Characters of a URI that is looked up: a path that git can hold, percent-encoded, is shorter."""
ARCHIVES = f"{CATALOG_ROOT}/archives/"
_ARCHIVE = re.compile(r"[a-z0-9][a-z0-9-]*-([0-9a-f]{16})\.(?:zip|tar\.gz)")
_ISO_8601 = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class ReleaseCaches:
    """Values that were made from a release and are asked for again; they die with it."""

    entries: BoundedCache[str, ServedEntry] = field(default_factory=lambda: BoundedCache(256))
    """By skill path."""
    skill_pages: BoundedCache[int, bytes] = field(default_factory=lambda: BoundedCache(12))
    """Pages of `skills/list` as JSON, by the position of their first skill."""
    directories: BoundedCache[str, list[str]] = field(default_factory=lambda: BoundedCache(8))
    """The names in a directory, by its URI."""
    filtered: BoundedCache[tuple[tuple[str, str], ...], list[str]] = field(
        default_factory=lambda: BoundedCache(4)
    )
    """URIs of the skills that a filter of `resources/list` lets through."""
    archives: BoundedCache[str, StoredContent | None] = field(
        default_factory=lambda: BoundedCache(256)
    )
    """By file name; None where there is no such archive."""
    partial_index: BoundedCache[str, bytes] = field(default_factory=lambda: BoundedCache(1))
    """By URI, where not all skills are served."""
    prompts: BoundedCache[str, ServedEntry | None] = field(
        default_factory=lambda: BoundedCache(256)
    )
    """By name; None where there is no such prompt."""
    icon_uris: BoundedCache[Icon, str | None] = field(default_factory=lambda: BoundedCache(1024))
    """`data:` URIs; None for an icon that is too large or damaged."""


@dataclass(frozen=True, eq=False)
class ServedRelease:
    """Everything the server may answer from."""

    out: Output
    digest: Digest
    """Of `catalog.json`; cursors are bound to it."""
    record: Record
    parts: ServedParts
    history: SortedLines
    """The last change of each skill: lines of `history.json`; none where it is unknown."""
    is_partial: bool = False
    """Some of its skills are not served."""
    caches: ReleaseCaches = field(default_factory=ReleaseCaches)

    @property
    def title(self) -> str:
        return self.record.catalog.title

    @property
    def skill_count(self) -> int:
        """How many skills there are, internal ones aside."""
        return self.parts.count(PUBLIC)

    @property
    def index(self) -> StoredContent:
        """The index; its blob stays where it is when the next publish replaces `index.json`."""
        path = blob_path(self.record.index_digest)
        try:
            size = files.size_in(self.out, path)
        except UnavailableError:
            size = None
        else:
            if size is None:
                raise DamagedError("index.json", "missing")
        return StoredContent(path, "application/json", self.record.index_digest, size)

    @cached_property
    def search(self) -> ServedSearch:
        return ServedSearch(self.out, self.record.search_digest, self.parts.only)

    @cached_property
    def versions(self) -> ServedVersions:
        return ServedVersions(self.out, self.record, self.parts.only)

    @cached_property
    def moved(self) -> Mapping[str, str]:
        """The path of the skill by each path that led to it before."""
        catalog = self.record.catalog
        left = {gone.path: gone.successor for gone in catalog.gone if gone.successor}
        return {**catalog.moved, **left}

    def skills(self, listing: str, position: int, count: int) -> list[ServedEntry]:
        """Skills that a format lists, by path, from the one at a position on."""
        lines = islice(self.parts.listed(listing, position), count)
        return list(map(self._entry, lines))

    def entry_at(self, uri: str) -> ServedEntry | None:
        """The innermost skill, or the version, that has the file at this URI; else None."""
        if not uri.startswith(_SCHEME) or len(uri) > LONGEST_URI:
            return None
        entries = self._around(parent(unquote(uri.removeprefix(_SCHEME))), uri)
        return next((entry for entry in entries if entry.file(uri) is not None), None)

    def skill_at(self, uri: str) -> ServedEntry | None:
        """The skill, listed or not, or the version, whose SKILL.md is at this URI."""
        directory, _, name = uri.rpartition("/")
        if name != SKILL_FILE or not uri.startswith(_SCHEME) or len(uri) > LONGEST_URI:
            return None
        path = unquote(directory.removeprefix(_SCHEME))
        entry = self.versions.around(uri) or self.entry_of(path)
        return entry if entry is not None and entry.uri == uri else None

    def entry_of(self, path: str) -> ServedEntry | None:
        """The skill with this path."""
        line = self.parts.find(path)
        return None if line is None else self._entry(line)

    def hit_of(self, path: str) -> ServedEntry | None:
        """The same for one of the best skills of a search."""
        line = self.parts.find_often(path)
        return None if line is None else self._entry(line)

    def archive_at(self, uri: str) -> StoredContent | None:
        """The archive at this URI, whose bytes were found to have the digest in its name."""
        if not uri.startswith(ARCHIVES) or len(uri) > LONGEST_URI:
            return None
        name = uri.removeprefix(ARCHIVES)
        match = _ARCHIVE.fullmatch(name)
        if match is None or (self.is_partial and not self._has_archive(name)):
            return None
        return self.caches.archives.get(name, partial(self._read_archive, name, match[1]))

    def _has_archive(self, name: str) -> bool:
        """Whether an archive is that of a skill that is served."""
        path = b'"archives/%b"' % name.encode()
        return any(path in line for line in self.parts.following(""))

    def last_modified(self, path: str) -> str | None:
        """When the skill at a path was last changed (ISO 8601); None if that is unknown.

        No digest covers the history: whatever does not read as a date is left out.
        """
        try:
            line = self.history.find(path)
            if line is None:
                return None
            seconds = json.loads(line.rstrip(b","))["seconds"]
            if type(seconds) is not int:
                return None
            return iso_8601(seconds)
        except (KeyError, OSError, OverflowError, RecursionError, TypeError, ValueError):
            return None

    def is_directory(self, uri: str) -> bool:
        """Whether anything is in a directory; quick, however much that is."""
        path = self._directory_path(uri)
        if path is None:
            return False
        inside = self.parts.children(path)
        return next(inside, None) is not None or any(self._files_in(path, uri))

    def names_in(self, uri: str) -> list[str]:
        """The names of what is directly in a directory, percent-encoded and sorted.

        Those of directories end in `/`. Empty for what is no directory.
        """
        path = self._directory_path(uri)
        if path is None:
            return []
        return self.caches.directories.get(uri, partial(self._names_in, path, uri))

    def _directory_path(self, uri: str) -> str | None:
        """The path in a URI that may be one of a directory."""
        if not uri.startswith(_SCHEME) or len(uri) > LONGEST_URI or uri.endswith("/"):
            return None
        path = unquote(uri.removeprefix(_SCHEME))
        return path if directory_uri(path) == uri else None

    def _files_in(self, path: str, uri: str) -> Iterator[str]:
        """URIs of the files of skills that are below a directory, without the skills in it."""
        start = f"{uri}/"
        for entry in self._around(path, uri):
            yield from (file.uri for file in entry.files if file.uri.startswith(start))

    def _around(self, path: str, uri: str) -> Iterable[ServedEntry]:
        """The skills that a path is or lies below, innermost first; or the version of a URI."""
        version = self.versions.around(uri)
        return map(self._entry, self.parts.above(path)) if version is None else (version,)

    def _names_in(self, path: str, uri: str) -> list[str]:
        start = f"{uri}/"
        names = {f"{_last_segment(f'{path}/{name}')}/" for name in self.parts.children(path)}
        for file_uri in self._files_in(path, uri):
            name, slash, _ = file_uri[len(start) :].partition("/")
            names.add(name + slash)
        return sorted(names)

    def _entry(self, line: bytes) -> ServedEntry:
        return self.caches.entries.get(path_in(line), partial(read_entry, line))

    def _read_archive(self, name: str, start: str) -> StoredContent | None:
        path = f"archives/{name}"
        data = files.read_in(self.out, path)
        if data is None:
            return None
        digest = Digest.of(data)
        if digest.short != start:
            raise DamagedError(path, "wrong digest")
        return StoredContent(path, media_type(name, data), digest, len(data))


def iso_8601(seconds: int) -> str:
    """A time in seconds since 1970 as the protocol writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime(_ISO_8601)


def directory_uri(path: str) -> str:
    """The URI of a directory, without a trailing slash."""
    return skill_uri(path, "x")[: -len("/x")]


def _last_segment(path: str) -> str:
    return directory_uri(path).rpartition("/")[2]
