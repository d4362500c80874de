"""Keeps a local mirror of an origin: limited in size, shared by processes, and verified on every
read.

The mirror is optional: if anything is wrong with its directory, files are read from the origin.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import TypeVar

from skillbuild.model import Digest
from skillbuild.storage import disk
from skillbuild.storage.files import (
    DamagedError,
    FileError,
    OriginFiles,
    UnavailableError,
    UnreachableError,
    Versioned,
)

Result = TypeVar("Result")

USUAL_BYTES = 1 << 30
_TOUCH_AFTER = 600.0
"""Seconds after which another read records a new last use of a file."""
_LEFT = 0.9
"""Fraction of the size limit that remains after a cleanup."""
_COUNT_AFTER = 32
"""Divides the limit: a process counts the files again each time it has written that many bytes, so
each process may exceed the limit by that much.
"""
_LEFT_OVER = 3600.0
"""Seconds after which a temporary file is considered the leftover of a killed process."""
_LARGE = 4 << 20
"""Files that may be larger than this many bytes are fetched one at a time."""
_LARGE_SECONDS = 2.0
"""Seconds for which a large file waits for another one to finish."""
_REST = 3.0
"""Seconds for which an unreachable origin is not asked again."""


class StoredFiles:
    """A directory of files stored under hex keys. Threads and processes may share the directory."""

    def __init__(self, folder: Path, most: int = USUAL_BYTES) -> None:
        """Use `folder`; `most` is the size limit in bytes, and 0 disables storing."""
        self._folder, self._most = folder, most
        self._uncounted = most  # So that the first write counts.
        self._lock = Lock()

    def get(self, key: str, is_right: Callable[[bytes], bool]) -> bytes | None:
        """Return the stored content of a key; None if there is none, or if `is_right` rejects it.

        Rejected content is removed.
        """
        path = self._path(key)
        try:
            with disk.open_file(path) as file:
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

    def put(self, key: str, data: bytes) -> None:
        """Store content; the least recently used files are removed to make room.

        Content larger than a quarter of the size limit is not stored.
        """
        if len(data) > self._most // 4:
            return
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            disk.replace_file(path, [data])
        with self._lock:
            self._uncounted += len(data)
            if self._uncounted < self._most // _COUNT_AFTER:
                return
            self._uncounted = 0
            self._shrink()

    def has(self, key: str) -> bool:
        """Return whether content is stored for a key; only `get` checks whether it is correct."""
        return self._path(key).is_file()

    def get_sealed(self, key: str) -> bytes | None:
        """Return what `put_sealed` stored for a key; None if there is nothing."""
        stored = self.get(key, _has_own_digest)
        return None if stored is None else stored.partition(b"\n")[2]

    def put_sealed(self, key: str, data: bytes) -> None:
        """Store content together with its digest, because the digest is recorded nowhere else."""
        self.put(key, b"%b\n%b" % (Digest.of(data).hex.encode(), data))

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key

    def _shrink(self) -> None:
        """Remove the least recently used files if the total size exceeds the limit."""
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
        """Return the last use, size and path of each file."""
        files = []
        for name in disk.files_below(self._folder):
            with suppress(OSError):
                status = (self._folder / name).lstat()
                files.append((status.st_mtime, status.st_size, self._folder / name))
        return files


def _has_own_digest(stored: bytes) -> bool:
    digest, _, data = stored.partition(b"\n")
    return Digest.of(data).hex.encode() == digest


class NotHereError(Exception):
    """The file is not in the mirror, and a `without_fetching` block forbids fetching it from the
    origin.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


_MAY_FETCH: ContextVar[bool] = ContextVar("may_fetch", default=True)


@contextmanager
def without_fetching() -> Iterator[None]:
    """Make mirrors raise `NotHereError` inside the block instead of asking their origin."""
    token = _MAY_FETCH.set(False)
    try:
        yield
    finally:
        _MAY_FETCH.reset(token)


class SharedRequests:
    """Merges identical concurrent requests to an origin into one.

    Each request runs in a daemon thread, which does not delay the end of the program.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_closed = False
        self._running: dict[str, Future[Versioned | FileError]] = {}

    def close(self) -> None:
        """End all waiting calls of `ask` with an `UnavailableError`, and refuse later calls."""
        with self._lock:
            self._is_closed = True
            for answer in self._running.values():
                answer.cancel()

    def ask(self, name: str, request: Callable[[], Versioned]) -> Versioned:
        """Return the result of `request`, or raise its error; callers with the same `name` share
        one request.
        """
        if not _MAY_FETCH.get():
            raise NotHereError(name)
        with self._lock:
            if self._is_closed:
                raise UnavailableError(name, "the program is shutting down")
            answer = self._running.get(name)
            if answer is None:
                answer = Future()
                Thread(target=self._run, args=(name, request, answer), daemon=True).start()
                self._running[name] = answer
        try:
            outcome = answer.result()
        except CancelledError:
            raise UnavailableError(name, "the program is shutting down") from None
        if isinstance(outcome, FileError):
            raise outcome.again()
        return outcome

    def _run(
        self, name: str, request: Callable[[], Versioned], answer: Future[Versioned | FileError]
    ) -> None:
        outcome: Versioned | FileError = UnavailableError(name, "the request ended early")
        try:
            outcome = request()
        except FileError as error:
            outcome = error.again()
        finally:
            with self._lock:
                del self._running[name]
            with suppress(InvalidStateError):  # It was cancelled.
                answer.set_result(outcome)


class Mirror:
    """A cache of files whose content can be verified. Each file is fetched once, then read from
    disk.

    Threads may share it. Callers wait for the origin, or get a `NotHereError` in a
    `without_fetching` block.
    """

    def __init__(
        self, origin: OriginFiles, stored: StoredFiles, proves_itself: Callable[[str, bytes], bool]
    ) -> None:
        """Mirror `origin`; `proves_itself` returns whether bytes are the content of the file at a
        path.
        """
        self.origin = origin
        self.where = origin.where
        self._stored = stored
        self._proves_itself = proves_itself
        self._requests = SharedRequests()
        self._large = Lock()
        self._rests_until = 0.0
        self._fault: UnreachableError | None = None

    def close(self) -> None:
        """Make all calls that are waiting for the origin raise `UnavailableError`."""
        self._requests.close()

    def read(self, path: str, most: int) -> bytes:
        data = self._present(path)
        if data is None:
            data = self._requests.ask(path, lambda: self._fetched(path, most)).data or b""
        if len(data) <= most:
            return data
        del data
        raise DamagedError(path, f"larger than {most:,} bytes")

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned:
        """Read the current version from the origin; nothing is stored."""

        def request() -> Versioned:
            return self._asked(path, lambda: self.origin.read_changing(path, most, tag))

        return self._requests.ask(f"{path} {tag}", request)

    def has(self, path: str) -> bool:
        """Return whether the mirror has the file. If it does, reading the file rarely needs the
        origin.
        """
        return self._stored.has(self._key(path))

    def size(self, path: str) -> int:
        return self.origin.size(path)

    def paths(self) -> Iterator[str]:
        return self.origin.paths()

    def _present(self, path: str) -> bytes | None:
        return self._stored.get(self._key(path), partial(self._proves_itself, path))

    def _fetched(self, path: str, most: int) -> Versioned:
        data = self._present(path)  # Another request may have fetched it meanwhile.
        if data is not None:
            return Versioned(data, "")
        if most <= _LARGE:
            data = self._asked(path, lambda: self.origin.read(path, most))
        elif self._large.acquire(timeout=_LARGE_SECONDS):
            try:
                data = self._asked(path, lambda: self.origin.read(path, most))
            finally:
                self._large.release()
        else:
            raise UnavailableError(path, "another large file is being fetched")
        if self._proves_itself(path, data):
            self._stored.put(self._key(path), data)
            return Versioned(data, "")
        del data
        raise DamagedError(path, f"wrong digest at {self.where}")

    def _asked(self, path: str, ask: Callable[[], Result]) -> Result:
        """Call `ask`, unless the origin was unreachable a moment ago."""
        if self._fault is not None and time.monotonic() < self._rests_until:
            raise UnavailableError(path, self._fault.reason)
        try:
            return ask()
        except UnreachableError as error:
            self._fault, self._rests_until = error.again(), time.monotonic() + _REST
            raise

    def _key(self, path: str) -> str:
        """Return the key of a file in the mirror: its digest if the path contains it, else a digest
        of the path.
        """
        name = path.rpartition("/")[2].partition(".")[0]
        if len(name) == 64:
            return name
        return Digest.of(f"{self.where}\n{path}".encode()).hex
