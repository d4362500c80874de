"""One skill of the source before its files are read: where it is, and the leaves below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skillbuild.model import Place
from skillbuild.paths import SKILL_FILE, inside, parent
from skillbuild.source.tree import Leaf


@dataclass(frozen=True, slots=True)
class SkillTree:
    """A directory with a SKILL.md and everything below it, inner skills included.

    Paths of leaves are relative to the source, and sorted by their bytes.
    """

    directory: str
    leaves: tuple[Leaf, ...]
    path: str | None = None
    """The skill path; None when SKILL.md gives no usable name to make one of."""
    name_place: Place | None = None
    """Where the name stands in SKILL.md."""
    outer: str | None = None
    """Directory of the innermost skill that this one is nested in."""

    @property
    def skill_file(self) -> str:
        """The path of SKILL.md, relative to the source."""
        return inside(self.directory, SKILL_FILE)

    def relative(self, leaf: Leaf) -> str:
        """The path of one of the leaves, relative to the skill."""
        return leaf.path[len(self.directory) + 1 :] if self.directory else leaf.path


def innermost_skill(by_directory: Mapping[str, SkillTree], path: str) -> SkillTree | None:
    """The skill whose directory is the longest that is `path` or holds it; None if there is none.

    `path` is relative to the source.
    """
    while path and path not in by_directory:
        path = parent(path)
    return by_directory.get(path)
