"""The last changes of skills; each walk over the log ends where it meets the last one."""

from __future__ import annotations

from skillbuild.compile.request import Request
from skillbuild.errors import GitError
from skillbuild.source import git
from skillbuild.source.history import Walk, walk_log
from skillbuild.source.tree import CommitSource


def walked(request: Request, earlier: Walk | None) -> Walk | None:
    """What the log says of the skills of a source; None where it is not at hand or too long.

    An `earlier` walk is continued.
    """
    source, directories = request.source, request.skill_directories()
    if not isinstance(source, CommitSource) or not directories:
        return None
    if len(request.leaves) > git.MOST_ENTRIES:
        return None
    return walk_log(source.repository, source.commit.commit, directories, earlier)


def can_be_continued(request: Request) -> bool:
    """Whether a walk may be continued: nothing of the log is missing, as in a partial clone."""
    source = request.source
    try:
        return isinstance(source, CommitSource) and git.is_plain(source.repository)
    except GitError:
        return False
