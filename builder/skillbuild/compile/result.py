"""What compiling a skill gives, and the interface of everything that compiles many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from skillbuild.diagnostics import Finding
from skillbuild.model import Unlisted
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName
from skillbuild.source.tree import Leaf, Reader


@dataclass(frozen=True, slots=True)
class PublishedSkill:
    """What a release has of one skill; its files wait in a stage or stand in the output."""

    path: str
    name: str
    """As its frontmatter has it."""
    lines: Mapping[str, bytes]
    """Its line in every catalog-wide file, by the path of that file; the record is one of them."""
    checksums: tuple[bytes, ...]
    """Lines of SHA256SUMS for its own files."""
    unlisted: Unlisted = field(default_factory=dict)
    """Where it is not listed; empty until all skills are known (`Compiled.published`)."""


@dataclass(frozen=True, slots=True)
class SkillResult:
    """One skill after it was checked, and published unless it is invalid or only checked."""

    directory: str
    findings: tuple[Finding, ...]
    files: int
    silenced: tuple[Finding, ...] = ()
    """Findings that `[[ignore]]` silences."""
    unlisted: Unlisted = field(default_factory=dict)
    """Where it could not be listed among others; `compile.listing` decides of all of them."""
    published: PublishedSkill | None = None
    linked: tuple[str, ...] = ()
    """Directories of other skills that its texts lead to."""
    lookups: tuple[str, ...] = ()
    """Paths outside of the skill that its texts name, whether or not anything is there."""
    pictures: tuple[str, ...] = ()
    """Paths outside of the skill that it names as its icons, whether or not anything is there."""
    codes: tuple[str, ...] = ()
    """Codes of all rules that were met, also of those that the settings silence."""
    processor_seconds: float = 0.0
    """Spent in a worker on this skill, and on those of its chunk before it."""


class Compiler(Protocol):
    """Compiles skills. What wraps a compiler has the same interface."""

    def read_names(
        self, skill_files: Sequence[Leaf], reader: Reader
    ) -> Iterator[tuple[str, DeclaredName]]:
        """Pairs of path and declared name, for the SKILL.md files that have a text as name."""

    def compile(
        self, skills: Sequence[SkillTree], outline: Outline, reader: Reader
    ) -> Iterator[SkillResult]:
        """One result for each skill, in the order given."""


class SkillStep(Protocol):
    """What is done with one skill. Picklable: it is sent to worker processes."""

    def run(self, tree: SkillTree, outline: Outline, reader: Reader) -> SkillResult:
        """The result of one skill; `reader` gives the contents of its files."""
