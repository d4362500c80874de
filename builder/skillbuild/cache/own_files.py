"""Reads and writes the cache files that one build stores for the next.

Each output has several cache files, which are in the user's cache folder. Files that another user
could have written are ignored. A digest at the end of each file detects truncation and edits, so a
damaged file is not used at all. Builds never depend on the cache: if a cache file cannot be read or
written, the build continues without it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BufferedReader
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from skillbuild import __version__
from skillbuild.storage.disk import open_file, replace_file, user_cache

_FORMAT = f"skillbuild {__version__} cache 3"
_DIGEST_BYTES = 32
_LARGEST = 1 << 31
_LONGEST_UNUSED = 30 * 24 * 3600.0
"""Seconds after which unused files are removed."""


class Stored(NamedTuple):
    """The content of a cache file, as a range of bytes in the file."""

    data: bytes | mmap
    """The bytes; a memory map if the system allows replacing a mapped file, so that only used parts
    are read.
    """
    start: int
    end: int


def read(out: Path, kind: str) -> Stored | None:
    """Return what the last build of this output stored under `kind`; None if there is no usable
    file.

    A later `write` does not change the returned data.
    """
    folder = user_cache()
    if folder is None:
        return None
    head = _head(out, kind)
    with suppress(OSError, ValueError), _open_own(folder / _name(out, kind)) as file:
        is_mapped = sys.platform != "win32"
        data = mmap(file.fileno(), 0, access=ACCESS_READ) if is_mapped else file.read()
        end = len(data) - _DIGEST_BYTES
        with memoryview(data) as view, view[:end] as whole:
            digest = _digest(whole).digest()
        if data[: len(head)] == head and data[end:] == digest:
            return Stored(data, len(head), end)
    return None


def write(out: Path, kind: str, parts: Iterable[bytes]) -> None:
    """Store the concatenated parts under `kind`. They replace anything that was stored there
    before.
    """
    folder = user_cache()
    if folder is None:
        return
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _sweep(folder)
        replace_file(folder / _name(out, kind), _with_digest(_head(out, kind), parts))


def _with_digest(head: bytes, parts: Iterable[bytes]) -> Iterator[bytes]:
    digest = _digest(head)
    yield head
    for part in parts:
        digest.update(part)
        yield part
    yield digest.digest()


def _digest(data: bytes | memoryview) -> hashlib.blake2b:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES)


def _name(out: Path, kind: str) -> str:
    return f"{hashlib.blake2b(_encoded(out), digest_size=16).hexdigest()}.{kind}"


def _head(out: Path, kind: str) -> bytes:
    """Return the first line of a file, which ties it to a version of this program and to one
    output.
    """
    return b"%b %b of %b\n" % (_FORMAT.encode(), kind.encode(), _encoded(out).hex().encode())


def _encoded(out: Path) -> bytes:
    return os.fsencode(out.resolve())


def _open_own(path: Path) -> BufferedReader:
    """Open a regular file of this user; raise `OSError` if it is anything else or missing."""
    file = open_file(path)
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST and _is_own(status):
        return file
    file.close()
    raise OSError(f"{path} is not a small regular file that belongs to the current user")


def _is_own(status: os.stat_result) -> bool:
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _sweep(folder: Path) -> None:
    """Remove files that no build has written for a month, including leftovers of killed builds."""
    oldest = time.time() - _LONGEST_UNUSED
    with os.scandir(folder) as entries:  # Creating a `Path` for each would take five times as long.
        for entry in entries:
            if entry.stat(follow_symlinks=False).st_mtime < oldest:
                with suppress(OSError):
                    Path(entry).unlink()
