"""The MCP server object: which method is answered by which function."""

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
from skillbuild.serve.methods import resources_and_skills, tools
from skillbuild.serve.methods.resource import JsonObject
from skillbuild.serve.methods.resources_and_skills import Context, DirectoryParams, UriParams
from skillbuild.serve.methods.subscriptions import Notices
from skillbuild.serve.middleware import EXTENSIONS, TTL_MS, Envelope
from skillbuild.serve.state.release import Release
from skillbuild.serve.state.watch import Watch

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
    watch: Watch, notices: Notices, *, with_tools: bool, duplex: bool
) -> Server[Release]:
    """`duplex`: the connection stays and can be written to at any time, as stdio's does."""

    @asynccontextmanager
    async def lifespan(server: Server[Release]) -> AsyncIterator[Release]:
        yield watch.current()

    server: Server[Release] = Server(
        "skillbuild",
        version=__version__,
        cache_hints=dict.fromkeys(_CACHEABLE, CacheHint(ttl_ms=TTL_MS, scope="public")),
        lifespan=lifespan,
    )
    server.middleware[:] = [Envelope(watch)]
    server.extensions = EXTENSIONS
    _add_resources(server)
    _add_tools(server, with_tools=with_tools)
    server.add_request_handler(
        "subscriptions/listen", SubscriptionsListenRequestParams, notices.listen
    )
    if duplex:
        _add_subscriptions(server, notices)
    return server


def initialization(server: Server[Release]) -> InitializationOptions:
    """What a stdio client of the old era is told: changes will be announced."""
    return server.create_initialization_options(NotificationOptions(resources_changed=True))


def _add_resources(server: Server[Release]) -> None:
    add, paginated = server.add_request_handler, PaginatedRequestParams
    add("resources/list", paginated, _spec(resources_and_skills.list_resources))
    add("resources/templates/list", paginated, _spec(resources_and_skills.list_templates))
    add("resources/read", ReadResourceRequestParams, _spec(resources_and_skills.read_resource))
    add("resources/metadata", UriParams, resources_and_skills.resource_metadata)
    add("resources/directory/read", DirectoryParams, resources_and_skills.read_directory)
    add("skills/list", paginated, resources_and_skills.list_skills)
    add("skills/get", UriParams, resources_and_skills.get_skill)
    add("completion/complete", CompleteRequestParams, _spec(resources_and_skills.complete))
    add("prompts/list", paginated, _spec(resources_and_skills.list_no_prompts))


def _add_tools(server: Server[Release], *, with_tools: bool) -> None:
    listed = tools.list_tools if with_tools else tools.list_no_tools
    server.add_request_handler("tools/list", PaginatedRequestParams, _spec(listed))
    if with_tools:
        server.add_request_handler("tools/call", CallToolRequestParams, _spec(tools.call_tool))


def _spec(handler: Handler[Params]) -> Handler[Params]:
    """For the methods of the base protocol, whose new era refuses a dict without `resultType`."""

    async def complete(ctx: Context, params: Params) -> JsonObject:
        return {"resultType": "complete", **await handler(ctx, params)}

    return complete


def _add_subscriptions(server: Server[Release], notices: Notices) -> None:
    server.add_request_handler("resources/subscribe", SubscribeRequestParams, notices.subscribe)
    server.add_request_handler(
        "resources/unsubscribe", UnsubscribeRequestParams, notices.unsubscribe
    )
    server.add_notification_handler(
        "notifications/initialized", NotificationParams, notices.initialized
    )
