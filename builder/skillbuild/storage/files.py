"""Files by their paths, wherever they are: in a directory, at a URL, in an object store.

A read gives the bytes or raises one of three errors: `MissingError`, `DamagedError`, and
`UnavailableError` for a file that may be read at another time.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import ClassVar, Protocol, Self

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.storage import disk

MOST_BYTES = 256 << 20
"""Of a file whose size is unknown; `index.json` is the largest of them."""

_MISSING = frozenset([errno.ENOENT, errno.ENAMETOOLONG])
_NO_REGULAR_FILE = frozenset([errno.EISDIR, errno.ENOTDIR, errno.ENXIO])
"""A folder or socket is there, or a link or file in place of a folder on the way."""


class FileError(OutputError):
    """A file that cannot be had; the text is one line that begins with its name."""

    state: ClassVar[str]
    """For a text that says that the file "is …"."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason

    def again(self) -> Self:
        """The same error to be raised anew: no traceback keeps alive what was read."""
        return type(self)(self.name, self.reason)


class MissingError(FileError):
    """There is no such file."""

    state = "missing"

    def __init__(self, name: str, reason: str = "missing") -> None:
        super().__init__(name, reason)


class DamagedError(FileError):
    """What is there is not what was published: to try again is no help."""

    state = "damaged"


class UnavailableError(FileError):
    """The file cannot be read now; it may be at another time."""

    state = "not available"


class UnreachableError(UnavailableError):
    """An origin does not answer as it should; `after` is when it wants to be asked again, in
    seconds.
    """

    def __init__(self, name: str, reason: str, after: float | None = None) -> None:
        super().__init__(name, reason)
        self.after = after


class Files(Protocol):
    """Files by their paths, which have `/` between their parts. Threads may share it."""

    where: str
    """The directory or address, for messages."""

    def read(self, path: str, most: int) -> bytes:
        """A file of at most so many bytes; one that is larger raises `DamagedError`."""

    def size(self, path: str) -> int:
        """The bytes that a file has."""

    def paths(self) -> Iterator[str]:
        """All files, in no order; none where nobody can list them."""


@dataclass(frozen=True, slots=True)
class Versioned:
    """A file whose content changes under its name, as it was when it was read."""

    data: bytes | None
    """None if the version is the one that the reader has."""
    tag: str
    """Names the version; empty where the origin has no names for them."""


class OriginFiles(Files, Protocol):
    """Files that are published at a URL or in an object store."""

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned:
        """The same as `read` past all caches, unless its version is still the one of `tag`."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an origin is waited for, in seconds, and how often it is asked."""

    connect: float
    silence: float
    """Between two pieces of a body."""
    whole: float
    """For all attempts together."""
    attempts: int


FOR_COMMANDS = Patience(connect=10, silence=20, whole=120, attempts=4)
FOR_SERVERS = Patience(connect=3, silence=5, whole=15, attempts=3)
"""A client waits meanwhile."""


def read_named(
    files: Files, path: str, digest: Digest, size: int | None = None, most: int = MOST_BYTES
) -> bytes:
    """A file whose digest is known; `DamagedError` if it has another digest or size.

    `most` is the bound in bytes where the size is unknown.
    """
    data = files.read(path, most if size is None else size)
    if size not in (None, len(data)):
        unit = "byte" if len(data) == 1 else "bytes"
        reason = f"{len(data):,} {unit} in place of {size:,}"
    elif Digest.of(data) != digest:
        reason = "wrong digest"
    else:
        return data
    del data  # The traceback of an error may live long.
    raise DamagedError(path, reason)


def read_or_none(files: Files, path: str, most: int = MOST_BYTES) -> bytes | None:
    """A file, or None if it is missing."""
    try:
        return files.read(path, most)
    except MissingError:
        return None


def holds(files: Files, path: str, data: bytes) -> bool:
    """Whether a file has this content."""
    try:
        return files.read(path, len(data)) == data
    except FileError:
        return False


class Directory:
    """The files below a directory; no link is followed on the way from it to a file.

    The directory itself may be a link. While it is not there, its files are unavailable.
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
        """A file for reading piece by piece; whoever gets it closes it."""
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
    """What an error of the operating system says about a file."""
    if not isinstance(error, OSError) or error.errno in _MISSING:
        return MissingError(path)
    if error.errno == errno.ELOOP:
        return DamagedError(path, "is a symbolic link")
    if error.errno in _NO_REGULAR_FILE:
        return DamagedError(path, "not a regular file")
    return UnavailableError(path, f"cannot be read: {(error.strerror or str(error)).lower()}")
