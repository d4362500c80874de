"""Reads files by path, wherever they are: in a directory, at a URL or in an object store.

Reading a file returns its bytes or raises one of three errors: `MissingError`, `DamagedError`, or
`UnavailableError` for a file that may be readable later.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import ClassVar, Protocol, Self

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.storage import disk

MOST_BYTES = 256 << 20
"""Size limit for a file of unknown size; the largest such file is `index.json`."""

_IN_MEMORY = 256 << 10
"""Maximum bytes of a body that is collected in memory; a larger one is collected in a temporary
file."""
_MISSING = frozenset([errno.ENOENT, errno.ENAMETOOLONG])
_NO_REGULAR_FILE = frozenset([errno.EISDIR, errno.ENOTDIR, errno.ENXIO])
"""Errors if the file is a folder or socket, or if a parent folder is a link or a file."""


class FileError(OutputError):
    """An error for a file that cannot be read. The message is one line that begins with the name of
    the file.
    """

    state: ClassVar[str]
    """Completes the sentence "the file is …"."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason

    def again(self) -> Self:
        """Return a copy of the error without a traceback, which could keep large data in memory."""
        return type(self)(self.name, self.reason)


class MissingError(FileError):
    """The file does not exist."""

    state = "missing"

    def __init__(self, name: str, reason: str = "missing") -> None:
        super().__init__(name, reason)


class DamagedError(FileError):
    """The file differs from what was published; trying again does not help."""

    state = "damaged"


class UnavailableError(FileError):
    """The file cannot be read now, but maybe later."""

    state = "not available"


class UnreachableError(UnavailableError):
    """The origin did not answer properly; `after` is the delay in seconds that the origin asked
    for.
    """

    def __init__(self, name: str, reason: str, after: float | None = None) -> None:
        super().__init__(name, reason)
        self.after = after


class Files(Protocol):
    """Files that are identified by paths with `/` as the separator. Threads can share an
    instance.
    """

    where: str
    """The directory or URL, for messages."""

    def read(self, path: str, most: int) -> bytes:
        """Read a file of at most `most` bytes; a larger file raises `DamagedError`."""

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""

    def paths(self) -> Iterator[str]:
        """Yield the paths of all files, in no particular order; none if the files cannot
        be listed.
        """


@dataclass(frozen=True, slots=True)
class Versioned:
    """One version of a file whose content may change."""

    data: bytes | None
    """The content; None if the version has not changed since `tag` was read."""
    tag: str
    """Identifies the version; empty if the origin does not identify versions."""


class OriginFiles(Files, Protocol):
    """Files that are published at a URL or in an object store."""

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned:
        """Read a file like `read`, but bypass caches. If its version is still `tag`, the result has
        no data.
        """


@dataclass(frozen=True, slots=True)
class Patience:
    """Timeouts of requests to an origin, in seconds, and the number of attempts."""

    connect: float
    silence: float
    """Maximum pause between two chunks of a body."""
    whole: float
    """Limit for all attempts together."""
    attempts: int


FOR_COMMANDS = Patience(connect=10, silence=20, whole=120, attempts=4)
FOR_SERVERS = Patience(connect=3, silence=5, whole=15, attempts=3)
"""The limits for the server, where a client is waiting."""


def read_named(
    files: Files, path: str, digest: Digest, size: int | None = None, most: int = MOST_BYTES
) -> bytes:
    """Read a file whose digest is known. Raises `DamagedError` if its digest or size differs.

    `most` is the size limit in bytes if the size is unknown.
    """
    data = files.read(path, most if size is None else size)
    if size not in (None, len(data)):
        unit = "byte" if len(data) == 1 else "bytes"
        reason = f"{len(data):,} {unit} instead of {size:,}"
    elif Digest.of(data) != digest:
        reason = "wrong digest"
    else:
        return data
    del data  # The traceback of an error may be kept for long.
    raise DamagedError(path, reason)


def collected(name: str, pieces: Iterable[bytes | memoryview], most: int, until: float) -> bytes:
    """Join the pieces of a body from an origin.

    A large body is kept in a temporary file until it is complete, because a body of unknown size
    may be endless. Raises `DamagedError` for more than `most` bytes, `UnreachableError` if the body
    is not complete at the time `until` (`time.monotonic`), and `UnavailableError` if the temporary
    file cannot be written.
    """
    size = 0
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        for piece in pieces:
            size += len(piece)
            if size > most:
                fault: FileError = DamagedError(name, f"larger than {most:,} bytes")
                break
            if time.monotonic() > until:
                fault = UnreachableError(name, "timed out")
                break
            with _on_disk(name):
                file.write(piece)
        else:
            with _on_disk(name):
                file.seek(0)
                return file.read()
    del piece  # The traceback of an error may be kept for long.
    raise fault


@contextmanager
def _on_disk(name: str) -> Iterator[None]:
    """Raise `UnavailableError` if the temporary file of a body cannot be written or read.

    Use it only around operations on this file, because an error of the origin can be an `OSError`,
    too.
    """
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnavailableError(name, f"cannot write a temporary file: {reason}") from error


def read_or_none(files: Files, path: str, most: int = MOST_BYTES) -> bytes | None:
    """Return the content of a file; None if it is missing."""
    try:
        return files.read(path, most)
    except MissingError:
        return None


def holds(files: Files, path: str, data: bytes) -> bool:
    """Return whether the file has this content."""
    try:
        return files.read(path, len(data)) == data
    except FileError:
        return False


class Directory:
    """The files below a directory; links below it are not followed.

    The directory itself may be a link. If it does not exist, its files are unavailable, not
    missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.where = f"{folder}"

    def read(self, path: str, most: int) -> bytes:
        with self.opened(path) as file:
            if os.fstat(file.fileno()).st_size > most:
                raise DamagedError(path, f"larger than {most:,} bytes")
            try:
                return file.read()
            except OSError as error:
                raise _fault(path, error) from error

    def size(self, path: str) -> int:
        with self.opened(path) as file:
            return os.fstat(file.fileno()).st_size

    def paths(self) -> Iterator[str]:
        return disk.files_below(self.folder)

    def opened(self, path: str) -> BufferedReader:
        """Open a file to be read in chunks; the caller must close it."""
        try:
            file = disk.open_below(self.folder, path)
        except (OSError, ValueError) as error:  # A NUL in a path is a `ValueError`.
            if not self.folder.is_dir():
                raise UnavailableError(path, f"{self.where} is not a directory") from error
            raise _fault(path, error) from error
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise DamagedError(path, "not a regular file")
        return file


def _fault(path: str, error: OSError | ValueError) -> FileError:
    """Convert an error of the operating system to a `FileError`."""
    if not isinstance(error, OSError) or error.errno in _MISSING:
        return MissingError(path)
    if error.errno == errno.ELOOP:
        return DamagedError(path, "is a symbolic link")
    if error.errno in _NO_REGULAR_FILE:
        return DamagedError(path, "not a regular file")
    return UnavailableError(path, f"cannot be read: {(error.strerror or str(error)).lower()}")
