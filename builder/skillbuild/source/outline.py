"""Gives each skill of a source its path, and finds conflicts between skills.

This happens before any skill is checked. The outline contains what rules need to know about other
skills, such as their paths and files, so each skill can then be checked separately.
"""

from __future__ import annotations

import difflib
import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skillbuild.config import Config, moved_to
from skillbuild.diagnostics import Finding, finding, has_errors
from skillbuild.model import Place, SkillLimit
from skillbuild.paths import base_name, parent, prefixes
from skillbuild.rules import source as rules
from skillbuild.setting_lines import Key, SettingError
from skillbuild.source.backups import backups_found
from skillbuild.source.conflicts import (
    Groups,
    name_findings,
    path_faults,
    place_findings,
    skill_at_root,
)
from skillbuild.source.discovery import Survey, is_junk
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.groups import Grouped, group_skills
from skillbuild.source.hidden import hidden_skills
from skillbuild.source.licenses import FoldersAround
from skillbuild.source.names import flat_names, free_names
from skillbuild.source.placement import Directories, Placed, place, with_same_files
from skillbuild.source.skill_tree import SkillTree, innermost
from skillbuild.source.tree import Leaf, Reader
from skillbuild.text.wording import plural

MOST_BYTES = 2 << 30
"""Maximum bytes of all skills together; duplicate files count once."""
_IMAGES = (".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", ".ico")


class FilesOfSkills:
    """Finds all skills that have a file at a given relative path.

    The paths are indexed on first use.
    """

    def __init__(self, trees: Mapping[str, SkillTree]) -> None:
        self._trees = trees

    def directories(self, path: str) -> tuple[str, ...]:
        """Return the directories of all skills that have a file at this path, relative to the
        skill.
        """
        return tuple(self._by_path.get(path, ()))

    @functools.cached_property
    def _by_path(self) -> Mapping[str, Sequence[str]]:
        by_path: defaultdict[str, list[str]] = defaultdict(list)
        for directory, tree in self._trees.items():
            for leaf in tree.leaves:
                by_path[tree.relative(leaf)].append(directory)
        return by_path


@dataclass(frozen=True, slots=True)
class Outline:
    """Every skill of the source, sorted by directory, and the conflicts between them."""

    by_directory: Mapping[str, SkillTree]
    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    """Findings by skill directory, before settings change their severity or silence them."""
    general: tuple[Finding, ...] = ()
    """Findings about the whole source: misspelled SKILL.md, hidden skills, scanner files."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """The reason for each ignored SKILL.md, link or submodule, by path."""
    originals: Mapping[str, str] = field(default_factory=dict)
    """The directory of the original skill, by the directory of each copy."""
    images: Mapping[str, Leaf] = field(default_factory=dict)
    """Images outside of all skills, by path; a skill may use them as icons."""
    excluded: tuple[str, ...] = ()
    """Paths of files in skills that `exclude` covers, sorted."""
    beside: frozenset[str] = frozenset()
    """Files outside of all skills, and the directories that contain them."""
    successors: frozenset[str] = frozenset()
    """Paths of existing skills that replace deprecated ones."""
    grouped: Grouped = field(default_factory=Grouped, compare=False)
    """The groups of the skills, and their details from the manifests of the source."""
    files: FilesOfSkills = field(default_factory=lambda: FilesOfSkills({}), compare=False)
    """Finds skills by the relative path of a file."""

    def without(self, directories: Collection[str]) -> Outline:
        """Return the outline without these skills; all others keep their paths."""
        rest = {key: tree for key, tree in self.by_directory.items() if key not in directories}
        originals = {copy: key for copy, key in self.originals.items() if key not in directories}
        left = self.successors.intersection(tree.path for tree in rest.values() if tree.path)
        files = FilesOfSkills(rest)
        return replace(self, by_directory=rest, originals=originals, successors=left, files=files)

    def with_general(self, findings: Iterable[Finding]) -> Outline:
        """Return the outline with more findings about the whole source."""
        return replace(self, general=(*self.general, *findings))

    @property
    def skills(self) -> tuple[SkillTree, ...]:
        return tuple(self.by_directory.values())

    def original(self, path: str) -> str:
        """Map a path in a copy of a skill to the same path in the original; return other paths
        unchanged.
        """
        copy = innermost(self.originals, path) if self.originals else None
        if copy is None or len(innermost(self.by_directory, path) or "") > len(copy):
            return path
        return self.originals[copy] + path[len(copy) :]

    def skill_at(self, path: str) -> SkillTree | None:
        """Return the innermost skill that contains a path; None if there is none.

        For a path in a copy of a skill, the original skill is returned.
        """
        directory = innermost(self.by_directory, self.original(path))
        return None if directory is None else self.by_directory[directory]

    def is_beside(self, path: str) -> bool:
        """Return whether a path of the source is a file or directory outside of all skills."""
        return path in self.beside

    def skills_with(self, path: str) -> tuple[str, ...]:
        """Return the directories of skills that have a file at this relative path."""
        return self.files.directories(path)

    def image_at(self, path: str) -> Leaf | None:
        """Return the image at a path of the source; None if there is none or it is excluded."""
        original = self.original(path)
        tree = self.skill_at(original)
        if tree is None:
            return self.images.get(path)
        return next(
            (leaf for leaf in tree.leaves if leaf.path == original and _is_image(leaf)), None
        )


def plan(surveyed: Survey, config: Config, reader: Reader) -> Outline:
    """Give every skill its path and its flat name (a name without slashes that no other skill has),
    and find conflicts between skills.

    `reader` reads plugin manifests, and the files of skills that may be copies of each other.
    """
    discovered, count = surveyed.discovered, len(surveyed.leaves)
    if count > MOST_ENTRIES:
        message = f"{plural(count, 'file')}; the limit is {MOST_ENTRIES:,}"
        hint = "pass a directory inside the repository as REPO"
        return Outline({}, general=(finding(rules.TOO_MANY_ENTRIES, ".", None, message, hint),))
    folders = Directories(surveyed)
    placed = place(folders, config.paths, reader)
    originals = {copy: skill.directory for skill in placed for copy in skill.directories[1:]}
    trees = _trees(placed, folders, originals)
    if "" in discovered.directories and "" not in trees:
        at_root = SkillTree("", tuple(folders.below("")), name_place=_name_place(folders, ""))
        trees = {"": at_root, **trees}
    free = free_names({each: folders.name(each) for each in trees}, config.paths)
    trees |= {each: replace(trees[each], free_name=name) for each, name in free.items()}
    findings = _findings(
        trees, placed, surveyed, lambda each: with_same_files(each, folders.below, reader)
    )
    if too_large := _too_large(trees, config, reader):
        return Outline({}, general=(too_large,))
    grouped = group_skills(trees, folders, config, reader)
    groups, plugins = grouped.by_directory, grouped.plugins
    around = FoldersAround(folders.leaves, grouped.manifests)
    trees = {
        each: replace(
            tree,
            group=groups[each],
            plugin=plugins.get(each, ""),
            licenses=around.above(each),
        )
        for each, tree in trees.items()
    }
    outside = _outside(trees, originals, surveyed.leaves)
    return Outline(
        trees,
        findings,
        (
            *discovered.misspelled,
            *hidden_skills(folders, discovered.ignored, config, reader),
            *backups_found(trees),
            *grouped.findings,
        ),
        discovered.ignored,
        originals,
        images={leaf.path: leaf for leaf in filter(_is_image, outside)},
        excluded=surveyed.excluded,
        beside=_with_directories(leaf.path for leaf in outside if leaf.is_file),
        successors=_successors(trees.values(), config),
        grouped=grouped,
        files=FilesOfSkills(trees),
    )


def _too_large(trees: Mapping[str, SkillTree], config: Config, reader: Reader) -> Finding | None:
    """Return a finding if the skills of a source have too many bytes, counting equal files once.

    Skills that are refused for their own size are not counted.
    """
    files = {
        tree.directory: [
            leaf for leaf in tree.leaves if leaf.is_file and not is_junk(tree.relative(leaf))
        ]
        for tree in trees.values()
    }
    distinct = {_identity(leaf): leaf for leaves in files.values() for leaf in leaves}
    known = zip(distinct, reader.sizes([*distinct.values()]), strict=True)
    sizes = {identity: size or 0 for identity, size in known}
    limit = SkillLimit(config.limits.files, config.limits.bytes)
    weights: dict[str, int] = {}
    for directory, leaves in files.items():
        own = [_identity(leaf) for leaf in leaves]
        if limit.takes(len(own), sum(sizes[each] for each in own)):
            weights[directory] = sum(sizes[each] for each in own if distinct.pop(each, None))
    total = sum(weights.values())
    if total <= MOST_BYTES:
        return None
    largest = max(weights, key=lambda each: (weights[each], each))
    message = (
        f"the skills are {plural(total, 'byte')} in total, counting duplicates once; the limit is"
        f" {MOST_BYTES:,}; the largest is {largest or '.'}/ with {plural(weights[largest], 'byte')}"
    )
    hint = "set exclude to leave out data, or pass a directory inside the repository as REPO"
    return finding(rules.SOURCE_TOO_LARGE, ".", None, message, hint)


def _identity(leaf: Leaf) -> str:
    """Return a key that equal files share; a file on disk has its own."""
    return leaf.object_id or leaf.path


def _successors(trees: Iterable[SkillTree], config: Config) -> frozenset[str]:
    uses = {item.use for item in config.deprecated.values()}
    return frozenset(tree.path for tree in trees if tree.path in uses and tree.path is not None)


def _outside(
    trees: Mapping[str, SkillTree], originals: Mapping[str, str], leaves: Iterable[Leaf]
) -> list[Leaf]:
    """Return the files and links outside of all skills and copies."""
    directories = trees.keys() | originals.keys()
    return [leaf for leaf in leaves if innermost(directories, leaf.path) is None]


def _with_directories(paths: Iterable[str]) -> frozenset[str]:
    """Return the paths and all directories above them."""
    files = frozenset(paths)
    folders = {parent(path) for path in files}
    return files.union(folders, *map(prefixes, folders))


def _is_image(leaf: Leaf) -> bool:
    return leaf.path.lower().endswith(_IMAGES) and leaf.is_file


def _trees(
    placed: list[Placed], folders: Directories, originals: Mapping[str, str]
) -> dict[str, SkillTree]:
    names = {each.directory: _flat_candidate(folders, each.directory) for each in placed}
    paths = {each.directory: each.path for each in placed if each.taken_by is None}
    flat = flat_names(names, paths)
    trees = {}
    for skill in placed:
        directory, outer = skill.directory, folders.outers[skill.directory]
        trees[directory] = SkillTree(
            directory,
            tuple(folders.below(directory)),
            path=skill.path,
            name_place=_name_place(folders, directory),
            outer=originals.get(outer, outer) if outer is not None else None,
            copies=skill.directories[1:],
            flat_name=flat[directory],
        )
    return trees


def _flat_candidate(folders: Directories, directory: str) -> str | None:
    """Return the declared name of a skill, or its directory name if the declared name cannot be
    read.
    """
    declared = folders.names.get(directory)
    return declared.name if declared is not None else base_name(directory)


def _name_place(folders: Directories, directory: str) -> Place | None:
    declared = folders.names.get(directory)
    return declared.place if declared is not None else None


def _findings(
    trees: Mapping[str, SkillTree], placed: list[Placed], surveyed: Survey, same: Groups
) -> dict[str, tuple[Finding, ...]]:
    """Return findings by directory; shared names are reported only if the path is good."""
    findings: defaultdict[str, tuple[Finding, ...]] = defaultdict(tuple)
    for skill in placed:
        tree = trees[skill.directory]
        if about_place := (*path_faults(tree), *place_findings(tree, skill, trees)):
            findings[tree.directory] = about_place
    for directory, remark in name_findings(tuple(trees.values()), surveyed.names, same):
        if not has_errors(findings.get(directory, ())):
            findings[directory] += (remark,)
    others = len(surveyed.discovered.directories) - 1
    if "" in trees and others:
        findings[""] += (skill_at_root(others),)
    return dict(findings)


def refuse_unnamed(outline: Outline, config: Config) -> None:
    """Raise `SettingError` for a wrong skill path in `[moved]` or `[deprecated]`.

    An old path in `[moved]` is wrong if a skill still has that path. Any other path is wrong if no
    skill has that path, unless the path may belong to a skill whose name is unknown because its
    SKILL.md is misspelled or unreadable.
    """
    if not (config.moved or config.deprecated) or not outline.by_directory:
        return
    live = {tree.path for tree in outline.skills if tree.path is not None}
    for old in config.moved:
        if old in live:
            message = f"[moved] {old!r} is still the path of a skill; remove the line"
            raise SettingError(message, "moved", old)
    if has_errors(outline.general):
        return
    unread = {tree.path for tree in outline.skills if tree.name_place is None}
    for path, message, keys in _named_paths(config):
        if path not in live and parent(path) not in unread:
            raise SettingError(f"{message}; {_remedy(path, live, config)}", *keys)


def _named_paths(config: Config) -> Iterator[tuple[str, str, tuple[Key, ...]]]:
    """Yield each skill path in the settings, the message if it does not exist, and its keys."""
    for old, new in config.moved.items():
        if new not in config.moved:
            yield new, f"[moved] {old!r} moves to {new!r}, which is not a skill", ("moved", old)
    for path, deprecation in config.deprecated.items():
        yield path, f"[deprecated] {path!r} is not a skill", ("deprecated", path)
        if use := deprecation.use:
            message = f"[deprecated] {path!r} has use = {use!r}, which is not a skill"
            yield use, message, ("deprecated", path, "use")


def _remedy(path: str, live: Collection[str], config: Config) -> str:
    successor = moved_to(path, config.moved)
    if successor in live:
        return f"did you mean {successor}?"
    close = difflib.get_close_matches(path, sorted(live), n=1)
    return f"did you mean {close[0]}?" if close else "use the path of a skill in the catalog"
