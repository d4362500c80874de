"""Extends resources as defined by SEP-2093 and the generic resources document.

A Resource has the additional fields `resourceType`, `kind`, `version`, `metadata` and
`capabilities`. These fields are repeated in `_meta`, because clients drop unknown fields. Resources
in lists have fewer fields, so that a list fits in a model's context. A client can say which version
it already has, filter resources, list or read a directory, and subscribe to several URIs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice

from mcp.shared.exceptions import MCPError
from mcp_types import PaginatedRequestParams, ReadResourceRequestParams, SubscribeRequestParams

from skillbuild.media.types import is_binary
from skillbuild.release.frontmatter import tags_of
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.describe import (
    PREFIX,
    Readable,
    UriParams,
    describe,
    describe_skill,
    linked_icons,
)
from skillbuild.serve.state.content import children, successor_uri
from skillbuild.serve.state.entries import JsonObject, ServedEntry, read_entry
from skillbuild.serve.state.release import PUBLIC, ServedRelease
from skillbuild.uris import INDEX_URI

NOT_MODIFIED = -32010
"""The error code if the client has the current version already (generic resources document,
Response Messages).
"""
COLLECTION_BYTES = 256 << 10
COLLECTION_ITEMS = 32
_MOST_TRIED = 1000
"""Number of files in a directory that are considered for a collection."""
_FILTERS = frozenset(["name", "tag", "kind"])
_LISTED = ("uri", "name", "title", "description", "mimeType", "size", "annotations")
"""Fields of a Resource in a list, besides its icons."""
_LISTED_MORE = ("deprecated",)


# Fields.


def full(described: Readable) -> JsonObject:
    """Return the Resource for `resources/read` and `resources/metadata`."""
    icons = {key: value for key, value in described.resource.items() if key == "icons"}
    plain = {
        key: value for key, value in described.resource.items() if key not in ("icons", "_meta")
    }
    kind, version = described.kind, described.version
    more: JsonObject = {
        "resourceType": "collection" if described.is_directory else "document",
        "kind": kind,
        **({} if version is None else {"version": str(version)}),
        "metadata": described.metadata,
        "capabilities": _capabilities(described),
        **described.more,
    }
    own = described.resource.get("_meta")
    meta = {f"{PREFIX}{key}": value for key, value in more.items()}
    return {**plain, **more, "_meta": {**meta, **(own if isinstance(own, dict) else {})}, **icons}


def brief(described: Readable) -> JsonObject:
    """Return the Resource for a list, without the fields that only `resources/metadata` returns. A
    title that equals the name is omitted, too.
    """
    resource = described.resource
    listed = {key: resource[key] for key in _LISTED if key in resource}
    if listed.get("title") == listed["name"]:
        del listed["title"]
    listed["capabilities"] = _capabilities(described)
    return listed | {key: described.more[key] for key in _LISTED_MORE if key in described.more}


def _capabilities(described: Readable) -> JsonObject:
    if described.is_directory:
        return {"list": True, "subscribe": described.version is not None}
    # The URI of an archive names its digest, so it never changes.
    return {"list": False, "subscribe": described.kind != "archive"}


def brief_skill(release: ServedRelease, entry: ServedEntry) -> JsonObject:
    """Return the Resource that describes a SKILL.md in a list."""
    resource = brief(describe_skill(release, entry))
    icons = linked_icons(release, entry.icons, entry.name)
    return {**resource, "icons": icons} if icons else resource


def list_briefly(release: ServedRelease, uris: Sequence[str]) -> list[JsonObject]:
    """Return the Resources at these URIs, in the short form for lists."""
    listed = []
    for uri in uris:
        entry = release.skill_at(uri)
        if entry is not None:
            listed.append(brief_skill(release, entry))
        elif (described := describe(release, uri)) is not None:
            listed.append(brief(described))
    return listed


def resource_metadata(release: ServedRelease, params: UriParams) -> JsonObject:
    """Return one Resource without its content (SEP-2093, New resources/metadata Method)."""
    described = describe(release, params.uri)
    if described is None:
        raise errors.unknown_resource(params.uri, successor_uri(release, params.uri))
    return {"resource": full(described)}


def deny_subscriptions(result: JsonObject) -> None:
    """Mark all resources in a result as not subscribable; used where notifications cannot
    be sent.
    """
    items = [result.get("resource")]
    for key in ("resources", "contents", "resourceTemplates"):
        more = result.get(key)
        items += more if isinstance(more, list) else []
    for item in items:
        if isinstance(item, dict) and "capabilities" in item:
            item["capabilities"] = {**item["capabilities"], "subscribe": False}


# Parameters.


class ReadParams(ReadResourceRequestParams):
    """Parameters of `resources/read`, with the version that a client already has."""

    version: object = None
    """The version that the client already has."""


def require_other_version(params: ReadParams, uri: str, current: str | None) -> None:
    """Raise the error "Not Modified" if the client already has the current version.

    The client names its version in the `version` parameter or in `_meta`.
    """
    version = params.version
    if version is None:
        meta: Mapping[str, object] = params.meta or {}
        version = meta.get(f"{PREFIX}version")
    elif not isinstance(version, str):
        raise errors.invalid("version must be a string")
    if current is not None and version == current:
        data = {"uri": errors.escaped(uri), "version": version}
        raise MCPError(NOT_MODIFIED, "Not Modified", data)


class ListParams(PaginatedRequestParams):
    """Parameters of `resources/list`."""

    uri: object = None
    """The directory whose children are listed; None for all skills."""
    filter: object = None
    """The conditions that the resources must meet: a prefix of the name, a tag, a kind."""

    @property
    def directory(self) -> str | None:
        if self.uri is None:
            return None
        if self.filter is not None:
            raise errors.invalid("pass uri or filter, not both")
        return errors.text_param({"uri": self.uri}, "uri")

    @property
    def wanted(self) -> Mapping[str, str]:
        """The filter; empty if there is none."""
        if self.filter is None:
            return {}
        if not isinstance(self.filter, Mapping) or not self.filter.keys() <= _FILTERS:
            raise errors.invalid("filter takes name (a prefix), tag and kind")
        return {key: errors.text_param(self.filter, key) for key in self.filter}


def matching_uris(release: ServedRelease, wanted: Mapping[str, str]) -> list[str]:
    """Return the URIs of the SKILL.md files that match a filter, followed by the URI of the index
    if it matches. Internal skills are omitted.
    """
    key = tuple(sorted(wanted.items()))
    return release.caches.filtered.get(key, partial(_matching_uris, release, wanted))


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


class SubscribeParams(SubscribeRequestParams):
    """Parameters of `resources/subscribe` and `resources/unsubscribe`."""

    uris: list[str] | None = None

    @property
    def named(self) -> set[str]:
        return {self.uri} if self.uris is None else set(self.uris)


def with_uri(params: Mapping[str, object] | None) -> Mapping[str, object] | None:
    """Return the parameters of a request. If the client sent only `uris`, the first of them is
    added as `uri`, which the SDK requires (generic resources document, Request Messages).
    """
    uris = (params or {}).get("uris")
    if params is None or uris is None or "uri" in params:
        return params
    if not isinstance(uris, list) or not uris or not all(isinstance(uri, str) for uri in uris):
        raise errors.invalid("uris must be a list of at least one URI")
    return {**params, "uri": uris[0]}


# Directories.


def collection(
    release: ServedRelease, directory: str, with_content: Callable[[str, Readable], JsonObject]
) -> list[JsonObject]:
    """Return the content of a directory: the first text files directly in it, at most 32 files and
    256 KiB (SEP-2093, Multi-Content).

    Binary files are skipped. `resources/list` with the same URI lists all files.
    """
    items: list[JsonObject] = []
    left = COLLECTION_BYTES
    for child in islice(children(release, directory), _MOST_TRIED):
        described = None if child.is_directory else describe(release, child.uri)
        if described is None or is_binary(str(described.resource["mimeType"])):
            continue
        size = described.resource["size"]
        if not isinstance(size, int) or size > left:
            continue
        left -= size
        item = with_content(child.uri, described)
        if "text" in item:
            items.append(item)
        if len(items) == COLLECTION_ITEMS:
            break
    return items
