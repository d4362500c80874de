"""Directories of the skill namespace: folders of skills, and those above them.

`skill://acme` and `skill://acme/refunds/templates` are directories, written without a trailing
slash (SEP-2640, Reading Directories).
"""

from __future__ import annotations

from dataclasses import dataclass

from skillbuild.serve.state.release import ServedRelease


@dataclass(frozen=True, slots=True)
class Child:
    """A file or subdirectory directly in a directory."""

    uri: str
    is_directory: bool


def children(release: ServedRelease, directory: str) -> list[Child]:
    """The direct children in URI order; none for what is no directory."""
    return [
        Child(f"{directory}/{name.rstrip('/')}", name.endswith("/"))
        for name in release.names_in(directory)
    ]
