"""Where skills are that have moved: a client that asks for an old path is told the new one."""

from __future__ import annotations

from urllib.parse import unquote

from skillbuild.paths import DEEPEST_PATH, parent
from skillbuild.serve.state.entries import ServedEntry
from skillbuild.serve.state.release import LONGEST_URI, PUBLIC, ServedRelease

_SCHEME = "skill://"


def successor_at(release: ServedRelease, uri: str) -> ServedEntry | None:
    """The skill that has taken the place of the one whose file or directory was at a URI.

    None if there is none, if it is internal or not served, or if a skill of today is around it.
    """
    if not uri.startswith(_SCHEME) or len(uri) > LONGEST_URI or not release.moved:
        return None
    path = unquote(uri.removeprefix(_SCHEME))
    for _ in range(DEEPEST_PATH):
        if (to := release.moved.get(path)) is not None:
            entry = release.entry_of(to)
            return None if entry is None or PUBLIC in entry.unlisted else entry
        path = parent(path)
        if not path or release.entry_of(path) is not None:
            return None
    return None


def successor_uri(release: ServedRelease, uri: str) -> str | None:
    """The URI of its SKILL.md."""
    entry = successor_at(release, uri)
    return None if entry is None else entry.uri
