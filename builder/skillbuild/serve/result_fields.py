"""Adds result fields that the MCP SDK drops. No other module works around the SDK.

The SDK passes the results of standard methods through typed models, which drop the fields of
SEP-2093. It does not touch the results of unknown methods. So the middleware lets the SDK validate
the parameters of a standard method, and then calls the handler under a private name. The SDK
answers `initialize` itself; missing fields are added to its answer. In version 2 of the SDK,
middleware is a provisional API.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import SERVER_INFO_META_KEY
from mcp_types.jsonrpc import METHOD_NOT_FOUND
from mcp_types.methods import validate_client_request
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from skillbuild.serve.methods.describe import (
    EXTENSIONS,
    Offer,
    instructions,
    server_info,
    server_stamp,
)
from skillbuild.serve.methods.generic import deny_subscriptions, with_uri
from skillbuild.serve.methods.subscriptions import Context, require_few
from skillbuild.serve.state.entries import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher

_ALIAS = "skillbuild/"
"""Prefix of private handler names, whose results the SDK returns unchanged."""
_ALIASED = frozenset(["resources/list", "resources/read", "resources/templates/list"])
_SUBSCRIBING = frozenset(["resources/subscribe", "resources/unsubscribe"])
_NAMING_MANY = _SUBSCRIBING | {"subscriptions/listen"}
_CACHEABLE = frozenset(
    [
        *("skills/list", "skills/get", "resources/directory/read", "resources/metadata"),
        *("resources/list", "resources/read", "resources/templates/list"),
        *("prompts/list", "tools/list", "server/discover"),
    ]
)


def handler_names(method: str) -> tuple[str, ...]:
    """Return the names under which to register the handler of a method.

    The names include the method itself, because the SDK derives the server's capabilities from the
    registered methods.
    """
    return (method, _ALIAS + method) if method in _ALIASED else (method,)


def is_modern(version: str) -> bool:
    """Return whether a protocol version is stateless; all versions since 2026-07-28 are."""
    return version in MODERN_PROTOCOL_VERSIONS


class ResultFields:
    """The middleware that handles requests; it passes notifications on unchanged."""

    def __init__(self, watcher: ReleaseWatcher, offer: Offer) -> None:
        self._watcher, self._offer = watcher, offer

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.request_id is None:
            return await call_next(ctx)
        if ctx.method.startswith(_ALIAS):
            raise MCPError(METHOD_NOT_FOUND, "Method not found", ctx.method)
        if ctx.method in _NAMING_MANY:
            require_few(ctx.params)
        if ctx.method in _ALIASED:
            validate_client_request(ctx.method, ctx.protocol_version, ctx.params)
            return await call_next(replace(ctx, method=_ALIAS + ctx.method))
        if ctx.method in _SUBSCRIBING:
            return await call_next(replace(ctx, params=with_uri(ctx.params)))
        result = await call_next(ctx)
        if ctx.method == "initialize" and isinstance(result, dict):
            said = await self._watcher.answered(partial(_introduction, offer=self._offer))
            return {**result, **said, "capabilities": _with_extensions(result["capabilities"])}
        return result


def _introduction(release: ServedRelease, *, offer: Offer) -> JsonObject:
    return {"instructions": instructions(release, offer), "serverInfo": server_info(release)}


def _with_extensions(capabilities: object) -> object:
    """Add `extensions` to the capabilities, because the SDK's model of `initialize` drops them."""
    return {**capabilities, "extensions": EXTENSIONS} if isinstance(capabilities, dict) else None


def complete(
    release: ServedRelease, method: str, version: str, result: JsonObject, offer: Offer, ttl: float
) -> JsonObject:
    """Add the fields that this protocol version requires in every result.

    `ttl` is the number of seconds for which a client may reuse the result.
    """
    if not is_modern(version):
        if not offer.duplex:
            deny_subscriptions(result)
        return result
    stamp = server_info(release) if method == "server/discover" else server_stamp(release)
    own = result.get("_meta")
    meta = {**(own if isinstance(own, dict) else {}), SERVER_INFO_META_KEY: stamp}
    cached = {"ttlMs": int(ttl * 1000), "cacheScope": "public"} if method in _CACHEABLE else {}
    return {"resultType": "complete", **result, "_meta": meta, **cached}
