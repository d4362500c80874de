"""Opens files so that nothing planted in their place misleads the reader or the writer.

Imports nothing of this project and little of Python: a build with nothing to do loads it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path

_NO_FOLLOW = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_PRIVATE = 0o600


def open_file(path: Path) -> BufferedReader:
    """Open a file for reading; `OSError` for a link or a folder, and where nothing is.

    A named pipe is opened without waiting for a writer, and is empty.
    """
    return open(path, "rb", opener=_open)


def create_file(path: Path) -> BufferedWriter:
    """Create a file that only its user may read; `OSError` if something has its name."""
    return open(path, "xb", opener=_open)


def replace_file(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Put a file that only its user may read in the place of `path`; raises `OSError`.

    Others see the old file or the whole new one. Several processes may do so at once: the last
    one wins. The file need not be on disk yet when this returns.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with create_file(temporary) as file:
            file.writelines(parts)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_FOLLOW, _PRIVATE)
