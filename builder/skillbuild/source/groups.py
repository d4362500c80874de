"""Decides which group each skill belongs to.

A nested skill is in the group of the outermost skill around it, and no skill can change the group
of another. The first of these that applies decides:

1. a glob of `[plugins.groups]` in the settings;

2. the nearest folder around the skill that has a plugin manifest, or that a marketplace of the
source lists as one plugin;

3. the folder right below `plugins`, such as `git` for `plugins/git/...`;

4. the grouping of `skills.sh.json` that names the skill;

5. the folder right below `skills`, such as `data` for `skills/data/csv-profile`, or else the folder
above it, such as `web` for `web/skills/forms`;

6. the catalog itself.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

from skillbuild.config import Config, default_title
from skillbuild.diagnostics import Finding, finding
from skillbuild.model import Party, PluginTree, SkillGroup
from skillbuild.paths import LONGEST_NAME, SKILL_FILE, base_name, folder_for, inside, prefixes
from skillbuild.rules import plugins as rules
from skillbuild.source.globs import matcher
from skillbuild.source.manifests import (
    GROUPINGS,
    About,
    Listed,
    Manifests,
    read_manifests,
)
from skillbuild.source.marketplaces import manifest_findings
from skillbuild.source.names import free_marketplace, numbered, slug
from skillbuild.source.placement import Directories
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader
from skillbuild.text.wording import joined, some

_PARTS: Mapping[str, tuple[str, ...]] = {
    "hooks": ("hooks", "hooks.json"),
    "commands": ("commands",),
    "agents": ("agents",),
    "mcpServers": (".mcp.json", "mcp.json"),
    "lspServers": (".lsp.json",),
    "monitors": ("monitors",),
    "bin": ("bin",),
    "outputStyles": ("output-styles",),
    "userConfig": (),
    "dependencies": (),
    "contextFileName": (),
    "apps": (".app.json",),
    "rules": ("rules",),
}
"""The possible contents of a plugin besides skills: manifest keys, and the files and folders for
each.
"""


@dataclass(frozen=True, slots=True)
class Grouped:
    """The groups of a source."""

    by_directory: Mapping[str, str] = field(default_factory=dict)
    """The group name of each skill, by directory."""
    plugins: Mapping[str, str] = field(default_factory=dict)
    """The plugin name of each skill, by directory; internal and excluded skills have none."""
    groups: Mapping[str, SkillGroup] = field(default_factory=dict)
    """Groups by name, sorted."""
    manifests: Manifests = field(default_factory=Manifests)
    findings: tuple[Finding, ...] = ()

    def title(self, name: str | None) -> str:
        """Return the title of a group; empty if it has none."""
        group = self.groups.get(name or "")
        return group.title if group else ""


class _Kind(IntEnum):
    """The reason why skills form a group, in the order in which groups get their names."""

    SETTING = 0
    FOLDER = 1
    GROUPING = 2
    CATALOG = 3


class _Key(NamedTuple):
    """Identifies a group: skills with the same key are in the same group."""

    kind: _Kind
    text: bytes = b""
    """A name from the settings, or a folder."""
    number: int = 0
    """The index of a grouping."""


def group_skills(
    trees: Mapping[str, SkillTree], folders: Directories, config: Config, reader: Reader
) -> Grouped:
    """Return the groups of all skills; `trees` maps directories to skills.

    `reader` reads manifests, and the Markdown files of plugins.
    """
    tops = {each: _outermost(each, folders) for each in trees}
    around = {part for top in {*tops.values()} for part in ("", *prefixes(top))}
    manifests = read_manifests(folders.leaves, around, reader) if tops else Manifests()
    source = _Source(config, folders, manifests, tops)
    keys = {top: source.key(top) for top in {*tops.values()}}
    used = sorted({*keys.values()})
    names = _names(used, source)
    groups: dict[str, SkillGroup] = {}
    for key in used:  # A folder named like a setting comes later and has more.
        groups[names[key]] = source.group(key, names[key])
    by_directory = {each: names[keys[top]] for each, top in tops.items()}
    return Grouped(
        by_directory,
        _plugins(trees, by_directory, folders, config),
        dict(sorted(groups.items())),
        manifests,
        (
            *manifests.findings,
            *manifest_findings(manifests, trees, folders, config, reader),
            *source.unused_names(),
            *_left_out(used, groups, names, source),
        ),
    )


def plugin_tree(config: Config, manifests: Manifests) -> PluginTree:
    """Return the data that all plugins share, such as the name and owner of their marketplace."""
    wanted, name = config.plugins.name or _catalog_name(config), tree_name(config)
    owners = (each.owner for each in manifests.marketplaces if each.owner)
    declared = Party(config.owner.name, config.owner.url) if config.owner.name else None
    return PluginTree(
        name=name,
        wanted="" if name == wanted else wanted,
        owner=declared or next(owners, None) or Party(config.title or name),
        branch=config.plugins.branch,
        agent_plugins=config.plugins.agent_plugins,
    )


def tree_name(config: Config) -> str:
    """Return the name of the marketplace that `skillbuild plugins` writes."""
    return free_marketplace(config.plugins.name or _catalog_name(config))


def _catalog_name(config: Config) -> str:
    """Return the name of the repository in its address, or else the title, as a valid name."""
    names = (default_title(config.repository) if config.repository else "", config.title)
    return next(filter(None, map(slug, names)), "skills")


def _outermost(directory: str, folders: Directories) -> str:
    """Return the directory of the outermost skill around a skill, or its own directory."""
    while (outer := folders.outers.get(directory)) is not None:
        directory = outer
    return directory


class _Source:
    """The settings, folders and manifests that decide the groups of a source."""

    def __init__(
        self,
        config: Config,
        folders: Directories,
        manifests: Manifests,
        tops: Mapping[str, str],
    ) -> None:
        """Index the manifests; `tops` maps each skill to the directory of the outermost skill
        around it.
        """
        self.config, self.folders, self.manifests = config, folders, manifests
        listed: defaultdict[str, list[Listed]] = defaultdict(list)
        for marketplace in manifests.marketplaces:
            for each in marketplace.plugins:
                if each.folder is not None:
                    listed[each.folder].append(each)
        self.listed = {
            folder: found
            for folder, found in listed.items()
            if len({each.name for each in found}) == 1
        }
        """The plugin that marketplaces list for each folder, if they list only one there."""
        self.directories: defaultdict[str, list[str]] = defaultdict(list)
        """Directories of skills that a grouping may name, by declared name."""
        for directory in tops if manifests.groupings else ():
            name = folders.name(directory)
            if name is not None and self._own_key(tops[directory]) is None:
                self.directories[name].append(directory)
        self.grouped: dict[str, int] = {}
        """The index of the grouping that names a skill, by directory."""
        for number, grouping in enumerate(manifests.groupings):
            for name in grouping.skills:
                if len(found := self.directories.get(name, [])) == 1:
                    self.grouped.setdefault(found[0], number)
        self.names = {folders.name(directory) for directory in tops}

    def key(self, top: str) -> _Key:
        """Return the key of a skill's group; `top` is the directory of a skill that is not
        nested.
        """
        if (own := self._own_key(top)) is not None:
            return own
        if top in self.grouped:
            return _Key(_Kind.GROUPING, number=self.grouped[top])
        if (place := _below("skills", top, 1) or _above_skills(top)) is not None:
            return _folder(place)
        return _Key(_Kind.CATALOG)

    def _own_key(self, top: str) -> _Key | None:
        """Return the key if settings, plugins or the folder decide it, before groupings are
        considered.
        """
        for glob, name in self.config.plugins.groups.items():
            if matcher((glob,))(inside(top, SKILL_FILE)):
                return _Key(_Kind.SETTING, name.encode())
        for folder in (*reversed(prefixes(top)), "") if top else ():
            if self._is_plugin(folder):
                return _folder(folder)
        place = _below("plugins", top, 0)
        return None if place is None else _folder(place)

    def _is_plugin(self, folder: str) -> bool:
        is_hidden = base_name(folder).startswith(".")
        return not is_hidden and (folder in self.manifests.plugins or folder in self.listed)

    def slugs(self, key: _Key) -> Iterator[str]:
        """Yield candidate names for a group, the best first; some may be empty."""
        text = key.text.decode(errors="surrogateescape")
        match key.kind:
            case _Kind.SETTING:
                yield text
            case _Kind.FOLDER:
                named = [each.name for each in self.manifests.plugins.get(text, ())]
                named += [each.name for each in self.listed.get(text, ())]
                own = slug(base_name(text)) or ("" if text else _catalog_name(self.config))
                name = next(filter(None, map(slug, named)), own)
                yield name
                yield slug(text) if name else ""
            case _Kind.GROUPING:
                yield slug(self.manifests.groupings[key.number].title)
            case _Kind.CATALOG:
                yield _catalog_name(self.config)

    def group(self, key: _Key, name: str) -> SkillGroup:
        """Return the group with this key and name, with its details from settings and manifests."""
        text, about = key.text.decode(errors="surrogateescape"), About()
        match key.kind:
            case _Kind.FOLDER:
                for each in (*self.manifests.plugins.get(text, ()), *self.listed.get(text, ())):
                    about = about.or_else(each.about)
            case _Kind.GROUPING:
                grouping = self.manifests.groupings[key.number]
                about = About(title=grouping.title, description=grouping.description)
            case _Kind.CATALOG:
                about = About(title=self.config.title)
        return SkillGroup(
            name=name,
            title=about.title if about.title != name else "",
            description=about.description,
            author=about.author,
            homepage=about.homepage,
            repository=about.repository,
            license=about.license,
            keywords=about.keywords,
            category=about.category,
            left_out=tuple(self._parts(text)) if key.kind is _Kind.FOLDER else (),
        )

    def _parts(self, folder: str) -> Iterator[str]:
        """Yield the contents of the plugin in a folder besides skills."""
        if not self._is_plugin(folder):
            return
        keys = {key for each in self.manifests.plugins.get(folder, ()) for key in each.keys}
        for part, names in _PARTS.items():
            if part in keys or any(self.folders.holds(inside(folder, each)) for each in names):
                yield part

    def unused_names(self) -> Iterator[Finding]:
        """Yield notes about names in `skills.sh.json` that no skill has, or that several skills
        have.
        """
        names = dict.fromkeys(name for each in self.manifests.groupings for name in each.skills)
        unknown = [each for each in names if each not in self.names]
        shared = [each for each in names if len(self.directories.get(each, ())) > 1]
        for wrong, which in ((unknown, "no skill has"), (shared, "several skills share")):
            if wrong:
                message = f"groups contain names that {which}: {some(wrong)}"
                hint = "correct the names, or remove them"
                yield finding(rules.GROUPING_UNUSED, GROUPINGS, None, message, hint)


def _plugins(
    trees: Mapping[str, SkillTree],
    groups: Mapping[str, str],
    folders: Directories,
    config: Config,
) -> dict[str, str]:
    """Return the plugin of each skill: its group, except for skills with the same name in one
    group.

    Clients keep only one skill of each name in a plugin, so the others become plugins of their own.
    """
    is_left_out = matcher(config.plugins.exclude)
    plugins: dict[str, str] = {}
    folders_of: defaultdict[str, set[str]] = defaultdict(set)
    taken = {*groups.values()}
    for tree in sorted(trees.values(), key=lambda tree: (tree.path or "", tree.directory)):
        declared = folders.names.get(tree.directory)
        if is_left_out(tree.skill_file) or (declared and declared.is_internal):
            continue
        folder = folder_for(declared.name if declared else "", tree.flat_name or "")
        plugin = groups[tree.directory]
        if folder in folders_of[plugin]:
            own = f"{plugin}-{tree.flat_name}"
            tried = chain([own] if len(own) <= LONGEST_NAME else [], numbered(tree.path or ""))
            plugin = next(each for each in tried if each not in taken)
            taken.add(plugin)
        folders_of[plugin].add(folder)
        plugins[tree.directory] = plugin
    return plugins


def _folder(folder: str) -> _Key:
    return _Key(_Kind.FOLDER, folder.encode(errors="surrogateescape"))


def _below(name: str, directory: str, more: int) -> str | None:
    """Return the folder right below the first folder named `name`; None unless `directory` is at
    least `more` levels below it.
    """
    segments = directory.split("/")
    if name not in segments:
        return None
    end = segments.index(name) + 2
    is_folder = len(segments) >= end + more and not segments[end - 1].startswith(".")
    return "/".join(segments[:end]) if is_folder else None


def _above_skills(directory: str) -> str | None:
    """Return the folder right above the first folder `skills`; None if that is at the top."""
    segments = directory.split("/")[:-1]
    if "skills" not in segments[1:]:
        return None
    end = segments.index("skills", 1)
    return None if segments[end - 1].startswith(".") else "/".join(segments[:end])


def _names(keys: Collection[_Key], source: _Source) -> Mapping[_Key, str]:
    """Return a name for each key. Names are unique, except that a folder can join a group of the
    settings.
    """
    names: dict[_Key, str] = {}
    taken: dict[str, _Kind] = {}
    for key in keys:
        digest = hashlib.sha256(b"%d/%d/%b" % (key.kind, key.number, key.text)).hexdigest()
        slugs = [*filter(None, source.slugs(key))]
        hexes = (digest[:8], digest[:16], digest)
        first = slugs[0] if slugs else ""
        tried = [*slugs, *(f"{first[:40]}-{each}".strip("-") for each in hexes)]
        joins = {_Kind.SETTING} if key.kind in (_Kind.SETTING, _Kind.FOLDER) else set[_Kind]()
        name = next(each for each in tried if each not in taken or taken[each] in joins)
        names[key] = name
        taken.setdefault(name, key.kind)
    return names


def _left_out(
    keys: Collection[_Key],
    groups: Mapping[str, SkillGroup],
    names: Mapping[_Key, str],
    source: _Source,
) -> Iterator[Finding]:
    """Yield a note for each plugin of the source that contains more than skills."""
    for key in keys:
        parts = groups[names[key]].left_out
        if key.kind is _Kind.FOLDER and parts:
            folder = key.text.decode(errors="surrogateescape")
            manifests = source.manifests.plugins.get(folder, ())
            path = manifests[0].path if manifests else folder or "."
            message = (
                f"skillbuild plugins copies only skills, not the {joined(parts)} of this plugin"
            )
            hint = "move files that a skill needs into the skill"
            yield finding(rules.PLUGIN_PARTS, path, None, message, hint)
