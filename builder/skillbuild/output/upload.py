"""Publishes an output to a store: content-addressed files first, the record last.

A store is an object store, or a directory that a web server serves. At every moment, a reader finds
all files that `catalog.json` names, even if the publisher is killed. Pages, indexes, SHA256SUMS and
`release.json` are sent before `catalog.json`, so they may already belong to the next release.
`catalog.json` decides which release is published. The matching `release.json` is also stored as a
blob.

If two publishers run at once, one wins, and the other changes nothing that readers can reach. This
requires a store with conditional writes, and a lease that its holder renews regularly. A publisher
takes over a lease that has not changed for a while; no clocks are compared. The lease lists the
files that its holder is about to change. If the holder is killed, the next publisher knows which
files may be incomplete.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread

from skillbuild.errors import OutputError
from skillbuild.model import Digest, JsonStruct, decoder, plain
from skillbuild.release import checksums, record
from skillbuild.release.checksums import Checksums, path_of
from skillbuild.release.headers import cache_control, content_type
from skillbuild.release.layout import (
    CHECKSUMS_FILE,
    HEAD_FILES,
    INDEX_FILE,
    LAYOUT,
    RECORD_FILE,
    RELEASE_FILE,
    is_addressed,
)
from skillbuild.storage import disk
from skillbuild.storage.files import (
    DamagedError,
    Directory,
    FileError,
    MissingError,
    UnavailableError,
    read_or_none,
)
from skillbuild.storage.targets import PRIVATE_FOLDER, ConflictError, Target, Version
from skillbuild.text.json import json_line

LEASE_FILE = f"{PRIVATE_FOLDER}/publishing"
RENEW_EVERY = 5.0
LOST_AFTER = 15.0
"""Seconds after which the holder of a lease stops if it could not renew the lease."""
PATIENCE = 20.0
"""Seconds after which the holder of a lease is considered dead if the lease has not changed."""
_LARGEST_LEASE = 64 * 1024 * 1024
_LEASE_ATTRIBUTES = {"Content-Type": "application/json", "Cache-Control": "no-store"}
_CONDITIONS_FILE = f"{PRIVATE_FOLDER}/conditions"
_CONDITIONS_ATTRIBUTES = {"Content-Type": "text/plain", "Cache-Control": "no-store"}
_AT_ONCE = 16
_LARGEST = 1 << 30
"""Maximum size of SHA256SUMS and of a record."""

Progress = Callable[[int, int, int, int], None]
"""A function that is called with four numbers: files sent, all files, bytes sent, all bytes."""
Tell = Callable[[str], object]
"""A function that is called with a line for the user."""


@dataclass(frozen=True, slots=True)
class Upload:
    """The options of a publish: what to publish, and how."""

    out: Path
    store: Target
    is_unsafe: bool = False
    """Whether the user asserts that nobody else publishes to the store; needed if the store ignores
    conditions.
    """
    sends_all: bool = False
    """Whether to send all files, even those that the store claims to have."""
    prune_after: float | None = None
    """Age in seconds at which objects that no retained release names are removed; None keeps
    them.
    """
    progress: Progress = lambda sent, files, sent_bytes, size: None
    tell: Tell = lambda line: None


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The result of a publish, or the expected result in a dry run."""

    digest: Digest
    """The release digest of the output."""
    files: int
    """Number of files sent, without the head files."""
    size: int
    """Total size of the sent files in bytes."""
    pruned: int = 0
    is_same: bool = False
    """Whether the store already contained this release."""


@dataclass(frozen=True, slots=True)
class _Release:
    """The release in an output: its record, and all files except SHA256SUMS with their digests."""

    digest: Digest
    data: bytes
    sums: bytes
    checksums: Checksums


@dataclass(frozen=True, slots=True)
class _Present:
    """What a store contains: its record, the version of this object, and the checksum lines of
    correct files.
    """

    data: bytes | None
    version: Version
    lines: Collection[bytes]
    is_complete: bool
    """Whether the last publish finished, so that `lines` covers all files."""


@dataclass(frozen=True, slots=True)
class _Work:
    """The files to send, in this order: content-addressed files, then pages."""

    addressed: list[bytes]
    pages: list[bytes] = field(default_factory=list)

    @property
    def lines(self) -> list[bytes]:
        return [*self.addressed, *self.pages]


def plan(upload: Upload) -> Uploaded:
    """Return what a publish would send now. Nothing is written."""
    release, present = _release_in(upload.out), _present_in(upload)
    if _is_published(upload, release, present):
        return Uploaded(release.digest, 0, 0, is_same=True)
    work = _work(upload, release, present, None)
    return Uploaded(release.digest, len(work.lines), _size(upload.out, work.lines))


def publish(upload: Upload) -> Uploaded:
    """Publish the release of an output. Raises `OutputError` if the release cannot be published."""
    release, present = _release_in(upload.out), _present_in(upload)
    if upload.prune_after is None and _is_published(upload, release, present):
        return Uploaded(release.digest, 0, 0, is_same=True)
    if upload.is_unsafe:
        return _publish(upload, release, present, None)
    if upload.store.may_ignore_conditions:
        require_conditions(upload.store)
    with _leased(upload) as held:
        now = _present_in(upload)
        if now.data != present.data:
            raise OutputError(
                f"another release was published to {upload.store.where} meanwhile; build with"
                " --previous and publish again"
            )
        return _publish(upload, release, now, held)


def _is_published(upload: Upload, release: _Release, present: _Present) -> bool:
    """Return whether the store contains the release, and no publish is running or was killed."""
    is_same = present.is_complete and present.data == release.data and not upload.sends_all
    return is_same and not upload.store.has(LEASE_FILE)


@contextmanager
def _leased(upload: Upload) -> Iterator[Lease]:
    held, is_done = acquired(upload.store, upload.tell), False
    try:
        upload.store.remove_unfinished()
        yield held
        is_done = True
    finally:
        held.release(is_done=is_done)


def _publish(upload: Upload, release: _Release, present: _Present, held: Lease | None) -> Uploaded:
    work = _work(upload, release, present, held)
    sender = _Sender(upload, release, held, len(work.lines), _size(upload.out, work.lines))
    sender.send(work.addressed)
    if held is not None:
        held.announce([path_of(line) for line in work.pages])
    sender.send(work.pages)
    if present.data != release.data or not present.is_complete or upload.sends_all:
        sender.send_heads(present)
    pruned = 0
    if upload.prune_after is not None:
        pruned = _prune(upload, release, held)
    same = present.data == release.data and not work.lines
    return Uploaded(release.digest, len(work.lines), sender.size, pruned, is_same=same)


def _release_in(out: Path) -> _Release:
    """Return the release of an output. Raises `OutputError` unless its last publish finished."""
    if not (out / RECORD_FILE).is_file():
        raise OutputError(f"{out / RECORD_FILE} is missing; run build first")
    files = Directory(out)
    data, sums = files.read(RECORD_FILE, _LARGEST), read_or_none(files, CHECKSUMS_FILE, _LARGEST)
    digest = record.decode(data, files).release_digest
    named = Checksums.parse(sums or b"")
    if sums is None or named.find(RECORD_FILE) != checksums.line(RECORD_FILE, Digest.of(data)):
        raise OutputError(f"{out} is incomplete: its last build was interrupted; run build again")
    return _Release(digest, data, sums, named)


def _present_in(upload: Upload) -> _Present:
    """Return the content of the store according to its record and SHA256SUMS."""
    store = upload.store
    try:
        data, version = store.read_version(RECORD_FILE, _LARGEST)
    except MissingError:
        return _Present(None, {}, frozenset(), is_complete=False)
    layout = record.read_layout(data) or LAYOUT
    if layout > LAYOUT:
        raise OutputError(f"{store.where} was written by a newer skillbuild; upgrade skillbuild")
    if layout < LAYOUT and not upload.sends_all:
        what = (
            f"the {RECORD_FILE} in {store.where} has layout {layout}, which is no longer supported"
        )
        raise OutputError(f"{what}; build without --previous and publish with --recheck")
    named = Checksums.parse(read_or_none(store, CHECKSUMS_FILE, _LARGEST) or b"")
    is_complete = named.find(RECORD_FILE) == checksums.line(RECORD_FILE, Digest.of(data))
    lines = frozenset(named.lines) if is_complete else frozenset()
    return _Present(data, version, lines, is_complete)


def _work(upload: Upload, release: _Release, present: _Present, held: Lease | None) -> _Work:
    """Return the files to send: those that the store lacks, and pages that may be incomplete.

    After an interrupted publish the store's SHA256SUMS is not trusted; its objects are listed
    instead.
    """
    uncertain = held.uncertain if held is not None else frozenset()
    is_resumed = not present.is_complete or (held is not None and held.is_resumed)
    wanted = [line for line in release.checksums.lines if path_of(line) not in HEAD_FILES]
    if upload.sends_all:
        pages = [line for line in wanted if not is_addressed(path_of(line))]
        return _Work([line for line in wanted if is_addressed(path_of(line))], pages)
    missing = [line for line in wanted if line not in present.lines]
    addressed = [line for line in missing if is_addressed(path_of(line))]
    pages = [
        line
        for line in wanted
        if not is_addressed(path_of(line))
        if line not in present.lines or path_of(line) in uncertain
    ]
    if addressed and is_resumed:
        sizes = {item.path: item.size for item in upload.store.objects()}
        addressed = [
            line for line in addressed if sizes.get(path_of(line)) != _size(upload.out, [line])
        ]
    return _Work(addressed, pages)


def _size(out: Path, lines: Iterable[bytes]) -> int:
    return disk.size_of_files(out, map(path_of, lines))


class _Sender:
    """Sends files of one release in parallel, and counts them."""

    def __init__(
        self, upload: Upload, release: _Release, held: Lease | None, files: int, whole: int
    ) -> None:
        self._upload, self._release, self._held = upload, release, held
        self._files, self._whole = files, whole
        self._sent = self.size = 0

    def send(self, lines: Iterable[bytes]) -> None:
        """Send the files in these checksum lines. Stop at the first failure."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            running: set[Future[int]] = set()
            try:
                for line in lines:
                    if len(running) >= 2 * _AT_ONCE:
                        running = self._count(running)
                    running.add(pool.submit(self._send_file, line))
                while running:
                    running = self._count(running)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def send_heads(self, present: _Present) -> None:
        """Send the head files. The release is published when the last one, `catalog.json`, is
        sent.
        """
        store = self._upload.store
        self._require_lease()
        self._overwrite(CHECKSUMS_FILE, self._release.sums)
        self._send_file_of(INDEX_FILE)
        self._send_file_of(RELEASE_FILE)
        self._require_lease()
        data, attributes = self._release.data, _attributes(RECORD_FILE)
        if self._upload.is_unsafe:
            store.overwrite(RECORD_FILE, data, attributes)
            return
        try:
            version = present.version if present.data is not None else None
            updated(store, RECORD_FILE, data, attributes, version)
        except ConflictError as error:
            raise OutputError(
                f"another release was published to {store.where} first; build with --previous and"
                " publish again"
            ) from error

    def _count(self, running: set[Future[int]]) -> set[Future[int]]:
        """Wait until some uploads finish; return those that are still running."""
        done, left = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            self.size += future.result()
            self._sent += 1
        self._require_lease()
        self._upload.progress(self._sent, self._files, self.size, self._whole)
        return left

    def _send_file_of(self, path: str) -> None:
        line = self._release.checksums.find(path)
        if line is None:
            raise OutputError(f"{CHECKSUMS_FILE} does not list {path}; run build again")
        self._send_file(line)

    def _send_file(self, line: bytes) -> int:
        """Send one file, after checking its digest; return its size."""
        path = path_of(line)
        where = self._upload.out / path
        try:
            data = Directory(self._upload.out).read(path, _LARGEST)
        except FileError as error:
            raise OutputError(f"{where} is {error.state}; run build --recheck") from error
        if checksums.line(path, Digest.of(data)) != line:
            raise OutputError(f"{where} differs from what was built; run build --recheck")
        if is_addressed(path) and not (self._upload.is_unsafe or self._upload.sends_all):
            self._create(path, data)
        else:
            self._overwrite(path, data)
        return len(data)

    def _create(self, path: str, data: bytes) -> None:
        """Create a content-addressed object; replace an existing one only if its size is wrong."""
        try:
            self._upload.store.create(path, data, _attributes(path))
        except ConflictError:
            if self._upload.store.size(path) != len(data):
                self._overwrite(path, data)

    def _overwrite(self, path: str, data: bytes) -> None:
        self._upload.store.overwrite(path, data, _attributes(path))

    def _require_lease(self) -> None:
        if self._held is not None:
            self._held.require()


def _attributes(path: str) -> dict[str, str]:
    return {"Content-Type": content_type(path), "Cache-Control": cache_control(path)}


def _prune(upload: Upload, release: _Release, held: Lease | None) -> int:
    """Remove old objects that no kept release names; return their number.

    Objects outside the folders of the release belong to someone else and are kept. Ages are
    measured by the store's clock, which renewing the lease has just shown.
    """
    named = {*release.checksums.paths(), *HEAD_FILES}
    tops = {path.partition("/")[0] for path in named if "/" in path}
    objects = list(upload.store.objects())
    now = max((item.changed for item in objects), default=0.0)
    surplus = [
        item.path
        for item in objects
        if item.path not in named and item.path.partition("/")[0] in tops
        if now - item.changed >= (upload.prune_after or 0)
    ]
    for start in range(0, len(surplus), 1000):
        if held is not None:
            held.require()
        upload.store.remove(surplus[start : start + 1000])
    return len(surplus)


def require_conditions(store: Target) -> None:
    """Raise `OutputError` unless the store enforces conditions on creation and updates.

    Some stores accept a conditional request but ignore the condition, so this function tests the
    store. The test touches no file of a release. Other publishers may run the same test at the same
    time.
    """
    version = _version_after_creating(store)
    try:
        store.update(_CONDITIONS_FILE, os.urandom(16), _CONDITIONS_ATTRIBUTES, version)
    except ConflictError:
        return  # Another publisher was faster, so the condition was enforced.
    try:
        store.update(_CONDITIONS_FILE, os.urandom(16), _CONDITIONS_ATTRIBUTES, version)
    except ConflictError:
        return
    raise _ignored(store)


def _version_after_creating(store: Target) -> Version:
    """Create the test object twice; return its version, which proves that the second attempt
    failed.
    """
    try:
        store.create(_CONDITIONS_FILE, os.urandom(16), _CONDITIONS_ATTRIBUTES)
        store.create(_CONDITIONS_FILE, os.urandom(16), _CONDITIONS_ATTRIBUTES)
    except ConflictError:
        return store.read_version(_CONDITIONS_FILE, 1024)[1]
    raise _ignored(store)


def _ignored(store: Target) -> OutputError:
    return OutputError(
        f"{store.where} does not enforce conditional writes, so two publishers would mix their"
        " releases; use another store, or pass --unsafe-store if nobody else publishes to it"
    )


class _Written(JsonStruct, frozen=True):
    """The content of a lease."""

    by: str
    beat: int
    over: bool
    """Whether the holder of the lease has finished."""
    pages: Sequence[str]
    """Pages that the holder may have left incomplete."""


_READ_LEASE = decoder(_Written)


class Lease:
    """A lease that this process holds. A thread renews the lease until it is released."""

    def __init__(self, store: Target, version: Version | None, pages: Collection[str]) -> None:
        """Take over the lease from this version, or create it.

        Raises `ConflictError` if another publisher was faster. `pages` are pages that the previous
        holder may have left incomplete.
        """
        self.uncertain = frozenset(pages)
        self.is_resumed = version is not None
        """Whether this publish continues one that did not finish."""
        self._store, self._version = store, version
        self._pages = self.uncertain
        self._name = os.urandom(8).hex()
        self._lock, self._over = Lock(), Event()
        self._beat, self._renewed, self._is_lost = 0, time.monotonic(), False
        self._write()
        self._thread = Thread(target=self._renew, daemon=True)
        self._thread.start()

    def announce(self, pages: Collection[str]) -> None:
        """Record in the lease which pages are about to change."""
        self._pages = self.uncertain | frozenset(pages)
        self._write()

    def require(self) -> None:
        """Raise `OutputError` if another publisher may have taken over the lease."""
        if self._is_lost or time.monotonic() - self._renewed > LOST_AFTER:
            raise OutputError(
                f"{self._store.where} could not be reached for a while, and another publish may"
                " have begun; publish again"
            )

    def release(self, *, is_done: bool) -> None:
        """Release the lease. Unless `is_done`, the list of incomplete pages is kept for the next
        publisher.
        """
        self._over.set()
        self._thread.join()
        try:
            if is_done:
                self._store.remove_unfinished()  # The renewals, which have ended, use it.
                self._store.remove([LEASE_FILE])
            else:
                self._write(is_over=True)
        except OutputError:
            pass  # The next publisher waits until it sees that no one holds the lease.

    def _renew(self) -> None:
        while not self._over.wait(RENEW_EVERY):
            try:
                self._write()
            except ConflictError:
                self._is_lost = True
                return
            except UnavailableError:
                continue

    def _write(self, *, is_over: bool = False) -> None:
        with self._lock:
            self._beat += 1
            written = _Written(self._name, self._beat, is_over, sorted(self._pages))
            data = json_line(plain(written))
            self._version = updated(self._store, LEASE_FILE, data, _LEASE_ATTRIBUTES, self._version)
            self._renewed = time.monotonic()


def updated(
    store: Target, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
) -> Version:
    """Update an object (`Target.update`) with data that no other publisher writes.

    If the response to a write is lost, the write is retried. The retry then conflicts with the
    object that the first attempt wrote; such a conflict counts as success.
    """
    try:
        return store.update(path, data, attributes, version)
    except ConflictError:
        with suppress(MissingError, DamagedError):
            present, its_version = store.read_version(path, len(data))
            if present == data:
                return its_version
        raise


def acquired(store: Target, tell: Tell) -> Lease:
    """Acquire the lease of a store. If the holder of the lease may have been killed, wait first.

    Raises `OutputError` if another publisher holds the lease.
    """
    try:
        try:
            data, version = store.read_version(LEASE_FILE, _LARGEST_LEASE)
        except MissingError:
            return Lease(store, None, ())
        written = _read_lease(data)
        if not written.over:
            tell(f"an earlier publish may have been killed: waiting {PATIENCE:.0f} s to be sure")
            _require_silence(store, version)
        return Lease(store, version, written.pages)
    except ConflictError as error:
        raise _taken(store) from error


def _require_silence(store: Target, version: Version) -> None:
    """Raise `OutputError` if the lease changes within `PATIENCE` seconds."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        time.sleep(PATIENCE / 20)
        try:
            is_same = store.read_version(LEASE_FILE, _LARGEST_LEASE)[1] == version
        except MissingError:  # Its holder has finished.
            is_same = False
        if not is_same:
            raise _taken(store)


def _taken(store: Target) -> OutputError:
    return OutputError(
        f"somebody else is publishing to {store.where}; nothing was changed; try again later"
    )


def _read_lease(data: bytes) -> _Written:
    try:
        return _READ_LEASE.decode(data)
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{LEASE_FILE} is damaged: {error}; remove the file") from error
