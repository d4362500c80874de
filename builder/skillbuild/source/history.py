"""When each skill was last changed: a walk over the log, never a guess.

Only names of files are asked for, so no program that a repository's config names can run. What a
walk found is kept for the next one, which ends where it meets the commit that the other began at.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skillbuild.cache import sealed_files
from skillbuild.errors import GitError
from skillbuild.model import Change
from skillbuild.source import git
from skillbuild.text.json import json_line

KIND = "history"
_HEAD = re.compile(r"//([0-9a-f]{40,64}) ([0-9]{1,11}) [0-9a-f ]*")
"""How a commit begins in the log; eleven digits of seconds end before the year 10000."""

MOST_STEPS = 1_000_000_000
"""Commits times skills of one walk, which then takes a minute: each commit lists all of them."""


@dataclass(frozen=True, slots=True)
class _Walk:
    """What the whole log of a commit told of directories."""

    prefix: str
    commit: str
    steps: int
    """Commits of that log."""
    changes: Mapping[str, Change | None]
    """None where the log tells nothing."""


def is_at_hand(repository: git.Repository, commit: str, skills: int) -> bool:
    """True when history is whole, and not too long to be walked in every build."""
    return not git.is_shallow(repository) and _count(repository, commit, skills) is not None


def last_changes(
    repository: git.Repository,
    commit: str,
    directories: Collection[str],
    out: Path | None = None,
    *,
    anew: bool = False,
) -> Mapping[str, Change]:
    """The last commit that touched each skill directory; empty when history is not at hand.

    Directories are relative to the source. Merges count by the commits they bring in. What is
    found is kept for the next build of `out`; `anew` does not ask what the last one kept.
    """
    if not directories:
        return {}
    try:
        keeps = out if out and git.is_plain(repository) else None
        if keeps is None and git.is_shallow(repository):
            return {}
        known = _load(keeps) if keeps and not anew else None
        found = _further(repository, commit, directories, known) if known else None
        found = found or _whole(repository, commit, directories)
    except GitError:
        return {}
    if found is None:
        return {}
    if keeps and found != known:
        _save(keeps, found)
    return {directory: change for directory, change in found.changes.items() if change}


def _count(repository: git.Repository, commit: str, skills: int) -> int | None:
    """How many commits a history has; None when they are too many."""
    most = _most(skills)
    steps = git.count_commits(repository, commit, most + 1)
    return steps if steps <= most else None


def _most(skills: int) -> int:
    return MOST_STEPS // max(1, skills)


def _whole(repository: git.Repository, commit: str, directories: Collection[str]) -> _Walk | None:
    steps = _count(repository, commit, len(directories))
    if steps is None:
        return None
    told = _walk(git.log_names(repository, commit), set(directories))
    changes = {directory: told.get(directory) for directory in directories}
    return _Walk(repository.prefix, commit, steps, changes)


def _further(
    repository: git.Repository, commit: str, directories: Collection[str], known: _Walk
) -> _Walk | None:
    """The whole walk by way of a known one; None unless the log runs straight down to that."""
    if known.prefix != repository.prefix:
        return None
    trail = [commit]
    records = _chained(git.log_names(repository, commit, known.commit), trail)
    try:
        told = _walk(records, set(directories))
        deque(records, maxlen=0)
    except GitError:  # The known commit may be gone.
        return None
    steps = known.steps + len(trail) - 1
    if trail[-1] != known.commit or steps > _most(len(directories)):
        return None
    both = {**known.changes, **told}
    if not both.keys() >= set(directories):
        return None
    changes = {directory: both[directory] for directory in directories}
    return _Walk(repository.prefix, commit, steps, changes)


def _chained(records: Iterator[str], trail: list[str]) -> Iterator[str]:
    """The records as long as each commit is the only parent of the one before.

    Each parent is added to the trail; whatever else comes ends it with no commit at all.
    """
    for record in records:
        if record.startswith("//"):
            commit, _, *parents = record[2:].split(" ")
            is_next = commit == trail[-1] and len(parents) == 1
            trail.append(parents[0] if is_next else "")
            if not is_next:
                return
        yield record


def _walk(records: Iterable[str], missing: set[str]) -> dict[str, Change | None]:
    """The first commit that names each directory; None for one that cannot be read."""
    changes: dict[str, Change | None] = {}
    change = last = None
    for name in records:
        if not missing:
            break
        if name.startswith("//"):
            head = _HEAD.fullmatch(name)
            change = Change(head[1], int(head[2])) if head else None
            continue
        folder = name.rpartition("/")[0]
        if folder != last:
            last = folder
            for above in _upwards(folder):
                if above in missing:
                    missing.discard(above)
                    changes[above] = change
    return changes


def _upwards(folder: str) -> Iterator[str]:
    """A folder and all above it; the last one is empty."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _load(out: Path) -> _Walk | None:
    """What the last walk for this output found, whatever became of that build."""
    data = sealed_files.read(out, KIND)
    try:
        prefix, commit, steps, rows = json.loads(data or b"")
        changes: dict[str, Change | None] = {}
        for made, (seconds, directories) in rows.items():
            changes |= dict.fromkeys(directories, Change(made, seconds) if made else None)
    except (ValueError, TypeError, AttributeError):  # It is ours, but of another version.
        return None
    return _Walk(prefix, commit, steps, changes)


def _save(out: Path, found: _Walk) -> None:
    rows: dict[str, tuple[int, list[str]]] = {}
    for directory, change in found.changes.items():
        made, seconds = (change.commit, change.seconds) if change else ("", 0)
        rows.setdefault(made, (seconds, []))[1].append(directory)
    line = json_line([found.prefix, found.commit, found.steps, rows])
    sealed_files.write(out, KIND, [line])
