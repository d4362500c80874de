"""`resources/list`, `resources/metadata` and `resources/templates/list`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from mcp_types import PaginatedRequestParams

from skillbuild.release.frontmatter import tags_of
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context, text_param
from skillbuild.serve.methods.describe import (
    describe_skill_briefly,
    described,
    list_briefly,
)
from skillbuild.serve.methods.directories import list_children
from skillbuild.serve.methods.pagination import page_of, with_next
from skillbuild.serve.methods.params import UriParams
from skillbuild.serve.methods.work import in_thread, over_catalog
from skillbuild.serve.state.entries import read_entry
from skillbuild.serve.state.moves import successor_uri
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import PUBLIC, ServedRelease
from skillbuild.uris import INDEX_URI

TEMPLATE = "skill://{+path}"
_FILTERS = frozenset(["name", "tag", "kind"])


async def list_resources(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    """A page of all skills but internal ones, by path, and after them the index.

    With `uri`, the direct children of a directory (SEP-2093); with `filter`, those that match it
    (generic resources document, Request Messages).
    """
    release = ctx.lifespan_context
    given = ctx.params or {}
    if given.get("uri") is not None:
        if given.get("filter") is not None:
            raise errors.invalid("uri and filter are for one request each")
        return await list_children(ctx, text_param(given, "uri"), params.cursor)
    if wanted := _filter(given.get("filter")):
        return await _list_filtered(ctx, params, wanted)
    count = release.skill_count
    part = page_of(ctx, count + 1, params.cursor)
    wanted_count = min(part.stop, count) - part.start
    resources = await in_thread(_skills, release, part.start, wanted_count)
    if part.stop > count:
        resources += await list_briefly(release, [INDEX_URI])
    return with_next({"resources": resources}, part)


def _skills(release: ServedRelease, start: int, count: int) -> list[JsonObject]:
    skills = release.skills(PUBLIC, start, count)
    return [describe_skill_briefly(release, skill) for skill in skills]


async def _list_filtered(
    ctx: Context, params: PaginatedRequestParams, wanted: Mapping[str, str]
) -> JsonObject:
    """In a thread, as all skills have to be read to find those that match."""
    release = ctx.lifespan_context
    key = tuple(sorted(wanted.items()))
    uris = await over_catalog(
        release.caches.filtered.get, key, partial(_matching_uris, release, wanted)
    )
    part = page_of(ctx, len(uris), params.cursor, (key,))
    resources = await list_briefly(release, uris[part.start : part.stop])
    return with_next({"resources": resources}, part)


def _filter(value: object) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not value.keys() <= _FILTERS:
        raise errors.invalid("filter takes name (a prefix), tag and kind")
    return {key: text_param(value, key) for key in value}


def _matching_uris(release: ServedRelease, wanted: Mapping[str, str]) -> list[str]:
    uris = []
    if wanted.get("kind", "skill") == "skill":
        skills = map(read_entry, release.parts.listed(PUBLIC))
        uris = [
            skill.uri
            for skill in skills
            if _matches(skill.name, tags_of(skill.frontmatter), wanted)
        ]
    if wanted.get("kind", "index") == "index" and _matches("index.json", (), wanted):
        uris.append(INDEX_URI)
    return uris


def _matches(name: str, tags: Sequence[str], wanted: Mapping[str, str]) -> bool:
    is_tagged = "tag" not in wanted or wanted["tag"].lower() in tags
    return name.startswith(wanted.get("name", "")) and is_tagged


async def resource_metadata(ctx: Context, params: UriParams) -> JsonObject:
    """One Resource without its content (SEP-2093, New resources/metadata Method)."""
    release = ctx.lifespan_context
    resource = await described(release, params.uri)
    if resource is None:
        successor = successor_uri(release, params.uri)
        raise errors.unknown_resource(params.uri, ctx.protocol_version, successor)
    return {"resource": resource}


async def list_templates(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    part = page_of(ctx, 1, params.cursor)
    template = {
        "uriTemplate": TEMPLATE,
        "name": "skill-file",
        "title": "A file of a skill",
        "description": "path is <skill-path>/<file>, for example pdf/SKILL.md; it can be completed",
        "capabilities": {"list": True, "subscribe": True},
    }
    return with_next({"resourceTemplates": [template]}, part)
