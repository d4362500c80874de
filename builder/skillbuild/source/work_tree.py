"""Finds the files of a working tree that differ from its commit.

`git status` and `git diff` run filters that the configuration of a repository names. Therefore git
is asked only for staged and untracked files. Files on disk are compared with git's index here,
first by size and time and then by hash.

This module imports little, so that an up-to-date build stays fast.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from skillbuild.errors import GitError
from skillbuild.source import git
from skillbuild.source.git import Repository, is_blob


class Changes(NamedTuple):
    """The changed paths of a working tree, relative to the source, in no particular order."""

    changed: frozenset[str]
    """Files whose content or mode differs from the commit, new files, and deleted ones."""
    unclear: frozenset[str]
    """Files that may have changed: a git filter converts them, and only the filter could tell."""


class _IndexEntry(NamedTuple):
    """An entry of git's index: mode, blob, and size and time when git last compared the file."""

    mode: str
    object_id: str
    size: int
    modified: int
    """The modification time in nanoseconds since 1970."""

    def is_of(self, status: os.stat_result) -> bool:
        """Return whether a file still has the size (modulo 2^32) and the time that git recorded."""
        return (status.st_size & 0xFFFFFFFF, status.st_mtime_ns) == (self.size, self.modified)


_ENTRY = re.compile(
    rb"(\d+) ([0-9a-f]+) [0-3]\t([^\0]*)\0  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n"
    rb"  dev: \d+\tino: \d+\n  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: ([0-9a-f]+)\n"
)
"""An entry in the output of `git ls-files --stage --debug -z`."""
_UNWATCHED = 0x4000_8000
"""Flags of an entry: `skip-worktree` (sparse checkouts) and `assume-unchanged`."""
_SUBMODULE = "160000"


def changes_since(folder: Path, commit: str) -> Changes | None:
    """Return how the source `folder` differs from `commit`; None if it does not.

    None is also returned if nothing can be compared: outside of git, in a bare repository, without
    a readable index, or if another commit is checked out.
    """
    try:
        repository = git.find(folder)
        if repository is None or repository.work_tree is None:
            return None
        if git.run(repository, "rev-parse", "HEAD").decode().strip() != commit:
            return None
        changes = _changes(repository, commit)
    except (GitError, OSError):
        return None
    return changes if changes.changed or changes.unclear else None


def _changes(repository: Repository, commit: str) -> Changes:
    folder, checkout = f"{repository.work_tree}/{repository.prefix}", git.checkout_of(repository)
    # A file changed at or after the time of the index can still have the recorded size and time.
    newest = (repository.git_dir / "index").stat().st_mtime_ns
    changed = {*git.list_staged(repository, commit), *git.list_untracked(repository)}
    differing: dict[str, bool] = {}  # By path: whether git saw another size or time.
    for path, entry in _read_index(repository):
        status = _status(folder + path)
        if status is None or checkout.mode_of(status.st_mode, entry.mode) != entry.mode:
            changed.add(path)
            continue
        is_touched = not entry.is_of(status)
        is_doubtful = is_touched or status.st_mtime_ns >= newest
        if is_doubtful and not _has_content(Path(folder + path), entry.object_id):
            differing[path] = is_touched
    converted = set(_converted(repository, list(differing)))
    changed |= differing.keys() - converted
    unclear = {path for path in converted - changed if differing[path]}
    return Changes(frozenset(changed), frozenset(unclear))


def _read_index(repository: Repository) -> Iterator[tuple[str, _IndexEntry]]:
    """Yield path and entry of each file that git compares with the disk, except submodules."""
    below = ["--", repository.prefix or "."]
    output = git.run(repository, "ls-files", "-z", "--full-name", "--stage", "--debug", *below)
    for found in _ENTRY.finditer(output):
        mode, object_id, path, seconds, nanoseconds, size, flags = found.groups()
        modified = int(seconds) * 10**9 + int(nanoseconds)
        entry = _IndexEntry(mode.decode(), object_id.decode(), int(size), modified)
        if entry.mode != _SUBMODULE and not int(flags, 16) & _UNWATCHED:
            yield os.fsdecode(path).removeprefix(repository.prefix), entry


def _status(file: str) -> os.stat_result | None:
    try:
        return os.lstat(file)
    except OSError:
        return None


def _has_content(file: Path, object_id: str) -> bool:
    """Return whether a file, or the target of a link, has the content of a blob; CRLF may replace
    LF.
    """
    try:
        data = os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
    except OSError:
        return False
    return is_blob(object_id, data) or is_blob(object_id, data.replace(b"\r\n", b"\n"))


def _converted(repository: Repository, paths: Sequence[str]) -> Iterator[str]:
    """Yield the paths to which git attributes apply a filter, an encoding or `ident`."""
    if not paths:
        return
    given = b"".join(os.fsencode(repository.prefix + path) + b"\0" for path in paths)
    wanted = ["filter", "ident", "working-tree-encoding"]
    output = git.run(repository, "check-attr", "--stdin", "-z", *wanted, standard_input=given)
    fields = os.fsdecode(output).split("\0")
    for path, value in zip(fields[::3], fields[2::3], strict=False):
        if value not in ("unspecified", "unset"):
            yield path.removeprefix(repository.prefix)
