"""The files of a release that is published elsewhere: fetched when they are asked for, and cached.

A fetch takes as long as the network does, so whoever reads here does it in a worker thread.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TypeVar

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release.layout import is_named_by
from skillbuild.release.versions import decode_version
from skillbuild.serve.state.faults import DamagedError, UnavailableError
from skillbuild.storage.disk_cache import DiskCache
from skillbuild.storage.origin import OriginFiles, UnreachableError

Result = TypeVar("Result")

LARGEST_FILE = 256 << 20
"""Bytes of a file whose size nothing gives; the index is the largest of them."""
_MOST_RECENT = 32 << 20
"""Bytes of files that were just fetched: they wait for the requests that asked for them."""
_LOCKS = 64
_REST = 3.0
"""Seconds for which an origin that could not be reached is not asked again."""
_ABSENT_SECONDS = 5.0
_MOST_ABSENT = 1024


class RemoteFiles:
    """Reads addressed files and versions, each checked by its name. Threads may share it."""

    def __init__(self, origin: OriginFiles, cache: DiskCache) -> None:
        self.origin, self._cache = origin, cache
        self._recent: OrderedDict[str, bytes] = OrderedDict()
        self._sizes: OrderedDict[str, int | None] = OrderedDict()
        self._absent: OrderedDict[str, float] = OrderedDict()
        """Until when a file that was not there is not looked for."""
        self._lock = Lock()
        self._fetching = [Lock() for _ in range(_LOCKS)]
        self._rests_until, self._fault = 0.0, ""
        self._unknown_size = ("", 0.0, "")
        """A file whose size could not be asked for, until when that is not tried, and why."""

    def read(self, path: str) -> bytes | None:
        """A file; None if it is not there. `UnavailableError` if the origin cannot be reached, and
        `DamagedError` if it has another content under that name.
        """
        if self._is_absent(path):
            return None
        data = self._present(path)
        return self.fetch(path) if data is None else data

    def size(self, path: str) -> int | None:
        """The bytes that a file has; None if it is not there. `UnavailableError` if nobody can say
        now: it is no reason to fetch that a request fails.
        """
        with self._lock:
            if path in self._sizes:
                return self._sizes[path]
        size = self._cache.size(self._key(path)) or self._noted_size(path)
        if size is not None:
            return size
        unknown, until, reason = self._unknown_size
        if unknown == path and time.monotonic() < until:
            raise UnavailableError(reason)
        return self._try_size(path)

    def fetch(self, path: str) -> bytes | None:
        """The same as `read`, in a thread; of several that want one file, one asks for it."""
        with self._fetching[hash(path) % _LOCKS]:
            data = self._present(path)
            if data is not None:
                return data
            data = self._asked(lambda: self.origin.read(path, LARGEST_FILE))
            if data is None:
                self._note_absent(path)
                return None
            if not _proves_itself(path, data):
                raise DamagedError(f"{path} has a wrong digest at {self.origin.where}")
            self._hold(path, data)
            self._cache.put(self._key(path), data)
            return data

    def _try_size(self, path: str) -> int | None:
        try:
            return self._fetch_size(path)
        except UnavailableError as error:
            self._unknown_size = path, time.monotonic() + _ABSENT_SECONDS, str(error)
            raise

    def _fetch_size(self, path: str) -> int | None:
        size = self._asked(lambda: self.origin.size(path))
        if size is None:  # It is not there, or the origin tells no sizes.
            data = self.fetch(path)
            size = None if data is None else len(data)
        with self._lock:
            self._sizes[path] = size
            if len(self._sizes) > _MOST_ABSENT:
                self._sizes.popitem(last=False)
        if size is not None:
            self._cache.put(self._size_key(path), b"%b %d" % (path.encode(), size))
        return size

    def _noted_size(self, path: str) -> int | None:
        """What the origin said before, to this process or another one."""
        start = b"%b " % path.encode()
        noted = self._cache.get(
            self._size_key(path),
            lambda data: data.startswith(start) and data[len(start) :].isdigit(),
        )
        return None if noted is None else int(noted[len(start) :])

    def _size_key(self, path: str) -> str:
        return Digest.of(f"{self.origin.where}\n{path}\nsize".encode()).hex

    def _asked(self, ask: Callable[[], Result]) -> Result:
        """What the origin says, unless it could not be reached a moment ago."""
        if time.monotonic() < self._rests_until:
            raise UnavailableError(self._fault)
        try:
            return ask()
        except UnreachableError as error:
            self._fault, self._rests_until = str(error), time.monotonic() + _REST
            raise UnavailableError(str(error)) from error
        except OutputError as error:
            raise UnavailableError(str(error)) from error

    def _present(self, path: str) -> bytes | None:
        """A file that needs no fetch."""
        with self._lock:
            data = self._recent.get(path)
        if data is not None:
            return data
        return self._cache.get(self._key(path), partial(_proves_itself, path))

    def _key(self, path: str) -> str:
        """The name of a file in the cache: its digest, or where its path has less, one of both."""
        name = path.rpartition("/")[2].partition(".")[0]
        if len(name) == 64:
            return name
        return Digest.of(f"{self.origin.where}\n{path}".encode()).hex

    def _hold(self, path: str, data: bytes) -> None:
        with self._lock:
            self._recent[path] = data
            while len(self._recent) > 1 and sum(map(len, self._recent.values())) > _MOST_RECENT:
                self._recent.popitem(last=False)

    def _is_absent(self, path: str) -> bool:
        with self._lock:
            return time.monotonic() < self._absent.get(path, 0.0)

    def _note_absent(self, path: str) -> None:
        with self._lock:
            self._absent[path] = time.monotonic() + _ABSENT_SECONDS
            if len(self._absent) > _MOST_ABSENT:
                self._absent.popitem(last=False)


def _proves_itself(path: str, data: bytes) -> bool:
    """Whether a file has the digest in its name; of a version, whether its address follows."""
    if not path.startswith("versions/"):
        return is_named_by(path, Digest.of(data))
    try:
        decode_version(data, path)
    except OutputError:
        return False
    return True
