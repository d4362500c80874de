"""The source of a build: one commit, or for `check` a work tree or any folder.

A source is a list of leaves, and a reader of their sizes and contents.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from skillbuild import config
from skillbuild.errors import ConfigError, GitError
from skillbuild.paths import inside, parent
from skillbuild.setting_lines import SettingError
from skillbuild.source import git
from skillbuild.source.git import Objects


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
"""By the mode that git gives a leaf; any other mode is special."""
_FILES = (Kind.FILE, Kind.EXECUTABLE)
_WITHOUT_GIT = git.Checkout(links=True, executable=True)

_POINTER = re.compile(rb"version https://(git-lfs\.github\.com|hawser\.github\.com)/spec/v\d+\n")
LONGEST_POINTER = 1024
"""Bytes beyond which a file cannot be a Git LFS pointer (Git LFS specification)."""
LARGEST_OUTSIDE = 64 * 1024
"""Bytes of a file outside of all skills, unless its kind has a limit of its own."""
_LARGEST_SETTINGS = 1024 * 1024
_LARGEST_GROUP = 512
_BYTES_AHEAD = 8 * 1024 * 1024
"""What `ahead` reads at most: leaves of one group, and bytes in all."""


class Leaf(NamedTuple):
    """A file, link or submodule of the source, by its path relative to the source.

    Bytes of the path that are not UTF-8 are surrogates. There can be a million leaves, and tuples
    are quickest to create, hash and send to other processes.
    """

    path: str
    kind: Kind
    object_id: str = ""
    """The id of the blob in git; empty for a leaf on disk."""

    @property
    def is_file(self) -> bool:
        return self.kind in _FILES


class Source(Protocol):
    """Where skills are read from: a commit or a folder, which the checks cannot tell apart."""

    @property
    def prefix(self) -> str:
        """The directory of the source in its repository: empty, or with a final `/`."""

    @property
    def commit(self) -> git.Commit | None:
        """The commit that is read, None for a work tree."""

    def leaves(self) -> list[Leaf]:
        """Every leaf, in no particular order; of a commit at most `git.MOST_ENTRIES` + 1."""

    def reader(self) -> AbstractContextManager[Reader]:
        """A reader of contents; leaving the context ends the processes that it uses."""

    def blobs_at(self, revision: str) -> Mapping[str, str]:
        """Ids of the files of this source at a commit, by path.

        None unless the commit is the one that is read or leads to it, and is at hand.
        """


class Reader(Protocol):
    """Reads files, and what links hold: one answer for each leaf, in the order of the leaves."""

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        """Sizes in bytes; None for a leaf that is missing."""

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        """Contents, of a link its target; None for a leaf that is missing or damaged."""

    def below(self, tree: str, directory: str, most: int) -> list[Leaf] | None:
        """The leaves of the git tree of this id, as if it stood at `directory`.

        Not all of them where there are more than `most`, but then more than `most`. None for a tree
        that is missing or damaged or has as many folders, and always of a source that is no commit.
        """


class OutsideError(Exception):
    """A file outside of all skills cannot be used; `str()` goes on after its path."""


def read_outside(leaf: Leaf | None, reader: Reader, most: int = LARGEST_OUTSIDE) -> bytes:
    """What a file outside of all skills holds, such as an icon that skills share.

    Every such file is read here: it is a file of the source, so never above it, and its size is
    asked first. What is made of it depends on `leaf.object_id`, which belongs into the key of
    whatever is stored. Raises `OutsideError` for anything else, and for more than `most` bytes.
    """
    if leaf is None or not leaf.is_file:
        raise OutsideError("is not a file of the source")
    size = next(iter(reader.sizes([leaf])), None)
    if size is not None and size > most:
        raise OutsideError(f"has {size:,} bytes; the limit is {most:,}")
    data = next(iter(reader.read([leaf])), None) if size is not None else None
    if data is None:
        raise OutsideError("cannot be read from the source")
    return data


def ahead(reader: Reader, groups: Sequence[Sequence[Leaf]]) -> Reader:
    """A reader that has already read these groups of leaves, which is quicker than one by one.

    Groups of many leaves, and contents beyond 8 MiB in all, are left to be read when asked for.
    """
    leaves = [leaf for group in groups if len(group) <= _LARGEST_GROUP for leaf in group]
    sizes = dict(zip(leaves, reader.sizes(leaves), strict=True))
    fitting, held = [], 0
    for leaf, size in sizes.items():
        if size is not None and held + size <= _BYTES_AHEAD:
            held += size
            fitting.append(leaf)
    return _ReadAhead(reader, sizes, dict(zip(fitting, reader.read(fitting), strict=True)))


@dataclass(frozen=True, slots=True)
class _ReadAhead:
    reader: Reader
    known_sizes: Mapping[Leaf, int | None]
    contents: Mapping[Leaf, bytes | None]

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        if all(leaf in self.known_sizes for leaf in leaves):
            return [self.known_sizes[leaf] for leaf in leaves]
        return self.reader.sizes(leaves)

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        if all(leaf in self.contents for leaf in leaves):
            return (self.contents[leaf] for leaf in leaves)
        return self.reader.read(leaves)

    def below(self, tree: str, directory: str, most: int) -> list[Leaf] | None:
        return self.reader.below(tree, directory, most)


@dataclass(frozen=True, slots=True)
class CommitSource:
    """The tree of a commit, read from git objects alone; the work tree does not matter."""

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

    def blobs_at(self, revision: str) -> Mapping[str, str]:
        return _blobs_at(self.repository, revision, self.commit.commit)


@dataclass(frozen=True, slots=True)
class _GitReader:
    objects: Objects

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        return self.objects.sizes([leaf.object_id for leaf in leaves])

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        return self.objects.read([leaf.object_id for leaf in leaves])

    def below(self, tree: str, directory: str, most: int) -> list[Leaf] | None:
        leaves: list[Leaf] = []
        waiting, folders = [(directory, tree)], 0
        while waiting and len(leaves) <= most:
            folder, object_id = waiting.pop()
            folders += 1
            if folders > most:  # Empty ones in each other can be more than anybody waits for.
                return None
            data = next(self.objects.read([object_id], "tree"))
            if data is None:
                return None
            for mode, name, entry in git.entries_of(data, len(object_id) // 2):
                path = inside(folder, name)
                if mode.lstrip("0") == "40000":  # Some programs pad it, as `git ls-tree` does.
                    waiting.append((path, entry))
                else:
                    leaves.append(Leaf(path, _KINDS.get(mode, Kind.SPECIAL), entry))
        return leaves


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A work tree or a plain folder as it is on disk, with changes that are not committed.

    Of a work tree (`repository` is set), ignored files are left out.
    """

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
        checkout = git.checkout_of(self.repository)
        leaves = {}
        through_link: dict[str, bool] = {}
        for path, mode in git.list_work_tree(self.repository):
            if _leads_through_link(self.folder, parent(path), through_link):
                continue
            leaf = self._leaf(path, mode, checkout)
            if leaf is not None:
                leaves[leaf.path] = leaf
        return list(leaves.values())

    def _leaf(self, path: str, indexed: str, checkout: git.Checkout) -> Leaf | None:
        """What is at `path` as git would add it; `indexed` is its mode in git's index, if any.

        None if nothing is there, or a plain directory in place of a file: git lists its files.
        """
        try:
            on_disk = os.lstat(f"{self.folder}/{path}").st_mode
        except OSError:
            return None
        if stat.S_ISDIR(on_disk):
            is_own = indexed in ("", "160000") or os.path.lexists(self.folder / path / ".git")
            return Leaf(path.rstrip("/"), Kind.SUBMODULE) if is_own else None
        return Leaf(path, _KINDS.get(checkout.mode_of(on_disk, indexed), Kind.SPECIAL))

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        if self.repository is None:
            yield _FolderReader(self.folder)
        else:
            with Objects(self.repository) as objects:
                yield _FolderReader(self.folder, _StagedPointers(self.repository, objects))

    def blobs_at(self, revision: str) -> Mapping[str, str]:
        return _blobs_at(self.repository, revision, "HEAD") if self.repository else {}


def _blobs_at(repository: git.Repository, revision: str, last: str) -> Mapping[str, str]:
    try:
        commit, newest = git.resolve(repository, revision), git.resolve(repository, last)
    except GitError:
        return {}
    if commit != newest and not git.is_older(repository, commit.commit, newest.commit):
        return {}
    return {path: object_id for path, _, object_id in git.list_tree(repository, commit.tree)}


@dataclass(frozen=True, slots=True)
class _FolderReader:
    """Reads files on disk; where Git LFS has put the content of one there, its staged pointer."""

    folder: Path
    staged: _StagedPointers | None = None

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        sizes = [_size(self.folder / leaf.path) for leaf in leaves]
        pointers = self.staged.among(leaves, sizes) if self.staged else {}
        return [
            len(pointers[leaf.path]) if leaf.path in pointers else size
            for leaf, size in zip(leaves, sizes, strict=True)
        ]

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        sizes = [_size(self.folder / leaf.path) for leaf in leaves] if self.staged else []
        pointers = self.staged.among(leaves, sizes) if self.staged else {}
        return (
            pointers.get(leaf.path) or _bytes(self.folder / leaf.path)
            if leaf.kind is not Kind.LINK
            else _target(self.folder / leaf.path)
            for leaf in leaves
        )

    def below(self, tree: str, directory: str, most: int) -> list[Leaf] | None:
        return None


class _StagedPointers:
    """Git LFS pointers that are staged, while the work tree has the content in their place.

    A commit has the pointer, whatever a filter has made of it on disk.
    """

    def __init__(self, repository: git.Repository, objects: Objects) -> None:
        self._repository, self._objects = repository, objects
        self._known: dict[str, bytes] = {}
        """By path, empty for what is no such pointer."""

    @cached_property
    def _ids(self) -> Mapping[str, str]:
        return {path: object_id for path, _, object_id in git.list_index(self._repository)}

    def among(self, leaves: Sequence[Leaf], sizes: Sequence[int | None]) -> Mapping[str, bytes]:
        """The pointers by path; `sizes` are those of the leaves on disk."""
        on_disk = {
            leaf.path: size
            for leaf, size in zip(leaves, sizes, strict=True)
            if leaf.is_file and leaf.path in self._ids and leaf.path not in self._known
        }
        ids = [self._ids[path] for path in on_disk]
        self._known |= dict.fromkeys(on_disk, b"")
        small = {
            path: object_id
            for path, object_id, size in zip(on_disk, ids, self._objects.sizes(ids), strict=True)
            if size is not None and size < LONGEST_POINTER and size != on_disk[path]
        }
        for path, data in zip(small, self._objects.read([*small.values()]), strict=True):
            if data is not None and is_pointer(data):
                self._known[path] = data
        return {leaf.path: data for leaf in leaves if (data := self._known.get(leaf.path))}


def is_pointer(data: bytes) -> bool:
    """Whether a file is a Git LFS pointer, and not the content that it stands for."""
    return len(data) < LONGEST_POINTER and _POINTER.match(data) is not None


def _leads_through_link(folder: Path, directory: str, answers: dict[str, bool]) -> bool:
    """Whether a directory is, or lies below, a symbolic link: what is there is not of this source.

    `answers` holds those for directories that were asked for before.
    """
    if not directory:
        return False
    if directory not in answers:
        above = _leads_through_link(folder, parent(directory), answers)
        answers[directory] = above or (folder / directory).is_symlink()
    return answers[directory]


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except OSError:
        return None


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _target(path: Path) -> bytes | None:
    """Where a link leads; a checkout without links holds a file with the target in its place."""
    try:
        return os.fsencode(path.readlink().as_posix()) if path.is_symlink() else path.read_bytes()
    except OSError:
        return None


def _walk(folder: Path) -> Iterator[Leaf]:
    """Every leaf of a folder outside git; directories that are links are leaves, not entered."""
    for top, directories, names in os.walk(folder):
        directories[:] = [name for name in directories if name != ".git"]
        base = os.path.relpath(top, folder).replace(os.sep, "/")
        start = "" if base == "." else f"{base}/"
        links = [name for name in directories if (Path(top) / name).is_symlink()]
        for name in [*(name for name in names if name != ".git"), *links]:
            leaf = _leaf_on_disk(folder, start + name)
            if leaf is not None:
                yield leaf


def _leaf_on_disk(folder: Path, path: str) -> Leaf | None:
    """What is at `path` outside of git, links not followed; None if it is gone."""
    try:
        mode = os.lstat(f"{folder}/{path}").st_mode  # Much quicker than a `Path` for each.
    except OSError:
        return None
    return Leaf(path, _KINDS.get(_WITHOUT_GIT.mode_of(mode, ""), Kind.SPECIAL))


def open_commit(path: Path, revision: str) -> CommitSource:
    """The commit that `revision` names, in the repository that holds the directory `path`.

    The source is that directory alone. Raises `ConfigError` if `path` is no directory, `GitError`
    if there is no repository, no such commit, or no such directory in it.
    """
    repository = _find(path)
    if repository is None:
        raise GitError(f"{path} is not in a git repository; run `git init` and commit the skills")
    git.require_version()
    return CommitSource(repository, git.resolve(repository, revision))


def open_for_check(path: Path, revision: str | None) -> Source:
    """What `check` reads: the directory `path` on disk, or a commit.

    A commit is read if `revision` names one, and of a bare repository (its HEAD). Errors are those
    of `open_commit`, but outside git any folder will do.
    """
    repository = _find(path)
    if revision is not None or (repository is not None and repository.work_tree is None):
        return open_commit(path, "HEAD" if revision is None else revision)
    if repository is not None:
        git.require_version()
    return FolderSource(path.absolute(), repository)


def around(files: Sequence[Path]) -> tuple[Path, frozenset[str]]:
    """The work tree around files, and their paths in it; outside git, the working directory.

    A file that a link leads to is where the link leads. Raises `ConfigError` for one that is not
    there, and for files of different work trees.
    """
    tops: dict[Path, Path] = {}
    paths = []
    for file in files:
        if not os.path.lexists(file):
            raise ConfigError(f"{file} does not exist")
        real = Path(os.path.realpath(file.parent)) / file.name
        repository = git.find(real.parent)
        top = repository.work_tree if repository else Path.cwd().resolve()
        if top is None or not real.is_relative_to(top):
            raise ConfigError(f"{file} is in no work tree of git; give the directory of the source")
        tops.setdefault(top, file)
        paths.append(real.relative_to(top).as_posix())
    if len(tops) > 1:
        first, second, *_ = tops.values()
        raise ConfigError(f"{first} and {second} are in different repositories; check them apart")
    return next(iter(tops)), frozenset(paths)


def _find(path: Path) -> git.Repository | None:
    if not path.is_dir():
        raise ConfigError(f"{path} is not a directory")
    return git.find(path)


def read_config(source: Source, leaves: Sequence[Leaf]) -> config.Config:
    """The settings in `skillbuild.toml` at the top of the source, or the defaults without one.

    `leaves` are those of the source. Raises `ConfigError` for a file that cannot be read or used.
    """
    file = _config_file(leaves)
    if file is None:
        return config.Config()
    with source.reader() as reader:
        return config.parse(_config_data(file, reader))


@contextmanager
def locating(leaves: Sequence[Leaf], reader: Reader) -> Iterator[None]:
    """Where settings do not fit the source: turns a `SettingError` into one that has the line."""
    try:
        yield
    except SettingError as error:
        file = _config_file(leaves)
        data = b"" if file is None else _config_data(file, reader)
        raise config.located(error, data) from error


def _config_file(leaves: Sequence[Leaf]) -> Leaf | None:
    return next((leaf for leaf in leaves if leaf.path == config.CONFIG_FILE), None)


def _config_data(file: Leaf, reader: Reader) -> bytes:
    try:
        return read_outside(file, reader, _LARGEST_SETTINGS)
    except OutsideError as error:
        raise ConfigError(f"{config.CONFIG_FILE} {error}") from error
