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
    GetPromptRequestParams,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel

from skillbuild import __version__
from skillbuild.serve.envelope import TTL_MS
from skillbuild.serve.greeting import EXTENSIONS
from skillbuild.serve.methods import (
    completion,
    directories,
    prompts,
    reading,
    resources,
    skills,
    tools,
)
from skillbuild.serve.methods.context import Context, Offer
from skillbuild.serve.methods.params import DirectoryParams, UriParams
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.middleware import ReleaseMiddleware, handler_names
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher

Params = TypeVar("Params", bound=BaseModel)
Handler = Callable[[Context, Params], Awaitable[JsonObject]]

_CACHEABLE: tuple[CacheableMethod, ...] = ("prompts/list", "server/discover", "tools/list")
"""The others reach their handlers by names of ours, see `middleware`."""


def build_server(
    watcher: ReleaseWatcher, subscriptions: Subscriptions, offer: Offer
) -> Server[ServedRelease]:
    """The server with all its methods.

    `resources/subscribe` exists only if the offer is duplex. Over stateless HTTP notifications
    reach a client in streams of `subscriptions/listen` alone.
    """

    @asynccontextmanager
    async def lifespan(server: Server[ServedRelease]) -> AsyncIterator[ServedRelease]:
        yield watcher.release

    server: Server[ServedRelease] = Server(
        "skillbuild",
        version=__version__,
        cache_hints=dict.fromkeys(_CACHEABLE, CacheHint(ttl_ms=TTL_MS, scope="public")),
        lifespan=lifespan,
    )
    server.middleware[:] = [ReleaseMiddleware(watcher, offer)]
    server.extensions = EXTENSIONS
    _add_resources(server)
    _add_tools(server, with_tools=offer.tools)
    _add_prompts(server, with_prompts=offer.prompts)
    listen = subscriptions.streams.listen
    server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)
    if offer.duplex:
        _add_subscriptions(server, subscriptions)
    return server


def initialization(server: Server[ServedRelease]) -> InitializationOptions:
    """What `initialize` answers on stdio, to clients of 2025-11-25 or older."""
    with_prompts = server.get_request_handler("prompts/get") is not None
    changes = NotificationOptions(resources_changed=True, prompts_changed=with_prompts)
    return server.create_initialization_options(changes)


def _add_resources(server: Server[ServedRelease]) -> None:
    add, paginated = server.add_request_handler, PaginatedRequestParams
    _add(server, "resources/list", paginated, resources.list_resources)
    _add(server, "resources/templates/list", paginated, resources.list_templates)
    _add(server, "resources/read", ReadResourceRequestParams, reading.read_resource)
    _add(server, "completion/complete", CompleteRequestParams, completion.complete)
    add("resources/metadata", UriParams, resources.resource_metadata)
    add("resources/directory/read", DirectoryParams, directories.read_directory)
    add("skills/list", paginated, skills.list_skills)
    add("skills/get", UriParams, skills.get_skill)


def _add_tools(server: Server[ServedRelease], *, with_tools: bool) -> None:
    list_tools = tools.list_tools if with_tools else tools.list_no_tools
    _add(server, "tools/list", PaginatedRequestParams, list_tools)
    if with_tools:
        _add(server, "tools/call", CallToolRequestParams, tools.call_tool)


def _add_prompts(server: Server[ServedRelease], *, with_prompts: bool) -> None:
    list_prompts = prompts.list_prompts if with_prompts else prompts.list_no_prompts
    _add(server, "prompts/list", PaginatedRequestParams, list_prompts)
    if with_prompts:
        _add(server, "prompts/get", GetPromptRequestParams, prompts.get_prompt)


def _add(
    server: Server[ServedRelease], method: str, params_type: type[Params], handler: Handler[Params]
) -> None:
    """Add a method of the base protocol, by each of its names.

    In 2026-07-28 the SDK refuses its result without `resultType`; to others it adds that.
    """

    async def complete(ctx: Context, params: Params) -> JsonObject:
        return {"resultType": "complete", **await handler(ctx, params)}

    for name in handler_names(method):
        server.add_request_handler(name, params_type, complete if name == method else handler)


def _add_subscriptions(server: Server[ServedRelease], subscriptions: Subscriptions) -> None:
    add = server.add_request_handler
    add("resources/subscribe", SubscribeRequestParams, subscriptions.subscribe)
    add("resources/unsubscribe", UnsubscribeRequestParams, subscriptions.unsubscribe)
    server.add_notification_handler(
        "notifications/initialized", NotificationParams, subscriptions.initialized
    )
