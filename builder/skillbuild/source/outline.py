"""Where the skills of a source are, the path of each, and what is wrong between them.

Made of the listing and the names alone, before any skill is checked: so links from one skill to
another, and rules about all paths, can be judged while skills are checked one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, finding
from skillbuild.rules import source as rules
from skillbuild.source import discovery
from skillbuild.source.collisions import flat_name_remark, path_collisions, skill_at_root
from skillbuild.source.flat_names import flat_names
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.skill_paths import path_faults, skill_trees
from skillbuild.source.skill_tree import SkillTree, innermost_skill
from skillbuild.source.survey import Survey
from skillbuild.source.tree import Leaf

_IMAGES = (".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", ".ico")


@dataclass(frozen=True, slots=True)
class Outline:
    """Every skill of the source, sorted by directory, and what is wrong between them."""

    by_directory: Mapping[str, SkillTree]
    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    """By the directory of the skill that they are about, whatever the settings say of the rule."""
    general: tuple[Finding, ...] = ()
    """Findings about no skill: misspelled SKILL.md, and a source that is too large."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """By the path of each SKILL.md, link or submodule that is passed over, the reason."""
    flat_names: Mapping[str, str] = field(default_factory=dict)
    """Names for formats without paths, by the path of the skill."""
    images: Mapping[str, Leaf | None] = field(default_factory=dict)
    """By path, the images outside of all skills, which are icons of skills that name them; None
    for one that is excluded, wherever it is."""

    @property
    def skills(self) -> tuple[SkillTree, ...]:
        return tuple(self.by_directory.values())

    def skill_at(self, path: str) -> SkillTree | None:
        """The innermost skill that a path of the source lies in, or None outside of all."""
        return innermost_skill(self.by_directory, path)

    def image_at(self, path: str) -> Leaf | None:
        """The image file at a path of the source, or None if there is none or it is excluded."""
        tree = innermost_skill(self.by_directory, path)
        if tree is None or path in self.images:
            return self.images.get(path)
        return next((leaf for leaf in tree.leaves if leaf.path == path and _is_image(leaf)), None)


def plan(surveyed: Survey, config: Config, without: Collection[str] = ()) -> Outline:
    """Give every skill its path, and find what is wrong with the paths.

    `without` are directories of skills, and paths of misspelled SKILL.md, to treat as not there.
    """
    discovered, count = surveyed.discovered, len(surveyed.leaves)
    if count > MOST_ENTRIES:
        message = f"{count:,} files; the limit is {MOST_ENTRIES:,}"
        hint = "pass a directory inside the repository as REPO"
        return Outline({}, general=(finding(rules.TOO_MANY_ENTRIES, ".", None, message, hint),))
    misspelled = tuple(item for item in discovered.misspelled if item.path not in without)
    directories = [folder for folder in discovered.directories if folder not in without]
    by_directory = skill_trees(directories, surveyed, config.paths)
    trees = list(by_directory.values())
    names = flat_names([tree.path for tree in trees if tree.path])
    images = _images(by_directory, surveyed, config)
    findings = _findings(trees, names)
    return Outline(by_directory, findings, misspelled, discovered.ignored, names, images)


def _images(
    by_directory: Mapping[str, SkillTree], surveyed: Survey, config: Config
) -> dict[str, Leaf | None]:
    is_excluded = discovery.matcher(config.exclude)
    images: dict[str, Leaf | None] = {}
    for leaf in filter(_is_image, surveyed.leaves):
        if is_excluded(leaf.path):
            images[leaf.path] = None
        elif innermost_skill(by_directory, leaf.path) is None:
            images[leaf.path] = leaf
    return images


def _is_image(leaf: Leaf) -> bool:
    return leaf.path.lower().endswith(_IMAGES) and leaf.is_file


def _findings(
    trees: Sequence[SkillTree], names: Mapping[str, str]
) -> dict[str, tuple[Finding, ...]]:
    """Findings by directory; flat names are remarked on only where the path is good."""
    findings: defaultdict[str, tuple[Finding, ...]] = defaultdict(tuple)
    for tree in trees:
        if faults := tuple(path_faults(tree)):
            findings[tree.directory] = faults
    for directory, collisions in path_collisions(trees).items():
        findings[directory] += collisions
    for tree in trees:
        remark = flat_name_remark(tree, names) if tree.directory not in findings else None
        if remark is not None:
            findings[tree.directory] = (remark,)
    if len(trees) > 1 and not trees[0].directory:
        findings[""] += (skill_at_root(len(trees) - 1),)
    return dict(findings)
