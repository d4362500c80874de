"""What a run is asked to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.config import Config
from skillbuild.paths import EVALS, SKILL_FILE, inside, parent, prefixes
from skillbuild.source.tree import Leaf, Source

Progress = Callable[[int, int], None]
"""Called with the number of skills that are done, and of all of them."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line adds to the settings."""

    strict: bool = False
    skip_invalid: bool = False
    allow_empty: bool = False
    allow_older: bool = False
    recheck: bool = False
    """Whether to publish even what is published already."""
    cache: bool = False
    """Whether to use what the last build left in the user's cache folder, and to leave more."""
    jobs: int = 0
    """Worker processes; 0 chooses by cores and skills."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to check or build, and how: a source with its leaves, its settings, the options."""

    source: Source
    leaves: Sequence[Leaf]
    config: Config
    options: Options
    progress: Progress = lambda done, total: None
    files: frozenset[str] | None = None
    """Paths of files, of which a check looks at the skills that hold them; None for all skills."""
    roots: Mapping[str, bytes] | None = None
    """PEM files from outside of the source, by name, that vouch for signers; None for its own."""

    def skill_directories(self) -> list[str]:
        """Every directory with a SKILL.md, whether or not it is published."""
        paths = (leaf.path for leaf in self.leaves)
        return [parent(path) for path in paths if path.endswith(SKILL_FILE)]

    def dated_directories(self) -> list[str]:
        """The same, and the folders of evals in them: pages show when each last changed."""
        skills = self.skill_directories()
        evals = {inside(directory, EVALS) for directory in skills}
        paths = (leaf.path for leaf in self.leaves if f"{EVALS}/" in leaf.path)
        found = {folder for path in paths for folder in prefixes(path) if folder in evals}
        return [*skills, *sorted(found)]
