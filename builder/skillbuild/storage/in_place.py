"""Changes single files of a work tree where they are, and nothing that is not as it was read.

Paths are relative to a folder; between it and the file no link is followed. Each function returns
why it did nothing, or an empty text; it raises nothing.
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

_CHANGED = "it was changed meanwhile"


def _reason_for_faults(change: Callable[..., str]) -> Callable[..., str]:
    """Make the reason of an `OSError` the answer."""

    @wraps(change)
    def wrapped(*arguments: object) -> str:
        try:
            return change(*arguments)
        except OSError as error:
            return (error.strerror or str(error)).lower()

    return wrapped


@_reason_for_faults
def rewrite(folder: Path, path: str, old: bytes, new: bytes) -> str:
    """Replace the content of a file that holds `old`; its mode and its owner stay.

    The new content is on disk (fsync) under another name, readable by its user alone, before it
    gets the mode and the name of the file.
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
            return "its owner could not be kept"
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
    """Set the executable bit for all who may read a file, or clear it for all."""
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
    """What is said if a path is, or lies below, a symbolic link; empty if there is none."""
    if any((folder / above).is_symlink() for above in prefixes(path)):
        return "a symbolic link is on the way"
    return "it is a symbolic link" if (folder / path).is_symlink() else ""


def _beside(path: Path) -> Path:
    """A free name in the same directory."""
    return path.with_name(f".{path.name[:100]}.{os.getpid()}.{os.urandom(4).hex()}")


def _has_owner(path: Path, wanted: os.stat_result) -> bool:
    """Whether a file belongs to this user and group, or could be given to them."""
    status = path.stat()
    if (status.st_uid, status.st_gid) != (wanted.st_uid, wanted.st_gid):
        try:
            os.chown(path, wanted.st_uid, wanted.st_gid)
        except OSError:
            return False
    return True


def _state(status: os.stat_result) -> tuple[int, ...]:
    """What changes with a file."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
