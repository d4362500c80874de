"""The base of a build: the release that is published now, here or elsewhere, or none."""

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

_ADVICE = "leave --previous out to start anew"


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing has been published in the output yet."""


@dataclass(frozen=True, slots=True)
class Published:
    """The release that the output holds, and its files as SHA256SUMS names them."""

    release: Record
    checksums: Checksums
    record_digest: Digest
    checksums_digest: Digest
    signature: str | None
    """Of the output when it was read; None if its last publish was interrupted."""
    intact: bool = False
    """Whether every file is known to stand in the output as `checksums` says.

    Then a build leaves unchanged files where they are. Otherwise it stages all files, and looks
    into the folders of the output to see which ones are to be removed.
    """


@dataclass(frozen=True, slots=True)
class Remote:
    """A release that is published elsewhere, at a URL or in a directory."""

    where: str
    """Its URL or directory, escaped for messages."""
    release: Record
    record_digest: Digest
    """Of its `catalog.json`."""
    files: PreviousFiles

    @property
    def remedy(self) -> str:
        """The end of the message about a part of its record that cannot be had."""
        return _remedy(self.where)

    def fetch(self, path: str, digest: Digest, size: int | None) -> bytes:
        """A file of the release, or of an earlier one that its record names.

        The path becomes one of a file that we write, so it must be the one that its digest
        decides. `OutputError` for any other, and when the file is missing or has another digest.
        """
        if not is_named_by(path, digest):
            raise OutputError(f"{self.where} names {escape(path)} wrongly; {_ADVICE}")
        try:
            return read_named(self.files, path, digest, size, MOST_BYTES)
        except (MissingError, DamagedError) as error:
            what = f"{path} is {error.state} at {self.where}"
            raise OutputError(f"{what}; publish it again, or {_ADVICE}") from error


class PreviousFiles:
    """The files of a release that is published elsewhere; errors name the remedy."""

    def __init__(self, files: Files, own: Files | None = None) -> None:
        """What `own` has already is read from there."""
        self.where = files.where
        self._files, self._own = files, own

    def beside(self, out: Path) -> PreviousFiles:
        """The same, read from an output as far as that has them."""
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
"""A remote release is one that is published elsewhere; it wins over what the output holds."""


def read_base(out: Path, previous: Remote | None = None) -> Base:
    """The base of the next build into `out`; `previous` is the release that the user named.

    A damaged record raises `OutputError`.
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
    """Paths at which the next release may have another file that clients read first."""

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (path in HEAD_FILES or is_at_fixed_address(path))


def files_at(address: str) -> Files:
    """The files of a release in a directory, at a URL, or in an object store."""
    if not origins.is_remote(address):
        return Directory(Path(address))
    return origins.opened(address, changing=_Changing())


def opened(address: str) -> Remote | None:
    """The release at a URL or in a directory; None when nothing is published there yet."""
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
    return f"{_ADVICE} (it was read from {where})"


def read_record(out: Path) -> Record | None:
    """The record of the release that the output holds, or None; a damaged one is an error."""
    base = read_base(out)
    return base.release if isinstance(base, Published) else None


def require_known_search(base: Base, out: Path) -> None:
    """`OutputError` if the base has a search of another format, which no release can retain."""
    if isinstance(base, Published):
        require_known_format(base.release.fixed.search, Directory(out), REMEDY)
    elif isinstance(base, Remote):
        require_known_format(base.release.fixed.search, base.files.beside(out), base.remedy)


def head_of(base: Base) -> Digest | None:
    """The digest of the `catalog.json` of the base."""
    return None if isinstance(base, Empty) else base.record_digest


def release_of(base: Base) -> Record | None:
    """The record of the release that comes before the next one."""
    return None if isinstance(base, Empty) else base.release


def intact_of(base: Base) -> Published | None:
    """The base, if a build may leave the unchanged files of it where they are."""
    return base if isinstance(base, Published) and base.intact else None


def is_complete(out: Path, base: Published) -> bool:
    """True when the last publish went through to its end, and no addressed file came or went."""
    release = base.release
    heads = {INDEX_FILE: release.fixed.index.digest, RELEASE_FILE: release.release_digest}
    if base.signature is None:
        return False
    if any(disk.digest_of(out / name) != digest for name, digest in heads.items()):
        return False
    line = checksums.line(RECORD_FILE, base.record_digest)
    return base.checksums.find(RECORD_FILE) == line and is_whole(out, base.checksums)
