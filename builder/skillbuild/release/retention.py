"""What a release retains of the ones before it: their files for a while, and what is withdrawn."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from skillbuild.model import Digest
from skillbuild.release.entry_lines import EntryLines
from skillbuild.release.record import Record, RetainedRelease, files_of


def with_earlier_releases(
    release: Record, previous: Record | None, keep: int, published: Container[str]
) -> Record:
    """The record of `release` with what stays of earlier releases, and which skills are withdrawn.

    `previous` is the release before it. Of it and the releases that it retains itself, the newest
    `keep` stay. `published` are the paths that the new release itself publishes, among others.
    """
    if previous is None:
        return release
    entries = EntryLines.of(release.catalog.entries)
    # What both releases have is named by the new one.
    former = tuple(EntryLines.of(previous.catalog.entries).without(entries))
    retained = list(previous.releases)
    if _identity(previous) != _identity(release):
        files = files_of(replace(previous.catalog, entries=former))
        digests = {path: digest for path, (digest, _) in files.items()}
        skills = tuple(entry.path for entry in former)
        commit, index_digest = previous.catalog.commit, previous.index_digest
        retained.insert(0, RetainedRelease(commit, index_digest, digests, skills))
    releases = _each_file_once(retained[:keep], published)
    last_digests = {**previous.withdrawn, **{entry.path: entry.skill_digest for entry in former}}
    present = entries.by_path()
    withdrawn = {path: digest for path, digest in last_digests.items() if path not in present}
    return replace(release, releases=_last_of(releases, withdrawn), withdrawn=withdrawn)


def _each_file_once(
    retained: Sequence[RetainedRelease], published: Container[str]
) -> list[RetainedRelease]:
    """Leave every file to the newest release that has it."""
    releases: list[RetainedRelease] = []
    newer = set[str]()
    for release in retained:
        own = {
            path: digest
            for path, digest in release.files.items()
            if path not in published and path not in newer
        }
        releases.append(replace(release, files=own))
        newer |= own.keys()
    return releases


def _last_of(
    releases: Sequence[RetainedRelease], withdrawn: Mapping[str, Digest]
) -> tuple[RetainedRelease, ...]:
    """Leave every withdrawn skill to the newest release that has it."""
    updated, newer = [], set[str]()
    for release in releases:
        last = {*release.last_of} & withdrawn.keys() - newer
        newer |= last
        updated.append(replace(release, last_of=tuple(sorted(last))))
    return tuple(updated)


def _identity(release: Record) -> tuple[str, str, str, str, int]:
    return (
        release.catalog.commit,
        str(release.index_digest),
        str(release.config_digest),
        release.version,
        release.archive_format,
    )
