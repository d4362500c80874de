"""What was read from afar, on this disk: bounded, shared by processes, and never trusted.

A file is named by a key and holds any bytes; whoever reads it says how to tell that they are right.
What is not right is removed. Nothing here is needed: whatever goes wrong, the reader goes on as if
the file were not there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from skillbuild.storage import disk
from skillbuild.storage.no_follow import open_file, replace_file

USUAL_BYTES = 1 << 30
_TOUCH_AFTER = 600.0
"""Seconds after which a read is noted as the last use of a file."""
_LEFT = 0.9
"""What of the bound stays when it is passed."""
_COUNT_AFTER = 32
"""The files are counted when this part of the bound has been written, by each process for itself:
together they may pass it by so much."""
_LEFT_OVER = 3600.0
"""Seconds after which a temporary file is one of a process that was killed."""


class DiskCache:
    """Files by keys of hex digits. Threads and processes may share its folder."""

    def __init__(self, folder: Path, most: int = USUAL_BYTES) -> None:
        """`most` is the bound in bytes; 0 stores nothing."""
        self._folder, self._most = folder, most
        self._uncounted = most  # So that the first write counts.
        self._lock = Lock()

    def get(self, key: str, is_right: Callable[[bytes], bool]) -> bytes | None:
        """The bytes of a key, if they are there and right."""
        path = self._path(key)
        try:
            with open_file(path) as file:
                data = file.read()
                age = time.time() - os.fstat(file.fileno()).st_mtime
        except OSError:
            return None
        if not is_right(data):
            with suppress(OSError):
                path.unlink()
            return None
        if age > _TOUCH_AFTER:
            with suppress(OSError):
                os.utime(path)
        return data

    def size(self, key: str) -> int | None:
        """The bytes that a file has; None if there is none."""
        try:
            return self._path(key).stat().st_size
        except OSError:
            return None

    def put(self, key: str, data: bytes) -> None:
        """Store bytes for a while; the least recently used ones go for them."""
        if len(data) > self._most // 4:
            return
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(path, [data])
        with self._lock:
            self._uncounted += len(data)
            if self._uncounted < self._most // _COUNT_AFTER:
                return
            self._uncounted = 0
            self._shrink()

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key

    def _shrink(self) -> None:
        """Remove the least recently used files if all together are too large."""
        files = sorted(self._files())
        total = sum(size for _, size, _ in files)
        stays = total if total <= self._most else int(self._most * _LEFT)
        for changed, size, path in files:
            is_left_over = "." in path.name and time.time() - changed > _LEFT_OVER
            if total > stays or is_left_over:
                total -= size
                with suppress(OSError):
                    path.unlink()

    def _files(self) -> list[tuple[float, int, Path]]:
        """When each file was last used, its bytes, and where it is."""
        files = []
        for name in disk.files_below(self._folder):
            with suppress(OSError):
                status = (self._folder / name).lstat()
                files.append((status.st_mtime, status.st_size, self._folder / name))
        return files
