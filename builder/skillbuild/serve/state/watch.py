"""Holds the release that is served, and replaces it when a new one is published.

A new release is loaded and checked before requests are answered from it. If the new release cannot
be served, the server reports this once and keeps the current release.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from skillbuild.errors import OutputError, SkillbuildError
from skillbuild.release.layout import RECORD_FILE
from skillbuild.serve.state.look_up import Selection
from skillbuild.serve.state.release import ServedRelease, load_release
from skillbuild.storage.files import DamagedError, UnavailableError
from skillbuild.text.wording import plural

Answer = TypeVar("Answer")
FileState = tuple[int, int, int] | None
"""Inode, size and modification time in nanoseconds; None if the file does not exist."""

ANSWERS = anyio.CapacityLimiter(16)
"""Limits how many threads answer requests at the same time."""
SEARCHES = anyio.CapacityLimiter(1)
"""Limits searches to one at a time, because they share an index."""
MOST_TTL = 60.0
"""Maximum number of seconds for which a client may reuse an answer, so that an update is visible
within a minute.
"""

_TRY_EVERY = 1.0
"""Seconds between attempts to load a release whose files cannot currently be read."""


def report(message: str) -> None:
    """Write one line to the log of the server (`transport.logs`)."""
    _LOG.warning("%s", message)


_LOG = logging.getLogger("skillbuild")


class OtherReleaseError(Exception):
    """A client sent something that belongs to another release, such as a cursor."""


class ReleaseWatcher(ABC):
    """Holds the release being served. The `replaced` event is set when another release
    replaces it.
    """

    def __init__(self, release: ServedRelease) -> None:
        self.release = release
        self.replaced = anyio.Event()
        self._loading = anyio.Lock()

    async def current(self) -> ServedRelease:
        """Return the release from which to answer a request."""
        return self.release

    async def answered(
        self, answer: Callable[[ServedRelease], Answer], *, is_search: bool = False
    ) -> Answer:
        """Call `answer` with the current release in a worker thread, and return its result.

        If a file is missing, a publish may have removed it since the request arrived, so `answer`
        is called again with the next release. If there is no next release, raises `DamagedError`.
        Raises `UnavailableError` if a file cannot currently be read.
        """
        release = await self.current()
        while True:
            try:
                return await self._in_thread(partial(answer, release), is_search=is_search)
            except DamagedError:
                newer = await self.refreshed()
                if newer is release:
                    raise
                release = newer

    async def _in_thread(self, function: Callable[[], Answer], *, is_search: bool) -> Answer:
        limiter = SEARCHES if is_search else ANSWERS
        return await anyio.to_thread.run_sync(function, limiter=limiter)

    async def refreshed(self, *, at_once: bool = True) -> ServedRelease:
        """Look for a newer release if a check is due, and return the newest one.

        With `at_once`, an origin is checked even if its refresh interval has not passed. A new
        release is loaded in a thread; concurrent callers wait for it.
        """
        if self._is_due(at_once=at_once):
            async with self._loading:
                if self._is_due(at_once=at_once):
                    old = self.release
                    await anyio.to_thread.run_sync(self._look)
                    if self.release is not old:
                        self.replaced.set()
                        self.replaced = anyio.Event()
        return self.release

    @abstractmethod
    def _is_due(self, *, at_once: bool) -> bool:
        """Return whether it is time to look for a newer release. Must return quickly."""

    @abstractmethod
    def _look(self) -> None:
        """Replace the release if there is a different one that can be served."""

    def _take_up(self, release: ServedRelease) -> None:
        self.release = release
        skills = plural(release.skill_count, "skill")
        report(f"now serving commit {release.record.catalog.commit}, {skills}")

    def _keep(self, error: Exception) -> None:
        """Report why the current release stays."""
        report(f"{error}; still serving commit {self.release.record.catalog.commit}")

    @property
    def is_current(self) -> bool:
        """Whether the last check for a newer release succeeded."""
        return True

    @property
    def age(self) -> float | None:
        """Seconds since the release was last confirmed to be the newest; None if every request
        checks for a newer one.
        """
        return None

    @property
    def ttl(self) -> float:
        """The number of seconds for which a client may reuse an answer."""
        return MOST_TTL

    def close(self) -> None:  # noqa: B027 (nobody waits for a directory)
        """Cancel all requests that wait for a remote origin."""


class DirectoryWatcher(ReleaseWatcher):
    """Holds a release that is read from a directory. Before each request is answered, the watcher
    checks whether the record has changed.
    """

    def __init__(self, out: Path, only: Selection | None = None) -> None:
        self._out, self._only = out, only
        self._next_try = 0.0
        self._state, release = self._load()
        super().__init__(release)

    async def current(self) -> ServedRelease:
        return await self.refreshed()

    def _is_due(self, *, at_once: bool) -> bool:
        return self._file_state() != self._state and time.monotonic() >= self._next_try

    def _look(self) -> None:
        try:
            self._state, new = self._load()
        except (UnavailableError, SkillbuildError) as error:
            self._keep(error)
        else:
            if new.head_digest != self.release.head_digest:
                self._take_up(new)

    def _load(self) -> tuple[FileState, ServedRelease]:
        """Load the release and the state of its record; try again if the record is replaced
        meanwhile.
        """
        while True:
            state = self._file_state()
            try:
                return state, load_release(self._out, self._only)
            except UnavailableError:
                self._state, self._next_try = None, time.monotonic() + _TRY_EVERY
                raise
            except OutputError:
                if self._file_state() == state:
                    self._state = state
                    raise

    def _file_state(self) -> FileState:
        try:
            status = (self._out / RECORD_FILE).stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns
