"""What one build stores for the next: signed files in the user's own cache folder.

Each is bound to one output, or to this program, and signed with a key of the user's, so a
truncated, edited or foreign file counts as none, and never as half of one. No build needs them:
whatever goes wrong here, the build goes on without.
"""

from __future__ import annotations

import hmac
import os
import stat
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from functools import partial
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from skillbuild import __version__
from skillbuild.storage.disk import open_file, replace_file, user_cache

Part = bytes | memoryview

_FORMAT = f"skillbuild {__version__} cache 2"
_KEY_FILE = "key"
_KEY_BYTES = 32
_SIGNATURE_BYTES = 32
_LARGEST = 1 << 30
_READ_AT_ONCE = 1 << 20
_LONGEST_UNUSED = 30 * 24 * 3600.0
"""Seconds after which the files of an output that is no longer built are removed."""


def read(out: Path, kind: str) -> bytes | None:
    """What the last build of this output stored under this name, or None."""
    file = _open_signed(out, kind)
    if file is None:
        return None
    with file, suppress(OSError):
        return file.read()
    return None


def open_body(out: Path, kind: str) -> BinaryIO | None:
    """The same as an open file that stands at the first byte, for what is too large for memory.

    What a later build stores does not show in it. Whoever gets the file closes it.
    """
    if sys.platform == "win32":  # There an open file cannot be replaced by another one.
        body = read(out, kind)
        return None if body is None else BytesIO(body)
    return _open_signed(out, kind)


def write(out: Path, kind: str, parts: Iterable[Part]) -> None:
    """Store the parts, one after another, in place of what was there.

    They are gone through twice: for the signature, which stands first, and for the file.
    """
    folder = user_cache()
    if folder is None:
        return
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = _key(folder, create=True)
        if key is not None:
            _sweep(folder)
            head = _head(out, kind)
            signature = _signature(key, head, parts)
            replace_file(folder / _name(out, kind), chain([head, signature], parts))


def _name(out: Path, kind: str) -> str:
    return f"{hmac.digest(b'out', _encoded(out), 'sha256').hex()[:32]}.{kind}"


def _head(out: Path, kind: str) -> bytes:
    """The first line of a file, which binds it to a version of this program and to an output."""
    return b"%b %b of %b\n" % (_FORMAT.encode(), kind.encode(), _encoded(out).hex().encode())


def _encoded(out: Path) -> bytes:
    return os.fsencode(out.resolve())


def _signature(key: bytes, head: bytes, parts: Iterable[Part]) -> bytes:
    signature = hmac.new(key, head, "sha256")
    for part in parts:
        signature.update(part)
    return signature.digest()


def _open_signed(out: Path, kind: str) -> BufferedReader | None:
    """The file, open behind its signature; None if there is none, or it is not as it was signed."""
    folder = user_cache()
    key = _key(folder, create=False) if folder else None
    if folder is None or key is None:
        return None
    head = _head(out, kind)
    with suppress(OSError), ExitStack() as opened:
        file = opened.enter_context(_open_own(folder / _name(out, kind)))
        start = file.read(len(head) + _SIGNATURE_BYTES)
        body = iter(partial(file.read, _READ_AT_ONCE), b"")
        is_signed = hmac.compare_digest(start[len(head) :], _signature(key, head, body))
        if start.startswith(head) and is_signed:
            file.seek(len(start))
            opened.pop_all()
            return file
    return None


def _key(folder: Path, *, create: bool) -> bytes | None:
    """The user's own key: random bytes, in a file that nobody else may read."""
    path = folder / _KEY_FILE
    key = _read_key(path)
    if create and key is None:
        replace_file(path, [os.urandom(_KEY_BYTES)])
        key = _read_key(path)
    return key


def _read_key(path: Path) -> bytes | None:
    with suppress(OSError), _open_own(path) as file:
        key = file.read()
        return key if len(key) == _KEY_BYTES else None
    return None


def _open_own(path: Path) -> BufferedReader:
    """A regular file of this user; `OSError` for any other file, and where none is."""
    file = open_file(path)
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST and _is_own(status):
        return file
    file.close()
    raise OSError(f"{path} is no file of this user")


def _is_own(status: os.stat_result) -> bool:
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _sweep(folder: Path) -> None:
    """Remove what no build has written for a month, leftovers of killed builds included."""
    oldest = time.time() - _LONGEST_UNUSED
    with os.scandir(folder) as entries:  # A `Path` for each would take five times as long.
        for entry in entries:
            if entry.name != _KEY_FILE and entry.stat(follow_symlinks=False).st_mtime < oldest:
                with suppress(OSError):
                    Path(entry).unlink()
