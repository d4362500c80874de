"""Reads the source of a build: a commit or, for `check`, also a working tree or any folder.

A source lists its leaves (files, links and submodules), and has a reader for their sizes and
contents.
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
    """What is at a path of the source; `special` is anything that git cannot commit, such as a
    pipe.
    """

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
"""The kind of a leaf by its git mode; any other mode is special."""
_FILES = (Kind.FILE, Kind.EXECUTABLE)
_WITHOUT_GIT = git.Checkout(links=True, executable=True)

_POINTER = re.compile(rb"version https://(git-lfs\.github\.com|hawser\.github\.com)/spec/v\d+\n")
LONGEST_POINTER = 1024
"""Maximum bytes of a Git LFS pointer, set by the specification of Git LFS."""
LARGEST_OUTSIDE = 64 * 1024
"""Default limit in bytes for a file outside of all skills."""
_LARGEST_SETTINGS = 1024 * 1024
_LARGEST_GROUP = 512
_BYTES_AHEAD = 8 * 1024 * 1024
"""Limits of `ahead`: files in one group, and bytes read in all."""


class Leaf(NamedTuple):
    """A file, link or submodule of a source; the path is relative to the source.

    Bytes of the path that are not UTF-8 become surrogates. A source can have a million leaves, so a
    leaf is a tuple: tuples are the fastest to create, hash and send to other processes.
    """

    path: str
    kind: Kind
    object_id: str = ""
    """The id of the blob in git; empty for a leaf on disk."""

    @property
    def is_file(self) -> bool:
        return self.kind in _FILES


class Source(Protocol):
    """A commit or a folder from which skills are read. Checks treat both the same way."""

    @property
    def prefix(self) -> str:
        """The directory of the source in its repository: empty, or with a final `/`."""

    @property
    def commit(self) -> git.Commit | None:
        """The commit that is read; None for a working tree."""

    def leaves(self) -> list[Leaf]:
        """Return all files, links and submodules, in no particular order.

        For a commit, the list ends after `git.MOST_ENTRIES` + 1 items.
        """

    def reader(self) -> AbstractContextManager[Reader]:
        """Return a context manager that provides a reader; on exit, it stops the processes that the
        reader uses.
        """

    def blobs_at(self, revision: str) -> Mapping[str, str]:
        """Return the blob id of each file of the source in an earlier commit, by path.

        Empty if that commit is missing, or is neither the commit that is read nor one of its
        ancestors.
        """


class Reader(Protocol):
    """Reads files and link targets; all results are in the order of the arguments."""

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        """Return the sizes in bytes; None for a file or link that is missing."""

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        """Yield the content of each file or the target of each link; None if missing or damaged."""

    def below(self, tree: str, directory: str, most: int) -> list[Leaf] | None:
        """Return the files and links in the git tree with this id, as if the tree were at
        `directory`.

        If there are more than `most` files and links, the list is incomplete, but longer than
        `most`. Returns None if a tree is missing or damaged, if there are more than `most` folders,
        or if the source is not a commit.
        """


class OutsideError(Exception):
    """Raised if a file outside of all skills cannot be used.

    The message is a phrase such as `cannot be read`; the caller puts the path before it.
    """


def read_outside(leaf: Leaf | None, reader: Reader, most: int = LARGEST_OUTSIDE) -> bytes:
    """Return the content of a file outside of all skills, such as a shared icon.

    Read such files only with this function: it requires that the file is in the source, and checks
    the size first. Cached results that use the content must include `leaf.object_id` in their key.
    Raises `OutsideError` if `leaf` is not a readable file of at most `most` bytes.
    """
    if leaf is None or not leaf.is_file:
        raise OutsideError("is not a file in the source")
    size = next(iter(reader.sizes([leaf])), None)
    if size is not None and size > most:
        raise OutsideError(f"is {size:,} bytes; the limit is {most:,}")
    data = next(iter(reader.read([leaf])), None) if size is not None else None
    if data is None:
        raise OutsideError("cannot be read from the source")
    return data


def ahead(reader: Reader, groups: Sequence[Sequence[Leaf]]) -> Reader:
    """Return a reader that reads these groups of files in advance, in a single batch, which is
    faster.

    Large groups, and contents beyond 8 MiB in total, are read when they are requested.
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
    """The tree of a commit, read from git objects only; the working tree is not used."""

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
            if folders > most:  # Nested empty folders could take forever.
                return None
            data = next(self.objects.read([object_id], "tree"))
            if data is None:
                return None
            for mode, name, entry in git.entries_of(data, len(object_id) // 2):
                path = inside(folder, name)
                if mode.lstrip("0") == "40000":  # Some programs pad the mode, like `git ls-tree`.
                    waiting.append((path, entry))
                else:
                    leaves.append(Leaf(path, _KINDS.get(mode, Kind.SPECIAL), entry))
        return leaves


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A working tree, including its uncommitted changes, or a plain folder on disk.

    In a working tree (`repository` is set), files that git ignores are left out.
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
        """Return the leaf that `git add` would add at `path`; `indexed` is its mode in git's index,
        if any.

        None if nothing is there, or if there is a plain directory, whose files git lists
        separately.
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
    """Reads files on disk; for a file in Git LFS, reads the staged pointer instead."""

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
    """The staged Git LFS pointers of files whose content is in the working tree.

    A commit contains the pointer, even if the file on disk has the content.
    """

    def __init__(self, repository: git.Repository, objects: Objects) -> None:
        self._repository, self._objects = repository, objects
        self._known: dict[str, bytes] = {}
        """The pointers by path; empty if the file is not a pointer."""

    @cached_property
    def _ids(self) -> Mapping[str, str]:
        return {path: object_id for path, _, object_id in git.list_index(self._repository)}

    def among(self, leaves: Sequence[Leaf], sizes: Sequence[int | None]) -> Mapping[str, bytes]:
        """Return the staged Git LFS pointer of each of these files that has one, by path.

        `sizes` are the sizes on disk.
        """
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
    """Return whether the content of a file is a Git LFS pointer."""
    return len(data) < LONGEST_POINTER and _POINTER.match(data) is not None


def _leads_through_link(folder: Path, directory: str, answers: dict[str, bool]) -> bool:
    """Return whether a directory is a symbolic link or below one, and thus not part of this source.

    `answers` caches the results by directory.
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
    """Return the target of a link; a checkout without links has a file with the target instead."""
    try:
        return os.fsencode(path.readlink().as_posix()) if path.is_symlink() else path.read_bytes()
    except OSError:
        return None


def _walk(folder: Path) -> Iterator[Leaf]:
    """Yield all leaves of a folder outside of git; a linked directory is a leaf and is not
    entered.
    """
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
    """Return the leaf at `path` outside of git, without following links; None if it is gone."""
    try:
        mode = os.lstat(f"{folder}/{path}").st_mode  # Faster than a `Path` for each.
    except OSError:
        return None
    return Leaf(path, _KINDS.get(_WITHOUT_GIT.mode_of(mode, ""), Kind.SPECIAL))


def open_commit(path: Path, revision: str) -> CommitSource:
    """Return the directory `path` as it is in the commit that `revision` names.

    Raises `ConfigError` if `path` is not a directory, and `GitError` if the repository, the commit,
    or the directory in the commit does not exist.
    """
    repository = _find(path)
    if repository is None:
        raise GitError(f"{path} is not in a git repository; run `git init` and commit the skills")
    git.require_version()
    return CommitSource(repository, git.resolve(repository, revision))


def open_for_check(path: Path, revision: str | None) -> Source:
    """Return the source that `check` reads: the directory `path` on disk, or a commit.

    A commit is read if `revision` is given, or if the repository is bare; in a bare repository, the
    default revision is HEAD. Raises the same errors as `open_commit`, but accepts a folder outside
    of git.
    """
    repository = _find(path)
    if revision is not None or (repository is not None and repository.work_tree is None):
        return open_commit(path, "HEAD" if revision is None else revision)
    if repository is not None:
        git.require_version()
    return FolderSource(path.absolute(), repository)


def around(files: Sequence[Path]) -> tuple[Path, frozenset[str]]:
    """Return the working tree that contains these files, and their paths in it.

    Outside of git, the working directory takes the place of the working tree. Linked directories in
    a path are resolved. Raises `ConfigError` for a file that does not exist, and for files in
    different working trees.
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
            raise ConfigError(
                f"{file} is not in a git working tree; pass the directory of the source"
            )
        tops.setdefault(top, file)
        paths.append(real.relative_to(top).as_posix())
    if len(tops) > 1:
        first, second, *_ = tops.values()
        raise ConfigError(
            f"{first} and {second} are in different repositories; check them separately"
        )
    return next(iter(tops)), frozenset(paths)


def _find(path: Path) -> git.Repository | None:
    if not path.is_dir():
        raise ConfigError(f"{path} is not a directory")
    return git.find(path)


def read_config(source: Source, leaves: Sequence[Leaf]) -> config.Config:
    """Return the settings in `skillbuild.toml` at the root of the source, or the defaults.

    `leaves` are all files and links of the source. Raises `ConfigError` if the file is unreadable
    or invalid.
    """
    file = _config_file(leaves)
    if file is None:
        return config.Config()
    with source.reader() as reader:
        return config.parse(_config_data(file, reader))


@contextmanager
def locating(leaves: Sequence[Leaf], reader: Reader) -> Iterator[None]:
    """Convert a `SettingError` raised in the `with` block into a `ConfigError` that names the line
    in `skillbuild.toml`.
    """
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
