"""The release being served, and its replacement when a publish has replaced `catalog.json`.

A new release is loaded and checked whole before requests are answered from it. One that cannot be
served is reported once, and the server goes on with the one it has.
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from skillbuild.errors import SkillbuildError
from skillbuild.release.layout import RECORD_FILE
from skillbuild.serve.state.load import load_release
from skillbuild.serve.state.release import ServedRelease
from skillbuild.text.wording import plural

FileState = tuple[int, int, int] | None
"""Inode, size and modification time in nanoseconds; None when there is no such file."""


def report(message: str) -> None:
    """Print one line for whoever runs the server; standard output belongs to the protocol."""
    line = message.encode("ascii", "backslashreplace").decode()
    print(f"skillbuild: {line}", file=sys.stderr, flush=True)


class ReleaseWatcher:
    """Holds the release being served; `replaced` is set when it gives way to another."""

    def __init__(self, out: Path) -> None:
        self._path = out / RECORD_FILE
        self._state = self._file_state()
        self._release = load_release(out)
        self.replaced = anyio.Event()

    def current(self) -> ServedRelease:
        """The release to answer from; checks first whether the file changed (microseconds)."""
        state = self._file_state()
        if state != self._state:
            self._state = state
            self._reload()
        return self._release

    def _reload(self) -> None:
        old = self._release
        try:
            new = load_release(old.out)
        except SkillbuildError as error:
            report(f"{error}; still serving commit {old.record.catalog.commit}")
            return
        if new.digest != old.digest:
            self._release = new
            skills = plural(new.skill_count, "skill")
            report(f"now serving commit {new.record.catalog.commit}, {skills}")
            self.replaced.set()
            self.replaced = anyio.Event()

    def _file_state(self) -> FileState:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns
