"""Directories of the skill namespace; each is a range of the sorted file URIs, nothing is stored.

`skill://acme` and `skill://acme/refunds/templates` are directories, written without a trailing
slash (SEP-2640, Reading Directories).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from skillbuild.serve.state.release import ServedRelease


@dataclass(frozen=True, slots=True)
class Child:
    """A file or subdirectory directly in a directory."""

    uri: str
    is_directory: bool


def children(release: ServedRelease, directory: str) -> list[Child]:
    """The direct children in URI order; time grows with their number, not with all files below."""
    return list(_children(release, directory))


def _children(release: ServedRelease, directory: str) -> Iterator[Child]:
    below = release.range_below(directory)
    start = len(directory) + 1
    position = below.start
    while position < below.stop:
        name, slash, _ = release.file_uris[position][start:].partition("/")
        child = f"{directory}/{name}"
        yield Child(child, bool(slash))
        position += 1
        if slash:  # Skip everything below the subdirectory: "0" is the character after "/".
            position = bisect_left(release.file_uris, f"{child}0", position)
