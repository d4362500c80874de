"""What a run is asked to do, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, Silenced
from skillbuild.paths import SKILL_FILE, parent
from skillbuild.source.tree import Leaf, Source

if TYPE_CHECKING:  # To check needs no record, which takes a while to load.
    from skillbuild.release.record import Record

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

    def skill_directories(self) -> list[str]:
        """Every directory with a SKILL.md, whether or not it is published."""
        paths = (leaf.path for leaf in self.leaves)
        return [parent(path) for path in paths if path.endswith(SKILL_FILE)]


@dataclass(frozen=True, slots=True)
class Report:
    """How a run ended. `release` is None when errors kept it from being published.

    Every SKILL.md of the source is an entry of the release, in `invalid`, in `ignored`, or in
    `copies`.
    """

    findings: tuple[Finding, ...]
    skills: int
    files: int
    invalid: tuple[str, ...]
    """Directories of the skills that were refused, and paths of misspelled SKILL.md; sorted."""
    ignored: Mapping[str, str]
    """SKILL.md, links and submodules that are no skills of this source, with the reason."""
    unlisted: Mapping[str, int] = field(default_factory=dict)
    """How many skills each listing leaves out; those that leave out none have no key."""
    internal: int = 0
    """How many skills are in no listing because their authors want that; not in `unlisted`."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """By each directory with a copy of a skill, invalid ones included, the directory of the skill.

    A copy is part of the entry of its skill.
    """
    excluded: tuple[str, ...] = ()
    """Paths of the files in skills that `exclude` takes out of them, sorted."""
    silenced: tuple[Silenced, ...] = ()
    """Sorted as findings are."""
    moved: int = 0
    """How many of the skills had another path in the release before."""
    release: Record | None = None
    unchanged: bool = False
    """Whether the release was published already, so that nothing was written."""
    size: int = 0
    """Bytes of every file of the release."""
