"""The release being served, and its replacement when a publish has replaced `catalog.json`.

A new release is loaded and checked whole before requests are answered from it. One that cannot be
served is reported once, and the server goes on with the one it has.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from skillbuild.errors import OutputError, SkillbuildError
from skillbuild.release.layout import RECORD_FILE
from skillbuild.serve.state.faults import DamagedError, UnavailableError
from skillbuild.serve.state.load import load_release
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.selection import Selection
from skillbuild.text.wording import plural

Answer = TypeVar("Answer")
FileState = tuple[int, int, int] | None
"""Inode, size and modification time in nanoseconds; None when there is no such file."""

_TRY_EVERY = 1.0
"""Seconds between attempts to load a release whose files cannot be read just now."""


def report(message: str) -> None:
    """Tell whoever runs the server, in one line of its log (`transport.logs`)."""
    _LOG.warning("%s", message)


_LOG = logging.getLogger("skillbuild")


class ReleaseWatcher:
    """Holds the release being served; `replaced` is set when it gives way to another."""

    def __init__(self, out: Path, only: Selection | None = None) -> None:
        self._out = out
        self._only = only
        self._next_try = 0.0
        self._state, self.release = self._load()
        self._loading = anyio.Lock()
        self.replaced = anyio.Event()

    async def current(self) -> ServedRelease:
        """The release to answer from; looks first whether the file has changed (microseconds).

        A new one is loaded in a thread, for which all who ask meanwhile wait.
        """
        if self.is_outdated():
            async with self._loading:
                old = self.release
                if self.is_outdated():
                    await anyio.to_thread.run_sync(self._reload)
                self._tell_of_change(old)
        return self.release

    def _tell_of_change(self, old: ServedRelease) -> None:
        if self.release is not old:
            self.replaced.set()
            self.replaced = anyio.Event()

    async def answered(self, answer: Callable[[ServedRelease], Awaitable[Answer]]) -> Answer:
        """What a function makes of the release to answer from.

        Where that has lost files, a publish may have removed them since the request came: the next
        release is asked then. Raises `DamagedError` if there is no next release, and
        `UnavailableError`.
        """
        release = await self.current()
        while True:
            try:
                return await answer(release)
            except DamagedError:
                newer = await self.refreshed()
                if newer is release:
                    raise
                release = newer

    async def refreshed(self, *, at_once: bool = True) -> ServedRelease:
        """The newest release; asks where it is published, if that is elsewhere, when it is time to
        or `at_once`.
        """
        return await self.current()

    @property
    def is_current(self) -> bool:
        """Whether it could be seen last time if there is a newer one."""
        return True

    @property
    def age(self) -> float | None:
        """Seconds since it was last known to be the newest; None if it is looked at every time."""
        return None

    def is_outdated(self) -> bool:
        """Whether the file is not the one that was read last."""
        return self._file_state() != self._state and time.monotonic() >= self._next_try

    def _reload(self) -> None:
        old = self.release
        try:
            self._state, new = self._load()
        except (UnavailableError, SkillbuildError) as error:
            report(f"{error}; still serving commit {old.record.catalog.commit}")
            return
        if new.digest != old.digest:
            self.release = new
            skills = plural(new.skill_count, "skill")
            report(f"now serving commit {new.record.catalog.commit}, {skills}")

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
