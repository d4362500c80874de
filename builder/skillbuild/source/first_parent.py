"""Walks the first-parent history of a commit and lists what each commit changed in the source.

Commits of merged branches are skipped, because the merge contains all of their changes. Replace
refs, grafts and commit-graphs are ignored (`git_process`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skillbuild.errors import GitError
from skillbuild.model import Change
from skillbuild.source import git

MOST_COMMITS = 200_000
MOST_CHANGES = 10_000_000
"""Maximum number of changes in all commits; a file counts each time it changed."""
MOST_WORK = 200_000_000
"""Maximum product of the number of commits and the number of entries in the largest folder, because
git compares whole folders in each commit.
"""

OVERRIDE = "or pass --without-versions"

_HEAD = re.compile(r"//([0-9a-f]{40,64}) (-?[0-9]{0,20}) ([0-9a-f]{40,64})")
_LITTLE_MEMORY = ("-c", "core.deltaBaseCacheLimit=16m")
"""An option for commands that read many trees in order: it halves the memory at the same speed."""
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999, used as the date of any commit with a later date."""
_TREE_MODE = "040000"
_EXECUTABLE_MODE = "100755"


class PathChange(NamedTuple):
    """A path that a commit changed, with the object ids at that path before and after the commit.

    A tree id is empty if the path is not a directory. A file id is empty if the path is not a file.
    """

    path: str
    """The path relative to the source; empty for the root of the source."""
    tree_before: str
    tree: str
    file_before: str
    """The id of the blob, followed by `x` if it is executable."""
    file: str


@dataclass(frozen=True, slots=True)
class Step:
    """A commit of the first-parent history, and its differences from its first parent."""

    change: Change
    tree: str
    """The tree of the whole repository."""
    changed: Sequence[PathChange]


def steps(repository: git.Repository, commit: str, largest_folder: int) -> Iterator[Step]:
    """Yield the commits of the first-parent history of `commit`, newest first.

    `largest_folder` is the number of entries in the largest folder of the source. Raises `GitError`
    if history is missing, or too long to be walked in each build.
    """
    if git.is_shallow(repository):
        raise GitError(
            "[versions] needs the whole history, and this is a shallow clone; run `git fetch"
            f" --unshallow` (`fetch-depth: 0` in a workflow), {OVERRIDE}"
        )
    _require_walkable(_count_first_parents(repository, commit), largest_folder)
    count = 0
    walked = _steps(_log_raw(repository, commit), repository.prefix)
    while (step := _next(walked, repository)) is not None:
        count += len(step.changed)
        if count > MOST_CHANGES:
            raise _too_long(f"more than {MOST_CHANGES:,} changes")
        yield step


def _next(walked: Iterator[Step], repository: git.Repository) -> Step | None:
    """Return the next step, None after the last; add a remedy to a `GitError` if a tree is
    missing.
    """
    try:
        return next(walked, None)
    except GitError as error:
        if git.is_plain(repository):
            raise
        raise GitError(
            "[versions] needs the directories of the whole history, and this partial clone lacks"
            " some; run `git fetch --refetch --filter=blob:none` (in a workflow, remove"
            f" `filter: tree:0`), {OVERRIDE}: {error}"
        ) from error


def _require_walkable(commits: int, largest_folder: int) -> None:
    if commits > MOST_COMMITS:
        raise _too_long(f"more than {MOST_COMMITS:,} commits")
    if commits * largest_folder > MOST_WORK:
        raise _too_long(f"{commits:,} commits, each with a folder of {largest_folder:,} entries")


def _too_long(what: str) -> GitError:
    return GitError(
        f"this history is too long for [versions]: {what}; move the skills into folders or into"
        f" their own repository, {OVERRIDE}"
    )


def _steps(records: Iterator[str], prefix: str) -> Iterator[Step]:
    head: re.Match[str] | None = None
    changed: list[PathChange] = []
    for record in records:
        if record.startswith("//"):
            if head is not None:
                yield _step(head, changed)
            head, changed = _head(record), []
            continue
        path = next(records, None)
        if path is None or not record.startswith(":"):
            raise GitError(f"unexpected output of git log: {record[:80]!r}")
        if f"{path}/".startswith(prefix):
            changed.append(_changed(record, path[len(prefix) :]))
    if head is not None:
        yield _step(head, changed)


def _head(record: str) -> re.Match[str]:
    match = _HEAD.fullmatch(record)
    if match is None:
        raise GitError(f"unexpected output of git log: {record[:80]!r}")
    return match


def _step(head: re.Match[str], changed: Sequence[PathChange]) -> Step:
    seconds = min(max(int(head[2] or 0), 0), _LAST_SECOND)
    return Step(Change(head[1], seconds), head[3], changed)


def _changed(record: str, path: str) -> PathChange:
    mode_before, mode, before, after, _ = record[1:].split(" ")
    tree_before, file_before = _ids(mode_before, before)
    tree, file = _ids(mode, after)
    return PathChange(path, tree_before, tree, file_before, file)


def _ids(mode: str, object_id: str) -> tuple[str, str]:
    """Return an object id as tree and file; both are empty for links and submodules."""
    if mode == _TREE_MODE:
        return object_id, ""
    if mode.startswith("100"):
        return "", f"{object_id}x" if mode == _EXECUTABLE_MODE else object_id
    return "", ""


def _count_first_parents(repository: git.Repository, commit: str) -> int:
    """Count the commits in the first-parent history of `commit`, up to one more than are walked."""
    form = ["--format=%h", "--abbrev=4", "--end-of-options", commit]
    log = ["log", f"--max-count={MOST_COMMITS + 1}", "--first-parent", "--no-show-signature"]
    log += ["--no-decorate", "-s", "-z"]
    return sum(1 for record in git.records(repository, *log, *form) if record)


def _log_raw(repository: git.Repository, commit: str) -> Iterator[str]:
    """Yield records of the first-parent history, newest first, with the changes of each commit in
    the source.

    Each commit begins with `//<commit> <seconds since 1970> <id of its whole tree>`. Each file or
    directory that differs from the first parent follows as two records: `:<mode before> <mode> <id
    before> <id> <letter>`, and its path in the repository. An id of zeros means that there is no
    such file.
    """
    log = [*_LITTLE_MEMORY, "log", "--first-parent", "-m", "--no-show-signature"]
    log += [
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--no-decorate",
        "--no-notes",
        "--full-history",
        "--sparse",
    ]
    form = ["-z", "-r", "-t", "--raw", "--no-abbrev", "--ignore-submodules=none"]
    form += ["--format=//%H %ct %T", "--end-of-options", commit]
    below = ["--", repository.prefix.rstrip("/")] if repository.prefix else []
    for record in git.records(repository, *log, *form, *below):
        if text := record.removeprefix("\n"):
            yield text
