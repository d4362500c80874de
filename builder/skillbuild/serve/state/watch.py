"""The release being served, and its replacement: whole, checked, between two requests.

A publish replaces `catalog.json` by rename; its inode, size and time tell. What cannot be served
is reported once, and the release before it stays.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path

from skillbuild.errors import SkillbuildError
from skillbuild.release.layout import RECORD_FILE
from skillbuild.serve.state import release as releases
from skillbuild.serve.state.release import Release

Signature = tuple[int, int, int] | None


def report(message: str) -> None:
    """One line for whoever runs the server; standard output belongs to the protocol."""
    line = message.encode("ascii", "backslashreplace").decode()
    print(f"skillbuild: {line}", file=sys.stderr, flush=True)


def _settled(release: Release) -> Release:
    """A release stays for long: the garbage collector need not walk it with every request."""
    gc.collect()
    gc.freeze()
    return release


class Watch:
    """Holds the current release; `on_change` hears of every swap, old release first."""

    def __init__(self, out: Path) -> None:
        self._path = out / RECORD_FILE
        self._seen = self._signature()
        self._release = _settled(releases.load(out))
        self.on_change: Callable[[Release, Release], None] = lambda old, new: None

    def current(self) -> Release:
        """The release to answer from; looks at the disk first, which costs microseconds."""
        signature = self._signature()
        if signature != self._seen:
            self._seen = signature
            self._swap()
        return self._release

    def _swap(self) -> None:
        old = self._release
        try:
            new = _settled(releases.load(old.out))
        except SkillbuildError as error:
            report(f"{error}; still serving commit {old.head.catalog.commit}")
            return
        if new.digest != old.digest:
            self._release = new
            report(f"now serving commit {new.head.catalog.commit}, {len(new.listed)} skills")
            self.on_change(old, new)

    def _signature(self) -> Signature:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
