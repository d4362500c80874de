"""`skills/list` and `skills/get` (SEP-2640, Listing Skills and Getting a Skill)."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from skillbuild.model import Listing
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.describe import deprecation_meta
from skillbuild.serve.methods.pagination import PagedList, StaleCursorError, page, with_next
from skillbuild.serve.methods.versions import takes_long, versions_meta
from skillbuild.serve.methods.work import in_thread
from skillbuild.serve.state.entries import ServedEntry, read_entry
from skillbuild.serve.state.moves import successor_uri
from skillbuild.serve.state.raw_json import JsonObject, RawJsonList
from skillbuild.serve.state.release import ServedRelease, SkillsPage

if TYPE_CHECKING:  # What answers without the SDK imports this module.
    from mcp_types import PaginatedRequestParams

    from skillbuild.serve.methods.params import UriParams

PAGE_BYTES = 1 << 20


async def list_skills(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    """A page of the listed skills by path: at most 100, and at most 1 MiB unless one is longer.

    The first one ends with the parts of the record that a new client should wait for.
    """
    result = list_at_once(ctx.lifespan_context, params.cursor)
    if result is None:
        raise errors.stale_cursor()
    skills = result["skills"]
    return {**result, "skills": skills.items if isinstance(skills, RawJsonList) else skills}


def list_at_once(release: ServedRelease, cursor: str | None = None) -> JsonObject | None:
    """The same, with the skills as text; None for a bad cursor."""
    try:
        return _list(release, cursor)
    except StaleCursorError:
        return None


def _list(release: ServedRelease, cursor: str | None) -> JsonObject:
    def page_from(start: int, stop: int) -> SkillsPage:
        return release.caches.skill_pages.get(start, partial(_skills_page, release, start, stop))

    def fit(start: int, stop: int) -> int:
        most = stop if start else min(stop, release.parts.first(Listing.MCP))
        return page_from(start, most).stop

    count = release.parts.count(Listing.MCP)
    part = page(PagedList(release.digest, "skills/list"), count, cursor, fit)
    return with_next({"skills": page_from(part.start, part.stop).entries}, part)


def _skills_page(release: ServedRelease, start: int, stop: int) -> SkillsPage:
    """The skills from a position on, up to another: every new client asks for the same ones first.

    A record's line is longer than the entry made of it, so the lines tell where a page must end.
    """
    left = PAGE_BYTES
    entries: list[JsonObject] = []
    for line in islice(release.parts.listed(Listing.MCP, start), stop - start):
        left -= len(line)
        if left < 0 and entries:
            break
        entries.append(_skill_entry(read_entry(line)))
    return SkillsPage(start + len(entries), RawJsonList.of(entries))


async def get_skill(ctx: Context, params: UriParams) -> JsonObject:
    """One skill by the URI of its SKILL.md, listed or not, if its name is one of the protocol."""
    release = ctx.lifespan_context
    entry = release.skill_at(params.uri)
    if entry is None or not entry.conforms:
        raise errors.unknown_skill(params.uri, successor_uri(release, params.uri))
    if takes_long(entry):
        return await in_thread(_given, release, entry)
    return _given(release, entry)


def get_at_once(release: ServedRelease, uri: str) -> JsonObject | None:
    """The same; None if there is no such skill, or if there is too much of it to wait for."""
    entry = release.skill_at(uri)
    if entry is None or not entry.conforms or takes_long(entry):
        return None
    return _given(release, entry)


def _given(release: ServedRelease, entry: ServedEntry) -> JsonObject:
    meta = {**deprecation_meta(entry), **versions_meta(release, entry)}
    return {"skill": _skill_entry(entry), **({"_meta": meta} if meta else {})}


def _skill_entry(entry: ServedEntry) -> JsonObject:
    """A skill with these keys and no other: some clients fail the whole page over one more."""
    return {"uri": entry.uri, "frontmatter": entry.frontmatter, "resources": entry.resources}
