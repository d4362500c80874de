"""The result of a check or build: its findings and counts. Imports little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skillbuild.diagnostics import Finding, Silenced
from skillbuild.model import Digest, LostSkill, VersionTotals

if TYPE_CHECKING:  # Takes a while to load; neither a check nor a build with nothing to do needs it.
    from skillbuild.release.record import Record


UnlistedSkills = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By listing, in the order of `Listing`, the skills that it leaves out: the codes of the rules that
are the reason, by skill path. A listing that leaves out none has no key; internal skills are in
none, and not here."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A suggested `exclude` setting that would remove the files for which skills are refused."""

    globs: tuple[str, ...]
    """Those of the settings first."""
    skills: int
    """How many refused skills it concerns."""
    folder: str = ""
    """The folder in which all refused skills are, if its name does not say what it is for."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check or build."""

    findings: tuple[Finding, ...]
    skills: int
    files: int
    invalid: tuple[str, ...]
    """Directories of the skills that were refused, and paths of misspelled SKILL.md; sorted."""
    ignored: Mapping[str, str]
    """SKILL.md, links and submodules that are no skills of this source, with the reason."""
    unlisted: UnlistedSkills = field(default_factory=dict)
    internal: tuple[str, ...] = ()
    """Paths of the skills that are in no listing because their authors want that."""
    exclusion: Exclusion | None = None
    """None unless tests, examples or the skills of one folder are refused; of a check, or of a
    build that published nothing."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """By each directory with a copy of a skill, invalid ones included, the directory of the skill.

    A copy is part of the entry of its skill.
    """
    excluded: tuple[str, ...] = ()
    """Paths of the files in skills that `exclude` takes out of them, sorted."""
    silenced: tuple[Silenced, ...] = ()
    """In the order of findings."""
    moved: int = 0
    """How many of the skills had another path in the release before."""
    gone: tuple[LostSkill, ...] = ()
    """Skills of the release before that this one has no longer, sorted by path."""
    delisted: tuple[str, ...] = ()
    """Paths of skills that the MCP list had in the release before and has no longer, sorted."""
    digest: Digest | None = None
    """The release digest of what is published; None after errors, and of a check."""
    index_size: int = 0
    """Of its `index.json`, in bytes, which are its characters: it is ASCII."""
    versions: VersionTotals | None = None
    """Of the release, if it publishes versions."""
    release: Record | None = None
    """The record that this build published, or found published when it was done."""
    unchanged: bool = False
    """Whether the release was published already, so that nothing was written."""
    size: int = 0
    """Bytes of every file of the release."""

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.is_error for finding in self.findings)

    @property
    def notes(self) -> int:
        return sum(finding.is_note for finding in self.findings)

    @property
    def warnings(self) -> int:
        return len(self.findings) - self.errors - self.notes
