"""Checks one skill without publishing it.

The code that publishes is not imported, so that `check` starts fast.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from skillbuild.check import skill as checks
from skillbuild.check.skill import Checked
from skillbuild.check.trust.evidence import Evidence
from skillbuild.compile.result import Lookups, PublishedSkill, SkillResult
from skillbuild.config import Config
from skillbuild.model import Skill
from skillbuild.release.frontmatter import is_internal
from skillbuild.source.conflicts import Described
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Leaf, Reader


@dataclass(frozen=True, slots=True)
class ObservedOutline(Outline):
    """An outline that records which paths outside of a skill were looked up."""

    paths: set[str] = field(default_factory=set)
    pictures: set[str] = field(default_factory=set)
    """Paths where the check looked for an image; the result also depends on the image's content."""
    sought: set[str] = field(default_factory=set)
    """Relative paths at which the check looked for a file of any skill."""

    @classmethod
    def of(cls, outline: Outline) -> ObservedOutline:
        return cls(*(getattr(outline, item.name) for item in fields(Outline)))

    @property
    def lookups(self) -> Lookups:
        return Lookups(*(tuple(sorted(each)) for each in (self.paths, self.pictures, self.sought)))

    def skill_at(self, path: str) -> SkillTree | None:
        self.paths.add(path)
        return Outline.skill_at(self, path)

    def is_beside(self, path: str) -> bool:
        self.paths.add(path)
        return Outline.is_beside(self, path)

    def skills_with(self, path: str) -> tuple[str, ...]:
        self.sought.add(path)
        return Outline.skills_with(self, path)

    def image_at(self, path: str) -> Leaf | None:
        self.pictures.add(path)
        return Outline.image_at(self, path)


@dataclass(frozen=True, slots=True)
class SkillChecker:
    """Checks one skill. The subclass `SkillCompiler` also publishes it."""

    config: Config
    strict: bool
    evidence: Evidence

    def run(self, tree: SkillTree, outline: Outline, reader: Reader) -> SkillResult:
        observed = ObservedOutline.of(outline)
        checked = self.check(tree, observed, reader)
        result = result_of(tree, checked, observed)
        return replace(result, described=_described(checked.skill))

    def check(self, tree: SkillTree, outline: Outline, reader: Reader) -> Checked:
        return checks.check_skill(
            tree, outline, reader, self.config, strict=self.strict, evidence=self.evidence
        )


def _described(skill: Skill | None) -> Described | None:
    """Return the texts that agents read to choose a skill; None for a skill that is refused or not
    listed.
    """
    if skill is None or is_internal(skill.frontmatter.value):
        return None
    text, place = skill.frontmatter.text("description"), skill.frontmatter.place("description")
    return Described(skill.frontmatter.text("name"), text, place)


def result_of(
    tree: SkillTree,
    checked: Checked,
    outline: ObservedOutline,
    published: PublishedSkill | None = None,
) -> SkillResult:
    """Return the part of a check's result that the build needs later.

    The build keeps this part for every skill, so it must be small. `outline` must be the outline
    that the check used, because it recorded the lookups.
    """
    return SkillResult(
        directory=tree.directory,
        findings=checked.findings,
        silenced=checked.silenced,
        files=len(checked.skill.files) if checked.skill else 0,
        unlisted=checked.unlisted,
        published=published,
        linked=tuple(sorted(checked.linked)),
        lookups=outline.lookups,
    )
