"""Describes a skill before its files are read: its directory, its path and a list of its files."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from skillbuild.model import Place
from skillbuild.paths import SKILL_FILE, inside
from skillbuild.source.licenses import FolderTerms
from skillbuild.source.names import FreeName
from skillbuild.source.tree import Leaf


@dataclass(frozen=True, slots=True)
class SkillTree:
    """A directory with a SKILL.md and everything below it, including nested skills.

    The paths in `leaves` are relative to the source, and sorted by their bytes.
    """

    directory: str
    leaves: tuple[Leaf, ...]
    path: str | None = None
    """The skill path; None if a skill at the root has no valid one."""
    name_place: Place | None = None
    """The position of the name in SKILL.md."""
    outer: str | None = None
    """The directory of the innermost skill that this one is nested in."""
    copies: tuple[str, ...] = ()
    """Other directories with the same path and the same files."""
    flat_name: str | None = None
    """The name in formats without paths; None only if there is no path."""
    free_name: FreeName | None = None
    """Suggested names if the current name is a title; otherwise None."""
    group: str = ""
    """The name of its group."""
    plugin: str = ""
    """The name of its plugin; empty if it is in none."""
    licenses: tuple[FolderTerms, ...] = ()
    """License information of the folders above it, the nearest first."""

    @property
    def skill_file(self) -> str:
        """The path of SKILL.md, relative to the source."""
        return inside(self.directory, SKILL_FILE)

    def relative(self, leaf: Leaf) -> str:
        """Return the path of a file or link relative to the skill."""
        return leaf.path[len(self.directory) + 1 :] if self.directory else leaf.path


def innermost(directories: Container[str], path: str) -> str | None:
    """Return the longest of these directories that is, or contains, `path`; None if there is none.

    `path` and the directories are relative to the source.
    """
    while path and path not in directories:
        path = path.rpartition("/")[0]  # Same as `parent`, inlined for speed.
    return path if path in directories else None
