"""Files on disk: opened without following links, and written so that nobody sees half of one.

Functions raise `OSError` unless they say otherwise; `faults` turns it into one line for people.
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
"""Whether a path can be opened below a directory that is open; not so on Windows."""


def open_file(path: Path) -> BufferedReader:
    """Open a file for reading; `OSError` for a link or a folder, and where nothing is.

    A named pipe is opened without waiting for a writer, and is empty.
    """
    return open(path, "rb", opener=_open)


def open_below(folder: Path, path: str) -> BufferedReader:
    """The same for a path below a folder, no part of which may be a link.

    The folder itself may be one. `FileNotFoundError` for a path that could lead out of the folder.
    """
    *folders, name = path.split("/")
    if not {"", ".", ".."}.isdisjoint([*folders, name]):
        raise FileNotFoundError(errno.ENOENT, "no path of a file", path)
    if not _HAS_DESCRIPTORS:
        above = [folder.joinpath(*folders[: depth + 1]) for depth in range(len(folders))]
        if any(each.is_symlink() for each in above):
            raise NotADirectoryError(errno.ENOTDIR, "a link is on the way", path)
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
    """Create a file that only its user may read; `OSError` if something has its name."""
    return open(path, "xb", opener=_open)


def replace_file(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Put a file that only its user may read in the place of `path`.

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


def read(path: Path) -> bytes | None:
    """The bytes of a file; None for a link, a folder, or where nothing can be read."""
    try:
        with open_file(path) as file:
            return file.read()
    except (OSError, ValueError):  # A NUL in a path is a `ValueError`.
        return None


def write(path: Path | str, data: bytes, *, read_only: bool = False) -> None:
    """Create a file, and its folder as needed; `FileExistsError` when something is there."""
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
    """Write a file, in place of one that is there; not atomic, so only where nobody reads yet.

    The old file is unlinked, not written into: it may be a hard link to a published one.
    """
    try:
        write(path, data)
    except FileExistsError:
        Path(path).unlink()
        write(path, data)


def write_text(path: Path, text: str, *, append: bool = False) -> None:
    """Write a text as UTF-8 to a file that the command line names; raises `OutputError`.

    Like a shell's `>`, or `>>` with `append`: links are followed, and a device may be written to.
    """
    with faults(path), path.open("a" if append else "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def replace(staged: Path, final: Path) -> None:
    """Move a staged file to its final path, over what is there; makes the folder as needed."""
    try:
        staged.replace(final)
    except FileNotFoundError:
        final.parent.mkdir(parents=True, exist_ok=True)
        staged.replace(final)


def commit(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a file by `parts`, which are on disk (fsync) before they get its name.

    One writer at a time: what a killed one left under the temporary name is removed.
    """
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    write_parts(temporary, parts)
    temporary.replace(path)


def write_parts(path: Path, parts: Iterable[bytes]) -> Digest:
    """Create a file, piece by piece, and wait until it is on disk (fsync); returns its digest."""
    digest = hashlib.sha256()
    with path.open("xb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return Digest(digest.hexdigest())


def digest_of(path: Path) -> Digest | None:
    """The digest of what `read` would return, None where it would; reads piece by piece."""
    try:
        with open_file(path) as file:
            return Digest(hashlib.file_digest(file, "sha256").hexdigest())
    except (OSError, ValueError):
        return None


def add(staged: Path, final: Path) -> None:
    """Publish a staged file under a name that its content decides: read-only, by hard link.

    A file of that name is left alone if it is equal, and replaced if it is damaged. The staged
    file may stay.
    """
    if os.name == "posix":  # Elsewhere a read-only file could be neither replaced nor removed.
        staged.chmod(_READ_ONLY)
    try:
        place(staged, final)
    except FileExistsError:
        if read(final) != read(staged):
            staged.replace(final)


def place(staged: Path, final: Path) -> None:
    """Give a staged file the name that it will have; `FileExistsError` if something has it.

    The staged file may stay.
    """
    try:
        _link(staged, final)
    except FileNotFoundError:
        final.parent.mkdir(parents=True, exist_ok=True)
        _link(staged, final)


def _link(staged: Path, final: Path) -> None:
    """Link, or move where the file system knows no hard links; `FileExistsError` as `os.link`."""
    try:
        os.link(staged, final, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(final):
            raise FileExistsError(error.errno, "exists", str(final)) from error
        staged.replace(final)


def remove(folder: Path, path: str) -> None:
    """Remove a file below `folder`, if it is there, and the folders it leaves empty."""
    (folder / path).unlink(missing_ok=True)
    with suppress(OSError):
        for parent in (folder / path).parents:
            if parent == folder:
                break
            parent.rmdir()


def remove_tree(folder: Path) -> None:
    """Remove a folder and all below it, as far as possible; raises nothing."""
    shutil.rmtree(folder, ignore_errors=True)


def files_below(folder: Path) -> Iterator[str]:
    """Relative paths of files and links below a folder, in no order; links are not followed.

    A folder that cannot be read counts as empty.
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
    """Files, links and folders below a folder, in no order; links are not followed.

    What has a name that begins with `skip` is left out with all below it. A folder may vanish
    meanwhile: other builds stage and clean up in the same output.
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
    """Bytes of all files below a folder, without those that `entries_below` skips."""
    return sum(sizes_below(folder, skip))


def sizes_below(folder: Path, skip: str = "/") -> Iterator[int]:
    """Bytes of each of these files."""
    for entry in entries_below(folder, skip):
        with suppress(FileNotFoundError):  # A publish beside this one ends.
            if entry.is_file(follow_symlinks=False):
                yield entry.stat(follow_symlinks=False).st_size


def size_of_files(folder: Path, paths: Iterable[str]) -> int:
    """Bytes of files by their paths below a folder; one that is missing has none."""
    size = 0
    for path in paths:
        with suppress(OSError):
            size += (folder / path).lstat().st_size
    return size


@contextmanager
def locked(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the exclusive lock of a folder, which ends with the process at the latest.

    Yields whether the lock is ours: without `wait`, False when another process holds it.
    """
    descriptor = _open_lock(folder)
    try:
        yield _lock(descriptor, wait=wait)
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    LOCK_FILE = ".lock"
    """The file of an output that is locked; empty where the folder itself can be."""

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
    """Turn an `OSError` into an `OutputError` of one line that names the file, or else `path`."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write {error.filename or path}: {reason}") from error


def user_cache() -> Path | None:
    """Where this program may store for this user what it can get or compute again.

    None if that is not known, as without a home.
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
