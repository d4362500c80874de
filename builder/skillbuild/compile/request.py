"""The options of a run, and the skills to check or build."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.config import Config
from skillbuild.paths import EVALS, SKILL_FILE, inside, parent, prefixes
from skillbuild.source.tree import Leaf, Source

Progress = Callable[[int, int], None]
"""A function that is called with the number of finished skills and the total number."""


@dataclass(frozen=True, slots=True)
class Options:
    """Command-line options that supplement the settings."""

    strict: bool = False
    skip_invalid: bool = False
    allow_empty: bool = False
    allow_older: bool = False
    recheck: bool = False
    """Whether to publish files again even if they are already published."""
    cache: bool = False
    """Whether to use and update the cache in the user's cache folder."""
    jobs: int = 0
    """Number of worker processes; 0 chooses by cores and skills."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to check or build: a source with its files and links, its settings, and the options."""

    source: Source
    leaves: Sequence[Leaf]
    config: Config
    options: Options
    progress: Progress = lambda done, total: None
    files: frozenset[str] | None = None
    """Paths; only skills that contain one of them are checked. None checks all skills."""
    roots: Mapping[str, bytes] | None = None
    """PEM files from outside of the source, by name, which replace the roots in its settings."""

    def skill_directories(self) -> list[str]:
        """Return every directory with a SKILL.md, published or not."""
        paths = (leaf.path for leaf in self.leaves)
        return [parent(path) for path in paths if path.endswith(SKILL_FILE)]

    def dated_directories(self) -> list[str]:
        """Return the directories of skills and of their evals. Pages show when each directory was
        last changed.
        """
        skills = self.skill_directories()
        evals = {inside(directory, EVALS) for directory in skills}
        paths = (leaf.path for leaf in self.leaves if f"{EVALS}/" in leaf.path)
        found = {folder for path in paths for folder in prefixes(path) if folder in evals}
        return [*skills, *sorted(found)]
