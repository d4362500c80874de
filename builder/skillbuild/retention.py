"""What a release keeps of the ones before it: their files for a while, and what is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from skillbuild import record
from skillbuild.model import Digest
from skillbuild.record import Kept, Record


def follows(current: Record, previous: Record, keep: int) -> bool:
    """True when `current` is what its build publishes after `previous`."""
    bare = replace(current, releases=(), withdrawn={})
    return with_history(bare, previous, keep) == current


def with_history(release: Record, previous: Record | None, keep: int) -> Record:
    """Add what stays of earlier releases, and which skills are gone."""
    if previous is None:
        return release
    current = set(record.files_of(release.catalog))
    kept = list(previous.releases)
    if _identity(previous) != _identity(release):
        files = {path: digest for path, (digest, _) in record.files_of(previous.catalog).items()}
        skills = tuple(entry.path for entry in previous.catalog.entries)
        kept.insert(0, Kept(previous.catalog.commit, previous.index_digest, files, skills))
    releases, named = [], current
    for one in kept[:keep]:
        files = {path: digest for path, digest in one.files.items() if path not in named}
        releases.append(replace(one, files=files))
        named = named | files.keys()
    gone = dict(previous.withdrawn)
    gone |= {entry.path: entry.skill_digest for entry in previous.catalog.entries}
    present = {entry.path for entry in release.catalog.entries}
    withdrawn = {path: digest for path, digest in gone.items() if path not in present}
    return replace(release, releases=_last_of(releases, withdrawn), withdrawn=withdrawn)


def _last_of(releases: Sequence[Kept], withdrawn: Mapping[str, Digest]) -> tuple[Kept, ...]:
    """Leave every withdrawn skill to the latest release that has it."""
    found, seen = [], set[str]()
    for one in releases:
        last = {*one.last_of} & withdrawn.keys() - seen
        seen |= last
        found.append(replace(one, last_of=tuple(sorted(last))))
    return tuple(found)


def _identity(one: Record) -> tuple[str, str, str, str, int]:
    return (
        one.catalog.commit,
        str(one.index_digest),
        str(one.config_digest),
        one.version,
        one.archive_format,
    )
