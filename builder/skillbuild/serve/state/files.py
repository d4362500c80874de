"""Reads published files, and tells one that is not there from one that cannot be read just now."""

from __future__ import annotations

import errno
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from skillbuild.serve.state.faults import UnavailableError
from skillbuild.storage import disk
from skillbuild.storage.files import MOST_BYTES, MissingError

if TYPE_CHECKING:  # Only who serves from afar loads what is needed for it.
    from skillbuild.serve.state.remote_files import RemoteFiles

Output: TypeAlias = "Path | RemoteFiles"
"""Where the files of a release are: in a directory, or elsewhere."""

_NO_FILE = frozenset(
    [errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENXIO]
)
"""What stands there is nothing, a folder, a link or a socket."""


def read(path: Path) -> bytes | None:
    """The bytes of a file; None where no file is. Raises `UnavailableError`."""
    try:
        with disk.open_file(path) as file:
            return file.read()
    except (OSError, ValueError) as error:  # A NUL in a path is a `ValueError`.
        require_no_file(path, error)
        return None


def read_in(out: Output, path: str) -> bytes | None:
    """The bytes of an addressed file of an output; also raises `NotFetchedError`."""
    try:
        return read(out / path) if isinstance(out, Path) else out.read(path, MOST_BYTES)
    except MissingError:
        return None


def size_in(out: Output, path: str) -> int | None:
    """The bytes that such a file has; None where nothing is."""
    try:
        return size(out / path) if isinstance(out, Path) else out.size(path)
    except MissingError:
        return None


def opened(path: Path) -> BufferedReader | None:
    """The same, open for reading piece by piece."""
    try:
        return disk.open_file(path)
    except (OSError, ValueError) as error:
        require_no_file(path, error)
        return None


def size(path: Path) -> int | None:
    """The bytes that a file has; None where nothing is. Raises `UnavailableError`."""
    try:
        return path.stat().st_size
    except (OSError, ValueError) as error:
        require_no_file(path, error)
        return None


def require_no_file(path: Path, error: OSError | ValueError) -> None:
    """Raise `UnavailableError`, unless the error means that no file is at the path."""
    if isinstance(error, OSError) and error.errno not in _NO_FILE:
        reason = (error.strerror or str(error)).lower()
        raise UnavailableError(path.name, f"cannot be read: {reason}") from error
