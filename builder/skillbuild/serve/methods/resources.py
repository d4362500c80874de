"""`resources/list`, `resources/metadata` and `resources/templates/list`."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import PaginatedRequestParams

from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context, UriParams, text_param
from skillbuild.serve.methods.describe import describe
from skillbuild.serve.methods.directories import list_children
from skillbuild.serve.methods.pagination import page_of, with_next
from skillbuild.serve.state.entries import ListingRow
from skillbuild.serve.state.raw_json import JsonObject

TEMPLATE = "skill://{+path}"
_FILTERS = frozenset(["name", "tag", "kind"])


async def list_resources(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    """A page of all skills, the index and the archives.

    With `uri`, the direct children of a directory (SEP-2093); with `filter`, those that match it
    (generic resources document, Request Messages).
    """
    release = ctx.lifespan_context
    given = ctx.params or {}
    if given.get("uri") is not None:
        if given.get("filter") is not None:
            raise errors.invalid("uri and filter are for one request each")
        return list_children(ctx, text_param(given, "uri"), params.cursor)
    uris, wanted = release.listing_uris, _filter(given.get("filter"))
    if wanted:
        uris = [row.uri for row in release.listing_rows if _matches(row, wanted)]
    part = page_of(ctx, len(uris), params.cursor, (sorted(wanted.items()),))
    resources = [describe(release, uri) for uri in uris[part.start : part.stop]]
    return with_next({"resources": resources}, part)


def _filter(value: object) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not value.keys() <= _FILTERS:
        raise errors.invalid("filter takes name (a prefix), tag and kind")
    return {key: text_param(value, key) for key in value}


def _matches(row: ListingRow, wanted: Mapping[str, str]) -> bool:
    return (
        row.name.startswith(wanted.get("name", ""))
        and wanted.get("kind", row.kind) == row.kind
        and ("tag" not in wanted or wanted["tag"].lower() in row.tags)
    )


async def resource_metadata(ctx: Context, params: UriParams) -> JsonObject:
    """One Resource without its content (SEP-2093, New resources/metadata Method)."""
    resource = describe(ctx.lifespan_context, params.uri)
    if resource is None:
        raise errors.unknown_resource(params.uri, ctx.protocol_version)
    return {"resource": resource}


async def list_templates(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    part = page_of(ctx, 1, params.cursor)
    template = {
        "uriTemplate": TEMPLATE,
        "name": "skill-file",
        "title": "A file of a skill",
        "description": "path is <skill-path>/<file>, for example pdf/SKILL.md; it can be completed",
    }
    return with_next({"resourceTemplates": [template]}, part)
