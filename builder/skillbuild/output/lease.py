"""The claim of one publisher on an object store, so that two never write pages at the same time.

It is an object that its holder writes again and again. Whoever finds one that stays the same for a
while takes it over: no clocks are compared. What the holder is about to change stands in it, so the
next publisher knows what a killed one may have left half done.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Mapping
from threading import Event, Lock, Thread

from skillbuild.errors import OutputError
from skillbuild.storage.cloud import ConflictError, Store, Version
from skillbuild.storage.origin import UnreachableError
from skillbuild.text.json import compact_json
from skillbuild.text.json_fields import Fields

LEASE_FILE = ".skillbuild/publishing"
RENEW_EVERY = 5.0
LOST_AFTER = 15.0
"""Seconds without a renewal after which its holder stops."""
PATIENCE = 20.0
"""Seconds without a change after which its holder counts as killed."""
_LARGEST = 64 * 1024 * 1024
_ATTRIBUTES = {"Content-Type": "application/json", "Cache-Control": "no-store"}

Tell = Callable[[str], object]
"""Takes a line for whoever waits."""


class Lease:
    """A lease that is held, and renewed by a thread of its own until it is released."""

    def __init__(self, store: Store, version: Version | None, pages: Collection[str]) -> None:
        """Takes it over from this version, or from nobody; `ConflictError` if another was first.

        `pages` are those that the holder before may have left half done.
        """
        self.uncertain = frozenset(pages)
        self.is_resumed = version is not None
        """A publish before did not come to its end."""
        self._store, self._version = store, version
        self._pages = self.uncertain
        self._name = os.urandom(8).hex()
        self._lock, self._over = Lock(), Event()
        self._beat, self._renewed, self._is_lost = 0, time.monotonic(), False
        self._write()
        self._thread = Thread(target=self._renew, daemon=True)
        self._thread.start()

    def announce(self, pages: Collection[str]) -> None:
        """Write down which pages are about to change."""
        self._pages = self.uncertain | frozenset(pages)
        self._write()

    def require(self) -> None:
        """Raise `OutputError` when another publisher may have taken it over."""
        if self._is_lost or time.monotonic() - self._renewed > LOST_AFTER:
            raise OutputError(
                f"{self._store.where} could not be reached for too long, and another publish may"
                " have begun; publish again"
            )

    def release(self, *, is_done: bool) -> None:
        """Give it up; what it was about to do, and is not done, stays for the next publisher."""
        self._over.set()
        self._thread.join()
        try:
            if is_done:
                self._store.remove([LEASE_FILE])
            else:
                self._write(is_over=True)
        except OutputError:
            pass  # The next one waits until it sees that nobody holds it.

    def _renew(self) -> None:
        while not self._over.wait(RENEW_EVERY):
            try:
                self._write()
            except ConflictError:
                self._is_lost = True
                return
            except UnreachableError:
                continue

    def _write(self, *, is_over: bool = False) -> None:
        with self._lock:
            self._beat += 1
            text = {
                "by": self._name,
                "beat": self._beat,
                "over": is_over,
                "pages": sorted(self._pages),
            }
            data = compact_json(text).encode()
            self._version = updated(self._store, LEASE_FILE, data, _ATTRIBUTES, self._version)
            self._renewed = time.monotonic()


def updated(
    store: Store, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
) -> Version:
    """`Store.update`, where `data` is what nobody else writes.

    An answer may be lost on the way, and the attempt after it meets what the first one wrote.
    """
    try:
        return store.update(path, data, attributes, version)
    except ConflictError:
        present, its_version = store.read_version(path, len(data))
        if present != data:
            raise
        return its_version


def acquired(store: Store, tell: Tell) -> Lease:
    """The lease of a store; `OutputError` while another publisher holds it."""
    try:
        data, version = store.read_version(LEASE_FILE, _LARGEST)
        if data is None:
            return Lease(store, None, ())
        is_over, pages = _read(data)
        if not is_over:
            tell(f"an earlier publish may have been killed: waiting {PATIENCE:.0f} s to be sure")
            _require_silence(store, version)
        return Lease(store, version, pages)
    except ConflictError as error:
        raise _taken(store) from error


def _require_silence(store: Store, version: Version) -> None:
    """Raise when the lease changes while it is watched."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        time.sleep(PATIENCE / 20)
        if store.read_version(LEASE_FILE, _LARGEST)[1] != version:
            raise _taken(store)


def _taken(store: Store) -> OutputError:
    return OutputError(
        f"somebody else is publishing to {store.where}; nothing was changed, publish again later"
    )


def _read(data: bytes) -> tuple[bool, list[str]]:
    """Whether the holder has ended, and the pages it may have left half done."""
    try:
        fields = Fields(json.loads(data), LEASE_FILE)
        return fields.flag("over"), list(fields.texts("pages"))
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{LEASE_FILE} is damaged: {error}; remove it") from error
