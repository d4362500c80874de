"""Opens files without following links, and writes them so that no reader sees part of a file.

Functions raise `OSError` unless their docstrings say otherwise. `faults` turns such an error into a
one-line message.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.model import Digest

_READ_ONLY = 0o444
_PRIVATE = 0o600
_NO_HARD_LINKS = frozenset([errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK])
_NO_FOLLOW = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_HAS_DESCRIPTORS = os.open in os.supports_dir_fd
"""Whether a path can be opened relative to an open directory, which Windows does not support."""


def open_file(path: Path) -> BufferedReader:
    """Open a file for reading. Raises `OSError` if it is a link, a folder or missing.

    A named pipe is opened without waiting for a writer, and reads as empty.
    """
    return open(path, "rb", opener=_open)


def open_below(folder: Path, path: str) -> BufferedReader:
    """Open a file for reading by its path below a folder; only the folder itself may be a link.

    A path that could lead out of the folder raises `FileNotFoundError`.
    """
    *folders, name = path.split("/")
    if not {"", ".", ".."}.isdisjoint([*folders, name]):
        raise FileNotFoundError(errno.ENOENT, "not a valid file path", path)
    if not _HAS_DESCRIPTORS:
        above = [folder.joinpath(*folders[: depth + 1]) for depth in range(len(folders))]
        if any(each.is_symlink() for each in above):
            raise NotADirectoryError(errno.ENOTDIR, "the path contains a symbolic link", path)
        return open_file(folder / path)
    descriptor = os.open(folder, _FOLDER)
    try:
        for each in folders:
            inner = os.open(each, _FOLDER | _NO_FOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner

        def open_in_folder(name: str, flags: int) -> int:
            return os.open(name, flags | _NO_FOLLOW, dir_fd=descriptor)

        return open(name, "rb", opener=open_in_folder)
    finally:
        os.close(descriptor)


def create_file(path: Path) -> BufferedWriter:
    """Create a file that only the current user can read. Raises `OSError` if the path exists."""
    return open(path, "xb", opener=_open)


def replace_file(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Atomically replace `path` with a file that only the current user can read.

    Readers see either the old or the new file. If several processes replace the file at once, the
    last one wins. The new content is not flushed to disk (no fsync).
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


def read(path: Path) -> bytes | None:
    """Return the content of a file; None if it is a link, a folder, missing or unreadable."""
    try:
        with open_file(path) as file:
            return file.read()
    except (OSError, ValueError):  # A NUL in a path is a `ValueError`.
        return None


def write(path: Path | str, data: bytes, *, read_only: bool = False) -> None:
    """Create a file, and its folder if needed. Raises `FileExistsError` if the path exists."""
    try:
        descriptor = os.open(path, _CREATE, 0o666)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
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


def overwrite(path: Path | str, data: bytes) -> None:
    """Create or replace a file. Not atomic, so only for files that have no readers yet.

    An old file is unlinked, not written into, because it may be a hard link to a published file.
    """
    try:
        write(path, data)
    except FileExistsError:
        Path(path).unlink()
        write(path, data)


def write_text(path: Path, text: str, *, append: bool = False) -> None:
    """Write text as UTF-8 to a file named on the command line; raise `OutputError` if that fails.

    This works like `>` in a shell, or `>>` with `append`: links are followed, and devices are
    allowed.
    """
    with faults(path), path.open("a" if append else "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def replace(staged: Path, final: Path) -> None:
    """Move a staged file to its final path, replacing any file there. Create the folder of the
    final path if needed.
    """
    try:
        staged.replace(final)
    except FileNotFoundError:
        final.parent.mkdir(parents=True, exist_ok=True)
        staged.replace(final)


def commit(path: Path, parts: Iterable[bytes]) -> None:
    """Atomically replace a file with `parts`, which are flushed to disk (fsync) before the rename.

    Only one process may write the file at a time, because all writers use the same temporary file.
    A leftover temporary file is removed.
    """
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    write_parts(temporary, parts)
    temporary.replace(path)


def write_parts(path: Path, parts: Iterable[bytes]) -> Digest:
    """Create a file from its parts, and flush it to disk (fsync); return its digest."""
    digest = hashlib.sha256()
    with path.open("xb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return Digest(digest.hexdigest())


def digest_of(path: Path) -> Digest | None:
    """Return the digest of a file, read in chunks; None if it is a link, missing or unreadable."""
    try:
        with open_file(path) as file:
            return Digest(hashlib.file_digest(file, "sha256").hexdigest())
    except (OSError, ValueError):
        return None


def add(staged: Path, final: Path) -> None:
    """Publish a staged file under a name that contains its digest, as a read-only hard link.

    An existing file is kept if it has the same content, and replaced if it is damaged. The staged
    file may remain.
    """
    if os.name == "posix":  # On Windows, a read-only file can be neither replaced nor removed.
        staged.chmod(_READ_ONLY)
    try:
        place(staged, final)
    except FileExistsError:
        if read(final) != read(staged):
            staged.replace(final)


def place(staged: Path, final: Path) -> None:
    """Give a staged file its final name. Raises `FileExistsError` if the name is taken.

    The staged file may remain.
    """
    try:
        _link(staged, final)
    except FileNotFoundError:
        final.parent.mkdir(parents=True, exist_ok=True)
        _link(staged, final)


def _link(staged: Path, final: Path) -> None:
    """Hard-link a file, or move it if the file system has no hard links.

    Raises `FileExistsError` if the name is taken, like `os.link`.
    """
    try:
        os.link(staged, final, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(final):
            raise FileExistsError(error.errno, "exists", str(final)) from error
        staged.replace(final)


def remove(folder: Path, path: str) -> None:
    """Remove a file below `folder`, if it exists, and the folders that become empty."""
    (folder / path).unlink(missing_ok=True)
    with suppress(OSError):
        for parent in (folder / path).parents:
            if parent == folder:
                break
            parent.rmdir()


def remove_tree(folder: Path) -> None:
    """Remove a folder with its content, as far as possible. Errors are ignored."""
    shutil.rmtree(folder, ignore_errors=True)


def files_below(folder: Path) -> Iterator[str]:
    """Yield the relative paths of files and links below a folder, in no particular order.

    Links are not followed, and unreadable folders are skipped.
    """
    waiting = [("", os.fspath(folder))]
    while waiting:
        start, path = waiting.pop()
        with suppress(OSError), os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((f"{start}{entry.name}/", entry.path))
                else:
                    yield start + entry.name


def entries_below(folder: Path, skip: str = "/") -> Iterator[os.DirEntry[str]]:
    """Yield the files, links and folders below a folder, in no particular order.

    Links are not followed. Entries whose names begin with `skip` are omitted, with everything below
    them. Folders may disappear during the walk, because other builds may clean up in the same
    output.
    """
    waiting = [os.fspath(folder)]
    while waiting:
        with suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if not entry.name.startswith(skip):
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)


def size_of(folder: Path, skip: str = "/") -> int:
    """Return the total size of all files below a folder, except files that `entries_below`
    skips.
    """
    return sum(sizes_below(folder, skip))


def sizes_below(folder: Path, skip: str = "/") -> Iterator[int]:
    """Yield the size in bytes of each file below a folder, except files that `entries_below`
    skips.
    """
    for entry in entries_below(folder, skip):
        with suppress(FileNotFoundError):  # Another publish may finish and remove the file.
            if entry.is_file(follow_symlinks=False):
                yield entry.stat(follow_symlinks=False).st_size


def size_of_files(folder: Path, paths: Iterable[str]) -> int:
    """Return the total size of the files at these paths below a folder; missing files are
    ignored.
    """
    size = 0
    for path in paths:
        with suppress(OSError):
            size += (folder / path).lstat().st_size
    return size


@contextmanager
def locked(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the exclusive lock of a folder. The operating system releases the lock if the process
    dies.

    Yields True once the lock is acquired. Without `wait`, yields False if another process holds the
    lock.
    """
    descriptor = _open_lock(folder)
    try:
        yield _lock(descriptor, wait=wait)
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    LOCK_FILE = ".lock"
    """Name of the lock file in an output; empty on systems that can lock the folder itself."""

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
def faults(path: Path) -> Iterator[None]:
    """Turn an `OSError` into a one-line `OutputError`. The message contains the file name from the
    `OSError`, or `path` if the `OSError` has no file name.
    """
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write {error.filename or path}: {reason}") from error


def user_cache() -> Path | None:
    """Return skillbuild's cache folder for the current user. The folder is only for data that can
    be fetched or computed again.

    Returns None if the folder is unknown, for example without a home directory.
    """
    above = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not above.is_absolute():
        try:
            above = _usual_cache()
        except RuntimeError:  # There is no home.
            return None
    return above / "skillbuild" if above.is_absolute() else None


def _usual_cache() -> Path:
    match sys.platform:
        case "win32":
            return Path(os.environ.get("LOCALAPPDATA", ""))
        case "darwin":
            return Path.home() / "Library/Caches"
        case _:
            return Path.home() / ".cache"
