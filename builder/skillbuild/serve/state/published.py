"""Looks up the files of a release by name, and checks the bytes of each file against its digest.

MCP and HTTP use the same lookup, whether the release is in a directory or at an origin. The record
gives the digest and size of the files that it names; SHA256SUMS has the digests of all other files.
If a name is in neither, no file is opened, and no request is sent to the origin.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from io import BytesIO
from threading import Lock
from typing import IO, Protocol

from skillbuild.model import Digest, Entry, SizedDigest
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import parse_entry
from skillbuild.release.layout import (
    CHECKSUMS_FILE,
    HEAD_FILES,
    INDEX_FILE,
    RECORD_FILE,
    RELEASE_FILE,
    SEARCH_FILE,
    SEARCH_FOLDER,
    blob_path,
    is_addressed,
)
from skillbuild.release.parts import Part
from skillbuild.release.record import Record, files_of, named_files
from skillbuild.serve.state.caches import BoundedCache
from skillbuild.storage.files import (
    MOST_BYTES,
    DamagedError,
    Directory,
    FileError,
    Files,
    MissingError,
    UnavailableError,
    read_named,
)
from skillbuild.storage.mirror import Mirror, StoredFiles

MOST_UNKNOWN = 112 << 20
"""Maximum bytes of a file that the record does not name; an archive of the largest skill is
smaller.
"""
MOST_OF_SEARCH = 4 << 20
"""Maximum bytes of a part of the search index; the record has the digest of each part, but not its
size. Parts usually have a few thousand bytes.
"""
_NAMED_BY_ENTRIES = ("blobs/", "archives/", "icons/")
_MOST_FOUND = 4096
"""Maximum number of files for which the size found in the record is kept in memory."""
_DIGEST_END, _PATH_START = 64, 66
"""Offsets in a line of SHA256SUMS: the end of the digest and the start of the path."""
_BLOCK = 8 << 10
"""Bytes to read around an offset; no line is longer."""
_IN_MEMORY = 16 << 20
"""Bytes of an origin's SHA256SUMS to keep in memory; a larger one is kept in a temporary file."""
_ASK_AFTER = 10.0
"""Seconds before SHA256SUMS is fetched again."""


@dataclass(frozen=True, slots=True)
class Named:
    """The digest that a file must have, and the size of the file in bytes. The size is None if only
    SHA256SUMS names the file.
    """

    digest: Digest
    size: int | None = None

    @staticmethod
    def of(named: SizedDigest) -> Named:
        return Named(named.digest, named.size)


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file that has been read and hashed."""

    path: str
    data: bytes
    digest: Digest


class ComingError(Exception):
    """Raised if a file does not match SHA256SUMS because a publish is in progress or has just
    ended. The caller may try again.
    """


class ReleaseFiles(Protocol):
    """The files of a release. Safe to share between threads.

    Methods raise `DamagedError` if a file is damaged, and `UnavailableError` if it cannot currently
    be read or looked up.
    """

    has_pages: bool
    """Whether the HTML pages are served too."""

    def find(self, path: str) -> Named | None:
        """Return the expected digest and size of the file at `path`; None if the release does not
        have this file.
        """

    def file(self, path: str) -> PublishedFile | None:
        """Return the file that HTTP serves at `path`; None if there is none."""


def read_published(files: Files, path: str, named: Named, most: int = MOST_UNKNOWN) -> bytes:
    """Read a file that a release names, and check its digest and size.

    `most` is the limit in bytes for a file of unknown size. A missing file raises `DamagedError`,
    or `UnavailableError` if the whole output is missing.
    """
    try:
        return read_named(files, path, named.digest, named.size, most)
    except MissingError as error:
        require_output(files)
        raise DamagedError(path, error.reason) from None


def require_output(files: Files) -> None:
    """Raise `UnavailableError` if the files are in a directory whose record is missing or
    unreadable. The error is not `DamagedError`, because the record may be missing only briefly.
    """
    if isinstance(files, Directory):
        try:
            files.size(RECORD_FILE)
        except FileError as error:
            raise UnavailableError(RECORD_FILE, error.reason) from None


class LocalFiles:
    """The files in an output directory, as they are at the moment of each request.

    While one release replaces another, SHA256SUMS lists the files of both releases, and a page may
    have the digest from either release. So a file that is in both releases can be served at any
    time.
    """

    has_pages = True

    def __init__(self, files: Directory) -> None:
        self._files = files

    def find(self, path: str) -> Named | None:
        with closing(self._checksums()) as checksums:
            return next(map(Named, checksums.find(path)), None)

    def file(self, path: str) -> PublishedFile | None:
        """Return the file at `path`; None if there is none.

        Raises `ComingError` if a publish in progress has not yet written or removed the file.
        """
        with closing(self._checksums()) as checksums:
            digests, is_publishing = checksums.find(path), checksums.is_publishing
        if not digests and path not in HEAD_FILES:
            return None
        is_missing = False
        try:
            data = self._files.read(path, MOST_BYTES)
        except MissingError:
            require_output(self._files)
            is_missing = True
        except DamagedError:
            pass
        else:
            file = PublishedFile(path, data, Digest.of(data))
            if file.digest in digests or not digests:
                return file
            del data, file  # The traceback of an error may live long.
        with closing(self._checksums()) as checksums:
            if is_missing and checksums.is_publishing:
                raise ComingError
            if checksums.is_publishing != is_publishing or checksums.find(path) != digests:
                raise ComingError  # A publish has begun or ended meanwhile.
        raise DamagedError(path, "is damaged on the server")

    def _checksums(self) -> OpenChecksums:
        try:
            return OpenChecksums(self._files.opened(CHECKSUMS_FILE))
        except (MissingError, DamagedError) as error:
            raise UnavailableError(CHECKSUMS_FILE, error.reason) from None


class RemoteFiles:
    """The files of a release at an origin: a URL or an object store.

    Pages are not served, because there is no way to tell which release a page belongs to.
    """

    has_pages = False

    def __init__(
        self, files: Mirror, checksums: RemoteChecksums, data: bytes, head: Record
    ) -> None:
        """Serve the files of one release: `data` is the content of `catalog.json`, and `head` its
        decoded form.
        """
        self._files, self._checksums = files, checksums
        heads = {RECORD_FILE: data, RELEASE_FILE: head.release_object}
        self._heads = {
            path: PublishedFile(path, content, Digest.of(content))
            for path, content in heads.items()
        }
        fixed = {INDEX_FILE: head.fixed.index, SEARCH_FILE: head.fixed.search}
        self._blobs = {path: blob_path(named.digest) for path, named in fixed.items()}
        self._parts = EntryLines.of(head.catalog.entries).parts
        self._sized = {path: Named(*named) for path, named in named_files(head).items()}
        self._found: BoundedCache[str, Named | None] = BoundedCache(_MOST_FOUND)

    def find(self, path: str) -> Named | None:
        if path in self._sized:
            return self._sized[path]
        named = self._checksums.find(path, self._heads[RECORD_FILE].digest)
        if named is None or not path.startswith(_NAMED_BY_ENTRIES) or self._files.has(path):
            return named  # The size only matters for a file that has to be fetched.
        return self._found.get(path, lambda: self._in_entries(path)) or named

    def _in_entries(self, path: str) -> Named | None:
        """Return digest and size from the entry that names a file; None if no entry does, because
        the file belongs to a version or an older release.

        The parts of the record are searched for the digits in the file's name. Damaged parts are
        skipped, so that they do not affect the files of other parts.
        """
        digits = path.rpartition("/")[2].partition(".")[0].rpartition("-")[2]
        wanted = f'"sha256:{digits}'.encode()
        for part in self._parts:
            with suppress(DamagedError):
                data = read_published(self._files, part.path, self._sized[part.path])
                files = files_of(_entries_with(wanted, part, data))
                if path in files:
                    return Named(*files[path])
        return None

    def file(self, path: str) -> PublishedFile | None:
        """Return the record, `release.json`, an index, or a file named by its digest; None for any
        other path.
        """
        if path in self._heads:
            return self._heads[path]
        stored = self._blobs.get(path, path)
        named = self.find(stored) if is_addressed(stored) else None
        if named is None:
            return None
        most = MOST_OF_SEARCH if stored.startswith(f"{SEARCH_FOLDER}/") else MOST_UNKNOWN
        data = read_published(self._files, stored, named, most)
        return PublishedFile(path, data, named.digest)


def _entries_with(text: bytes, part: Part, data: bytes) -> list[Entry]:
    """Decode the entries of a part whose lines contain `text`."""
    if text not in data:
        return []
    try:
        return [parse_entry(line) for line in data.splitlines() if text in line]
    except (ValueError, RecursionError) as error:
        raise DamagedError(part.path, f"{error}") from error


class RemoteChecksums:
    """The SHA256SUMS file of an origin, read when the first name is looked up. Safe to share
    between threads.

    A copy is stored on disk, so that a later process finds the files of its release even if the
    origin is gone. The file is fetched only if the copy does not have the name and does not belong
    to the release being served. The file is fetched at most once every ten seconds, so looking up
    unknown names cannot flood the origin with requests.
    """

    def __init__(self, mirror: Mirror, cache: StoredFiles, key: str) -> None:
        """Use `key` as the key of SHA256SUMS in the cache."""
        self._mirror, self._cache, self._key = mirror, cache, key
        self._is_looked_up = False
        self._checksums: OpenChecksums | None = None
        self._heads: list[Digest] = []
        """The digests that SHA256SUMS has for the record; empty while a release is published."""
        self._tag, self._asked_at = "", 0.0
        self._fault: FileError | None = None
        self._lock = Lock()

    def find(self, path: str, head: Digest) -> Named | None:
        """Return the expected digest and size of a file; `head` is the digest of the release's
        `catalog.json`.
        """
        found = self._find(path)
        if found is not None or self._heads == [head]:
            return found
        if time.monotonic() >= self._asked_at + _ASK_AFTER or not self._asked_at:
            self._refresh()
        elif self._fault is not None:
            raise self._fault.again()
        return self._find(path)

    def _find(self, path: str) -> Named | None:
        with self._lock:
            if not self._is_looked_up:
                self._is_looked_up = True
                stored = self._cache.get_sealed(self._key)
                if stored is not None:
                    self._take(stored)
            digests = [] if self._checksums is None else self._checksums.find(path)
        return next(map(Named, digests), None)

    def _take(self, data: bytes) -> None:
        if self._checksums is not None:
            self._checksums.close()
        self._checksums = OpenChecksums(_stored(data))
        self._heads = self._checksums.find(RECORD_FILE)

    def _refresh(self) -> None:
        fault: FileError | None = None
        try:
            newest = self._mirror.read_changing(CHECKSUMS_FILE, MOST_BYTES, self._tag)
        except FileError as error:
            fault = UnavailableError(CHECKSUMS_FILE, error.reason)
        with self._lock:
            self._asked_at, self._fault = time.monotonic(), fault
            if fault is None and newest.data is not None:
                self._take(newest.data)
                self._tag = newest.tag
        if fault is not None:
            raise fault.again()
        if newest.data is not None:
            self._cache.put_sealed(self._key, newest.data)


def _stored(data: bytes) -> IO[bytes]:
    """Return bytes as an open file: in memory, or a temporary file if there are many."""
    if len(data) <= _IN_MEMORY:
        return BytesIO(data)
    file = tempfile.TemporaryFile()  # noqa: SIM115 (it is held for as long as the release)
    file.write(data)
    return file


class OpenChecksums:
    """A snapshot of the SHA256SUMS file, which later publishes do not change.

    The lines are sorted by the bytes of the paths. `find` raises `UnavailableError` if the lines
    cannot be read.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def close(self) -> None:
        self._file.close()

    @property
    def is_publishing(self) -> bool:
        """Whether one release is replacing another. During the replacement, SHA256SUMS lists the
        files of both releases.
        """
        return not self.find(RECORD_FILE)

    def find(self, path: str) -> list[Digest]:
        """Return the digests of a file.

        The list is empty if SHA256SUMS does not list the file. While one release replaces another,
        a file can have two digests.
        """
        wanted = path.encode(errors="replace")
        found = []
        try:
            low, size = 0, self._file.seek(0, 2)
            high = size
            while low < high:
                start, line = self._line_at((low + high) // 2)
                if line[_PATH_START:] < wanted:
                    low = start + len(line) + 1
                else:
                    high = start
            while low < size:
                start, line = self._line_at(low)
                if line[_PATH_START:] != wanted:
                    break
                found.append(Digest(line[:_DIGEST_END].decode("ascii", "replace")))
                low = start + len(line) + 1
        except OSError as error:
            raise UnavailableError(CHECKSUMS_FILE, f"{error.strerror or error}".lower()) from error
        return found

    def _line_at(self, offset: int) -> tuple[int, bytes]:
        """Return the start of the line at an offset, and the line without its line feed."""
        begin = max(0, offset - _BLOCK)
        self._file.seek(begin)
        data = self._file.read(2 * _BLOCK)
        start = data.rfind(b"\n", 0, offset - begin) + 1
        stop = data.find(b"\n", offset - begin)
        return begin + start, data[start:stop] if stop >= 0 else data[start:]
