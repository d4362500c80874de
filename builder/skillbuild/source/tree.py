"""The source: one commit, or the work tree for `check`, as leaves with sizes and contents."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from skillbuild import config
from skillbuild.errors import ConfigError, GitError
from skillbuild.source import git
from skillbuild.source.git_objects import Objects


class Kind(StrEnum):
    """What a leaf of the source is."""

    FILE = "file"
    EXECUTABLE = "executable"
    LINK = "link"
    SUBMODULE = "submodule"
    SPECIAL = "special"


_KINDS = {
    "100644": Kind.FILE,
    "100664": Kind.FILE,
    "100755": Kind.EXECUTABLE,
    "120000": Kind.LINK,
    "160000": Kind.SUBMODULE,
}
_FILES = (Kind.FILE, Kind.EXECUTABLE)


class Leaf(NamedTuple):
    """One leaf, relative to the source; undecodable bytes of a name are kept as surrogates.

    There can be a million of them, and tuples are made, hashed and sent to workers fastest.
    """

    path: str
    kind: Kind
    object_id: str = ""

    @property
    def is_file(self) -> bool:
        return self.kind in _FILES


class Source(Protocol):
    """Where skills are read from; the rules do not know whether it is git or a folder."""

    @property
    def prefix(self) -> str:
        """What findings put before a path, to make it relative to the repository."""

    @property
    def commit(self) -> git.Commit | None:
        """The commit that is read, None for a work tree."""

    def leaves(self) -> list[Leaf]:
        """Every leaf, in no particular order."""

    def reader(self) -> AbstractContextManager[Reader]:
        """Opens what contents are read through."""


class Reader(Protocol):
    """Sizes and contents of leaves that are files; None stands for one that cannot be had."""

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]: ...

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]: ...


def ahead(reader: Reader, groups: Sequence[Sequence[Leaf]]) -> Reader:
    """A reader that has asked for several groups of leaves at once: waiting for each costs more.

    Large groups and large files are still read when they are asked for.
    """
    leaves = [leaf for group in groups if len(group) <= _MOST_AHEAD for leaf in group]
    sizes = dict(zip(leaves, reader.sizes(leaves), strict=True))
    few, held = [], 0
    for leaf, size in sizes.items():
        if size is not None and held + size <= _BYTES_AHEAD:
            held += size
            few.append(leaf)
    return _Ahead(reader, sizes, dict(zip(few, reader.read(few), strict=True)))


_MOST_AHEAD = 512
_BYTES_AHEAD = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Ahead:
    reader: Reader
    known: Mapping[Leaf, int | None]
    contents: Mapping[Leaf, bytes | None]

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        if all(leaf in self.known for leaf in leaves):
            return [self.known[leaf] for leaf in leaves]
        return self.reader.sizes(leaves)

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        if all(leaf in self.contents for leaf in leaves):
            return (self.contents[leaf] for leaf in leaves)
        return self.reader.read(leaves)


@dataclass(frozen=True, slots=True)
class CommitSource:
    """One commit, read from git objects alone; the work tree does not matter."""

    repository: git.Repository
    commit: git.Commit

    @property
    def prefix(self) -> str:
        return self.repository.prefix

    def leaves(self) -> list[Leaf]:
        return [
            Leaf(path, _KINDS.get(mode, Kind.SPECIAL), object_id)
            for path, mode, object_id in git.list_tree(self.repository, self.commit.tree)
        ]

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        with Objects(self.repository) as objects:
            yield _GitReader(objects)


@dataclass(frozen=True, slots=True)
class _GitReader:
    objects: Objects

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        return self.objects.sizes([leaf.object_id for leaf in leaves])

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        return self.objects.read([leaf.object_id for leaf in leaves])


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A work tree or a plain folder, as it is on disk: what the author has just typed."""

    folder: Path
    repository: git.Repository | None

    @property
    def prefix(self) -> str:
        return self.repository.prefix if self.repository else ""

    @property
    def commit(self) -> git.Commit | None:
        return None

    def leaves(self) -> list[Leaf]:
        if self.repository is None:
            return list(_walk(self.folder))
        found = {}
        behind: dict[str, bool] = {}
        for path, mode in git.list_work_tree(self.repository):
            if _is_behind_link(self.folder, path.rpartition("/")[0], behind):
                continue
            leaf = self._leaf(path, _KINDS.get(mode))
            if leaf is not None:
                found[path] = leaf
        return list(found.values())

    def _leaf(self, path: str, indexed: Kind | None) -> Leaf | None:
        if indexed in (Kind.SUBMODULE, Kind.LINK):
            return Leaf(path, indexed)
        leaf = _leaf_on_disk(self.folder, path)
        if leaf is None or not leaf.is_file or indexed is None:
            return leaf
        return leaf._replace(kind=indexed) if os.name == "nt" else leaf

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        yield _FolderReader(self.folder)


@dataclass(frozen=True, slots=True)
class _FolderReader:
    folder: Path

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        return [_size(self.folder / leaf.path) for leaf in leaves]

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        return (_bytes(self.folder / leaf.path) for leaf in leaves)


def _is_behind_link(folder: Path, parent: str, known: dict[str, bool]) -> bool:
    """True for a directory reached through a link: what is there is not of this source."""
    if not parent:
        return False
    if parent not in known:
        above = _is_behind_link(folder, parent.rpartition("/")[0], known)
        known[parent] = above or (folder / parent).is_symlink()
    return known[parent]


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _walk(folder: Path) -> Iterator[Leaf]:
    for parent, directories, names in os.walk(folder):
        directories[:] = [name for name in directories if name != ".git"]
        base = os.path.relpath(parent, folder).replace(os.sep, "/")
        start = "" if base == "." else f"{base}/"
        links = [name for name in directories if (Path(parent) / name).is_symlink()]
        for name in [*(name for name in names if name != ".git"), *links]:
            leaf = _leaf_on_disk(folder, start + name)
            if leaf is not None:
                yield leaf


def _leaf_on_disk(folder: Path, path: str) -> Leaf | None:
    try:
        status = os.lstat(folder / path)
    except OSError:
        return None
    if stat.S_ISLNK(status.st_mode):
        return Leaf(path, Kind.LINK)
    if stat.S_ISDIR(status.st_mode):
        return Leaf(path.rstrip("/"), Kind.SUBMODULE)
    if not stat.S_ISREG(status.st_mode):
        return Leaf(path, Kind.SPECIAL)
    return Leaf(path, Kind.EXECUTABLE if status.st_mode & 0o100 else Kind.FILE)


def open_commit(path: Path, revision: str) -> CommitSource:
    """One commit of the repository at `path`; a directory inside it is a source of its own."""
    repository = _find(path)
    if repository is None:
        raise GitError(f"{path} is not in a git repository; run `git init` and commit the skills")
    git.require_version()
    return CommitSource(repository, git.resolve(repository, revision))


def open_for_check(path: Path, revision: str | None) -> Source:
    """The work tree at `path` where there is one; git objects for a revision or a bare path."""
    repository = _find(path)
    if revision is not None or (repository is not None and repository.work_tree is None):
        return open_commit(path, "HEAD" if revision is None else revision)
    if repository is not None:
        git.require_version()
    return FolderSource(path.absolute(), repository)


def _find(path: Path) -> git.Repository | None:
    if not path.is_dir():
        raise ConfigError(f"{path} is not a directory")
    return git.find(path)


def read_config(source: Source, leaves: Sequence[Leaf]) -> config.Config:
    """The settings in the source's own `skillbuild.toml`, or the defaults without one."""
    for leaf in leaves:
        if leaf.path == config.CONFIG_FILE and leaf.is_file:
            with source.reader() as reader:
                data = next(iter(reader.read([leaf])))
            if data is None:
                raise ConfigError(f"{config.CONFIG_FILE} cannot be read from the source")
            return config.parse(data)
    return config.Config()
