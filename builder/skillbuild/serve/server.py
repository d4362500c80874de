"""Builds the SDK's MCP server object and registers a function for each method.

Each function takes a release and the validated parameters of the request. The functions run in
worker threads, so they may read files and block. When a new release replaces the current one, the
old release remains usable until the last response based on it has been sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CompleteRequestParams,
    GetPromptRequestParams,
    NotificationParams,
    PaginatedRequestParams,
    RequestParams,
    SubscriptionsListenRequestParams,
)
from mcp_types.jsonrpc import INVALID_PARAMS
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from skillbuild import __version__
from skillbuild.serve.methods import errors, generic, prompts, reading, resources, skills, tools
from skillbuild.serve.methods.describe import EXTENSIONS, Offer, UriParams, instructions
from skillbuild.serve.methods.subscriptions import Context, Subscriptions
from skillbuild.serve.result_fields import (
    ResultFields,
    complete,
    handler_names,
    is_modern,
)
from skillbuild.serve.state.entries import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import OtherReleaseError, ReleaseWatcher
from skillbuild.storage.files import FileError

Params = TypeVar("Params", bound=BaseModel)
Method = Callable[[ServedRelease, Params], JsonObject]


def build_server(
    watcher: ReleaseWatcher, subscriptions: Subscriptions, offer: Offer
) -> Server[object]:
    """Return the server with all its methods.

    `resources/subscribe` exists only if the server can send notifications at any time. Over
    stateless HTTP, clients receive notifications only in streams of `subscriptions/listen`.
    """
    server: Server[object] = Server("skillbuild", version=__version__)
    server.middleware[:] = [ResultFields(watcher, offer)]
    server.extensions = EXTENSIONS
    methods = _Methods(server, watcher, offer)
    paginated = PaginatedRequestParams
    methods.add("server/discover", RequestParams, lambda release, _: _discovered(release, offer))
    methods.add("resources/list", generic.ListParams, resources.list_resources)
    methods.add("resources/templates/list", paginated, resources.list_templates)
    methods.add("resources/read", generic.ReadParams, reading.read_resource)
    methods.add("resources/metadata", UriParams, generic.resource_metadata)
    methods.add("resources/directory/read", resources.DirectoryParams, resources.read_directory)
    methods.add("completion/complete", CompleteRequestParams, resources.complete)
    methods.add("skills/list", paginated, skills.list_skills)
    methods.add("skills/get", UriParams, skills.get_skill)
    # Some clients treat an unknown method as a dead server, so disabled features return an empty
    # list.
    methods.add("tools/list", paginated, tools.list_tools if offer.tools else tools.list_no_tools)
    list_prompts = prompts.list_prompts if offer.prompts else prompts.list_no_prompts
    methods.add("prompts/list", paginated, list_prompts)
    if offer.tools:
        methods.add("tools/call", CallToolRequestParams, tools.call_tool)
    if offer.prompts:
        methods.add("prompts/get", GetPromptRequestParams, prompts.get_prompt)
    if offer.duplex:
        methods.add("resources/subscribe", generic.SubscribeParams, subscriptions.subscribe)
        methods.add("resources/unsubscribe", generic.SubscribeParams, subscriptions.unsubscribe)
        server.add_notification_handler(
            "notifications/initialized", NotificationParams, subscriptions.initialized
        )
    listen = subscriptions.streams.listen
    server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)
    return server


def initialization(server: Server[object]) -> InitializationOptions:
    """Return the answer to `initialize` on stdio (protocol version 2025-11-25 or older)."""
    with_prompts = server.get_request_handler("prompts/get") is not None
    changes = NotificationOptions(resources_changed=True, prompts_changed=with_prompts)
    return server.create_initialization_options(changes)


class _Methods:
    """Registers methods with a server."""

    def __init__(self, server: Server[object], watcher: ReleaseWatcher, offer: Offer) -> None:
        self._server, self._watcher, self._offer = server, watcher, offer

    def add(self, method: str, params_type: type[Params], function: Method[Params]) -> None:
        """Register the function of a method under each name in `handler_names`."""

        async def handler(ctx: Context, params: Params) -> JsonObject:
            return await self._answer(method, function, ctx, params)

        for name in handler_names(method):
            self._server.add_request_handler(name, params_type, handler)

    async def _answer(
        self, method: str, function: Method[Params], ctx: Context, params: Params
    ) -> JsonObject:
        """Call the method on the current release and complete its result; raise `MCPError` for any
        fault.
        """
        version = ctx.protocol_version

        def answer(release: ServedRelease) -> JsonObject:
            result = function(release, params)
            return complete(release, method, version, result, self._offer, self._watcher.ttl)

        try:
            return await self._watcher.answered(answer, is_search=_is_search(params))
        except (FileError, OtherReleaseError) as error:
            raise errors.of_fault(error) from None
        except MCPError as error:
            if error.code == errors.RESOURCE_NOT_FOUND and is_modern(version):
                raise MCPError(INVALID_PARAMS, error.message, error.data) from None
            raise


def _is_search(params: BaseModel) -> bool:
    """Return whether the request searches the index."""
    match params:
        case CallToolRequestParams(name=tools.SEARCH) | CompleteRequestParams():
            return True
        case _:
            return False


def _discovered(release: ServedRelease, offer: Offer) -> JsonObject:
    """Return the result of `server/discover`."""
    return {
        "supportedVersions": [*MODERN_PROTOCOL_VERSIONS, *HANDSHAKE_PROTOCOL_VERSIONS],
        "capabilities": {
            "completions": {},
            "extensions": EXTENSIONS,
            "prompts": {"listChanged": True} if offer.prompts else {},
            "resources": {"listChanged": True, "subscribe": True},
            "tools": {},
        },
        "instructions": instructions(release, offer),
    }
