"""`resources/read`: any published URI, and directories as collections of their text files."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

from skillbuild.media.types import decode, is_binary
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context, text_param
from skillbuild.serve.methods.describe import PREFIX, describe, describe_file, described
from skillbuild.serve.methods.work import in_thread
from skillbuild.serve.state import content
from skillbuild.serve.state.directories import children
from skillbuild.serve.state.faults import DamagedContentError, DamagedError
from skillbuild.serve.state.moves import successor_uri
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.uris import LONGEST_URI, skill_uri

if TYPE_CHECKING:  # What answers without the SDK imports this module.
    from mcp_types import ReadResourceRequestParams

COLLECTION_BYTES = 256 << 10
COLLECTION_ITEMS = 32
_MOST_TRIED = 1000
"""Names in a directory that are tried for a collection."""
_IN_THREAD = 256 << 10
"""Bytes above which reading, hashing and encoding would keep other requests waiting."""


async def read_resource(ctx: Context, params: ReadResourceRequestParams) -> JsonObject:
    """One content item for a document, several for a directory (SEP-2093, Multi-Content).

    Not Modified when the client names the current version (generic resources document).
    """
    release, uri = ctx.lifespan_context, params.uri
    resource = await described(release, uri)
    if resource is None:
        uri = _encoded(uri)
        resource = await described(release, uri)
    if resource is None:
        successor = successor_uri(release, params.uri)
        raise errors.unknown_resource(params.uri, ctx.protocol_version, successor)
    version = _version_param(ctx)
    if version is not None and version == resource.get("version"):
        raise errors.not_modified(uri, version)
    if resource["resourceType"] == "collection":
        return {"contents": await in_thread(_collection, release, uri)}
    document = await read_document(release, uri, resource)
    return {"contents": [{**document, "uri": params.uri}]}


def _encoded(uri: str) -> str:
    """The URI of the file whose path stands in this one as it is.

    FastMCP and the Agent Framework put a path behind the URI of a skill and encode nothing in it.
    """
    scheme, _, rest = uri.partition("://")
    skill, slash, path = rest.partition("/")
    if scheme != "skill" or not slash or len(uri) > LONGEST_URI:
        return uri
    return skill_uri(skill, path)


def read_at_once(release: ServedRelease, uri: str) -> JsonObject | None:
    """The same for a file of a skill; None for what would take longer, or is not there."""
    entry = release.entry_at(uri)
    file = entry.file(uri) if entry is not None else None
    if entry is None or file is None or (file.content.size or 0) > _IN_THREAD:
        return None
    stored = file.content
    data = content.read_file(release, stored.path, stored.digest, stored.size)
    return {"contents": [_item(describe_file(release, entry, file), data)]}


def _version_param(ctx: Context) -> str | None:
    """The version that the client has: the parameter `version`, or the same in `_meta`."""
    given = ctx.params or {}
    if given.get("version") is not None:
        return text_param(given, "version")
    meta = given.get("_meta")
    return meta.get(f"{PREFIX}version") if isinstance(meta, Mapping) else None


async def read_document(release: ServedRelease, uri: str, resource: JsonObject) -> JsonObject:
    """A Resource with its content, as text or blob; large files are read in a thread."""
    size = resource["size"]
    if isinstance(size, int) and size > _IN_THREAD:
        return await in_thread(_with_content, release, uri, resource)
    return _with_content(release, uri, resource)


async def read_text(release: ServedRelease, uri: str) -> str | None:
    """The text of a file that is served; None if it is not UTF-8."""
    resource = describe(release, uri)
    if resource is None:
        raise LookupError(uri)
    text = (await read_document(release, uri, resource)).get("text")
    return text if isinstance(text, str) else None


def _with_content(release: ServedRelease, uri: str, resource: JsonObject) -> JsonObject:
    try:
        data = content.read_document(release, uri)
    except DamagedError as error:
        raise DamagedContentError(uri, str(error)) from None
    if data is None:
        raise LookupError(uri)
    return _item(resource, data)


def _item(resource: JsonObject, data: bytes) -> JsonObject:
    """A Resource with its bytes, as text if they are one."""
    text = decode(data)
    if text is not None:
        return {**resource, "text": text}
    return {**resource, "blob": base64.b64encode(data).decode()}


def _collection(release: ServedRelease, uri: str) -> list[JsonObject]:
    """The first text files directly in a directory: at most 32, and 256 KiB of what is read.

    Files of binary types are not read. `resources/list` with this URI has all files.
    """
    items: list[JsonObject] = []
    left = COLLECTION_BYTES
    for child in islice(children(release, uri), _MOST_TRIED):
        resource = None if child.is_directory else describe(release, child.uri)
        if resource is None or is_binary(str(resource["mimeType"])):
            continue
        size = resource["size"]
        if not isinstance(size, int) or size > left:
            continue
        left -= size
        item = _with_content(release, child.uri, resource)
        if "text" in item:
            items.append(item)
        if len(items) == COLLECTION_ITEMS:
            break
    return items
