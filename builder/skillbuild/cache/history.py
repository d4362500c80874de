"""The last changes of skills; each walk over the log ends where it meets the last one."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from skillbuild.cache import signed_files
from skillbuild.compile.request import Request
from skillbuild.emit.emitter import Emitter
from skillbuild.errors import GitError
from skillbuild.model import Change
from skillbuild.output.base import Base, Published
from skillbuild.source import git
from skillbuild.source.history import Walk, walk_log
from skillbuild.source.tree import CommitSource
from skillbuild.text.json import json_line

KIND = "history"


def last_changes(
    request: Request, emitters: Sequence[Emitter], out: Path, base: Base
) -> Mapping[str, Change]:
    """The last change of each skill by directory; empty where no format shows it."""
    source, options = request.source, request.options
    is_wanted = any(emitter.needs_history for emitter in emitters)
    directories = request.skill_directories() if is_wanted else []
    if not isinstance(source, CommitSource) or not directories:
        return {}
    if len(request.leaves) > git.MOST_ENTRIES:
        return {}
    repository, commit = source.repository, source.commit.commit
    if options.cache:
        fresh = options.recheck or not isinstance(base, Published)
        walk = walk_log_again(out, repository, commit, directories, fresh=fresh)
    else:
        walk = walk_log(repository, commit, directories)
    return walk.last_changes() if walk else {}


def walk_log_again(
    out: Path, repository: git.Repository, commit: str, directories: Collection[str], *, fresh: bool
) -> Walk | None:
    """As `walk_log`, continuing the walk of the last build of `out`, and stored for the next one.

    With `fresh`, the stored walk is not used. Grafts and partial clones are always walked whole.
    """
    try:
        is_plain = git.is_plain(repository)
    except GitError:
        return None
    earlier = _read(out) if is_plain and not fresh else None
    walk = walk_log(repository, commit, directories, earlier)
    if is_plain and walk is not None and walk != earlier:
        _write(out, walk)
    return walk


def _read(out: Path) -> Walk | None:
    data = signed_files.read(out, KIND)
    try:
        stored = json.loads(data or b"")
        changes: dict[str, Change | None] = {}
        for row in stored["changes"]:
            change = Change(row["commit"], row["seconds"]) if row["commit"] else None
            changes |= dict.fromkeys(row["directories"], change)
        return Walk(stored["prefix"], stored["commit"], stored["commits"], changes)
    except (AttributeError, KeyError, TypeError, ValueError):  # None, or by another version.
        return None


def _write(out: Path, walk: Walk) -> None:
    """One row for each commit that is the last change of anything."""
    directories: dict[Change | None, list[str]] = {}
    for directory, change in walk.changes.items():
        directories.setdefault(change, []).append(directory)
    rows = [
        {
            "commit": change.commit if change else "",
            "seconds": change.seconds if change else 0,
            "directories": names,
        }
        for change, names in directories.items()
    ]
    stored = {
        "prefix": walk.prefix,
        "commit": walk.commit,
        "commits": walk.commits,
        "changes": rows,
    }
    signed_files.write(out, KIND, [json_line(stored)])
