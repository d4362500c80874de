"""The MCP server object of the SDK: which method is answered by which function."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp_types import (
    CallToolRequestParams,
    CompleteRequestParams,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel

from skillbuild import __version__
from skillbuild.serve.methods import (
    completion,
    directories,
    prompts,
    reading,
    resources,
    skills,
    tools,
)
from skillbuild.serve.methods.context import Context, DirectoryParams, UriParams
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.middleware import EXTENSIONS, TTL_MS, ReleaseMiddleware
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher

Params = TypeVar("Params", bound=BaseModel)
Handler = Callable[[Context, Params], Awaitable[JsonObject]]

_CACHEABLE: tuple[CacheableMethod, ...] = (
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "tools/list",
)


def build_server(
    watcher: ReleaseWatcher, subscriptions: Subscriptions, *, with_tools: bool, duplex: bool
) -> Server[ServedRelease]:
    """The server with all its methods.

    `duplex`: notifications can be sent at any time, as on stdio; only then `resources/subscribe`
    exists. Over stateless HTTP they reach a client in streams of `subscriptions/listen` alone.
    """

    @asynccontextmanager
    async def lifespan(server: Server[ServedRelease]) -> AsyncIterator[ServedRelease]:
        yield watcher.current()

    server: Server[ServedRelease] = Server(
        "skillbuild",
        version=__version__,
        cache_hints=dict.fromkeys(_CACHEABLE, CacheHint(ttl_ms=TTL_MS, scope="public")),
        lifespan=lifespan,
    )
    server.middleware[:] = [ReleaseMiddleware(watcher)]
    server.extensions = EXTENSIONS
    _add_resources(server)
    _add_tools(server, with_tools=with_tools)
    listen = subscriptions.streams.listen
    server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)
    if duplex:
        _add_subscriptions(server, subscriptions)
    return server


def initialization(server: Server[ServedRelease]) -> InitializationOptions:
    """What `initialize` answers on stdio, to clients of 2025-11-25 or older."""
    return server.create_initialization_options(NotificationOptions(resources_changed=True))


def _add_resources(server: Server[ServedRelease]) -> None:
    add, paginated = server.add_request_handler, PaginatedRequestParams
    add("resources/list", paginated, _of_protocol(resources.list_resources))
    add("resources/templates/list", paginated, _of_protocol(resources.list_templates))
    add("resources/read", ReadResourceRequestParams, _of_protocol(reading.read_resource))
    add("resources/metadata", UriParams, resources.resource_metadata)
    add("resources/directory/read", DirectoryParams, directories.read_directory)
    add("skills/list", paginated, skills.list_skills)
    add("skills/get", UriParams, skills.get_skill)
    add("completion/complete", CompleteRequestParams, _of_protocol(completion.complete))
    add("prompts/list", paginated, _of_protocol(prompts.list_no_prompts))


def _add_tools(server: Server[ServedRelease], *, with_tools: bool) -> None:
    list_tools = tools.list_tools if with_tools else tools.list_no_tools
    server.add_request_handler("tools/list", PaginatedRequestParams, _of_protocol(list_tools))
    if with_tools:
        call_tool = _of_protocol(tools.call_tool)
        server.add_request_handler("tools/call", CallToolRequestParams, call_tool)


def _of_protocol(handler: Handler[Params]) -> Handler[Params]:
    """Add `resultType` to the results of a method of the base protocol.

    In 2026-07-28 the SDK refuses such a result without it; to those of extensions it adds it.
    """

    async def complete(ctx: Context, params: Params) -> JsonObject:
        return {"resultType": "complete", **await handler(ctx, params)}

    return complete


def _add_subscriptions(server: Server[ServedRelease], subscriptions: Subscriptions) -> None:
    add = server.add_request_handler
    add("resources/subscribe", SubscribeRequestParams, subscriptions.subscribe)
    add("resources/unsubscribe", UnsubscribeRequestParams, subscriptions.unsubscribe)
    server.add_notification_handler(
        "notifications/initialized", NotificationParams, subscriptions.initialized
    )
