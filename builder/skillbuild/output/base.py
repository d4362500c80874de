"""Reads the base of a build: the last published release, if there is one. This release may be in
the output or elsewhere.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.output.directory import is_whole
from skillbuild.output.signature import signature
from skillbuild.release import checksums, record
from skillbuild.release.checksums import Checksums
from skillbuild.release.entry import REMEDY
from skillbuild.release.layout import (
    CHECKSUMS_FILE,
    HEAD_FILES,
    INDEX_FILE,
    LAYOUT,
    RECORD_FILE,
    RELEASE_FILE,
    is_at_fixed_address,
    is_named_by,
)
from skillbuild.release.record import Record
from skillbuild.release.search.reading import require_known_format
from skillbuild.storage import disk, origins
from skillbuild.storage.files import (
    MOST_BYTES,
    DamagedError,
    Directory,
    FileError,
    Files,
    MissingError,
    read_named,
    read_or_none,
)

_ADVICE = "build without --previous to start over"


@dataclass(frozen=True, slots=True)
class Empty:
    """An output without a release."""


@dataclass(frozen=True, slots=True)
class Published:
    """The release in the output, and the files that SHA256SUMS lists."""

    release: Record
    checksums: Checksums
    record_digest: Digest
    checksums_digest: Digest
    signature: str | None
    """Signature of the output when it was read; None if its last publish was interrupted."""
    intact: bool = False
    """Whether every file in the output is known to match `checksums`.

    If so, a build does not touch unchanged files. Otherwise it stages all files, and scans the
    folders of the output for files to remove.
    """


@dataclass(frozen=True, slots=True)
class Remote:
    """A release published elsewhere, at a URL or in another directory."""

    where: str
    """Its URL or directory, escaped for messages."""
    release: Record
    record_digest: Digest
    """The digest of its `catalog.json`."""
    files: PreviousFiles

    @property
    def remedy(self) -> str:
        """Advice for the user if part of the record cannot be read. It is appended to the error
        message.
        """
        return _remedy(self.where)

    def fetch(self, path: str, digest: Digest, size: int | None) -> bytes:
        """Read a file of the release, or of an earlier release that its record names.

        The caller writes the file to `path`. Raises `OutputError` if `path` does not match the
        digest, if the file is missing, or if the content has another digest.
        """
        if not is_named_by(path, digest):
            raise OutputError(
                f"{self.where} has a file whose path does not match its digest: {escape(path)};"
                f" {_ADVICE}"
            )
        try:
            return read_named(self.files, path, digest, size, MOST_BYTES)
        except (MissingError, DamagedError) as error:
            what = f"{path} is {error.state} at {self.where}"
            raise OutputError(f"{what}; publish it again, or {_ADVICE}") from error


class PreviousFiles:
    """The files of a release that is published elsewhere. If a file cannot be read, the error tells
    the user to run build again or to build without `--previous`.
    """

    def __init__(self, files: Files, own: Files | None = None) -> None:
        """Read each file from `own` if it is there, otherwise from `files`."""
        self.where = files.where
        self._files, self._own = files, own

    def beside(self, out: Path) -> PreviousFiles:
        """Return the same files. Content-addressed files are read from the output `out` if it
        contains them.
        """
        return PreviousFiles(self._files, Directory(out))

    def read(self, path: str, most: int) -> bytes:
        with suppress(FileError):
            present = b"" if self._own is None else self._own.read(path, most)
            if is_named_by(path, Digest.of(present)):
                return present
        with self._advice():
            return self._files.read(path, most)

    def size(self, path: str) -> int:
        with self._advice():
            return self._files.size(path)

    def paths(self) -> Iterator[str]:
        return self._files.paths()

    @contextmanager
    def _advice(self) -> Iterator[None]:
        try:
            yield
        except FileError as error:
            reason = f"{error.reason}; run build again, or {_ADVICE}"
            raise type(error)(error.name, reason) from error


Base = Empty | Published | Remote
"""The base of a build. A remote release, given by `--previous`, takes precedence over the
output.
"""


def read_base(out: Path, previous: Remote | None = None) -> Base:
    """Return the base of the next build into `out`: the release that the build will replace.

    `previous` is the release that `--previous` names. If it is given, it is the base. Raises
    `OutputError` if the record in the output is damaged.
    """
    if previous is not None:
        return previous
    before = signature(out)
    files = Directory(out)
    data = read_or_none(files, RECORD_FILE) if out.is_dir() else None
    if data is None:
        return Empty()
    listed = read_or_none(files, CHECKSUMS_FILE) or b""
    is_steady = before == signature(out)
    return Published(
        release=record.decode(data, files),
        checksums=Checksums.parse(listed),
        record_digest=Digest.of(data),
        checksums_digest=Digest.of(listed),
        signature=before if is_steady else None,
    )


class _Changing(Container[str]):
    """The files that clients read first; their content may differ in the next release."""

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (path in HEAD_FILES or is_at_fixed_address(path))


def files_at(address: str) -> Files:
    """Return the files of a release in a directory, at a URL or in an object store."""
    if not origins.is_remote(address):
        return Directory(Path(address))
    return origins.opened(address, changing=_Changing())


def opened(address: str) -> Remote | None:
    """Return the release at a URL or in a directory; None if nothing is published there yet."""
    where = escape(address)
    if not origins.is_remote(address) and not Path(address).is_dir():
        raise OutputError(f"{where} is not a directory; {_ADVICE}")
    files = files_at(address)
    try:
        data = read_or_none(files, RECORD_FILE)
    except FileError as error:
        raise OutputError(f"{error}; {_ADVICE}") from error
    if data is None:
        return None
    if (record.read_layout(data) or LAYOUT) > LAYOUT:
        raise OutputError(f"{where} was written by a newer skillbuild; upgrade, or {_ADVICE}")
    previous = PreviousFiles(files)
    release = record.decode(data, previous, _remedy(where))
    return Remote(where, release, Digest.of(data), previous)


def _remedy(where: str) -> str:
    return f"{_ADVICE} (the release was read from {where})"


def read_record(out: Path) -> Record | None:
    """Return the record of the release in an output; None if the output has no record.

    Raises `OutputError` if the record is damaged.
    """
    base = read_base(out)
    return base.release if isinstance(base, Published) else None


def require_known_search(base: Base, out: Path) -> None:
    """Raise `OutputError` if the search index of the base has an unknown format. Such an index
    cannot be retained.
    """
    if isinstance(base, Published):
        require_known_format(base.release.fixed.search, Directory(out), REMEDY)
    elif isinstance(base, Remote):
        require_known_format(base.release.fixed.search, base.files.beside(out), base.remedy)


def head_of(base: Base) -> Digest | None:
    """Return the digest of the base's `catalog.json`; None if the base is empty."""
    return None if isinstance(base, Empty) else base.record_digest


def release_of(base: Base) -> Record | None:
    """Return the record of the base; None if the base is empty."""
    return None if isinstance(base, Empty) else base.release


def intact_of(base: Base) -> Published | None:
    """Return the base if every file in the output is known to match it; otherwise None.

    A build does not touch the unchanged files of such a base.
    """
    return base if isinstance(base, Published) and base.intact else None


def is_complete(out: Path, base: Published) -> bool:
    """Return whether the release in the output is complete: the last publish finished, and no
    content-addressed file was added or removed afterwards.
    """
    release = base.release
    heads = {INDEX_FILE: release.fixed.index.digest, RELEASE_FILE: release.release_digest}
    if base.signature is None:
        return False
    if any(disk.digest_of(out / name) != digest for name, digest in heads.items()):
        return False
    line = checksums.line(RECORD_FILE, base.record_digest)
    return base.checksums.find(RECORD_FILE) == line and is_whole(out, base.checksums)
