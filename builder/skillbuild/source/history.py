"""Finds the first and the last commit of each skill in the git log.

Only the names of changed files are read, never diffs, so git runs no program that the configuration
of a repository names.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from skillbuild.errors import GitError
from skillbuild.model import Change
from skillbuild.source import git

_HEAD = re.compile(r"//([0-9a-f]{40,64}) ([0-9]{1,11}) [0-9a-f ]*")
"""The first line of a commit in the log; the pattern accepts dates before the year 10000."""
_UNDECODED = re.compile(r"[\ud800-\udfff]")
"""Matches a file name that is not UTF-8."""

MOST_STEPS = 1_000_000_000
"""Maximum product of commits and skills of one walk, which then takes about a minute."""
MOST_FOR_FIRST = 20_000
"""Maximum number of commits in a log that is read to the end; in a longer log, first commits stay
unknown.
"""
MOST_TOUCHED = 1_000
"""Maximum number of files that are kept for one change; files whose names are not UTF-8 are
dropped.
"""


@dataclass(frozen=True, slots=True)
class Walk:
    """The first and the last change of each directory in the log of a commit."""

    prefix: str
    """The prefix of the repository; directories are relative to it."""
    commit: str
    commits: int
    """The number of commits in the log."""
    changes: Mapping[str, Change | None]
    """The last change of each directory; None if the log has none."""
    firsts: Mapping[str, Change | None]
    """The first change of each directory; empty if the log has more than `MOST_FOR_FIRST`
    commits.
    """
    touched: Mapping[str, Sequence[str]]
    """Files below each directory that its last change touched, sorted; at most `MOST_TOUCHED`."""

    def last_changes(self) -> dict[str, Change]:
        """Return the known last changes by directory."""
        return _known(self.changes)

    def first_changes(self) -> dict[str, Change]:
        """Return the known first changes by directory."""
        return _known(self.firsts)


def _known(changes: Mapping[str, Change | None]) -> dict[str, Change]:
    return {directory: change for directory, change in changes.items() if change}


def walk_log(
    repository: git.Repository,
    commit: str,
    directories: Collection[str],
    earlier: Walk | None = None,
) -> Walk | None:
    """Find the first and the last commit that touched each directory.

    Directories are relative to the source. Merges are skipped, because the log has the commits that
    they bring in. If an `earlier` walk can be resumed, only newer commits are read; the result is
    the same. Returns None if history is missing or too long.
    """
    try:
        if git.is_shallow(repository):
            return None
        continued = _continued(repository, commit, directories, earlier) if earlier else None
        return continued or _whole(repository, commit, directories)
    except GitError:
        return None


def _count(repository: git.Repository, commit: str, skills: int) -> int | None:
    """Return the number of commits in the log; None if there are too many."""
    most = _most_commits(skills)
    commits = _count_commits(repository, commit, most + 1)
    return commits if commits <= most else None


def _most_commits(skills: int) -> int:
    return MOST_STEPS // max(1, skills)


def _whole(repository: git.Repository, commit: str, directories: Collection[str]) -> Walk | None:
    commits = _count(repository, commit, len(directories))
    if commits is None:
        return None
    is_read = commits <= MOST_FOR_FIRST
    read = _read_log(log_names(repository, commit), directories, whole=is_read)
    changes = {directory: read.newest.get(directory) for directory in directories}
    firsts = {directory: read.oldest.get(directory) for directory in directories if is_read}
    return Walk(repository.prefix, commit, commits, changes, firsts, read.sorted_touched())


def _continued(
    repository: git.Repository, commit: str, directories: Collection[str], earlier: Walk
) -> Walk | None:
    """Return the whole walk by continuing an earlier one; None if that is impossible.

    Every commit since then must have exactly one parent, and the last parent must be the commit of
    the earlier walk. Only then is the earlier log the rest of this one.
    """
    if earlier.prefix != repository.prefix:
        return None
    trail = [commit]
    records = _while_linear(log_names(repository, commit, earlier.commit), trail)
    try:
        read = _read_log(records, directories, whole=False)
        deque(records, maxlen=0)
    except GitError:  # The earlier commit may be gone.
        return None
    commits = earlier.commits + len(trail) - 1
    if trail[-1] != earlier.commit or commits > _most_commits(len(directories)):
        return None
    changes = {**earlier.changes, **read.newest}
    touched = {**earlier.touched, **read.sorted_touched()}
    if not changes.keys() >= set(directories):
        return None
    is_read = commits <= MOST_FOR_FIRST
    if is_read and not earlier.firsts.keys() >= set(directories):
        return None  # A new directory may have existed before and been deleted.
    return Walk(
        repository.prefix,
        commit,
        commits,
        {each: changes[each] for each in directories},
        {each: earlier.firsts[each] for each in directories if is_read},
        {each: touched[each] for each in directories if each in touched},
    )


def _while_linear(records: Iterator[str], trail: list[str]) -> Iterator[str]:
    """Yield records while each commit is the only parent of the one before it.

    Each parent is appended to `trail`; anything else appends an empty id and stops.
    """
    for record in records:
        if record.startswith("//"):
            commit, _, *parents = record[2:].split(" ")
            is_next = commit == trail[-1] and len(parents) == 1
            trail.append(parents[0] if is_next else "")
            if not is_next:
                return
        yield record


@dataclass(slots=True)
class _Read:
    """The progress of reading a log: the newest and the oldest commit so far that touched each
    directory.
    """

    newest: dict[str, Change | None] = field(default_factory=dict)
    oldest: dict[str, Change | None] = field(default_factory=dict)
    """The oldest commit of each directory; None if that commit is unreadable, as in `newest`."""
    touched: dict[str, list[str]] = field(default_factory=dict)
    """The files that the newest commit names below each directory."""
    named: set[str] = field(default_factory=set)
    """The directories whose newest commit is the one being read."""

    def name(
        self, directories: Iterable[str], change: Change | None
    ) -> Iterator[tuple[int, list[str]]]:
        """Record that a commit touched these directories.

        Yields two values for each directory whose newest commit this is: the length of the prefix
        to remove from the paths of files in the directory, and the list that collects the shortened
        paths.
        """
        for directory in directories:
            if directory not in self.newest:
                self.newest[directory] = change
                self.named.add(directory)
            self.oldest[directory] = change
            if directory in self.named:
                start = len(directory) + 1 if directory else 0
                yield start, self.touched.setdefault(directory, [])

    def sorted_touched(self) -> dict[str, Sequence[str]]:
        return {directory: sorted(names) for directory, names in self.touched.items()}


def _read_log(records: Iterable[str], directories: Collection[str], *, whole: bool) -> _Read:
    """Read a log; unless `whole` is true, stop when all directories were named once."""
    wanted = set(directories)
    read = _Read()
    change: Change | None = None
    last: str | None = None
    growing: list[tuple[int, list[str]]] = []
    for record in records:
        if record.startswith("//"):
            if not whole and len(read.newest) == len(wanted):
                break
            head = _HEAD.fullmatch(record)
            change, last = Change(head[1], int(head[2])) if head else None, None
            read.named.clear()
            continue
        folder = record.rpartition("/")[0]
        if folder != last:
            last = folder
            above = [each for each in _upwards(folder) if each in wanted]
            growing = [*read.name(above, change)]
        for start, names in growing:
            if len(names) < MOST_TOUCHED and not _UNDECODED.search(record):
                names.append(record[start:])
    return read


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and all folders above it; the last one is empty."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _count_commits(repository: git.Repository, commit: str, most: int) -> int:
    """Count the ancestors of `commit`, including itself, up to `most`."""
    log = ["log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-decorate", "-z"]
    form = [f"--max-count={most}", "--format=%h", "--abbrev=4", "--end-of-options", commit]
    return sum(1 for record in git.records(repository, *log, *form) if record)


def log_names(repository: git.Repository, commit: str, since: str = "") -> Iterator[str]:
    """Yield the history of the source, newest first: a line for each commit, then the paths it
    touched.

    The line of a commit is `//<commit> <seconds since 1970> <parents>`; paths are relative to the
    source. With `since`, only commits that are not ancestors of `since` are listed, including
    commits that touched nothing in the source.
    """
    log = ["log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames"]
    form = ["--no-decorate", "--no-notes", "--full-history", "--name-only", "-z"]
    form += ["--ignore-submodules=none", "--format=//%H %ct %P", *(["--sparse"] if since else [])]
    form += ["--end-of-options", f"{since}..{commit}" if since else commit]
    below = ["--", repository.prefix] if repository.prefix else []
    for record in git.records(repository, *log, *form, *below):
        name = record.removeprefix("\n")
        if name:
            yield name.removeprefix(repository.prefix)
