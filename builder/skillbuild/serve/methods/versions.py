"""What `skills/get` says of versions: which there are of a skill, and which one a version is."""

from __future__ import annotations

from contextlib import suppress

from skillbuild.model import Version
from skillbuild.serve.methods.describe import PREFIX, origin_json, version_json
from skillbuild.serve.state.entries import ServedEntry
from skillbuild.serve.state.faults import UnreadableError
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease

NEWEST = 20
"""Versions that are named; the others are counted."""
_MOST_FILES = 200
"""Of the versions of a skill, above which to read them would keep other requests waiting."""


def takes_long(entry: ServedEntry) -> bool:
    """Whether to name the versions of a skill is work for a thread."""
    return min(entry.version_count, NEWEST) * entry.file_count > _MOST_FILES


def versions_meta(release: ServedRelease, entry: ServedEntry) -> JsonObject:
    """The fields of `_meta` for a skill that has versions, or for a version; none for others."""
    if entry.origin is not None:
        return {f"{PREFIX}metadata": origin_json(entry.origin)}
    if not entry.version_count:
        return {}
    newest = [_listed(release, version) for version in entry.newest_versions(NEWEST)]
    return {f"{PREFIX}versions": {"count": entry.version_count, "newest": newest}}


def _listed(release: ServedRelease, version: Version) -> JsonObject:
    """A version with the URI of its SKILL.md, unless it is damaged or not served."""
    listed = version_json(version)
    with suppress(UnreadableError):
        entry = release.versions.of(version)
        listed |= {} if entry is None else {"uri": entry.uri}
    return listed
