"""What a work tree has that its commit lacks: changed files of skills, and new skills.

Git's own comparisons run the filters that a repository's config names, so files are compared here:
by size and time with git's index, and where these differ by their hash. Where line ends, filters
or encodings may explain a difference, there is none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from io import BytesIO
from pathlib import Path

from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import escape
from skillbuild.errors import GitError
from skillbuild.paths import base_name, parent, prefixes
from skillbuild.source import discovery, git
from skillbuild.source.git import IndexEntry
from skillbuild.source.git_objects import is_blob
from skillbuild.source.globs import excluder
from skillbuild.source.skill_tree import innermost
from skillbuild.source.tree import CommitSource, FolderSource, Kind, Leaf, kind_of
from skillbuild.text.wording import plural

MOST_LEAVES = 20_000
"""Leaves of a commit whose work tree is looked at; a larger one would hold up small builds."""
MOST_WATCHED = 6_000
"""Paths whose sizes and times a build with nothing to do compares."""
_MOST_READ, _LARGEST_READ = 5_000, 16 * 1024 * 1024
"""Files that are read in all, and bytes of one, because git's index has another size or time."""
_MOST_NAMED = 3

_CONVERTS = re.compile(rb"\b(filter|ident|working-tree-encoding)\b")
"""Attributes by which a file on disk has other bytes than its blob (gitattributes)."""


@dataclass(frozen=True, slots=True)
class Uncommitted:
    """Changes that are no part of a commit; paths are relative to the source."""

    files: tuple[str, ...]
    """Files of the commit's skills that are changed, new or gone, and the settings; sorted."""
    skills: tuple[str, ...]
    """Directories of the skills that the commit does not have, sorted."""
    watched: tuple[str, ...]
    """Files and directories that change if anything here does; empty if there are too many."""

    def warning(self, prefix: str, *, utf8: bool = False) -> str:
        """One line about it, empty if there is nothing to say; ASCII without `utf8`."""
        parts = [plural(len(self.files), "changed file")] if self.files else []
        if self.skills:
            names = [escape(prefix + folder, utf8=utf8) for folder in self.skills[:_MOST_NAMED]]
            more = ", ..." if len(self.skills) > _MOST_NAMED else ""
            parts.append(f"{plural(len(self.skills), 'new skill')} ({', '.join(names)}{more})")
        if not parts:
            return ""
        return (
            f"warning: the work tree has {' and '.join(parts)} that this commit lacks;"
            " commit them, or check them with skillbuild check"
        )


def find_uncommitted(
    source: CommitSource, leaves: Sequence[Leaf], config: Config
) -> Uncommitted | None:
    """Compare the work tree with the commit, whose leaves and settings are given.

    None where there is nothing to compare: the repository is bare or has no usable index, the
    commit is not HEAD, or the source is too large.
    """
    work_tree = source.repository.work_tree
    if work_tree is None or len(leaves) > MOST_LEAVES:
        return None
    try:
        if git.resolve(source.repository, "HEAD") != source.commit:
            return None
        index = git.list_index(source.repository)
        folder = FolderSource(work_tree / source.prefix, source.repository)
        return None if index is None else _compare(leaves, folder, index, config)
    except GitError:
        return None


def _compare(
    leaves: Sequence[Leaf], folder: FolderSource, index: Mapping[str, IndexEntry], config: Config
) -> Uncommitted:
    is_same = _is_untouched(leaves, folder, index)
    present, _ = discovery.without_outputs(leaves if is_same else folder.leaves())
    committed, _ = discovery.without_outputs(leaves)
    skills = frozenset(discovery.find(committed, config).directories)
    new = frozenset(discovery.find(present, config).directories) - skills
    is_excluded = excluder(config)

    @cache
    def is_in_skill(folder: str) -> bool:
        return innermost(skills, folder) is not None and innermost(new, folder) is None

    def is_own(leaf: Leaf) -> bool:
        return leaf.path == CONFIG_FILE or (
            is_in_skill(parent(leaf.path))
            and not discovery.is_junk(leaf.path)
            and not is_excluded(leaf)
        )

    before = {leaf.path: leaf for leaf in committed if is_own(leaf)}
    after = before if is_same else {leaf.path: leaf for leaf in present if is_own(leaf)}
    paths = [leaf.path for leaf in present]
    files = [] if is_same else _WorkTree(folder, index, paths).changed(before, after)
    return Uncommitted(tuple(sorted(files)), tuple(sorted(new)), _watched(after, paths))


def _is_untouched(
    leaves: Sequence[Leaf], folder: FolderSource, index: Mapping[str, IndexEntry]
) -> bool:
    """Whether it is seen at once that the work tree is as committed.

    That is so if the index is, no file has another size, time or kind than git saw there, and
    nothing is untracked.
    """
    if folder.repository is None or len(index) != len(leaves):
        return False
    for leaf in leaves:
        entry = index.get(leaf.path)
        if entry is None or entry.object_id != leaf.object_id:
            return False
        if _kind_if_indexed(folder, leaf.path, entry) is not leaf.kind:
            return False
    return not git.list_untracked(folder.repository)


def _kind_if_indexed(folder: FolderSource, path: str, entry: IndexEntry) -> Kind | None:
    """The kind of a file that has been left alone since git last compared it; else None."""
    try:
        status = os.lstat(f"{folder.folder}/{path}")
    except OSError:
        return None
    is_same = entry.is_of(status.st_size, status.st_mtime_ns)
    return kind_of(status.st_mode) if is_same else None


def _watched(own: Iterable[str], paths: Sequence[str]) -> tuple[str, ...]:
    holding = set(map(parent, paths))
    folders = {"", *holding, *(above for folder in holding for above in prefixes(folder))}
    rules = {path for path in paths if base_name(path) == ".gitignore"}
    watched = folders.union(own, rules)
    return tuple(sorted(watched)) if len(watched) <= MOST_WATCHED else ()


@dataclass(frozen=True, slots=True)
class _WorkTree:
    """Files on disk, and what git's index says of them."""

    source: FolderSource
    index: Mapping[str, IndexEntry]
    paths: Sequence[str]
    """Every path of the source on disk."""

    def changed(self, before: Mapping[str, Leaf], after: Mapping[str, Leaf]) -> list[str]:
        """The paths at which something differs; none of those to be read if they are too many."""
        changed: list[str] = []
        unclear: list[Leaf] = []
        for path in {*before, *after}:
            old, new, entry = before.get(path), after.get(path), self.index.get(path)
            if entry is not None and entry.is_unwatched:
                continue
            if old is None or new is None or old.kind is not new.kind:
                changed.append(path)
            elif entry is not None and _kind_if_indexed(self.source, path, entry):
                if entry.object_id != old.object_id:
                    changed.append(path)
            elif old.is_file or old.kind is Kind.LINK:
                unclear.append(old)
        if len(unclear) <= _MOST_READ:
            changed += self._differing(unclear)
        return changed

    def _differing(self, leaves: Iterable[Leaf]) -> Iterator[str]:
        """The leaves that have other bytes than their blob, line ends aside."""
        differing = [leaf.path for leaf in leaves if not self._is_same(leaf)]
        patterns = list(self._converted()) if differing else []
        for path in differing:
            if not any(fnmatchcase(base_name(path).lower(), pattern) for pattern in patterns):
                yield path

    def _is_same(self, leaf: Leaf) -> bool:
        with self.source.reader() as reader:
            size = reader.sizes([leaf])[0]
            if size is None or size > _LARGEST_READ:
                return True
            data = next(reader.read([leaf]))
        if data is None or is_blob(leaf.object_id, data):
            return True
        return is_blob(leaf.object_id, data.replace(b"\r\n", b"\n"))

    def _converted(self) -> Iterator[str]:
        """Patterns for the names of files that may have other bytes on disk, in lower case."""
        for file in self._attribute_files():
            for line in filter(_CONVERTS.search, _lines(file)):
                pattern = line.split()[0].decode(errors="surrogateescape").lower()
                is_simple = not pattern.startswith(("[attr]", '"')) and "\\" not in pattern
                yield base_name(pattern) if is_simple else "*"

    def _attribute_files(self) -> Iterator[Path]:
        """Every file that may give attributes to the source, those of this user included."""
        inside = [path for path in self.paths if base_name(path) == ".gitattributes"]
        yield from (self.source.folder / path for path in inside)
        yield from (above / ".gitattributes" for above in self.source.folder.parents)
        if self.source.repository is not None:
            yield self.source.repository.git_dir / "info/attributes"
            yield self.source.repository.git_dir / "../../info/attributes"  # Of a linked work tree.
            yield from git.attribute_files(self.source.repository)


def _lines(file: Path) -> list[bytes]:
    """The lines of a file that anybody may have named, none if it is no plain one."""
    try:
        with file.open("rb") if file.is_file() else BytesIO() as opened:
            return opened.read(_LARGEST_READ).splitlines()
    except OSError:
        return []
