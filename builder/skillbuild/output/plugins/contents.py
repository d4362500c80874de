"""Decides which plugins are made from a release, and what each plugin contains.

A nested skill is written both inside its parent skill and in a folder of its own, because most
clients look only one level deep.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Entry, PluginTree, SkillGroup, changed
from skillbuild.paths import is_skill_name
from skillbuild.release.entry import REMEDY
from skillbuild.source.manifests import one_line

LONGEST_TEXT = 1000
_LONGEST_SUMMARY = 300


@dataclass(frozen=True, slots=True)
class PluginSkill:
    """A skill in a plugin."""

    folder: str
    name: str
    """The name in the skill's frontmatter."""
    path: str
    """The skill path."""
    line: str
    """A line from which the plugin's version is computed: folder and digest of the skill."""
    description: str


@dataclass(frozen=True, slots=True)
class PluginContent:
    """A plugin: its group, and its skills sorted by folder."""

    group: SkillGroup
    skills: Sequence[PluginSkill]

    @property
    def name(self) -> str:
        return self.group.name

    @property
    def title(self) -> str:
        return self.group.title or self.name

    @property
    def version(self) -> str:
        """The version of the plugin. It changes if and only if files of the plugin's skills change.

        Clients compare versions to find updates. The version is a valid semantic version, but the
        part after `+` does not tell which version is newer.
        """
        lines = "".join(f"{each.line}\n" for each in self.skills)
        return f"0.0.0+{hashlib.sha256(lines.encode()).hexdigest()[:12]}"

    @property
    def description(self) -> str:
        """The description of the group.

        If the group has no description, this is the description of the plugin's skill, or the
        number and names of its skills if there are several.
        """
        if self.group.description:
            return self.group.description
        if len(self.skills) == 1:
            return self.skills[0].description
        names = ", ".join(each.name for each in self.skills)
        return shortened(f"{len(self.skills)} skills: {names}", _LONGEST_SUMMARY)

    @property
    def summary(self) -> str:
        """The description, shortened for lists of plugins."""
        return shortened(self.description, _LONGEST_SUMMARY)


@dataclass(frozen=True, slots=True)
class TreeContent:
    """All plugins of a release, sorted by name."""

    tree: PluginTree
    title: str
    tagline: str
    plugins: Sequence[PluginContent]

    @property
    def places(self) -> Mapping[str, str]:
        """The folder of each skill in the tree, by skill path."""
        return {
            skill.path: f"plugins/{plugin.name}/skills/{skill.folder}"
            for plugin in self.plugins
            for skill in plugin.skills
        }

    @property
    def skills(self) -> int:
        return sum(len(plugin.skills) for plugin in self.plugins)

    @property
    def shared_names(self) -> Sequence[str]:
        """Skill names that occur in several plugins. Gemini CLI keeps only one skill of each
        name.
        """
        having = defaultdict[str, set[str]](set)
        for plugin in self.plugins:
            for skill in plugin.skills:
                having[skill.name].add(plugin.name)
        return sorted(name for name, plugins in having.items() if len(plugins) > 1)


def shortened(text: str, most: int) -> str:
    """Return the text, shortened to at most `most` characters. A shortened text ends with an
    ellipsis.
    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\u2026"


def contents_of(catalog: Catalog) -> TreeContent:
    """Return the plugins of a catalog. Raises `OutputError` for a release that has no groups."""
    tree = catalog.plugins
    if tree is None:
        what = "the release was built by a version of skillbuild that did not support groups"
        raise OutputError(f"{what}; {REMEDY}")
    groups = {group.name: group for group in catalog.groups}
    made: dict[str, SkillGroup] = {}
    skills: dict[str, dict[str, PluginSkill]] = {}
    for entry in catalog.entries:
        if not entry.plugin or entry.is_internal:
            continue
        skill = _skill(entry)
        there = skills.setdefault(entry.plugin, {})
        if entry.group not in groups:
            raise OutputError(f"the release does not define the group of {entry.path}; {REMEDY}")
        if skill.folder in there:
            both = f"two skills of the plugin {entry.plugin} would share the folder {skill.folder}"
            raise OutputError(f"{both}; {REMEDY}")
        there[skill.folder] = skill
        made[entry.plugin] = _named(groups[entry.group], entry.plugin)
    if not all(map(is_skill_name, (tree.name, *made))):
        raise OutputError(f"the release has a plugin without a valid name; {REMEDY}")
    plugins = [
        PluginContent(group, [skill for _, skill in sorted(skills[name].items())])
        for name, group in sorted(made.items())
    ]
    return TreeContent(tree, catalog.title, catalog.tagline, plugins)


def _skill(entry: Entry) -> PluginSkill:
    return PluginSkill(
        folder=entry.folder,
        name=one_line(entry.text("name")),
        path=entry.path,
        line=f"{entry.folder} {entry.skill_digest}",
        description=one_line(entry.text("description"), LONGEST_TEXT),
    )


def _named(group: SkillGroup, plugin: str) -> SkillGroup:
    """Return a group as a plugin; a plugin with one skill of a larger group gets fewer details."""
    if plugin == group.name:
        return group
    return changed(group, name=plugin, title="", description="", left_out=())
