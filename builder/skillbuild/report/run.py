"""The result of a check or build: its findings and counts. This module imports little, so that it
loads fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skillbuild.diagnostics import Finding, Silenced
from skillbuild.model import Digest, LostSkill, VersionTotals

if TYPE_CHECKING:  # Slow to import; neither a check nor a build with nothing to do needs it.
    from skillbuild.release.record import Record


UnlistedSkills = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Maps each listing, in the order of `Listing`, to the skills that it leaves out: each skill path
to the codes of the rules that are the reason.

A listing that leaves out no skill has no key. Internal skills are not included."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A suggested value of the setting `exclude`, which leaves out invalid skills that nobody needs
    to fix.
    """

    globs: tuple[str, ...]
    """The current globs of `exclude`, followed by the suggested ones."""
    skills: int
    """How many refused skills the suggestion concerns."""
    folder: str = ""
    """The folder that contains all refused skills, if its name does not show its purpose; else
    empty."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check or build."""

    findings: tuple[Finding, ...]
    skills: int
    files: int
    invalid: tuple[str, ...]
    """Directories of the skills that were refused, and paths of misspelled SKILL.md; sorted."""
    ignored: Mapping[str, str]
    """Maps the paths of SKILL.md files, links and submodules that are not skills of this source to
    the reasons."""
    unlisted: UnlistedSkills = field(default_factory=dict)
    internal: tuple[str, ...] = ()
    """Paths of the skills that are in no listing because their authors marked them as internal."""
    exclusion: Exclusion | None = None
    """The suggested setting; None unless only tests, examples or the skills of one folder are
    refused.

    Set by a check, and by a build that published nothing."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """Maps each directory with a copy of a skill, even an invalid copy, to the directory of the
    skill.

    A copy is part of the entry of its skill."""
    excluded: tuple[str, ...] = ()
    """Paths of the files of skills that the `exclude` setting removes, sorted."""
    silenced: tuple[Silenced, ...] = ()
    """Silenced findings, in the order of findings."""
    moved: int = 0
    """How many skills had another path in the previous release."""
    gone: tuple[LostSkill, ...] = ()
    """Skills of the previous release that this release no longer has, sorted by path."""
    delisted: tuple[str, ...] = ()
    """Paths of skills that were in the MCP list of the previous release and no longer are, sorted.
    """
    digest: Digest | None = None
    """The digest of the published release; None after errors, and for a check."""
    index_size: int = 0
    """Size of `index.json` in bytes, which is also its length in characters: it is ASCII."""
    versions: VersionTotals | None = None
    """Counts of the published versions; None if the release publishes none."""
    release: Record | None = None
    """The record that this build published, or that it found already published."""
    unchanged: bool = False
    """Whether the release was already published, so that nothing was written."""
    size: int = 0
    """Size of all files of the release in bytes."""

    @property
    def errors(self) -> int:
        """The number of findings that are errors."""
        return sum(finding.is_error for finding in self.findings)

    @property
    def notes(self) -> int:
        return sum(finding.is_note for finding in self.findings)

    @property
    def warnings(self) -> int:
        return len(self.findings) - self.errors - self.notes
