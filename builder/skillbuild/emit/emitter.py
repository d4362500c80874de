"""What every published format implements, and what it is given.

A format says what it publishes of one skill while that skill is compiled, in whatever process, and
of the whole catalog when all skills are known. In between, only one line of each skill is carried.
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
    """One skill as formats see it: with its files, its entry and what surrounds it."""

    skill: Skill
    entry: Entry
    icons: Mapping[str, bytes]
    """By file name."""
    outline: Outline
    """All skills of the source, for links from one to another."""
    documents: Documents
    """Its texts; what the check has parsed of them is not parsed again."""
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
        """What lists and the search say of the skill."""
        card = cards.card(self.entry, self.facts, self.icons, self.change)
        first = self.history.first
        first_day = first.seconds // _DAY if first else 0
        refers = links.refers(self.skill, self.documents, self.outline)
        return changed(card, refers=refers, first_day=first_day)


@dataclass(frozen=True, slots=True)
class EmittedGone:
    """A skill of which only versions are left, as formats see it."""

    gone: Gone
    """Its successor is not known yet."""
    history: SkillHistory


@dataclass(frozen=True, slots=True)
class SkillOutput:
    """What a format publishes of one skill."""

    files: Iterable[OutputFile] = ()
    line: bytes | None = None
    """What the catalog-wide file needs to know of the skill; None if that file cannot have it.

    Whether the skill is listed there is seen later (`Emitter.listing`). The line holds no line feed
    and is given back to `emit_catalog`, in this build or in a later one.
    """


class Emitter(ABC):
    """One published format. Picklable: skills are emitted in several processes."""

    path: str
    """The catalog-wide file that has a line of each skill, by which its lines are known.

    No two emitters have one path, and no two files of a release: a format keeps its files in a
    folder of its own.
    """
    listing: Listing
    """What that file counts as: skills that are not in this listing have no line there."""
    needs_history = False
    """Whether it shows when skills were last changed."""

    @property
    def renderers(self) -> Mapping[str, str]:
        """Versions of the packages that shape the files, by name; they are part of the record."""
        return {}

    @abstractmethod
    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        """The files and the line of one skill."""

    def emit_version(self, content: VersionContent) -> Iterable[OutputFile]:
        """The files at the address of one version, which never change; by default none.

        Called for the newest version of every skill, too, whenever versions are published.
        """
        return ()

    def emit_comparison(self, path: str, comparison: Comparison) -> Iterable[OutputFile]:
        """The files about what changed in a version of the skill at a path; by default none."""
        return ()

    def emit_gone(self, emitted: EmittedGone) -> SkillOutput:
        """The files and the line of a skill of which only versions are left; by default none."""
        return SkillOutput()

    @abstractmethod
    def emit_catalog(
        self, catalog: Catalog, lines: Sequence[bytes]
    ) -> Iterable[OutputFile | KeyedFile]:
        """The files about all skills; `lines` are sorted by skill path."""

    def emit_release(self, release: Record, present: Iterable[str]) -> Iterable[OutputFile]:
        """Files that depend on the record itself, which knows earlier releases; by default none.

        They are pages: the record has a digest over the files at fixed addresses, so these are
        there before it.

        `present` are the paths of all other files of the release.
        """
        return ()
