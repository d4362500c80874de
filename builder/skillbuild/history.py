"""When each skill was last changed: one walk over the log, never a guess.

Only names of files are asked for, so no program that a repository's config names can run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from skillbuild import git
from skillbuild.errors import GitError
from skillbuild.model import Change
from skillbuild.names import prefixes

_HEAD = re.compile(r"//([0-9a-f]{40,64}) ([0-9]{1,11})")
"""How a commit begins in the log; eleven digits of seconds end before the year 10000."""

MOST_STEPS = 1_000_000_000
"""Commits times skills of one walk, which then takes a minute: each commit lists all of them."""


def is_at_hand(repository: git.Repository, commit: str, skills: int) -> bool:
    """True when history is whole, and not too long to be walked in every build."""
    most = MOST_STEPS // max(1, skills)
    if git.is_shallow(repository):
        return False
    return git.count_commits(repository, commit, most + 1) <= most


def last_changes(
    repository: git.Repository, commit: str, directories: Collection[str]
) -> Mapping[str, Change]:
    """The last commit that touched each skill directory; empty when history is not at hand.

    Directories are relative to the source. Merges count by the commits they bring in.
    """
    try:
        if not directories or not is_at_hand(repository, commit, len(directories)):
            return {}
        return _walk(repository, commit, set(directories))
    except GitError:
        return {}


def _walk(repository: git.Repository, commit: str, missing: set[str]) -> Mapping[str, Change]:
    changes: dict[str, Change] = {}
    change = None
    for name in git.log_names(repository, commit):
        if not missing:
            break
        if name.startswith("//"):
            head = _HEAD.fullmatch(name)
            change = Change(head[1], int(head[2])) if head else None
            continue
        for folder in [*prefixes(name), ""]:
            if folder in missing:
                missing.discard(folder)
                if change is not None:
                    changes[folder] = change
    return changes
