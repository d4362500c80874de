"""One skill of the source before its files are read: where it is, and the leaves below it."""

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
    """A directory with a SKILL.md and everything below it, inner skills included.

    Paths of leaves are relative to the source, and sorted by their bytes.
    """

    directory: str
    leaves: tuple[Leaf, ...]
    path: str | None = None
    """The skill path; None for a skill at the root that has none to stand at."""
    name_place: Place | None = None
    """Where the name stands in SKILL.md."""
    outer: str | None = None
    """Directory of the innermost skill that this one is nested in."""
    copies: tuple[str, ...] = ()
    """Other directories that have the same path and the same files."""
    flat_name: str | None = None
    """Its name in formats without paths; None only without a path."""
    free_name: FreeName | None = None
    """What it may be called instead of its title; None without one."""
    group: str = ""
    """The name of the group that it belongs to."""
    plugin: str = ""
    """The name of the plugin that has it; empty if none has."""
    licenses: tuple[FolderTerms, ...] = ()
    """What the folders above it say of its license, the nearest first."""

    @property
    def skill_file(self) -> str:
        """The path of SKILL.md, relative to the source."""
        return inside(self.directory, SKILL_FILE)

    def relative(self, leaf: Leaf) -> str:
        """The path of one of the leaves, relative to the skill."""
        return leaf.path[len(self.directory) + 1 :] if self.directory else leaf.path


def innermost(directories: Container[str], path: str) -> str | None:
    """The longest of these directories that is `path` or holds it; None if there is none.

    `path` is relative to the source, and so are the directories.
    """
    while path and path not in directories:
        path = path.rpartition("/")[0]  # As `parent`: most of the time goes into calls here.
    return path if path in directories else None
