"""Decides which earlier releases and files an output keeps, and which skills are recorded as
removed.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import REMEDY
from skillbuild.release.layout import blob_path
from skillbuild.release.record import (
    Record,
    Removed,
    RetainedRelease,
    decode_release,
    files_of,
    named_files,
)
from skillbuild.release.search.reading import search_files
from skillbuild.storage.files import DamagedError, Files, MissingError, read_named

NamedFiles = Mapping[str, tuple[Digest, int | None]]
"""Digest and, if known, size of content-addressed files by path."""


def with_earlier_releases(
    release: Record, previous: Record | None, head: Digest | None, keep: int, files: Files
) -> Record:
    """Return a copy of `release` that records the earlier releases to keep and the removed skills.

    `previous` is the record of the previous release, and `head` is the digest of the `catalog.json`
    of that release. `files` reads the files of earlier releases. At most `keep` earlier releases
    are kept, the newest ones; `previous` counts as one of them. An earlier release is dropped if it
    contains a skill whose files must no longer be published.
    """
    if previous is None:
        return release
    retained, before = previous.releases, previous.before
    if previous.release_digest != release.release_digest:
        own = RetainedRelease(
            previous.catalog.commit, previous.release_digest, len(previous.release_object)
        )
        retained, before = (own, *retained), head
    unique = {each.digest: each for each in retained if each.digest != release.release_digest}
    removed = _removed(release, previous)
    kept = list(unique.values())[:keep]
    if release.catalog.withheld:
        kept = [each for each in kept if not _holds_withheld(each, previous, release, files)]
    return replace(release, releases=tuple(kept), removed=removed, before=before)


def _holds_withheld(
    retained: RetainedRelease, previous: Record, release: Record, files: Files
) -> bool:
    """Whether an earlier release has a skill whose files `release` withholds."""
    is_last = retained.digest == previous.release_digest
    earlier = previous if is_last else read_release(retained, files)
    marks = [b'"skillDigest":"sha256:%b"' % each.encode() for each in release.catalog.withheld]
    lines = EntryLines.of(earlier.catalog.entries).lines
    return any(mark in line for line in lines for mark in marks)


def _removed(release: Record, previous: Record) -> dict[str, Removed]:
    """Return the skills that an earlier release had and this one does not have."""
    entries = EntryLines.of(release.catalog.entries)
    former = EntryLines.of(previous.catalog.entries).without(entries)
    commit = previous.catalog.commit
    last = {entry.path: Removed(entry.skill_digest, commit) for entry in former}
    every = {**previous.removed, **last}
    present = {*entries.by_path()} if every else set[str]()
    present |= {each.path for each in release.catalog.gone} | release.catalog.moved.keys()
    return {path: each for path, each in every.items() if path not in present}


def retained_files(
    release: Record, published: Container[str], files: Files, remedy: str = REMEDY
) -> NamedFiles:
    """Return the files of the retained releases, except the files that `release` itself publishes.

    `published` contains the paths that `release` publishes; `files` reads the files of the retained
    releases. A part of `catalog.json` is not read if a newer release has the same part.
    """
    retained: dict[str, tuple[Digest, int | None]] = {}
    newer = [EntryLines.of(release.catalog.entries)]
    for each in release.releases:
        earlier = read_release(each, files, remedy)
        entries = EntryLines.of(earlier.catalog.entries)
        own = named_files(earlier) | files_of(entries.without(*newer))
        every = {**own, **search_files(earlier.fixed.search, files, remedy)}
        retained |= {path: file for path, file in every.items() if path not in published}
        newer.append(entries)
    return retained


def read_release(retained: RetainedRelease, files: Files, remedy: str = REMEDY) -> Record:
    """Read the record of a retained release; raise `OutputError` if it is missing or damaged."""
    path = blob_path(retained.digest)
    try:
        data = read_named(files, path, retained.digest, retained.size)
    except (MissingError, DamagedError) as error:
        raise OutputError(f"{path}, an earlier release, is {error.state}; {remedy}") from error
    return decode_release(data, files, remedy)
