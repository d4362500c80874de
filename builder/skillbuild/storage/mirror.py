"""A mirror of an origin in a directory: bounded, shared by processes, and never trusted.

Nothing in it is needed: whatever goes wrong with the directory, files are read from the origin.
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
"""Seconds after which a read is noted as the last use of a file."""
_LEFT = 0.9
"""What of the bound stays when it is passed."""
_COUNT_AFTER = 32
"""The files are counted when this part of the bound has been written, by each process for itself:
together they may pass it by so much."""
_LEFT_OVER = 3600.0
"""Seconds after which a temporary file is one of a process that was killed."""
_LARGE = 4 << 20
"""Bytes; files that may be larger are fetched one after the other."""
_LARGE_SECONDS = 2.0
"""How long such a file waits for another one."""
_REST = 3.0
"""Seconds for which an origin that could not be reached is not asked again."""


class StoredFiles:
    """Files of any bytes by keys of hex digits. Threads and processes may share the directory."""

    def __init__(self, folder: Path, most: int = USUAL_BYTES) -> None:
        """`most` is the bound in bytes; 0 stores nothing."""
        self._folder, self._most = folder, most
        self._uncounted = most  # So that the first write counts.
        self._lock = Lock()

    def get(self, key: str, is_right: Callable[[bytes], bool]) -> bytes | None:
        """The bytes of a key, if they are there; those that are not right are removed."""
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
        """Store bytes for a while; the least recently used ones go for them."""
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


class NotHereError(Exception):
    """A file would have to be fetched, for which nobody may wait here."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


_MAY_FETCH: ContextVar[bool] = ContextVar("may_fetch", default=True)


@contextmanager
def without_fetching() -> Iterator[None]:
    """In this block a mirror raises `NotHereError` where it would have to ask its origin."""
    token = _MAY_FETCH.set(False)
    try:
        yield
    finally:
        _MAY_FETCH.reset(token)


class SharedRequests:
    """Requests to an origin, one for all who ask the same thing at the same time.

    A request runs in a thread that the end of the program does not wait for.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_closed = False
        self._running: dict[str, Future[Versioned | FileError]] = {}

    def close(self) -> None:
        """End the waiting of all who wait, and of all who come later."""
        with self._lock:
            self._is_closed = True
            for answer in self._running.values():
                answer.cancel()

    def ask(self, name: str, request: Callable[[], Versioned]) -> Versioned:
        """What a request returns or raises, which is known by this name meanwhile."""
        if not _MAY_FETCH.get():
            raise NotHereError(name)
        with self._lock:
            if self._is_closed:
                raise UnavailableError(name, "the program ends")
            answer = self._running.get(name)
            if answer is None:
                answer = Future()
                Thread(target=self._run, args=(name, request, answer), daemon=True).start()
                self._running[name] = answer
        try:
            outcome = answer.result()
        except CancelledError:
            raise UnavailableError(name, "the program ends") from None
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
    """Files of an origin that prove themselves: each is fetched once, then read from a directory.

    Threads may share it. Whoever needs the origin waits as long as that takes, or is told by
    `NotHereError` that there is something to wait for.
    """

    def __init__(
        self, origin: OriginFiles, stored: StoredFiles, proves_itself: Callable[[str, bytes], bool]
    ) -> None:
        """`proves_itself` tells from a path and bytes whether these are the file."""
        self.origin = origin
        self.where = origin.where
        self._stored = stored
        self._proves_itself = proves_itself
        self._requests = SharedRequests()
        self._large = Lock()
        self._rests_until = 0.0
        self._fault: UnreachableError | None = None

    def close(self) -> None:
        """End the waiting of all who wait for the origin."""
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
        """What the origin has now; nothing of it is kept."""

        def request() -> Versioned:
            return self._asked(path, lambda: self.origin.read_changing(path, most, tag))

        return self._requests.ask(f"{path} {tag}", request)

    def size(self, path: str) -> int:
        return self.origin.size(path)

    def paths(self) -> Iterator[str]:
        return self.origin.paths()

    def _present(self, path: str) -> bytes | None:
        return self._stored.get(self._key(path), partial(self._proves_itself, path))

    def _fetched(self, path: str, most: int) -> Versioned:
        data = self._present(path)  # Another request may have brought it meanwhile.
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
            raise UnavailableError(path, "another large file is fetched")
        if self._proves_itself(path, data):
            self._stored.put(self._key(path), data)
            return Versioned(data, "")
        del data
        raise DamagedError(path, f"wrong digest at {self.where}")

    def _asked(self, path: str, ask: Callable[[], Result]) -> Result:
        """What the origin says, unless it could not be reached a moment ago."""
        if self._fault is not None and time.monotonic() < self._rests_until:
            raise UnavailableError(path, self._fault.reason)
        try:
            return ask()
        except UnreachableError as error:
            self._fault, self._rests_until = error.again(), time.monotonic() + _REST
            raise

    def _key(self, path: str) -> str:
        """The name of a file in the mirror: its digest, or where its path has less, one of both."""
        name = path.rpartition("/")[2].partition(".")[0]
        if len(name) == 64:
            return name
        return Digest.of(f"{self.where}\n{path}".encode()).hex
