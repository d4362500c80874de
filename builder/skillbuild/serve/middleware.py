"""The one middleware, and all that the SDK's typed results would lose or could not know.

It chooses the release a request is answered from, lets `resources/subscribe` take `uris`, and
afterwards puts back what the models of a protocol version drop: the declared extension in
`initialize`, the fields of SEP-2093, and the era's envelope on results of our own methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import SERVER_INFO_META_KEY

from skillbuild.serve.methods import errors, identity, resource
from skillbuild.serve.methods.resource import EXTENSION, JsonObject
from skillbuild.serve.state.release import Release
from skillbuild.serve.state.watch import Watch

TTL_MS = 60_000
"""How long a client may hold an answer: an update is visible within a minute."""

EXTENSIONS: dict[str, dict[str, object]] = {EXTENSION: {"directoryRead": True}}
OWN_METHODS = frozenset(
    ["skills/list", "skills/get", "resources/directory/read", "resources/metadata"]
)
_SUBSCRIBING = frozenset(["resources/subscribe", "resources/unsubscribe"])


class Envelope:
    """Wraps every request of every connection; notifications pass."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    async def __call__(
        self, ctx: ServerRequestContext[Release], call_next: CallNext
    ) -> HandlerResult:
        if ctx.request_id is None:
            return await call_next(ctx)
        release = self._watch.current()
        params = _with_uri(ctx.params) if ctx.method in _SUBSCRIBING else ctx.params
        result = await call_next(replace(ctx, lifespan_context=release, params=params))
        said = cast("JsonObject", result)
        _restore(release, ctx.method, said)
        if errors.is_modern(ctx.protocol_version):
            _seal(release, ctx.method, said)
        return said


def _with_uri(params: Mapping[str, object] | None) -> Mapping[str, object] | None:
    """`uris` in place of `uri`, as the generic resources document has it."""
    uris = (params or {}).get("uris")
    if params is None or uris is None or "uri" in params:
        return params
    if not isinstance(uris, list) or not uris or not all(isinstance(uri, str) for uri in uris):
        raise errors.invalid("uris is a list of at least one URI")
    return {**params, "uri": uris[0]}


def _restore(release: Release, method: str, result: JsonObject) -> None:
    match method:
        case "initialize":
            capabilities = _object(result["capabilities"])
            result["capabilities"] = {**capabilities, "extensions": EXTENSIONS}
            result["serverInfo"] = identity.server_info(release)
            result["instructions"] = identity.instructions(release)
        case "server/discover":
            capabilities = _object(result["capabilities"])
            result["capabilities"] = {**capabilities, "tools": {}, "prompts": {}}
            result["instructions"] = identity.instructions(release)
        case "resources/list":
            result["resources"] = [_whole(release, item) for item in _items(result, "resources")]
        case "resources/read":
            result["contents"] = [_whole(release, item) for item in _items(result, "contents")]
        case "tools/call":
            for item in _items(result, "content"):
                if item.get("type") == "resource":
                    item["resource"] = _whole(release, _object(item["resource"]))


def _whole(release: Release, item: JsonObject) -> JsonObject:
    """An item with every field its Resource has; text and blob stay."""
    return {**(resource.resource(release, str(item["uri"])) or {}), **item}


def _seal(release: Release, method: str, result: JsonObject) -> None:
    meta = _object(result.get("_meta") or {})
    result["_meta"] = {**meta, SERVER_INFO_META_KEY: identity.server_info(release)}
    if method in OWN_METHODS:
        result |= {"ttlMs": TTL_MS, "cacheScope": "public"}


def _object(value: object) -> JsonObject:
    return cast("JsonObject", value)


def _items(result: JsonObject, key: str) -> list[JsonObject]:
    return cast("list[JsonObject]", result.get(key, []))
