"""`resources/read`: returns the content at any published URI; for a directory, its text files."""

from __future__ import annotations

import base64
from functools import partial

from skillbuild.media.types import decode
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.describe import Readable, describe
from skillbuild.serve.methods.generic import ReadParams, collection, full, require_other_version
from skillbuild.serve.state import content
from skillbuild.serve.state.content import DamagedContentError, successor_uri
from skillbuild.serve.state.entries import JsonObject
from skillbuild.serve.state.release import LARGEST_DOCUMENT, LONGEST_ASKED_URI, ServedRelease
from skillbuild.storage.files import DamagedError
from skillbuild.uris import skill_uri


def read_resource(release: ServedRelease, params: ReadParams) -> JsonObject:
    """Return one content item for a document, several for a directory."""
    uri = params.uri
    described = describe(release, uri)
    if described is None:
        uri = _encoded(uri)
        described = describe(release, uri)
    if described is None:
        raise errors.unknown_resource(params.uri, successor_uri(release, params.uri))
    require_other_version(params, uri, described.version)
    if described.is_directory:
        return {"contents": collection(release, uri, partial(_with_content, release))}
    return {"contents": [{**_with_content(release, uri, described), "uri": params.uri}]}


def _encoded(uri: str) -> str:
    """Percent-encode the path in a URI.

    FastMCP and the Agent Framework append a file path to the URI of a skill without encoding it.
    """
    scheme, _, rest = uri.partition("://")
    skill, slash, path = rest.partition("/")
    if scheme != "skill" or not slash or len(uri) > LONGEST_ASKED_URI:
        return uri
    return skill_uri(skill, path)


def read_text(release: ServedRelease, uri: str) -> str | None:
    """Return the text of a served file; None if it is not UTF-8."""
    described = describe(release, uri)
    if described is None:
        raise LookupError(uri)
    text = _with_content(release, uri, described).get("text")
    return text if isinstance(text, str) else None


def text_block(text: str) -> JsonObject:
    """Return a text block for the result of a tool or the message of a prompt.

    Blocks that link to resources are not used, because no known client benefits from them. Some
    clients refuse a result with such a block; others read the resource again, or pass its
    description to the model.
    """
    return {"type": "text", "text": text}


def _with_content(release: ServedRelease, uri: str, described: Readable) -> JsonObject:
    """Return a Resource with its content, as text if it is UTF-8, else as base64."""
    resource = full(described)
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
