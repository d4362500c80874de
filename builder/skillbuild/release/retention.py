"""What a release keeps of the ones before it: their files for a while, and what is gone."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from skillbuild.model import Digest
from skillbuild.release import record
from skillbuild.release.record import Record, RetainedRelease


def follows(current: Record, previous: Record, keep: int) -> bool:
    """True when `current` is what its build publishes after `previous`."""
    bare = replace(current, releases=(), withdrawn={})
    return with_history(bare, previous, keep, record.files_of(current.catalog)) == current


def with_history(
    release: Record, previous: Record | None, keep: int, named: Container[str]
) -> Record:
    """Add what stays of earlier releases, and which skills are gone.

    `named` are the paths of the release's own files; there may be other files among them.
    """
    if previous is None:
        return release
    entries = record.lines_of(release.catalog.entries)
    # What both have is named by this one.
    former = tuple(record.lines_of(previous.catalog.entries).without(entries))
    kept = list(previous.releases)
    if _identity(previous) != _identity(release):
        files = record.files_of(replace(previous.catalog, entries=former))
        digests = {path: digest for path, (digest, _) in files.items()}
        skills = tuple(entry.path for entry in former)
        kept.insert(
            0, RetainedRelease(previous.catalog.commit, previous.index_digest, digests, skills)
        )
    releases, later = [], set[str]()
    for one in kept[:keep]:
        only = {
            path: digest
            for path, digest in one.files.items()
            if path not in named and path not in later
        }
        releases.append(replace(one, files=only))
        later |= only.keys()
    gone = {**previous.withdrawn, **{entry.path: entry.skill_digest for entry in former}}
    present = entries.by_path()
    withdrawn = {path: digest for path, digest in gone.items() if path not in present}
    return replace(release, releases=_last_of(releases, withdrawn), withdrawn=withdrawn)


def _last_of(
    releases: Sequence[RetainedRelease], withdrawn: Mapping[str, Digest]
) -> tuple[RetainedRelease, ...]:
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
