"""Serves a release that is published at a URL or in an object store.

Its `catalog.json` is checked for changes every few seconds. Other files are fetched when a client
asks for them, and kept on disk.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from skillbuild.errors import ConfigError, OutputError, SkillbuildError
from skillbuild.model import Digest
from skillbuild.release.layout import CHECKSUMS_FILE, RECORD_FILE, is_named_by
from skillbuild.release.versions import decode_version
from skillbuild.serve.state.look_up import selection
from skillbuild.serve.state.published import RemoteChecksums
from skillbuild.serve.state.release import ServedRelease, remote_release
from skillbuild.serve.state.watch import (
    MOST_TTL,
    Answer,
    DirectoryWatcher,
    OtherReleaseError,
    ReleaseWatcher,
    report,
)
from skillbuild.storage import disk, files, origins
from skillbuild.storage.files import DamagedError, MissingError, UnavailableError
from skillbuild.storage.mirror import Mirror, NotHereError, StoredFiles, without_fetching

FETCHES = 8
"""Maximum number of answers that wait for an origin at the same time, in separate threads."""
_MOST_WAIT = 15.0
"""Maximum seconds for which another answer waits for one of these threads."""
USUAL_CACHE = 1024
USUAL_REFRESH = 10.0
_LARGEST_HEAD = 64 << 20
_AT_LEAST = 1.0
"""Minimum seconds between two requests for the head."""
_FORMER = 2
"""Number of former releases that stay in memory, for clients in the middle of a list."""
_REMEMBERED = 64
"""Number of digests of former releases that are remembered, so that an older release is
recognized.
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The release to serve, and how to follow it if it is at an origin."""

    address: str
    """A directory, a URL, or the address of a folder in an object store."""
    only: tuple[str, ...] = ()
    """Globs that select the skills to serve; empty for all."""
    refresh: float = USUAL_REFRESH
    """Seconds between two checks for a new release at an origin."""
    cache: int = USUAL_CACHE
    """Size limit of the mirror on disk, in millions of bytes."""
    allow_rollback: bool = False
    """Whether to switch to a release at the origin that is older than the current one."""


class RemoteWatcher(ReleaseWatcher):
    """Holds a release that is published at an origin.

    The `catalog.json` of the release is checked every few seconds, and whenever a file that it
    names is missing. While the origin cannot be reached, the last release is served, but only the
    files that are already on disk.
    """

    def __init__(self, wanted: Wanted) -> None:
        """Load the release; if the origin cannot be reached, load it from the cache."""
        self._wanted, self._only = wanted, selection(wanted.only)
        origin = origins.opened(wanted.address, files.FOR_SERVERS)
        self._where = origin.where
        folder = disk.user_cache()
        most = wanted.cache * 1_000_000 if folder else 0
        self._cache = StoredFiles((folder or Path()) / "content", most)
        self._files = Mirror(origin, self._cache, _proves_itself)
        self._checksums = RemoteChecksums(self._files, self._cache, self._key(CHECKSUMS_FILE))
        self._tag, self._asked_at = "", 0.0
        self._seen_at: float | None = None
        """The time when the origin last had the release that is served (`time.monotonic`)."""
        self._refused: Digest | None = None
        """Digest of the head at the origin, if that release is refused because it is older."""
        self._is_lost = False
        self._former: deque[ServedRelease] = deque(maxlen=_FORMER)
        self._served: OrderedDict[Digest, None] = OrderedDict()
        self._places = anyio.Semaphore(FETCHES)
        self._fetchers = anyio.CapacityLimiter(FETCHES)
        super().__init__(self._first())

    @property
    def is_current(self) -> bool:
        return not self._is_lost and self._refused is None

    @property
    def age(self) -> float | None:
        """Seconds since this process last saw the release at the origin; None if it never saw the
        release there.
        """
        return None if self._seen_at is None else time.monotonic() - self._seen_at

    @property
    def ttl(self) -> float:
        """Seconds until the origin is checked again, but at most `MOST_TTL`."""
        left = self._asked_at + self._wanted.refresh - time.monotonic()
        return min(MOST_TTL, max(0.0, left))

    async def answered(
        self, answer: Callable[[ServedRelease], Answer], *, is_search: bool = False
    ) -> Answer:
        """Answer as the base class does, but if a cursor belongs to another release, answer from
        that release.

        Another replica may have issued the cursor from a newer or an older release.
        """
        try:
            return await super().answered(answer, is_search=is_search)
        except OtherReleaseError:
            await self.refreshed()
            for release in (self.release, *self._former):
                with suppress(OtherReleaseError, DamagedError):
                    return await self._in_thread(partial(answer, release), is_search=is_search)
            raise

    async def _in_thread(self, function: Callable[[], Answer], *, is_search: bool) -> Answer:
        """Run a function in a thread.

        Answers that need no file from the origin never wait for other answers: an answer that needs
        one is run again in one of a few separate threads.
        """
        if is_search:  # One at a time anyway.
            return await super()._in_thread(function, is_search=True)

        def present() -> Answer:
            with without_fetching():
                return function()

        try:
            return await super()._in_thread(present, is_search=False)
        except NotHereError as error:
            name = error.name
        with anyio.move_on_after(_MOST_WAIT) as waiting:
            await self._places.acquire()
        if waiting.cancelled_caught:
            raise UnavailableError(name, "too many requests are waiting for the origin")
        try:
            return await anyio.to_thread.run_sync(function, limiter=self._fetchers)
        finally:
            self._places.release()

    def _is_due(self, *, at_once: bool) -> bool:
        pause = _AT_LEAST if at_once else self._wanted.refresh
        return time.monotonic() >= self._asked_at + pause

    def _first(self) -> ServedRelease:
        """Return the first release: the one at the origin, unless the cache has a newer one."""
        where = self._where
        cached = self._cached_head()
        try:
            data = self._newer_head()
        except UnavailableError as error:
            if cached is None:
                raise OutputError(str(error)) from error
            report(f"{error}; serving the cached release")
            self._is_lost = True
            data = None
        release = None if data is None else self._release_of(data)
        former = self._loaded(None if cached == data else cached)
        if former is not None and (release is None or not self._may_follow(former, release)):
            return former
        if data is None or release is None:
            raise OutputError(f"{where} cannot be reached, and its release is not in the cache")
        self._note(data, release)
        return release

    def _look(self) -> None:
        try:
            data = self._newer_head()
            if data is None:
                return
            if Digest.of(data) != self.release.head_digest:
                release = self._release_of(data)
                if self._may_follow(self.release, release):
                    self._former.appendleft(self.release)
                    self._note(data, release)
                    self._take_up(release)
        except (UnavailableError, DamagedError, SkillbuildError) as error:
            if not self._is_lost:
                self._keep(error)
            self._is_lost, self._tag = True, ""
        else:
            if self._is_lost:
                report(f"{self._where} answers again")
            self._is_lost = False

    def _newer_head(self) -> bytes | None:
        """Return the head at the origin; None if it has not changed since the last call.

        Raises `UnavailableError` if the origin cannot be reached or has no head.
        """
        self._asked_at = time.monotonic()
        try:
            versioned = self._files.read_changing(RECORD_FILE, _LARGEST_HEAD, self._tag)
        except MissingError as error:
            raise UnavailableError(self._where, f"it has no {RECORD_FILE}") from error
        except UnavailableError:
            raise
        except OutputError as error:
            raise UnavailableError(self._where, str(error)) from error
        if versioned.data is None:
            if self._refused is None:
                self._seen_at = time.monotonic()
            return None
        self._tag = versioned.tag
        return versioned.data

    def _may_follow(self, former: ServedRelease, release: ServedRelease) -> bool:
        """Return whether to serve `release` after `former`; report a release that does not follow
        it.
        """
        where = self._where
        follows = _follows(release, former)
        if not follows and self._is_older(release, former) and not self._wanted.allow_rollback:
            if self._refused != release.head_digest:
                report(f"{where} has an older release; pass --allow-rollback to serve it")
            self._refused = release.head_digest
            return False
        if not follows:
            report(
                f"the release at {where} is not based on the release that this server served before"
            )
        return True

    def _is_older(self, release: ServedRelease, former: ServedRelease) -> bool:
        """Return whether `release` is an earlier release of `former`, or was served before it."""
        retained = {each.digest for each in former.record.releases}
        head = release.head_digest
        is_before = head == former.record.before or head in self._served
        return is_before or release.record.release_digest in retained

    def _loaded(self, data: bytes | None) -> ServedRelease | None:
        """Return the release with this head; None if the files to load it cannot be read."""
        try:
            return None if data is None else self._release_of(data)
        except (SkillbuildError, UnavailableError, DamagedError):
            return None

    def close(self) -> None:
        self._files.close()

    def _release_of(self, data: bytes) -> ServedRelease:
        """Load the release with this head."""
        return remote_release(self._files, self._checksums, data, self._only)

    def _note(self, data: bytes, release: ServedRelease) -> None:
        """Remember the release that is served; store it on disk for the next process, too."""
        self._seen_at, self._refused = time.monotonic(), None
        self._served[release.head_digest] = None
        if len(self._served) > _REMEMBERED:
            self._served.popitem(last=False)
        self._cache.put_sealed(self._key(RECORD_FILE), data)

    def _cached_head(self) -> bytes | None:
        """Return the head that an earlier or concurrent process stored, or None."""
        return self._cache.get_sealed(self._key(RECORD_FILE))

    def _key(self, path: str) -> str:
        """Return the key in the cache for a file whose name does not contain its digest."""
        return Digest.of(f"{self._where}\n{path}".encode()).hex


def _follows(release: ServedRelease, former: ServedRelease) -> bool:
    """Return whether the record of `release` names `former` as an earlier release."""
    retained = {each.digest for each in release.record.releases}
    same = {*retained, release.record.release_digest}
    return release.record.before == former.head_digest or former.record.release_digest in same


def _proves_itself(path: str, data: bytes) -> bool:
    """Return whether a file has the digest in its name, or a `version.json` matches its address."""
    if not path.startswith("versions/"):
        return is_named_by(path, Digest.of(data))
    try:
        decode_version(data, path)
    except OutputError:
        return False
    return True


def opened(wanted: Wanted) -> ReleaseWatcher:
    """Load the release to serve; raise `OutputError` if it cannot be served."""
    try:
        watcher: ReleaseWatcher
        if origins.is_remote(wanted.address):
            watcher = RemoteWatcher(wanted)
        else:
            watcher = DirectoryWatcher(Path(wanted.address), selection(wanted.only))
        if wanted.only and not watcher.release.skill_count:
            globs = " ".join(wanted.only)
            raise ConfigError(f"no skill at {wanted.address} matches --only {globs}")
    except UnavailableError as error:
        raise OutputError(f"{error}; try again") from error
    return watcher
