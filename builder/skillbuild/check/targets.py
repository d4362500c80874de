"""Finds the files that paths and links in one skill refer to, inside and outside of the skill."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from skillbuild.check.path_words import TRANSLATION
from skillbuild.model import Skill
from skillbuild.paths import LONGEST_PATH, SKILL_FILE, base_name, inside, parent, prefixes
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree

_PLAIN_PATH = re.compile(r"[\w./-]+", re.ASCII)
_COMMON_NAME = re.compile(r"(?:skill|readme|index|license|__init__|changelog)(?:\.|$)")
_BETWEEN_WORDS = re.compile(r"[/._-]+")
_FEWEST_WORDS = 3
"""Minimum number of words, extension included, that two paths must share to be taken for the
same.
"""
_SHORTEST_WORD = 4
"""Minimum length of a word that may show what a skill is about."""
_CLAUDE_PLUGIN = ".claude-plugin/plugin.json"
_PLUGIN = (
    *(_CLAUDE_PLUGIN, ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json"),
    "plugin.json",
)
"""Files that make a directory a plugin, which is installed as a unit."""
_MOST_OWNERS = 10
"""If more skills have such a file, a text can mean only the one in the skill of the same name."""
_DEEPEST = 2
"""Maximum depth of files that are looked up by name; deeper files belong to other projects."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A file of the source that is outside the skill, and the owner of the file.

    The owner is another skill, the plugin that contains this skill, or the repository. `root` is
    the directory of the owner; it is empty for the repository.
    """

    path: str
    root: str
    owner: Literal["skill", "plugin", "repository"]


class Targets:
    """Looks up paths that occur in the Markdown files of one skill."""

    def __init__(self, skill: Skill, tree: SkillTree, outline: Outline) -> None:
        self.tree, self.outline = tree, outline
        self.files = {file.path for file in skill.files}
        self.files |= {tree.relative(leaf) for leaf in tree.leaves}
        self.folders = {part for path in self.files for part in prefixes(path)} | {""}
        self._by_name: dict[str, list[str]] = {}
        for path in self.files:
            self._by_name.setdefault(base_name(path).lower(), []).append(path)
        self.linked: set[str] = set()
        """Directories of other skills that a path led to."""

    def is_published(self, folder: str, target: str) -> bool:
        """Return whether a path, relative to `folder`, is a published file or directory."""
        if target.startswith("/"):
            return False
        plain = posixpath.normpath(posixpath.join(folder, target))
        if plain.startswith(".."):
            return self._in_other_skill(plain)
        return plain == "." or plain in self.files or plain in self.folders

    def is_beside(self, folder: str, target: str) -> bool:
        """Return whether a path is a file or directory of the source outside of all skills."""
        path = self._in_source(posixpath.join(folder, target))
        return path is not None and self.outline.is_beside(path)

    def is_outside(self, folder: str, target: str) -> bool:
        """Return whether a path is outside of the skill."""
        return posixpath.normpath(posixpath.join(folder, target)).startswith("..")

    def is_in_plugin(self, folder: str, target: str) -> bool:
        """Return whether a path is in the plugin that contains the skill, but not in a skill."""
        path = self._in_source(posixpath.join(folder, target))
        if path is None or target.startswith("/") or not self.outline.is_beside(path):
            return False
        root = self.plugin
        return root is not None and (not root or path.startswith(f"{root}/"))

    def _is_plugin(self, root: str) -> bool:
        manifests = (posixpath.normpath(f"{root}/{name}") for name in _PLUGIN)
        return any(map(self.outline.is_beside, manifests))

    def has_name(self, target: str) -> bool:
        """Return whether the skill has a file with the same name as `target`, in any folder."""
        return base_name(target).lower() in self._by_name

    def path_above(self, target: str) -> str | None:
        """Return the path, relative to the source, of the file or directory that `target` names.

        `target` is looked up in each directory above the skill, starting with the nearest. Leading
        `../` segments are ignored. Files and directories of skills do not count. Returns None if
        nothing is found, or if `target` is just a common name such as `../README.md`.
        """
        rest = target.removeprefix("./")
        while rest.startswith("../"):
            rest = rest.removeprefix("../")
        name = rest.rstrip("/").lower()
        if not name or _COMMON_NAME.match(name) or len(name) > LONGEST_PATH:
            return None
        steps = [step for step in self._steps_up() if self.is_beside(step, rest)]
        return self._in_source(posixpath.join(steps[0], rest)) if steps else None

    # Files that texts name by paths relative to any directory above.

    def has(self, folder: str, path: str) -> bool:
        """Return whether the skill has a file at `path`. The path may be relative to `folder` or to
        any other folder.
        """
        return inside(folder, path) in self.files or any(
            other == path or other.endswith(f"/{path}")
            for other in self._by_name.get(base_name(path).lower(), ())
        )

    def folders_with(self, name: str) -> Sequence[str]:
        """Return the folders of the skill that have a file of this name."""
        return [parent(path) for path in self._by_name.get(name.lower(), ())]

    def is_own(self, path: str) -> bool:
        """Return whether `path`, relative to some directory above the skill, is a file of the
        skill.
        """
        own = f"{self.tree.directory}/"
        found = (self._in_source(step + path) or "" for step in self._steps_up())
        return any(each.startswith(own) and each.removeprefix(own) in self.files for each in found)

    def above(self, path: str) -> Elsewhere | None:
        """Return the file at a path that is relative to a directory above the skill.

        If several directories have such a file, the nearest is used. Returns None if there is no
        such file.
        """
        for step in self._steps_up():
            found = self._in_source(step + path)
            if found is None:
                continue
            other = self.outline.skill_at(found)
            if other is not None:
                is_own = other.directory == self.tree.directory
                if not is_own and self.is_published("", step + path):
                    return Elsewhere(found, other.directory, "skill")
            elif self.outline.is_beside(found):
                root = self.plugin
                if root is not None and (not root or found.startswith(f"{root}/")):
                    return Elsewhere(found, root, "plugin")
                return Elsewhere(found, "", "repository")
        return None

    def of_skill(self, path: str, is_named: Callable[[str], bool]) -> Elsewhere | None:
        """Return the file in another skill that the author may have meant; None if there is none.

        The other skill is, in order of preference, a skill with the same directory name (often the
        original of a translation), a skill that this skill mentions (`is_named`), or a skill of the
        same plugin whose name shares a word with the name of this skill. Originals are preferred to
        translations. If many skills have the file, only a skill with the same directory name is
        considered.
        """
        every = self.outline.skills_with(path)
        directories = sorted(every, key=lambda each: TRANSLATION.search(each) is not None)
        own, plugin = base_name(self.tree.directory), self.plugin
        others: list[Callable[[str], bool]] = [
            is_named,
            lambda each: bool(plugin) and each.startswith(f"{plugin}/") and _are_kin(own, each),
        ]
        for is_meant in (
            lambda each: base_name(each) == own,
            *(others if len(directories) <= _MOST_OWNERS else ()),
        ):
            for directory in filter(is_meant, directories):
                if directory != self.tree.directory:
                    self.linked.add(directory)
                    return Elsewhere(inside(directory, path), directory, "skill")
        return None

    def sibling_with(self, path: str) -> str | None:
        """Return the directory of the only other skill that has a file at this path; None unless
        that skill is in the same plugin.

        Also returns None if several other skills of the source have such a file.
        """
        start = f"{self.plugin}/" if self.plugin else None
        own = self.tree.directory
        every = [each for each in self.outline.skills_with(path) if each != own]
        is_near = start is not None and len(every) == 1 and every[0].startswith(start)
        return every[0] if is_near else None

    @functools.cached_property
    def is_in_claude_plugin(self) -> bool:
        """Whether Claude Code loads the skill as part of a plugin.

        Claude Code then replaces `${CLAUDE_PLUGIN_ROOT}` in the skill.
        """
        root = self.plugin
        if root is None:
            return False
        below = self.tree.directory.removeprefix(f"{root}/" if root else "")
        manifest = inside(root, _CLAUDE_PLUGIN)
        return below.startswith("skills/") and self.outline.is_beside(manifest)

    @functools.cached_property
    def plugin(self) -> str | None:
        """The directory of the innermost plugin that contains the skill; None if there is no such
        plugin.

        Empty if the root of the source is the plugin.
        """
        roots = (self._in_source(step) for step in self._steps_up())
        root = next((root for root in roots if root is not None and self._is_plugin(root)), None)
        return "" if root == "." else root

    def alike(self, path: str) -> str | None:
        """Return the only file of the skill with the same name as `path`. If no file has that name,
        the extension may differ. Returns None if there is no such file or more than one, or if the
        name is a common one such as `README.md`.
        """
        name = base_name(path).lower()
        if _COMMON_NAME.match(name):
            return None
        same = self._by_name.get(name) or self._by_stem.get(_stem(name), [])
        return same[0] if len(same) == 1 else None

    @functools.cached_property
    def _by_stem(self) -> Mapping[str, Sequence[str]]:
        """The files by their names without extension, in lower case."""
        found: dict[str, list[str]] = {}
        for name, paths in self._by_name.items():
            found.setdefault(_stem(name), []).extend(paths)
        return found

    @functools.cached_property
    def _by_words(self) -> Mapping[tuple[str, ...], Sequence[str]]:
        """The files by the parts of their path, split into words, and by each end of the path."""
        found: dict[tuple[str, ...], list[str]] = {}
        for path in self.files:
            words: tuple[str, ...] = ()
            for part in filter(_words, reversed(path.split("/"))):
                words = (*_words(part), *words)
                found.setdefault(words, []).append(path)
        return found

    def _steps_up(self) -> list[str]:
        """Return the relative path from the skill to each directory above it: `../`, `../../`, and
        so on.
        """
        depth = len(self.tree.directory.split("/")) if self.tree.directory else 0
        return ["../" * count for count in range(1, depth + 1)]

    def correction(self, folder: str, target: str) -> str | None:
        """Return the path that the author of a broken link probably meant; None if it is unknown.

        These paths are tried in order: `target` with `.md` appended; the last segments of `target`,
        relative to the directory of this skill or to its parent directory; the only file of this
        skill with the same name, or with the same words in its path.
        """
        if len(target) > LONGEST_PATH or not _PLAIN_PATH.fullmatch(target):
            return None
        if self.is_published(folder, f"{target}.md"):
            return f"{target}.md"
        parts = [part for part in target.split("/") if part not in ("", ".", "..")]
        for end in ["/".join(parts[start:]) for start in range(len(parts) - 1)]:
            for candidate in (end, f"../{end}"):
                if self.is_published("", candidate):
                    root = self.tree.directory
                    return _relative(inside(root, candidate), inside(root, folder))
        return (
            self._of_skill_file(folder, target)
            or self._of_its_name(folder, target)
            or self._of_its_words(folder, target)
        )

    def _of_skill_file(self, folder: str, target: str) -> str | None:
        """Return the SKILL.md of the skill for a missing SKILL.md in a subfolder, or `x.md` for
        `x/SKILL.md`.
        """
        inner = posixpath.normpath(posixpath.join(folder, target))
        above, name = posixpath.split(inner)
        if name != SKILL_FILE or inner.startswith(".."):
            return None
        if above in self.folders:
            return _relative(SKILL_FILE, folder)
        alike = self._by_name.get(f"{base_name(above).lower()}.md", [])
        return _relative(alike[0], folder) if len(alike) == 1 else None

    def _of_its_name(self, folder: str, target: str) -> str | None:
        """Return the only file of the skill with the name of a missing file.

        If there are several, return the file in the only folder whose name is part of the written
        path.
        """
        inner = posixpath.normpath(posixpath.join(folder, target))
        name = base_name(inner).lower()
        if inner.startswith("..") or inner.count("/") > _DEEPEST or _COMMON_NAME.match(name):
            return None
        alike = self._by_name.get(name, [])
        if len(alike) > 1:
            written = base_name(parent(inner)).lower()
            alike = [path for path in alike if (_folder_name(path) or "/") in written]
        return _relative(alike[0], folder) if len(alike) == 1 else None

    def _of_its_words(self, folder: str, target: str) -> str | None:
        """Return the only file whose path ends with the same words, such as `a/b-c` for `a-b/c`."""
        words = _words(target)
        if len(words) < _FEWEST_WORDS or self.is_outside(folder, target):
            return None
        alike = self._by_words.get(words, ())
        return _relative(alike[0], folder) if len(alike) == 1 else None

    def _in_source(self, path: str) -> str | None:
        """Return a path relative to the skill as a path of the source; None if it is outside of the
        source.
        """
        absolute = posixpath.normpath(posixpath.join(self.tree.directory, path))
        return None if absolute.startswith(("..", "/")) else absolute

    def _in_other_skill(self, path: str) -> bool:
        absolute = self._in_source(path)
        other = None if absolute is None else self.outline.skill_at(absolute)
        if absolute is None or other is None or other.path is None:
            return False
        self.linked.add(other.directory)
        absolute = self.outline.original(absolute)
        return absolute == other.directory or any(
            leaf.path == absolute or leaf.path.startswith(f"{absolute}/") for leaf in other.leaves
        )


def _words(path: str) -> tuple[str, ...]:
    return tuple(word for word in _BETWEEN_WORDS.split(path.lower()) if word)


def _stem(name: str) -> str:
    return name.rpartition(".")[0]


def _folder_name(path: str) -> str:
    return base_name(parent(path)).lower()


def _are_kin(name: str, directory: str) -> bool:
    """Return whether the directory name of a skill shares a word with this name."""
    words = {word for word in _words(name) if len(word) >= _SHORTEST_WORD}
    return not words.isdisjoint(_words(base_name(directory)))


def _relative(path: str, folder: str) -> str:
    """Return a path of the source relative to a folder, independent of the current directory."""
    return posixpath.relpath(posixpath.normpath(f"/{path}"), f"/{folder}")
