"""The release being served, and its replacement by the next.

A new release is loaded and checked before requests are answered from it. One that cannot be served
is reported once, and the server goes on with the one it has.
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
"""Inode, size and modification time in nanoseconds; None when there is no such file."""

ANSWERS = anyio.CapacityLimiter(16)
"""Threads that answer at the same time."""
SEARCHES = anyio.CapacityLimiter(1)
"""They share an index, and would wait for each other."""
MOST_TTL = 60.0
"""Seconds: an update is visible within a minute."""

_TRY_EVERY = 1.0
"""Seconds between attempts to load a release whose files cannot be read just now."""


def report(message: str) -> None:
    """Tell whoever runs the server, in one line of its log (`transport.logs`)."""
    _LOG.warning("%s", message)


_LOG = logging.getLogger("skillbuild")


class OtherReleaseError(Exception):
    """What a client sent belongs to another release than the one that is asked."""


class ReleaseWatcher(ABC):
    """Holds the release being served; `replaced` is set when it gives way to another."""

    def __init__(self, release: ServedRelease) -> None:
        self.release = release
        self.replaced = anyio.Event()
        self._loading = anyio.Lock()

    async def current(self) -> ServedRelease:
        """The release to answer from."""
        return self.release

    async def answered(
        self, answer: Callable[[ServedRelease], Answer], *, is_search: bool = False
    ) -> Answer:
        """What a function makes of the release to answer from; it runs in a thread.

        Where that has lost files, a publish may have removed them since the request came: the next
        release is asked then. Raises `DamagedError` if there is no next release, and
        `UnavailableError`.
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
        """The newest release; asks where it is published, if that is elsewhere, when it is time to
        or `at_once`.

        A new one is loaded in a thread, for which all who ask meanwhile wait.
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
        """Whether it is time to look for a newer release; quick."""

    @abstractmethod
    def _look(self) -> None:
        """Take up the newest release, if it is another one and can be served."""

    def _take_up(self, release: ServedRelease) -> None:
        self.release = release
        skills = plural(release.skill_count, "skill")
        report(f"now serving commit {release.record.catalog.commit}, {skills}")

    def _keep(self, error: Exception) -> None:
        """Tell why the release stays that there is."""
        report(f"{error}; still serving commit {self.release.record.catalog.commit}")

    @property
    def is_current(self) -> bool:
        """Whether it could be seen last time if there is a newer one."""
        return True

    @property
    def age(self) -> float | None:
        """Seconds since it was last known to be the newest; None if it is looked at every time."""
        return None

    @property
    def ttl(self) -> float:
        """How long a client may use an answer again, in seconds."""
        return MOST_TTL

    def close(self) -> None:  # noqa: B027 (nobody waits for a directory)
        """End the waiting of all requests for what is elsewhere."""


class DirectoryWatcher(ReleaseWatcher):
    """Holds the release in a directory; each request looks first whether its head has changed."""

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
            if new.digest != self.release.digest:
                self._take_up(new)

    def _load(self) -> tuple[FileState, ServedRelease]:
        """The release and the state of its file; once more if it is replaced while the files that
        it names are looked for.
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
