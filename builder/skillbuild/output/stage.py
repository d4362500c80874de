"""The stage: a hidden folder in the output that holds a new release until it is published."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Protocol

from skillbuild.model import Catalog, Digest, KeyedFile, OutputFile, SizedDigest
from skillbuild.output import directory
from skillbuild.output.base import (
    Base,
    Published,
    Remote,
    head_of,
    intact_of,
    read_base,
    release_of,
)
from skillbuild.output.publish import Publish
from skillbuild.output.signature import signature
from skillbuild.output.stage_folders import STAGE_PREFIX, remove_unlocked
from skillbuild.output.stage_writer import StageWriter
from skillbuild.release import checksums, parts, record, retention
from skillbuild.release.checksums import Checksums
from skillbuild.release.entries import EntryLines
from skillbuild.release.layout import (
    CHECKSUMS_FILE,
    HEAD_FILES,
    INDEX_FILE,
    RECORD_FILE,
    RELEASE_FILE,
    SEARCH_FILE,
    blob_path,
    is_addressed,
)
from skillbuild.release.record import FixedFiles, Record
from skillbuild.storage import disk
from skillbuild.storage.files import Directory, FileError, read_named

_FETCHES = 8
"""Number of files that are fetched from a remote release at the same time."""


class LastEmitter(Protocol):
    """Emits files that depend on the final record, such as pages for removed skills."""

    def emit_release(self, release: Record, present: Iterable[str]) -> Iterable[OutputFile]:
        """Return the files that depend on the final record. `present` are the paths of all other
        files of the release.
        """


@dataclass(frozen=True, slots=True)
class Publication:
    """The outcome of a publish."""

    release: Record
    record_digest: Digest
    checksums: Checksums
    checksums_digest: Digest
    unchanged: bool
    """Whether the output already contained exactly this release, so that nothing was written."""
    growth: int | None
    """Number of bytes by which the output grew; None if it is not known."""


class BaseChangedError(Exception):
    """Raised when another build has replaced the intact base since this build read the base."""


class Stage:
    """A release under construction. Readers see no part of it before `publish`.

    Workers write files through `writer`. The main process writes through the stage, which keeps the
    checksum lines.
    """

    def __init__(
        self,
        out: Path,
        folder: Path,
        base: Base,
        scratch: BinaryIO,
        keys: Mapping[str, str],
        *,
        rewrite: bool,
    ) -> None:
        """Start a stage; `keys` are the keys of keyed files in an intact base, by path.

        With `rewrite`, the release is published again even if the output already contains it.
        """
        self.out = out
        self.base = base
        self.writer = StageWriter(folder)
        self.scratch = scratch
        """A temporary file for data that is needed once all skills are known."""
        self.keys: dict[str, str] = {}
        """The keys of keyed files in this release, by path."""
        self._former_keys = keys
        self._rewrite = rewrite
        self._lines: list[bytes] = []
        self._own = Checksums()
        """The checksums of all staged and included files; set by `fixed_files`."""
        self._index = self._search = SizedDigest.of(b"")

    def include(self, lines: Iterable[bytes]) -> None:
        """Add the files in these checksum lines. These files must be staged already or be part of
        an intact base.
        """
        self._lines += lines

    def add(self, files: Mapping[str, bytes]) -> None:
        """Stage content-addressed files, by path."""
        self._lines += self.writer.add(files)

    def write(self, files: Iterable[OutputFile | KeyedFile]) -> None:
        """Stage files at fixed paths, such as pages, unless an intact base already contains
        them.
        """
        intact = intact_of(self.base)
        for each in files:
            if isinstance(each, KeyedFile):
                self.keys[each.path] = each.key
                is_same = self._former_keys.get(each.path) == each.key
                if is_same and intact and (known := intact.checksums.find(each.path)):
                    self._lines.append(known)
                    continue
                file = OutputFile(each.path, each.make())
            else:
                file = each
            line = checksums.line(file.path, Digest.of(file.data))
            if file.path == INDEX_FILE:
                self._index = SizedDigest(self._write_head(file.path, [file.data]), len(file.data))
                self._lines += self.writer.add({blob_path(self._index.digest): file.data})
            elif is_addressed(file.path):
                self._lines += self.writer.add({file.path: file.data})
            elif intact and intact.checksums.find(file.path) == line:
                self._lines.append(line)
            else:
                self._lines += self.writer.write([file])
            if file.path == SEARCH_FILE:
                self._search = SizedDigest.of(file.data)
                self._lines += self.writer.add({blob_path(self._search.digest): file.data})

    def _write_head(self, name: str, pieces: Iterable[bytes]) -> Digest:
        with disk.faults(self.out):
            return disk.write_parts(self.writer.staged(name), pieces)

    def size(self) -> int:
        """Return the total size of the staged files, in bytes."""
        return disk.size_of(self.writer.folder, STAGE_PREFIX)

    def fixed_files(self, catalog: Catalog) -> FixedFiles:
        """Return the digests of the files that clients read at fixed addresses, for the record.

        Call this after the whole catalog is staged, because the digests must cover all of these
        files.
        """
        self._stage_parts(catalog)
        self._own = Checksums(self._lines)
        self._lines = []
        index = checksums.line(INDEX_FILE, self._index.digest)
        digest = checksums.files_digest(self._own, [index])
        return FixedFiles(self._index, self._search, digest)

    def publish(
        self, release: Record, keep: int, emitters: Iterable[LastEmitter] = ()
    ) -> Publication:
        """Publish everything that was staged and included, as the release that follows the base.

        `release` must contain the result of `fixed_files`. At most `keep` earlier releases are
        retained. Raises `BaseChangedError` if the base was intact and another build has since
        replaced it.
        """
        own = self._own
        fetched: list[bytes] = []
        final = release
        if isinstance(self.base, Remote):
            final = self._after(release, self.base, keep)
            fetched = self._fetch_retained(self.base, final, own)
        with disk.faults(self.out), disk.locked(self.out, wait=True):
            base = self._base_now()
            if not isinstance(base, Remote):
                final = self._after(release, base, keep)
            restored = _restored(self.out, final, base)
            own = own.plus(self.writer.add(record.stored_files(final)))
            for emitter in emitters:
                files = emitter.emit_release(final, own.paths())
                own = own.plus(self.writer.write(files))
            own = own.plus([*fetched, *self.writer.add(restored)])
            self._write_head(RELEASE_FILE, [final.release_object])
            record_digest = self._write_head(RECORD_FILE, [record.encode(final)])
            if repeated := own.repeated_paths():
                raise ValueError(f"two formats publish {repeated[0]}")
            every = own.plus(self._lines_beyond(final, record_digest, own, base, restored))
            checksums_digest = self._write_head(CHECKSUMS_FILE, every.pieces())
            heads = (
                final.fixed.index.digest,
                final.release_digest,
                record_digest,
                checksums_digest,
            )
            unchanged = not self._rewrite and self._is_published(heads, every)
            publish = Publish(self.out, self.writer, base, own, every)
            growth = None if unchanged else publish.run()
        return Publication(final, record_digest, every, checksums_digest, unchanged, growth)

    def _stage_parts(self, catalog: Catalog) -> None:
        """Stage the parts of the record one at a time, because together they may be large."""
        entries = EntryLines.of(catalog.entries)
        for number, part in enumerate(entries.parts):
            self._lines += self.writer.add({part.path: parts.content(entries.lines_of(number))})

    def _after(self, release: Record, base: Base, keep: int) -> Record:
        """Return the record of the new release, with the releases retained from `base`."""
        out = Directory(self.out)
        files = base.files.beside(self.out) if isinstance(base, Remote) else out
        head = head_of(base)
        return retention.with_earlier_releases(release, release_of(base), head, keep, files)

    def _base_now(self) -> Base:
        """Return the current base, read again if another build may have published; requires the
        lock.
        """
        if isinstance(self.base, Remote):
            return self.base
        now = signature(self.out)
        if isinstance(self.base, Published) and now is not None and now == self.base.signature:
            return self.base
        if intact_of(self.base):
            raise BaseChangedError
        return read_base(self.out)

    def _is_published(self, digests: Iterable[Digest], every: Checksums) -> bool:
        """Return whether the output already contains exactly this release, according to head files
        and file names.
        """
        same = all(
            disk.digest_of(self.out / name) == digest
            for name, digest in zip(HEAD_FILES, digests, strict=True)
        )
        return same and directory.is_whole(self.out, every)

    def _fetch_retained(self, remote: Remote, release: Record, own: Checksums) -> list[bytes]:
        """Fetch and stage files that only retained releases need; return their checksum lines."""

        def fetch(path: str) -> None:
            digest, size = files[path]
            try:
                read_named(out, path, digest, size)
            except FileError:
                self.writer.add({path: remote.fetch(path, digest, size)})

        out = Directory(self.out)
        beside = remote.files.beside(self.out)
        files = retention.retained_files(release, own, beside, remote.remedy)
        with ThreadPoolExecutor(_FETCHES) as pool:
            for _ in pool.map(fetch, sorted(files)):
                pass
        return _lines_of(files)

    def _lines_beyond(
        self,
        release: Record,
        record_digest: Digest,
        own: Checksums,
        base: Base,
        restored: Mapping[str, bytes],
    ) -> list[bytes]:
        """Return the checksum lines of the head files and of the files of retained releases.

        `restored` are files of retained releases that the output lacks.
        """
        digests = {
            INDEX_FILE: release.fixed.index.digest,
            RELEASE_FILE: release.release_digest,
            RECORD_FILE: record_digest,
        }
        heads = checksums.lines(digests)
        if isinstance(base, Remote):  # Its files were staged already.
            return heads

        files = RestoredDirectory(self.out, restored)
        return heads + _lines_of(retention.retained_files(release, own, files))


def _restored(out: Path, release: Record, base: Base) -> dict[str, bytes]:
    """Return blobs of the base, by path, that may be missing in the output.

    They are rebuilt from head files and the search manifest, so that users need not delete the
    output.
    """
    if not isinstance(base, Published) or base.intact:
        return {}
    former = replace(base.release, removed={})
    if all(each.digest != former.release_digest for each in release.releases):
        return {}
    files = record.stored_files(former)
    heads = {INDEX_FILE: former.fixed.index, SEARCH_FILE: former.fixed.search}
    for path, each in heads.items():
        with suppress(FileError):
            data = read_named(Directory(out), path, each.digest, each.size)
            files[blob_path(each.digest)] = data
    return files


class RestoredDirectory(Directory):
    """The files of an output, together with missing files that the next publish will restore."""

    def __init__(self, out: Path, restored: Mapping[str, bytes]) -> None:
        super().__init__(out)
        self._restored = restored

    def read(self, path: str, most: int) -> bytes:
        data = self._restored.get(path)
        return super().read(path, most) if data is None else data


def _lines_of(files: retention.NamedFiles) -> list[bytes]:
    return checksums.lines({path: digest for path, (digest, _) in files.items()})


@contextmanager
def staging(
    out: Path, base: Base, keys: Mapping[str, str] = MappingProxyType({}), *, rewrite: bool = False
) -> Iterator[Stage]:
    """Create a stage in the output. When the context exits, everything that was not published is
    removed.

    `keys` are the keys of keyed files in an intact base, by path. With `rewrite`, the release is
    published again even if the output already contains it.
    """
    directory.require_usable(out)
    is_new = not out.exists()
    with disk.faults(out):
        out.mkdir(parents=True, exist_ok=True)
        with disk.locked(out, wait=True):
            folder = Path(tempfile.mkdtemp(prefix=STAGE_PREFIX, dir=out))
            hold = disk.locked(folder, wait=True)
            hold.__enter__()
            remove_unlocked(out)
    try:
        with tempfile.TemporaryFile(dir=folder) as scratch:
            yield Stage(out, folder, base, scratch, keys, rewrite=rewrite)
    finally:
        _remove_unpublished(out)
        hold.__exit__(None, None, None)
        disk.remove_tree(folder)
        if is_new:
            with suppress(OSError):
                out.rmdir()


def _remove_unpublished(out: Path) -> None:
    """Remove the remains of an interrupted first publish, if no release was ever committed.

    The stage still exists at this point, and marks the directory as an output for the next build.
    """
    with suppress(OSError), disk.locked(out, wait=True):
        if not os.path.lexists(out / RECORD_FILE):
            directory.remove(
                out, {*directory.listed_in(out).paths(), *directory.addressed_files(out)}
            )
            disk.remove(out, CHECKSUMS_FILE)
