"""`skills/list` and `skills/get` (SEP-2640, Listing Skills and Getting a Skill)."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import islice

from mcp_types import PaginatedRequestParams

from skillbuild.model import Listing, Version
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.describe import (
    PREFIX,
    UriParams,
    about_skills,
    deprecation_meta,
    facts_meta,
    owner_json,
    skill_meta,
    version_json,
)
from skillbuild.serve.methods.pagination import PagedList, page, with_next
from skillbuild.serve.state.content import successor_uri
from skillbuild.serve.state.entries import JsonObject, ServedEntry, read_entry
from skillbuild.serve.state.release import ServedRelease
from skillbuild.storage.files import FileError

PAGE_BYTES = 1 << 20
NEWEST = 20
"""Number of versions of a skill that are listed; the others are only counted."""


def list_skills(release: ServedRelease, params: PaginatedRequestParams) -> JsonObject:
    """Return a page of the listed skills, sorted by path: at most 100 skills, and at most 1 MiB
    unless a single skill is larger.

    The first page contains only skills from the first parts of the record, so that a new client
    does not wait for the other parts to be fetched.
    """
    skills: list[JsonObject] = []

    def fit(start: int, stop: int) -> int:
        most = stop if start else min(stop, release.parts.first(Listing.MCP))
        skills.extend(release.caches.skill_pages.get(start, partial(_page, release, start, most)))
        return start + len(skills)

    count = release.parts.count(Listing.MCP)
    part = page(PagedList(release.digest, "skills/list"), count, params.cursor, fit)
    return with_next({"skills": skills, **about_skills(release)}, part)


def _page(release: ServedRelease, start: int, stop: int) -> list[JsonObject]:
    """Return the skills from `start` to `stop`, or as many as fit in a page.

    The length of a line of the record is used as an upper limit for the length of its entry.
    """
    left = PAGE_BYTES
    entries: list[JsonObject] = []
    for line in islice(release.parts.listed(Listing.MCP, start), stop - start):
        left -= len(line)
        if left < 0 and entries:
            break
        entries.append(_skill_entry(read_entry(line)))
    return entries


def get_skill(release: ServedRelease, params: UriParams) -> JsonObject:
    """Return the skill whose SKILL.md is at a URI, even if the skill is not listed. A skill that
    clients cannot use (`ServedEntry.conforms`) is not returned.
    """
    entry = release.skill_at(params.uri)
    if entry is None or not entry.conforms:
        raise errors.unknown_skill(params.uri, successor_uri(release, params.uri))
    meta = {
        **skill_meta(release, entry),
        **deprecation_meta(entry),
        **facts_meta(entry),
        **_versions_meta(release, entry),
    }
    return {"skill": _skill_entry(entry), **({"_meta": meta} if meta else {})}


def _skill_entry(entry: ServedEntry) -> JsonObject:
    """Return a skill with exactly these keys, because some clients reject a whole page if a skill
    has any other key.
    """
    return {"uri": entry.uri, "frontmatter": entry.frontmatter, "resources": entry.resources}


def _versions_meta(release: ServedRelease, entry: ServedEntry) -> JsonObject:
    """Return the `_meta` field of a skill with versions, or of a version; empty for other
    skills.
    """
    if entry.is_version:
        return {f"{PREFIX}metadata": owner_json(entry)}
    if not entry.versions:
        return {}
    newest = [_listed(release, version) for version in entry.versions[:NEWEST]]
    return {f"{PREFIX}versions": {"count": len(entry.versions), "newest": newest}}


def _listed(release: ServedRelease, version: Version) -> JsonObject:
    """Return a version, with the URI of its SKILL.md unless it is damaged or not served."""
    listed = version_json(version)
    with suppress(FileError):
        entry = release.versions.of(version)
        listed |= {} if entry is None else {"uri": entry.uri}
    return listed
