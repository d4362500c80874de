"""Which plugins a release makes, and what is in each.

A group is a plugin. Clients keep one of several skills with one name in a plugin, so the second one
gets a plugin of its own. What is nested in another skill is a skill beside it, too, as most clients
look one level deep. Internal skills, and those that the settings leave out, are in none.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Entry, PluginTree, SkillGroup, changed
from skillbuild.paths import LONGEST_NAME, is_skill_name
from skillbuild.release.entry import REMEDY
from skillbuild.source.manifests import one_line

LONGEST_TEXT = 1000
_LONGEST_SUMMARY = 300


@dataclass(frozen=True, slots=True)
class PluginSkill:
    """A skill in a plugin."""

    folder: str
    name: str
    """As its frontmatter has it."""
    path: str
    """The skill path."""
    line: str
    """Of the version: the folder and the digest of the skill."""
    description: str


@dataclass(frozen=True, slots=True)
class PluginContent:
    """A plugin: the group that it is made of, and its skills by folder."""

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
        """It changes with the files of the skills and with nothing else, as clients compare it.

        Valid for Semantic Versioning; what follows the `+` counts in no order.
        """
        lines = "".join(f"{each.line}\n" for each in self.skills)
        return f"0.0.0+{hashlib.sha256(lines.encode()).hexdigest()[:12]}"

    @property
    def description(self) -> str:
        """What the source says of it, else its only skill, else the names of its skills."""
        if self.group.description:
            return self.group.description
        if len(self.skills) == 1:
            return self.skills[0].description
        names = ", ".join(each.name for each in self.skills)
        return shortened(f"{len(self.skills)} skills: {names}", _LONGEST_SUMMARY)

    @property
    def summary(self) -> str:
        """The description as lists of plugins show it."""
        return shortened(self.description, _LONGEST_SUMMARY)


@dataclass(frozen=True, slots=True)
class TreeContent:
    """All plugins of a release, by name."""

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
        """Names that skills of several plugins have: of these Gemini CLI keeps one."""
        having = defaultdict[str, set[str]](set)
        for plugin in self.plugins:
            for skill in plugin.skills:
                having[skill.name].add(plugin.name)
        return sorted(name for name, plugins in having.items() if len(plugins) > 1)


def shortened(text: str, most: int) -> str:
    """As much of a text as fits, with an ellipsis where it goes on."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\u2026"


def contents_of(catalog: Catalog) -> TreeContent:
    """The plugins of the skills of a catalog; `OutputError` for a release without groups."""
    tree = catalog.plugins
    if tree is None:
        raise OutputError(f"the release was built by a skillbuild without groups; {REMEDY}")
    groups = {group.name: group for group in catalog.groups}
    if not all(map(is_skill_name, (tree.name, *groups))):
        raise OutputError(f"the release has a group without a good name; {REMEDY}")
    filling = _Filling(groups)
    for entry in catalog.entries:
        if entry.in_plugins and not entry.is_internal:
            filling.add(entry)
    return TreeContent(tree, catalog.title, catalog.tagline, filling.plugins())


@dataclass(frozen=True, slots=True)
class _Filling:
    """Plugins while skills are put into them, in the order of their paths."""

    groups: Mapping[str, SkillGroup]
    made: dict[str, SkillGroup] = field(default_factory=dict)
    """The groups of plugins, by name."""
    skills: dict[str, dict[str, PluginSkill]] = field(default_factory=dict)
    """By plugin and folder."""

    def add(self, entry: Entry) -> None:
        group = self.groups.get(entry.group)
        if group is None:
            raise OutputError(f"the group of {entry.path} is not in the release; {REMEDY}")
        title = entry.text("name")
        folder = title if is_skill_name(title) else entry.flat_name
        skill = PluginSkill(
            folder=folder,
            name=one_line(title),
            path=entry.path,
            line=f"{folder} {entry.skill_digest}",
            description=one_line(entry.text("description"), LONGEST_TEXT),
        )
        if folder in self.skills.get(group.name, {}):
            name = self._free(f"{group.name}-{entry.flat_name}", entry.path)
            group = changed(group, name=name, title="", description="", left_out=())
        self.made.setdefault(group.name, group)
        self.skills.setdefault(group.name, {})[folder] = skill

    def _free(self, wanted: str, path: str) -> str:
        """A name that no group has."""
        digest = hashlib.sha256(path.encode(errors="surrogateescape")).hexdigest()
        cut = f"{wanted[: LONGEST_NAME - 17].strip('-')}-{digest[:16]}"
        fitting = [wanted] if len(wanted) <= LONGEST_NAME else []
        taken = self.groups.keys() | self.made.keys()
        return next(name for name in (*fitting, cut) if name not in taken)

    def plugins(self) -> list[PluginContent]:
        return [
            PluginContent(self.made[name], [skill for _, skill in sorted(skills.items())])
            for name, skills in sorted(self.skills.items())
        ]
