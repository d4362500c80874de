"""What one build keeps for the next: sealed files in the user's own cache folder.

Each is bound to the output it tells of and signed with a key of the user's, so a truncated, edited
or foreign one is no cache at all, and never half of one. Nothing in here is needed: whatever goes
wrong, the build goes on without.
"""

from __future__ import annotations

import hmac
import os
import stat
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from skillbuild import __version__

_FORMAT = f"skillbuild {__version__} cache 1"
_HEADS = ("catalog.json", "index.json", "SHA256SUMS")
_FOLDERS = ("blobs/sha256", "archives", "icons")
"""Where a file that comes or goes changes the time of its folder."""
_KEY_FILE = "key"
_KEY_BYTES = 32
_LARGEST = 1 << 30
_LONGEST_UNUSED = 30 * 24 * 3600.0
"""Seconds after which the cache of an output that is built no more is removed."""
_NO_FOLLOW = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


def read(out: Path, kind: str) -> bytes | None:
    """What the last build of this output kept under this name; None for anything but that."""
    folder = _folder()
    key = _key(folder, make=False) if folder else None
    if folder is None or key is None:
        return None
    head = _head(out, kind)
    first = len(head) + hmac.new(key, digestmod="sha256").digest_size
    begin, body = _bytes(folder / _name(out, kind), first)
    sealed = hmac.compare_digest(begin[len(head) :], _seal(key, head, [body]))
    return body if begin.startswith(head) and sealed else None


def write(out: Path, kind: str, parts: Iterable[bytes | memoryview]) -> None:
    """Keep the parts, one after another, in place of what was there."""
    folder = _folder()
    if folder is None:
        return
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = _key(folder, make=True)
        if key is not None:
            _sweep(folder)
            kept, head = list(parts), _head(out, kind)
            _replace(folder / _name(out, kind), [head, _seal(key, head, kept), *kept])


def signature(out: Path) -> str | None:
    """What can be told of a release without reading it; None when it is not whole."""
    try:
        if not stat.S_ISDIR(out.lstat().st_mode):
            return None
        found = [(out / name).lstat() for name in _HEADS]
        folders = [one.lstat() for name in _FOLDERS if (one := out / name).is_dir()]
    except (OSError, ValueError):
        return None
    if not all(stat.S_ISREG(one.st_mode) for one in found):
        return None
    seen = [f"{one.st_size}:{one.st_mtime_ns}:{one.st_ino}" for one in found]
    return " ".join([*seen, *(f"{one.st_mtime_ns}:{one.st_ino}" for one in folders)])


def _folder() -> Path | None:
    """Where programs of this user keep what they could make again; None if that is not known."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not given.is_absolute():
        try:
            given = _usual_folder()
        except RuntimeError:  # There is no home.
            return None
    return given / "skillbuild" if given.is_absolute() else None


def _usual_folder() -> Path:
    match sys.platform:
        case "win32":
            return Path(os.environ.get("LOCALAPPDATA", ""))
        case "darwin":
            return Path.home() / "Library/Caches"
        case _:
            return Path.home() / ".cache"


def _name(out: Path, kind: str) -> str:
    return f"{hmac.digest(b'out', _encoded(out), 'sha256').hex()[:32]}.{kind}"


def _head(out: Path, kind: str) -> bytes:
    return b"%b %b of %b\n" % (_FORMAT.encode(), kind.encode(), _encoded(out).hex().encode())


def _encoded(out: Path) -> bytes:
    return os.fsencode(out.resolve())


def _seal(key: bytes, head: bytes, parts: Iterable[bytes | memoryview]) -> bytes:
    seal = hmac.new(key, head, "sha256")
    for part in parts:
        seal.update(part)
    return seal.digest()


def _key(folder: Path, *, make: bool) -> bytes | None:
    """The user's own key: of random bytes, in a file that nobody else may read."""
    path = folder / _KEY_FILE
    key = b"".join(_bytes(path, _KEY_BYTES))
    if make and len(key) != _KEY_BYTES:
        _replace(path, [os.urandom(_KEY_BYTES)])
        key = b"".join(_bytes(path, _KEY_BYTES))
    return key if len(key) == _KEY_BYTES else None


def _bytes(path: Path, first: int) -> tuple[bytes, bytes]:
    """So many bytes and the rest of a regular file of this user; nothing of one not ours."""
    try:
        with open(path, "rb", opener=_open) as file:
            status = os.fstat(file.fileno())
            usable = stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST
            return (file.read(first), file.read()) if usable and _is_own(status) else (b"", b"")
    except OSError:
        return b"", b""


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_FOLLOW, 0o600)


def _is_own(status: os.stat_result) -> bool:
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _replace(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with open(temporary, "xb", opener=_open) as file:
            file.writelines(parts)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def _sweep(folder: Path) -> None:
    """Remove what no build has written for a month, leftovers of killed ones included."""
    oldest = time.time() - _LONGEST_UNUSED
    for path in folder.iterdir():
        if path.name != _KEY_FILE and path.lstat().st_mtime < oldest:
            with suppress(OSError):
                path.unlink()
