"""Wraps every request: picks the release it is answered from, and completes the result.

The SDK's typed results drop what their protocol version does not know. This puts back the extension
in `initialize`, the fields of SEP-2093 on resources, and on results of our own methods what every
result has since 2026-07-28. It also lets `resources/subscribe` take `uris`. Middleware is
provisional in version 2 of the SDK, so all that depends on it is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcp.server.context import CallNext, HandlerResult
from mcp_types import SERVER_INFO_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from skillbuild.serve.methods import errors, identity, listen
from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.describe import EXTENSION, describe
from skillbuild.serve.state.faults import DamagedError, UnavailableError
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher

TTL_MS = 60_000
"""How long a client may use an answer again: an update is visible within a minute."""

EXTENSIONS: dict[str, JsonObject] = {EXTENSION: {"directoryRead": True}}
_OWN_METHODS = frozenset(
    ["skills/list", "skills/get", "resources/directory/read", "resources/metadata"]
)
_SUBSCRIBING = frozenset(["resources/subscribe", "resources/unsubscribe"])
_NAMING_MANY = _SUBSCRIBING | {"subscriptions/listen"}


class ReleaseMiddleware:
    """For every request of every connection; notifications pass unchanged."""

    def __init__(self, watcher: ReleaseWatcher) -> None:
        self._watcher = watcher

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.request_id is None:
            return await call_next(ctx)
        release = self._watcher.current()
        params = _with_uri(ctx.params) if ctx.method in _SUBSCRIBING else ctx.params
        if ctx.method in _NAMING_MANY:
            listen.require_few(params)
        while True:
            try:
                return await _answer(
                    replace(ctx, lifespan_context=release, params=params), call_next
                )
            except DamagedError as error:
                # A publish may have removed files of this release since the request came.
                newer = self._watcher.current()
                if newer is release:
                    raise errors.damaged(error) from None
                release = newer
            except UnavailableError as error:
                raise errors.unavailable(error) from None


async def _answer(ctx: Context, call_next: CallNext) -> HandlerResult:
    """The completed result of one request; `DamagedError` if the release cannot give it."""
    result = await call_next(ctx)
    if isinstance(result, dict):
        _restore(ctx.lifespan_context, ctx.method, result)
        if errors.is_modern(ctx.protocol_version):
            _add_envelope(ctx.lifespan_context, ctx.method, result)
    return result


def _with_uri(params: Mapping[str, object] | None) -> Mapping[str, object] | None:
    """Parameters with the `uri` that the SDK requires, where the client sent `uris` instead
    (generic resources document, Request Messages).
    """
    uris = (params or {}).get("uris")
    if params is None or uris is None or "uri" in params:
        return params
    if not isinstance(uris, list) or not uris or not all(isinstance(uri, str) for uri in uris):
        raise errors.invalid("uris is a list of at least one URI")
    return {**params, "uri": uris[0]}


def _restore(release: ServedRelease, method: str, result: JsonObject) -> None:
    """Put back what the models of a protocol version have dropped from a result."""
    match method:
        case "initialize":
            capabilities = _object(result["capabilities"])
            result["capabilities"] = {**capabilities, "extensions": EXTENSIONS}
            result["serverInfo"] = identity.server_info(release)
            result["instructions"] = identity.instructions(release)
        case "server/discover":
            capabilities = _object(result["capabilities"])
            result["capabilities"] = {**capabilities, "tools": {}, "prompts": {}}
            result["supportedVersions"] = [*MODERN_PROTOCOL_VERSIONS, *HANDSHAKE_PROTOCOL_VERSIONS]
            result["instructions"] = identity.instructions(release)
        case "resources/list":
            result["resources"] = [_whole(release, item) for item in _items(result, "resources")]
        case "resources/read":
            result["contents"] = [_whole(release, item) for item in _items(result, "contents")]
        case "tools/call":
            for item in _items(result, "content"):
                if item.get("type") == "resource":
                    item["resource"] = _whole(release, _object(item["resource"]))


def _whole(release: ServedRelease, item: JsonObject) -> JsonObject:
    """An item with what the list of resources says about its URI; its own fields come first."""
    return {**(describe(release, str(item["uri"])) or {}), **item}


def _add_envelope(release: ServedRelease, method: str, result: JsonObject) -> None:
    """What every result has since 2026-07-28: who the server is, and how long to cache it.

    The SDK adds the second to methods of the protocol itself.
    """
    meta = _object(result.get("_meta") or {})
    result["_meta"] = {**meta, SERVER_INFO_META_KEY: identity.server_info(release)}
    if method in _OWN_METHODS:
        result |= {"ttlMs": TTL_MS, "cacheScope": "public"}


def _object(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError(f"the SDK gave {type(value).__name__} for an object")
    return value


def _items(result: JsonObject, key: str) -> list[JsonObject]:
    items = result.get(key, [])
    if not isinstance(items, list):
        raise TypeError(f"the SDK gave {type(items).__name__} for a list")
    return items
