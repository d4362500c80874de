"""`subscriptions/listen` (2026-07-28, SEP-2575): a request that is answered by a stream of events.

The first message acknowledges what will be sent, then come notifications, all with the id of the
request in `_meta`; the result ends the stream. Nothing is sent twice: a client that lost its stream
opens another one and reads what it needs. The SDK's own handler cannot add to `_meta`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.shared.exceptions import MCPError
from mcp_types import (
    NotificationParams,
    PromptListChangedNotification,
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

from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.watch import report

MOST_STREAMS = 256
MOST_URIS = 2000
"""That one request may name."""
MOST_URIS_IN_ALL = 100_000
"""That the open streams may ask for."""
MOST_WAITING = 1024
"""Notifications for a client that does not read; with one more its stream ends."""


def updated(uri: str, meta: Mapping[str, object]) -> ResourceUpdatedNotification:
    """The news that a resource changed."""
    params = {"uri": uri, "_meta": meta}
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
    displaced: anyio.Event = field(default_factory=anyio.Event)
    """Set when it ends because others want its place."""

    @property
    def meta(self) -> JsonObject:
        return {SUBSCRIPTION_ID_META_KEY: self.request_id}

    def acknowledgment(self) -> SubscriptionsAcknowledgedNotification:
        params = {"notifications": self.honored, "_meta": self.meta}
        return SubscriptionsAcknowledgedNotification(
            params=SubscriptionsAcknowledgedNotificationParams.model_validate(params)
        )


def _honored(wanted: SubscriptionFilter, *, with_prompts: bool) -> SubscriptionFilter:
    """What of a filter is promised: tools never change here, and prompts as the skills do."""
    return SubscriptionFilter(
        resources_list_changed=True if wanted.resources_list_changed else None,
        prompts_list_changed=True if with_prompts and wanted.prompts_list_changed else None,
        resource_subscriptions=wanted.resource_subscriptions or None,
    )


def require_few(params: Mapping[str, object] | None) -> None:
    """Refuse a request that names too many URIs; comes before the SDK looks at each of them."""
    given = params or {}
    notifications = given.get("notifications")
    listened = isinstance(notifications, Mapping) and notifications.get("resourceSubscriptions")
    for uris in (listened, given.get("uris")):
        if isinstance(uris, list) and len(uris) > MOST_URIS:
            raise errors.invalid(f"a request names at most {MOST_URIS} URIs")


_DISPLACED = (
    "Ended in favor of a newer stream: too many are open, and nothing was sent on this one for"
    " the longest time; listen again"
)


class ListenStreams:
    """The open streams of this process, at most `most`."""

    def __init__(self, *, with_prompts: bool = False) -> None:
        self.most = MOST_STREAMS
        self._with_prompts = with_prompts
        self._open: dict[ListenStream, None] = {}
        """The one that has been idle for the longest time comes first."""

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
        sender, receiver = anyio.create_memory_object_stream[ServerNotification](MOST_WAITING)
        honored = _honored(params.notifications, with_prompts=self._with_prompts)
        uris = frozenset(honored.resource_subscriptions or ())
        stream = ListenStream(ctx.request_id, honored, uris, sender)
        self._make_room(stream)
        self._open[stream] = None
        try:
            await ctx.session.send_notification(stream.acknowledgment(), ctx.request_id)
            async for notification in receiver:
                await ctx.session.send_notification(notification, ctx.request_id)
        finally:
            self._open.pop(stream, None)
            sender.close()
            receiver.close()
        if stream.displaced.is_set():
            raise MCPError(INTERNAL_ERROR, _DISPLACED)
        return SubscriptionsListenResult.model_validate({"_meta": stream.meta})

    def _make_room(self, newcomer: ListenStream) -> None:
        """End the streams that have been idle for the longest time while there are too many."""
        count = len(newcomer.uris) + sum(len(stream.uris) for stream in self._open)
        while self._open and (len(self._open) >= self.most or count > MOST_URIS_IN_ALL):
            oldest = next(iter(self._open))
            count -= len(oldest.uris)
            oldest.displaced.set()
            self._end(oldest)

    def _end(self, stream: ListenStream) -> None:
        """Let a stream send what is waiting, and end."""
        self._open.pop(stream, None)
        stream.waiting.close()

    async def send_list_changed(self) -> None:
        for stream in list(self._open):
            params = NotificationParams.model_validate({"_meta": stream.meta})
            if stream.honored.resources_list_changed:
                self._put(stream, ResourceListChangedNotification(params=params))
            if stream.honored.prompts_list_changed:
                self._put(stream, PromptListChangedNotification(params=params))
        await anyio.lowlevel.checkpoint()

    async def send_updated(self, uri: str, news: Mapping[str, object]) -> None:
        """Tell all who asked for a URI that it changed; `news` goes into `_meta`."""
        for stream in [stream for stream in self._open if uri in stream.uris]:
            self._put(stream, updated(uri, {**stream.meta, **news}))
        await anyio.lowlevel.checkpoint()

    def _put(self, stream: ListenStream, notification: ServerNotification) -> None:
        try:
            with suppress(anyio.ClosedResourceError):  # Its end has begun.
                stream.waiting.send_nowait(notification)
        except anyio.WouldBlock:
            report(f"the client of listen stream {stream.request_id!r} does not read; ended")
            self._end(stream)
        else:
            if stream in self._open:
                self._open[stream] = self._open.pop(stream)

    def close(self) -> None:
        """Let every stream send what is waiting and end with its result."""
        for stream in self._open:
            stream.waiting.close()
