"""One function per method: the release in, a result as a dict out; faults are raised.

Parameters that no model knows are read from `ctx.params`.
"""

from __future__ import annotations

import base64
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache

import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp_types import (
    CompleteRequestParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    RequestParams,
    ResourceTemplateReference,
)

from skillbuild.media.types import decode
from skillbuild.serve.methods import errors, pagination, resource
from skillbuild.serve.methods.pagination import Listing, Page
from skillbuild.serve.methods.resource import PREFIX, JsonObject
from skillbuild.serve.raw_json import Prepared
from skillbuild.serve.state import content, directories
from skillbuild.serve.state.entries import Row
from skillbuild.serve.state.release import Release

Context = ServerRequestContext[Release]

PAGE_BYTES = 1 << 20
COLLECTION_BYTES = 256 << 10
COLLECTION_ITEMS = 32
COMPLETIONS = 100
TEMPLATE = "skill://{+path}"
_IN_THREAD = 256 << 10
"""Bytes from which reading, hashing and encoding would keep other requests waiting."""


class UriParams(RequestParams):
    """Parameters of the methods that name one resource."""

    uri: str


class DirectoryParams(PaginatedRequestParams):
    """Parameters of `resources/directory/read`."""

    uri: str


async def list_resources(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    release = ctx.lifespan_context
    asked = ctx.params or {}
    if asked.get("uri") is not None:
        if asked.get("filter") is not None:
            raise errors.invalid("uri and filter are for one request each")
        return _children(ctx, _text(asked, "uri"), params.cursor)
    uris, wanted = release.resources, _filter(asked.get("filter"))
    if wanted:
        uris = [row.uri for row in release.listing if _fits(row, wanted)]
    part = _page(ctx, len(uris), params.cursor, (sorted(wanted.items()),))
    return _resources(release, uris[part.start : part.stop], part)


def _filter(value: object) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not value.keys() <= {"name", "tag", "kind"}:
        raise errors.invalid("filter takes name (a prefix), tag and kind")
    return {key: _text(value, key) for key in value}


def _fits(row: Row, wanted: Mapping[str, str]) -> bool:
    return (
        row.name.startswith(wanted.get("name", ""))
        and wanted.get("kind", row.kind) == row.kind
        and ("tag" not in wanted or wanted["tag"].lower() in row.tags)
    )


def _text(params: Mapping[str, object], key: str) -> str:
    value = params.get(key)
    if not isinstance(value, str):
        raise errors.invalid(f"{key} is a text")
    return value


def _page(ctx: Context, count: int, cursor: str | None, question: tuple[object, ...] = ()) -> Page:
    listing = Listing(ctx.lifespan_context.digest, ctx.method, question)
    try:
        return pagination.page(listing, count, cursor)
    except pagination.StaleCursorError:
        raise errors.stale_cursor() from None


def _resources(release: Release, uris: Sequence[str], part: Page) -> JsonObject:
    said: JsonObject = {"resources": [resource.resource(release, uri) for uri in uris]}
    return _with_next(said, part)


def _with_next(said: JsonObject, part: Page) -> JsonObject:
    if part.next_cursor is not None:
        said["nextCursor"] = part.next_cursor
    return said


def _children(ctx: Context, uri: str, cursor: str | None) -> JsonObject:
    release = ctx.lifespan_context
    if not release.is_directory(uri):
        raise errors.no_directory(uri)
    found = directories.children(release, uri)
    part = _page(ctx, len(found), cursor, (uri,))
    return _resources(release, [child.uri for child in found[part.start : part.stop]], part)


async def read_directory(ctx: Context, params: DirectoryParams) -> JsonObject:
    return _children(ctx, params.uri, params.cursor)


async def resource_metadata(ctx: Context, params: UriParams) -> JsonObject:
    described = resource.resource(ctx.lifespan_context, params.uri)
    if described is None:
        raise errors.unknown_resource(params.uri, ctx.protocol_version)
    return {"resource": described}


async def list_skills(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    release = ctx.lifespan_context
    listing = Listing(release.digest, ctx.method)

    def fit(start: int, stop: int) -> int:
        """The lines of the record are longer than the entries made from them."""
        left = PAGE_BYTES
        for position in range(start, stop):
            left -= len(release.lines[release.listed[position]])
            if left < 0:
                return max(position, start + 1)
        return stop

    try:
        part = pagination.page(listing, len(release.listed), params.cursor, fit)
    except pagination.StaleCursorError:
        raise errors.stale_cursor() from None
    return _with_next({"skills": _skills(release, part.start, part.stop)}, part)


@lru_cache(maxsize=12)
def _skills(release: Release, start: int, stop: int) -> Prepared:
    """The entries of a page, which every new client asks for first."""
    numbers = release.listed[start:stop]
    return Prepared.of([resource.skill(release, number) for number in numbers])


async def get_skill(ctx: Context, params: UriParams) -> JsonObject:
    release = ctx.lifespan_context
    if release.skill(params.uri) is None:
        raise errors.unknown_skill(params.uri)
    return {"skill": resource.skill(release, release.owners[params.uri])}


async def read_resource(ctx: Context, params: ReadResourceRequestParams) -> JsonObject:
    release, uri = ctx.lifespan_context, params.uri
    described = resource.resource(release, uri)
    if described is None:
        raise errors.unknown_resource(uri, ctx.protocol_version)
    known, now = _known_version(ctx), described.get("version")
    if known is not None and known == now:
        raise errors.not_modified(uri, known)
    if described["resourceType"] == "collection":
        contents = _collection(release, uri)
    else:
        contents = [await document(release, uri, described)]
    return {"contents": contents}


def _known_version(ctx: Context) -> str | None:
    asked = ctx.params or {}
    meta = asked.get("_meta")
    mirrored = meta.get(f"{PREFIX}version") if isinstance(meta, Mapping) else None
    return mirrored if asked.get("version") is None else _text(asked, "version")


async def document(release: Release, uri: str, described: JsonObject) -> JsonObject:
    """The one content item of a document, with its bytes in it."""
    size = described["size"]
    if isinstance(size, int) and size > _IN_THREAD:
        return await anyio.to_thread.run_sync(_document, release, uri, described)
    return _document(release, uri, described)


def _document(release: Release, uri: str, described: JsonObject) -> JsonObject:
    try:
        found = content.fetch(release, uri)
    except content.DamagedError as error:
        raise errors.damaged(uri, str(error)) from None
    if found is None:
        raise LookupError(uri)
    text = decode(found)
    if text is not None:
        return {**described, "text": text}
    return {**described, "blob": base64.b64encode(found).decode()}


def _collection(release: Release, uri: str) -> list[JsonObject]:
    """Direct children that are text, as many as stay small; `resources/list` has all of them."""
    items: list[JsonObject] = []
    left = COLLECTION_BYTES
    for child in directories.children(release, uri):
        described = None if child.is_directory else resource.resource(release, child.uri)
        size = described["size"] if described is not None else None
        if described is None or not isinstance(size, int) or size > left:
            continue
        item = _document(release, child.uri, described)
        if "text" in item:
            items.append(item)
            left -= size
        if len(items) == COLLECTION_ITEMS:
            break
    return items


async def list_templates(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    part = _page(ctx, 1, params.cursor)
    template = {
        "uriTemplate": TEMPLATE,
        "name": "skill-file",
        "title": "A file of a skill",
        "description": "path is <skill-path>/<file>, for example pdf/SKILL.md; it can be completed",
    }
    return _with_next({"resourceTemplates": [template]}, part)


async def list_no_prompts(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    return _with_next({"prompts": []}, _page(ctx, 0, params.cursor))


async def complete(ctx: Context, params: CompleteRequestParams) -> JsonObject:
    known = isinstance(params.ref, ResourceTemplateReference) and params.ref.uri == TEMPLATE
    if not known or params.argument.name != "path":
        raise errors.invalid(f"the path of {TEMPLATE} can be completed, and nothing else")
    offered = ctx.lifespan_context.offered
    start = bisect_left(offered, f"skill://{params.argument.value}")
    stop = bisect_left(offered, f"skill://{params.argument.value}\x7f", start)
    values = [uri.removeprefix("skill://") for uri in offered[start:stop][:COMPLETIONS]]
    found = {"values": values, "total": stop - start, "hasMore": stop - start > len(values)}
    return {"completion": found}
