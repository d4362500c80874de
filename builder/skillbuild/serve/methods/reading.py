"""`resources/read`: any published URI, and directories as collections of their text files."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from itertools import islice

from mcp_types import ReadResourceRequestParams

from skillbuild.media.types import decode, is_binary
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.describe import PREFIX, describe
from skillbuild.serve.state import content
from skillbuild.serve.state.content import DamagedContentError, children, successor_uri
from skillbuild.serve.state.entries import JsonObject
from skillbuild.serve.state.release import LARGEST_DOCUMENT, LONGEST_ASKED_URI, ServedRelease
from skillbuild.storage.files import DamagedError
from skillbuild.uris import skill_uri

COLLECTION_BYTES = 256 << 10
COLLECTION_ITEMS = 32
_MOST_TRIED = 1000
"""Names in a directory that are tried for a collection."""


class ReadParams(ReadResourceRequestParams):
    """With the parameter of the generic resources document."""

    version: object = None
    """The version that the client has already."""


def read_resource(release: ServedRelease, params: ReadParams) -> JsonObject:
    """One content item for a document, several for a directory (SEP-2093, Multi-Content).

    Not Modified when the client names the current version (generic resources document).
    """
    uri = params.uri
    resource = describe(release, uri)
    if resource is None:
        uri = _encoded(uri)
        resource = describe(release, uri)
    if resource is None:
        raise errors.unknown_resource(params.uri, successor_uri(release, params.uri))
    version = _version_param(params)
    if version is not None and version == resource.get("version"):
        raise errors.not_modified(uri, version)
    if resource["resourceType"] == "collection":
        return {"contents": _collection(release, uri)}
    return {"contents": [{**_with_content(release, uri, resource), "uri": params.uri}]}


def _encoded(uri: str) -> str:
    """The URI of the file whose path stands in this one as it is.

    FastMCP and the Agent Framework put a path behind the URI of a skill and encode nothing in it.
    """
    scheme, _, rest = uri.partition("://")
    skill, slash, path = rest.partition("/")
    if scheme != "skill" or not slash or len(uri) > LONGEST_ASKED_URI:
        return uri
    return skill_uri(skill, path)


def _version_param(params: ReadParams) -> str | None:
    """The version that the client has: the parameter `version`, or the same in `_meta`."""
    if params.version is not None:
        return errors.text_param({"version": params.version}, "version")
    meta: Mapping[str, object] = params.meta or {}
    version = meta.get(f"{PREFIX}version")
    return version if isinstance(version, str) else None


def read_text(release: ServedRelease, uri: str) -> str | None:
    """The text of a file that is served; None if it is not UTF-8."""
    resource = describe(release, uri)
    if resource is None:
        raise LookupError(uri)
    text = _with_content(release, uri, resource).get("text")
    return text if isinstance(text, str) else None


def text_block(text: str) -> JsonObject:
    """What results of tools and messages of prompts consist of.

    They have no links to resources: some hosts refuse a result that has one, others read the
    resource again or give its description to the model, and none makes use of it.
    """
    return {"type": "text", "text": text}


def _with_content(release: ServedRelease, uri: str, resource: JsonObject) -> JsonObject:
    """A Resource with its bytes, as text if they are one."""
    size = resource.get("size")
    if isinstance(size, int) and size > LARGEST_DOCUMENT:
        raise errors.too_large(uri, size, LARGEST_DOCUMENT)
    try:
        data = content.read_document(release, uri)
    except DamagedError as error:
        raise DamagedContentError(uri, error.reason) from None
    if data is None:
        raise LookupError(uri)
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
