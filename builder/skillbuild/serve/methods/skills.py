"""`skills/list` and `skills/get` (SEP-2640, Listing Skills and Getting a Skill)."""

from __future__ import annotations

from functools import partial
from itertools import islice

from mcp_types import PaginatedRequestParams

from skillbuild.model import Listing
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context, UriParams
from skillbuild.serve.methods.pagination import page_of, with_next
from skillbuild.serve.state.entries import ServedEntry, read_entry
from skillbuild.serve.state.raw_json import JsonObject, RawJsonList
from skillbuild.serve.state.release import ServedRelease

PAGE_BYTES = 1 << 20


async def list_skills(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    """A page of the listed skills by path: at most 100, and at most 1 MiB unless one is longer."""
    release = ctx.lifespan_context
    count = release.parts.count(Listing.MCP)
    part = page_of(ctx, count, params.cursor, fit=partial(_fitting_stop, release))
    entries = release.caches.skill_pages.get(
        part.start, partial(_page_json, release, part.start, part.stop)
    )
    return with_next({"skills": entries}, part)


def _fitting_stop(release: ServedRelease, start: int, stop: int) -> int:
    """Where a page must end to stay small; a record's line is longer than the entry made of it."""
    left = PAGE_BYTES
    lines = islice(release.parts.listed(Listing.MCP, start), stop - start)
    for position, line in enumerate(lines, start):
        left -= len(line)
        if left < 0:
            return max(position, start + 1)
    return stop


def _page_json(release: ServedRelease, start: int, stop: int) -> RawJsonList:
    """The entries of a page as JSON: every new client asks for the same ones first."""
    lines = islice(release.parts.listed(Listing.MCP, start), stop - start)
    return RawJsonList.of([_skill_entry(read_entry(line)) for line in lines])


async def get_skill(ctx: Context, params: UriParams) -> JsonObject:
    """One skill by the URI of its SKILL.md, listed or not, if its name is one of the protocol."""
    release = ctx.lifespan_context
    entry = release.skill_at(params.uri)
    if entry is None or not entry.conforms:
        raise errors.unknown_skill(params.uri)
    return {"skill": _skill_entry(entry)}


def _skill_entry(entry: ServedEntry) -> JsonObject:
    """A skill with these keys and no other: some clients fail the whole page over one more."""
    return {"uri": entry.uri, "frontmatter": entry.frontmatter, "resources": entry.resources}
