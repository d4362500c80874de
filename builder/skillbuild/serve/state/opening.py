"""From the options of `serve` to the release that is served, from a directory or from afar."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skillbuild.errors import ConfigError, OutputError
from skillbuild.serve.state.faults import UnavailableError
from skillbuild.serve.state.selection import selection
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.storage import origins

USUAL_CACHE = 1024
USUAL_REFRESH = 10.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is served, and how it is followed if it is elsewhere."""

    address: str
    """A directory, a URL, or that of a folder in an object store."""
    only: tuple[str, ...] = ()
    """Globs of the skills that are served; none for all."""
    refresh: float = USUAL_REFRESH
    """Seconds between two looks for a new release elsewhere."""
    cache: int = USUAL_CACHE
    """Millions of bytes on this disk for what was read from elsewhere."""
    allow_rollback: bool = False
    """A release elsewhere that is older than the one served is taken up, too."""


def opened(wanted: Wanted) -> ReleaseWatcher:
    """Holds the release that is served; raises `OutputError` if there is none that can be."""
    try:
        is_remote = origins.is_remote(wanted.address)
        watcher = _remote(wanted) if is_remote else _local(wanted)
        if wanted.only and not watcher.release.skill_count:
            globs = " ".join(wanted.only)
            raise ConfigError(f"no skill of {wanted.address} matches --only {globs}")
    except UnavailableError as error:
        raise OutputError(f"{error}; try again") from error
    return watcher


def _local(wanted: Wanted) -> ReleaseWatcher:
    return ReleaseWatcher(Path(wanted.address), selection(wanted.only))


def _remote(wanted: Wanted) -> ReleaseWatcher:
    # Loads what a release in a directory does not need.
    from skillbuild.serve.state.follow import Following, RemoteWatcher
    from skillbuild.storage import disk, files
    from skillbuild.storage.mirror import StoredFiles

    folder = disk.user_cache()
    cache = StoredFiles((folder or Path()) / "content", wanted.cache * 1_000_000 if folder else 0)
    origin = origins.opened(wanted.address, files.FOR_SERVERS)
    following = Following(origin, cache, wanted.refresh, wanted.allow_rollback)
    return RemoteWatcher(following, selection(wanted.only))
