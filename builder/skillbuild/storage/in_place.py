"""Changes individual files of a working tree in place, unless they have changed since they were
read.

Paths are relative to a folder; links below the folder are not followed. No function raises an
error: each returns an empty string, or the reason why it changed nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path

from skillbuild.paths import prefixes
from skillbuild.storage.disk import create_file, open_file

_CHANGED = "the file has changed in the meantime"


def _reason_for_faults(change: Callable[..., str]) -> Callable[..., str]:
    """Decorate a function to return the reason of an `OSError` instead of raising it."""

    @wraps(change)
    def wrapped(*arguments: object) -> str:
        try:
            return change(*arguments)
        except OSError as error:
            return (error.strerror or str(error)).lower()

    return wrapped


@_reason_for_faults
def rewrite(folder: Path, path: str, old: bytes, new: bytes) -> str:
    """Replace the content of a file if it is still `old`, keeping its mode and owner. Return an
    empty string, or the reason why nothing was replaced.

    The new content is first written (with fsync) to a temporary file that only the current user can
    read. This file then gets the original mode and name.
    """
    if reason := _link_on_way(folder, path):
        return reason
    target = folder / path
    with open_file(target) as file:
        status = os.fstat(file.fileno())
        content = file.read()
    if not stat.S_ISREG(status.st_mode) or content != old:
        return _CHANGED
    if not status.st_mode & 0o222:
        return "it is read-only"
    temporary = _beside(target)
    try:
        with create_file(temporary) as file:
            file.write(new)
            file.flush()
            os.fsync(file.fileno())
        if not _has_owner(temporary, status):
            return "the owner of the file could not be preserved"
        temporary.chmod(stat.S_IMODE(status.st_mode))
        if _state(target.lstat()) != _state(status):
            return _CHANGED
        temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink()
    return ""


@_reason_for_faults
def set_executable(folder: Path, path: str, executable: bool) -> str:
    """Set the executable bit for everyone who may read the file, or clear it for everyone. Return
    an empty string, or the reason why nothing was changed.
    """
    if reason := _link_on_way(folder, path):
        return reason
    with open_file(folder / path) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return _CHANGED
        mode = stat.S_IMODE(status.st_mode)
        readers = (mode & 0o444) >> 2
        os.fchmod(file.fileno(), mode | readers if executable else mode & ~0o111)
    return ""


def _link_on_way(folder: Path, path: str) -> str:
    """Return the reason to refuse a path that is, or is below, a symbolic link; empty if there is
    none.
    """
    if any((folder / above).is_symlink() for above in prefixes(path)):
        return "the path contains a symbolic link"
    return "the file is a symbolic link" if (folder / path).is_symlink() else ""


def _beside(path: Path) -> Path:
    """Return an unused file name in the same directory."""
    return path.with_name(f".{path.name[:100]}.{os.getpid()}.{os.urandom(4).hex()}")


def _has_owner(path: Path, wanted: os.stat_result) -> bool:
    """Whether the file has this owner and group, or could be given to them."""
    status = path.stat()
    if (status.st_uid, status.st_gid) != (wanted.st_uid, wanted.st_gid):
        try:
            os.chown(path, wanted.st_uid, wanted.st_gid)
        except OSError:
            return False
    return True


def _state(status: os.stat_result) -> tuple[int, ...]:
    """Return the values that change when a file is modified or replaced."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
