"""The interface of published formats, and the data that they receive.

An emitter is called once for each skill, when the skill is compiled, in any worker process. It is
called once more for the whole catalog, when all skills are known. Between these calls, only one
line for each skill is kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from skillbuild.emit.site import cards, facts, links
from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.facts import PageFacts
from skillbuild.emit.versions import Comparison, SkillHistory, VersionContent
from skillbuild.model import (
    Catalog,
    Change,
    Entry,
    Gone,
    KeyedFile,
    Listing,
    OutputFile,
    Skill,
    changed,
)
from skillbuild.release.record import Record
from skillbuild.source.documents import Documents
from skillbuild.source.outline import Outline

_DAY = 24 * 60 * 60


@dataclass(frozen=True)
class EmittedSkill:
    """What an emitter receives about one skill: its files, its entry and its context."""

    skill: Skill
    entry: Entry
    icons: Mapping[str, bytes]
    """The content of each icon, by file name."""
    outline: Outline
    """All skills of the source, for links from one to another."""
    documents: Documents
    """The parsed text files of the skill, shared with the check so that nothing is parsed twice."""
    change: Change | None
    """The last change of the skill; None without history."""
    history: SkillHistory = field(default_factory=SkillHistory)
    evals_change: Change | None = None
    """The last change of its evals."""

    @cached_property
    def facts(self) -> PageFacts:
        return facts.gather(self.skill, self.entry)

    @cached_property
    def card(self) -> Card:
        """The summary of the skill for lists and search results."""
        card = cards.card(self.entry, self.facts, self.icons, self.change)
        first = self.history.first
        first_day = first.seconds // _DAY if first else 0
        refers = links.refers(self.skill, self.documents, self.outline)
        count = len(self.history.versions)
        return changed(card, refers=refers, first_day=first_day, versions=count)


@dataclass(frozen=True, slots=True)
class EmittedGone:
    """What an emitter receives about a removed skill that still has published versions."""

    gone: Gone
    """The removed skill. Its `successor` is not filled in yet."""
    history: SkillHistory


@dataclass(frozen=True, slots=True)
class SkillOutput:
    """What an emitter returns for one skill: the files to publish, and a line of data for
    `Emitter.emit_catalog`.
    """

    files: Iterable[OutputFile] = ()
    line: bytes | None = None
    """What `emit_catalog` needs to know about the skill; None if the skill cannot be listed.

    Whether the skill is listed is decided later, by `Emitter.listing`. The line contains no line
    feed. It is stored, and passed to `emit_catalog` in this build or in a later one.
    """


class Emitter(ABC):
    """One published format. Instances must be picklable, because skills are emitted in worker
    processes.
    """

    path: str
    """The path of the catalog-wide file. It also identifies the stored lines of this emitter.

    The path is unique among emitters. No two emitters write the same file, so each keeps its files
    in a folder of its own.
    """
    listing: Listing
    """The listing that this file belongs to. The file has no line for a skill that is not in the
    listing.
    """
    needs_history = False
    """Whether the output shows when skills were last changed, so that the build must read the
    history.
    """

    @property
    def renderers(self) -> Mapping[str, str]:
        """Return the versions of the packages that affect the published bytes, by package name. The
        record lists these versions.
        """
        return {}

    @abstractmethod
    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        """Return the files of one skill, and its line for `emit_catalog`."""

    def emit_version(self, content: VersionContent) -> Iterable[OutputFile]:
        """Return the files at the permanent address of one version; none by default.

        If versions are published, this is also called for the newest version of every skill.
        """
        return ()

    def emit_comparison(self, path: str, comparison: Comparison) -> Iterable[OutputFile]:
        """Return the files that show what changed in one version of a skill; none by default.
        `path` is the path of the skill.
        """
        return ()

    def emit_gone(self, emitted: EmittedGone) -> SkillOutput:
        """Return the files of a removed skill that still has published versions, and its line for
        `emit_catalog`; none by default.
        """
        return SkillOutput()

    @abstractmethod
    def emit_catalog(
        self, catalog: Catalog, lines: Sequence[bytes]
    ) -> Iterable[OutputFile | KeyedFile]:
        """Return the files about the whole catalog. `lines` contains the line of each listed skill,
        sorted by skill path.
        """

    def emit_release(self, release: Record, present: Iterable[str]) -> Iterable[OutputFile]:
        """Return files that depend on the finished record, such as pages for removed skills; none
        by default.

        Files that clients read at fixed addresses are not allowed here, because the record contains
        a digest of all such files. `present` contains the paths of all other files of the release.
        """
        return ()
