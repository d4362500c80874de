"""What a build with nothing to do says of changes that are not committed.

The last build stored its line about them, and the sizes and times of all that it depends on. While
these are the same, so is the line; else it is found again. In a large source nothing is stored.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from skillbuild.cache import signed_files

if TYPE_CHECKING:
    from skillbuild.source.uncommitted import Uncommitted

KIND = "work-tree"

Given = tuple[str, ...]
"""What the build depends on, as `up_to_date` has it: the commit first."""


def remember(
    options: argparse.Namespace, given: Given, uncommitted: Uncommitted, line: str
) -> None:
    """Store the line that is to be said while nothing that is watched changes."""
    paths = uncommitted.watched
    head = {
        "given": given,
        "line": line,
        "state": _state(options.repo, paths),
    }
    watched = [os.fsencode(path) for path in paths]
    parts = [json.dumps(head).encode(), b"\0", b"\0".join(watched)] if paths else []
    signed_files.write(Path(options.out), KIND, parts)


def warning(options: argparse.Namespace, given: Given) -> str:
    """The line about changes that this commit lacks; empty if there is nothing to say."""
    stored = signed_files.read(Path(options.out), KIND)
    if not stored:
        return ""
    head, _, paths = stored.partition(b"\0")
    try:
        values = json.loads(head)
        if tuple(values["given"]) != given:
            return ""
        if values["state"] == _state(options.repo, map(os.fsdecode, paths.split(b"\0"))):
            return str(values["line"])
    except (KeyError, TypeError, ValueError):  # Signed by this user, but by another version.
        return ""
    return _found_again(options, given)


def _state(repo: str, paths: Iterable[str]) -> str:
    """A digest of kind, size and time of what is at these paths of the source."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            status = os.lstat(f"{repo}/{path}")
        except OSError:
            digest.update(b"gone\n")
        else:
            state = f"{status.st_mode} {status.st_size} {status.st_mtime_ns}\n"
            digest.update(state.encode())
    return digest.hexdigest()


def _found_again(options: argparse.Namespace, given: Given) -> str:
    # Loads what a build loads; without a change there is no need for it.
    from skillbuild.diagnostics import takes_utf8
    from skillbuild.errors import SkillbuildError
    from skillbuild.source import tree
    from skillbuild.source.uncommitted import find_uncommitted

    try:
        source = tree.open_commit(Path(options.repo), given[0])
        leaves = source.leaves()
        uncommitted = find_uncommitted(source, leaves, tree.read_config(source, leaves))
    except SkillbuildError:
        return ""
    if uncommitted is None:
        return ""
    line = uncommitted.warning(source.prefix, utf8=takes_utf8(sys.stderr))
    remember(options, given, uncommitted, line)
    return line
