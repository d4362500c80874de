"""The one place that reads and writes files of an output: whole files, atomically, under a lock."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.model import Digest

_READ_ONLY = 0o444
_NO_HARD_LINKS = frozenset([errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK])


def read(path: Path) -> bytes | None:
    """The bytes of a regular file, None when there is no such file; links are not followed."""
    try:
        with open(path, "rb", opener=_open) as file:
            return file.read()
    except (OSError, ValueError):
        return None


def opened(path: Path) -> BufferedReader:
    """A file to be read piece by piece, opened as `read` does; an `OSError` without one."""
    return open(path, "rb", opener=_open)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_FOLLOW)


_NO_FOLLOW = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


def write(path: Path, data: bytes, *, read_only: bool = False) -> None:
    """Create a new file; the folder is made as needed."""
    try:
        descriptor = os.open(path, _CREATE, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, _CREATE, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if read_only and os.name == "posix":  # See `add` for the reason.
            os.fchmod(descriptor, _READ_ONLY)
    finally:
        os.close(descriptor)


_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def overwrite(path: Path, data: bytes) -> None:
    """Write a file in place, which only a stage may do: nobody reads there yet."""
    try:
        write(path, data)
    except FileExistsError:
        path.unlink()
        write(path, data)


def write_text(path: Path, text: str, *, append: bool = False) -> None:
    """A file that the command line names, wherever it is and whatever it is, like a shell's `>`."""
    with faults(path), path.open("a" if append else "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def replace(staged: Path, final: Path) -> None:
    """Move a staged file to its place, over what is there."""
    try:
        staged.replace(final)
    except FileNotFoundError:
        final.parent.mkdir(parents=True, exist_ok=True)
        staged.replace(final)


def commit(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a file by one that is on disk before its name changes; the commit point."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    write_parts(temporary, parts)
    temporary.replace(path)


def write_parts(path: Path, parts: Iterable[bytes]) -> Digest:
    """Create a file of parts that need not be in memory together; it is on disk in the end."""
    digest = hashlib.sha256()
    with path.open("xb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return Digest(digest.hexdigest())


def digest_of(path: Path) -> Digest | None:
    """Of a file as `read` would give it, in little memory."""
    try:
        with opened(path) as file:
            return Digest(hashlib.file_digest(file, "sha256").hexdigest())
    except (OSError, ValueError):
        return None


def add(staged: Path, final: Path) -> None:
    """Give a staged file its content-addressed name, read-only; never over another file.

    A file that is there already is compared, and replaced only when it is damaged.
    """
    if os.name == "posix":  # Elsewhere a read-only file could be neither replaced nor removed.
        staged.chmod(_READ_ONLY)
    try:
        _link(staged, final)
    except FileNotFoundError:
        final.parent.mkdir(parents=True, exist_ok=True)
        _link(staged, final)
    except FileExistsError:
        if read(final) != read(staged):
            staged.replace(final)


def _link(staged: Path, final: Path) -> None:
    try:
        os.link(staged, final, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(final):
            raise FileExistsError(error.errno, "exists", str(final)) from error
        staged.replace(final)


def remove(folder: Path, path: str) -> None:
    """Remove a file below `folder` that may be gone, and the folders it leaves empty."""
    (folder / path).unlink(missing_ok=True)
    with suppress(OSError):
        for parent in (folder / path).parents:
            if parent == folder:
                break
            parent.rmdir()


def remove_tree(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def files_below(folder: Path) -> Iterator[str]:
    """Paths of everything below a folder that is not a folder, relative, in no order."""
    waiting = [("", os.fspath(folder))]
    while waiting:
        start, path = waiting.pop()
        with suppress(OSError), os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((f"{start}{entry.name}/", entry.path))
                else:
                    yield start + entry.name


def entries_below(folder: Path, skip: str) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder, links not followed, without folders named `skip...`.

    What vanishes meanwhile is left out: other builds stage and clean beside this one.
    """
    waiting = [os.fspath(folder)]
    while waiting:
        with suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if not entry.name.startswith(skip):
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)


def size_of(folder: Path, skip: str) -> int:
    """Bytes of all files below a folder, without folders named `skip...`."""
    files = (entry for entry in entries_below(folder, skip) if entry.is_file(follow_symlinks=False))
    return sum(entry.stat(follow_symlinks=False).st_size for entry in files)


def size_of_files(folder: Path, paths: Iterable[str]) -> int:
    """Bytes of those files below a folder that are there."""
    size = 0
    for path in paths:
        with suppress(OSError):
            size += (folder / path).lstat().st_size
    return size


@contextmanager
def locked(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the exclusive lock of a folder; yields False when another holds it and `wait` is off.

    The lock ends with the process, whatever ends it.
    """
    descriptor = _open_lock(folder)
    try:
        yield _lock(descriptor, wait=wait)
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    LOCK_FILE = ".lock"

    def _open_lock(folder: Path) -> int:
        return os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT)

    def _lock(descriptor: int, *, wait: bool) -> bool:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    return False
            else:
                return True

else:
    import fcntl

    LOCK_FILE = ""

    def _open_lock(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY)

    def _lock(descriptor: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True


@contextmanager
def faults(what: Path) -> Iterator[None]:
    """Turn a refusal of the operating system into one line about the output."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write {error.filename or what}: {reason}") from error
