"""Writes a new directory atomically: either it contains all of its files, or it does not exist."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.storage import disk


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The number of files written, and their total size."""

    files: int
    bytes: int


def write_new(folder: Path, files: Iterable[tuple[str, bytes, bool]]) -> WrittenFiles:
    """Write files to a directory. The directory must be empty or missing.

    Each file is a tuple: path, content, and whether the file is executable. Raises `OutputError` if
    the directory is not empty or cannot be written; in that case, no files are left behind.
    """
    _require_empty(folder)
    with disk.faults(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            written = _write(staged, files)
            staged.chmod(0o777 & ~_umask())
            if folder.is_dir():
                folder.rmdir()
            staged.rename(folder)
        except BaseException:
            disk.remove_tree(staged)
            raise
    return written


def _require_empty(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(f"{folder} is not a directory")
    if folder.is_dir() and any(folder.iterdir()):
        raise OutputError(f"{folder} is not empty; pass a new directory")


def _write(folder: Path, files: Iterable[tuple[str, bytes, bool]]) -> WrittenFiles:
    count = size = 0
    for path, data, executable in files:
        where = folder / path
        disk.write(where, data)
        if executable:
            where.chmod(0o777 & ~_umask())
        count, size = count + 1, size + len(data)
    return WrittenFiles(count, size)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
