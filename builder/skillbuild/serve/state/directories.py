"""Directories of the skill namespace: ranges of the sorted file URIs, nothing is stored for them.

`skill://acme` and `skill://acme/refunds/templates` are directories, written without a trailing
slash (SEP-2640, Reading Directories).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from skillbuild.serve.state.release import Release


@dataclass(frozen=True, slots=True)
class Child:
    """A file or a directory right below a directory."""

    uri: str
    is_directory: bool


def children(release: Release, directory: str) -> list[Child]:
    """The direct children in URI order; a subdirectory is passed over in one step."""
    return list(_walk(release, directory))


def _walk(release: Release, directory: str) -> Iterator[Child]:
    found = release.below(directory)
    start = len(directory) + 1
    position = found.start
    while position < found.stop:
        uri = release.files[position]
        name, slash, _ = uri[start:].partition("/")
        child = f"{directory}/{name}"
        yield Child(child, bool(slash))
        position += 1
        if slash:
            position = bisect_left(release.files, f"{child}0", position)
