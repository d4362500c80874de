"""Wraps every request: picks the release it is answered from, and completes the result.

The SDK sieves the results of the protocol's own methods through typed models, which drop what their
version does not know. Where a result has more, the handler is reached by a name of ours, as results
of other methods are left as they are. What a method of the SDK itself answers is completed here.
Middleware is provisional in version 2 of the SDK, so all that depends on it is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import METHOD_NOT_FOUND

from skillbuild.serve.envelope import GREETINGS, complete, object_of
from skillbuild.serve.greeting import EXTENSIONS, SUPPORTED_VERSIONS
from skillbuild.serve.methods import errors, identity, listen
from skillbuild.serve.methods.context import Context, Offer
from skillbuild.serve.state.faults import DamagedError, OtherReleaseError, UnavailableError
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher

UNSIEVED = "skillbuild/"
"""What the names of handlers begin with whose results the SDK leaves as they are."""
_WITH_RESOURCES = frozenset(
    [
        *("resources/list", "resources/read", "resources/templates/list"),
        *("tools/call", "prompts/get"),
    ]
)
"""Methods of the protocol whose results have more fields than it knows."""
_SUBSCRIBING = frozenset(["resources/subscribe", "resources/unsubscribe"])
_NAMING_MANY = _SUBSCRIBING | {"subscriptions/listen"}


def handler_names(method: str) -> tuple[str, ...]:
    """The names to register a handler by: by its own, the SDK declares the capability."""
    return (method, UNSIEVED + method) if method in _WITH_RESOURCES else (method,)


class ReleaseMiddleware:
    """For every request of every connection; notifications pass unchanged."""

    def __init__(self, watcher: ReleaseWatcher, offer: Offer) -> None:
        self._watcher = watcher
        self._offer = offer

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.request_id is None:
            return await call_next(ctx)
        if ctx.method.startswith(UNSIEVED):
            raise MCPError(METHOD_NOT_FOUND, "Method not found", ctx.method)
        params = _with_uri(ctx.params) if ctx.method in _SUBSCRIBING else ctx.params
        if ctx.method in _NAMING_MANY:
            listen.require_few(params)

        async def answer(release: ServedRelease) -> HandlerResult:
            try:
                return await self._answer(
                    replace(ctx, lifespan_context=release, params=params), call_next
                )
            except MCPError as error:
                if errors.is_of_stale_cursor(error):
                    raise OtherReleaseError from None
                raise

        try:
            return await self._watcher.answered(answer)
        except OtherReleaseError:
            raise errors.stale_cursor() from None
        except DamagedError as error:
            raise errors.damaged(error) from None
        except UnavailableError as error:
            raise errors.unavailable(error) from None

    def _is_offered(self, method: str) -> bool:
        match method:
            case "tools/call":
                return self._offer.tools
            case "prompts/get":
                return self._offer.prompts
            case _:
                return True

    async def _answer(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """The completed result of one request; `DamagedError` if the release cannot give it."""
        release, method = ctx.lifespan_context, ctx.method
        if method in _WITH_RESOURCES and self._is_offered(method):
            ctx = replace(ctx, method=UNSIEVED + method)
        result = await call_next(ctx)
        if isinstance(result, dict):
            if method in GREETINGS:
                _introduce(release, method, result, self._offer)
            complete(release, method, ctx.protocol_version, result, self._offer)
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


def _introduce(release: ServedRelease, method: str, result: JsonObject, offer: Offer) -> None:
    """Put what the server says about itself into the answer to a greeting."""
    capabilities = object_of(result["capabilities"])
    result["instructions"] = identity.instructions(release, offer)
    if method == "initialize":
        result["capabilities"] = {**capabilities, "extensions": EXTENSIONS}
        result["serverInfo"] = identity.server_info(release)
    else:
        prompts = {"listChanged": True} if offer.prompts else {}
        result["capabilities"] = {**capabilities, "tools": {}, "prompts": prompts}
        result["supportedVersions"] = SUPPORTED_VERSIONS
