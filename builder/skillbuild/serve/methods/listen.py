"""`subscriptions/listen` (2026-07-28, SEP-2575): a request that is answered by a stream of events.

The first message acknowledges what will be sent, then come notifications, all with the id of the
request in `_meta`; the result ends the stream. Nothing is sent twice: a client that lost its stream
opens another one and reads what it needs. The SDK's own handler cannot add to `_meta`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import anyio
import anyio.lowlevel
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.shared.exceptions import MCPError
from mcp_types import (
    NotificationParams,
    RequestId,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    ServerNotification,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST

from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.describe import PREFIX
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.watch import report

MOST_STREAMS = 256
MOST_WAITING = 1024
"""Notifications for a client that does not read; with one more its stream ends."""


def updated(
    uri: str, resource: JsonObject | None, meta: Mapping[str, object]
) -> ResourceUpdatedNotification:
    """The news that a resource changed, with its new description unless it has gone."""
    described = {} if resource is None else {f"{PREFIX}resource": resource}
    params = {"uri": uri, "_meta": {**meta, **described}}
    return ResourceUpdatedNotification(
        params=ResourceUpdatedNotificationParams.model_validate(params)
    )


@dataclass(frozen=True, eq=False, slots=True)
class ListenStream:
    """One open stream: what its client will get, and the notifications that wait for it."""

    request_id: RequestId
    honored: SubscriptionFilter
    uris: frozenset[str]
    """Those of `honored`."""
    waiting: MemoryObjectSendStream[ServerNotification]

    @property
    def meta(self) -> JsonObject:
        return {SUBSCRIPTION_ID_META_KEY: self.request_id}

    def acknowledgement(self) -> SubscriptionsAcknowledgedNotification:
        params = {"notifications": self.honored, "_meta": self.meta}
        return SubscriptionsAcknowledgedNotification(
            params=SubscriptionsAcknowledgedNotificationParams.model_validate(params)
        )


def _honored(wanted: SubscriptionFilter) -> SubscriptionFilter:
    """What of a filter is promised: tools and prompts never change here."""
    return SubscriptionFilter(
        resources_list_changed=True if wanted.resources_list_changed else None,
        resource_subscriptions=wanted.resource_subscriptions or None,
    )


class ListenStreams:
    """The open streams of this process."""

    def __init__(self) -> None:
        self._open: set[ListenStream] = set()

    @property
    def uris(self) -> set[str]:
        """The resources that any stream asked for."""
        return {uri for stream in self._open for uri in stream.uris}

    async def listen(
        self, ctx: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Hold one stream open until its client leaves (by cancellation) or the server ends."""
        if ctx.request_id is None:
            raise MCPError(INVALID_REQUEST, "subscriptions/listen requires a request id")
        if len(self._open) >= MOST_STREAMS:
            raise MCPError(INTERNAL_ERROR, "Subscription limit reached")
        sender, receiver = anyio.create_memory_object_stream[ServerNotification](MOST_WAITING)
        honored = _honored(params.notifications)
        uris = frozenset(honored.resource_subscriptions or ())
        stream = ListenStream(ctx.request_id, honored, uris, sender)
        self._open.add(stream)
        try:
            await ctx.session.send_notification(stream.acknowledgement(), ctx.request_id)
            async for notification in receiver:
                await ctx.session.send_notification(notification, ctx.request_id)
        finally:
            self._open.discard(stream)
            sender.close()
            receiver.close()
        return SubscriptionsListenResult.model_validate({"_meta": stream.meta})

    async def send_list_changed(self) -> None:
        for stream in [stream for stream in self._open if stream.honored.resources_list_changed]:
            params = NotificationParams.model_validate({"_meta": stream.meta})
            self._put(stream, ResourceListChangedNotification(params=params))
        await anyio.lowlevel.checkpoint()

    async def send_updated(self, uri: str, resource: JsonObject | None) -> None:
        for stream in [stream for stream in self._open if uri in stream.uris]:
            self._put(stream, updated(uri, resource, stream.meta))
        await anyio.lowlevel.checkpoint()

    def _put(self, stream: ListenStream, notification: ServerNotification) -> None:
        try:
            with suppress(anyio.ClosedResourceError):  # Its end has begun.
                stream.waiting.send_nowait(notification)
        except anyio.WouldBlock:
            report(f"the client of listen stream {stream.request_id!r} does not read; ended")
            self._open.discard(stream)
            stream.waiting.close()

    def close(self) -> None:
        """Let every stream send what is waiting and end with its result."""
        for stream in self._open:
            stream.waiting.close()
