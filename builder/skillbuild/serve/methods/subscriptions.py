"""Who wants to hear of changes, and telling them: `resources/subscribe` up to 2025-11-25, then
`subscriptions/listen`. Both say what is new: the Resource rides in `_meta`.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp_types import (
    EmptyResult,
    NotificationParams,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    ServerNotification,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from skillbuild.serve.methods import errors, resource
from skillbuild.serve.methods.resource import PREFIX, JsonObject
from skillbuild.serve.state.release import Release
from skillbuild.serve.state.watch import Watch

LOOK_EVERY = 2.0
"""Seconds between looks at the disk while nobody asks anything."""

MOST_STREAMS = 256


class Notices:
    """The subscribers of this process. A stdio process has one client, HTTP only streams."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=MOST_STREAMS)
        self._wanted: Counter[str] = Counter()
        self._subscribed: set[str] = set()
        self._session: ServerSession | None = None
        self._swaps: list[tuple[Release, Release]] = []
        self._woken = anyio.Event()
        watch.on_change = self._swapped

    def _swapped(self, old: Release, new: Release) -> None:
        self._swaps.append((old, new))
        self._woken.set()

    async def initialized(
        self, ctx: ServerRequestContext[Release], params: NotificationParams
    ) -> None:
        """An old-era client is ready to be told."""
        self._session = ctx.session

    async def subscribe(
        self, ctx: ServerRequestContext[Release], params: SubscribeRequestParams
    ) -> EmptyResult:
        for uri in _uris(ctx.params, params.uri):
            if resource.resource(ctx.lifespan_context, uri) is None:
                raise errors.unknown_resource(uri, ctx.protocol_version)
        self._session = ctx.session
        self._subscribed.update(_uris(ctx.params, params.uri))
        return EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Release], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        self._subscribed.difference_update(_uris(ctx.params, params.uri))
        return EmptyResult()

    async def listen(
        self, ctx: ServerRequestContext[Release], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Hold one stream open; what it wants is counted, as the bus does not know."""
        wanted = Counter(set(params.notifications.resource_subscriptions or ()))
        self._wanted += wanted
        try:
            session = cast("ServerSession", _Describing(ctx.session, self._watch))
            return await self._streams(replace(ctx, session=session), _served(params))
        finally:
            self._wanted -= wanted

    async def run(self) -> None:
        """Look at the disk now and then, tell of every swap; ends by cancellation."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._hang_ups)
            while True:
                with anyio.move_on_after(LOOK_EVERY):
                    await self._woken.wait()
                self._woken = anyio.Event()
                self._watch.current()
                while self._swaps:
                    await self._tell(*self._swaps.pop(0))

    async def _hang_ups(self) -> None:
        if hasattr(signal, "SIGHUP"):
            with anyio.open_signal_receiver(signal.SIGHUP) as signals:
                async for _ in signals:
                    self._watch.current()

    def close(self) -> None:
        """Let open streams end with their result."""
        self._streams.close()

    async def _tell(self, old: Release, new: Release) -> None:
        if old.lines != new.lines:
            await self._bus.publish(ResourcesListChanged())
            await self._send(ResourceListChangedNotification(params=NotificationParams()))
        for uri in sorted({*self._wanted, *self._subscribed}):
            if resource.version(old, uri) != resource.version(new, uri):
                await self._bus.publish(ResourceUpdated(uri))
                if uri in self._subscribed:
                    await self._send(_updated(uri, new))

    async def _send(self, notification: ServerNotification) -> None:
        if self._session is not None:
            await self._session.send_notification(notification)


def _served(params: SubscriptionsListenRequestParams) -> SubscriptionsListenRequestParams:
    """Tools and prompts never change here: the acknowledgement must not promise to tell."""
    never = {"tools_list_changed": None, "prompts_list_changed": None}
    wanted = params.notifications.model_copy(update=never)
    return params.model_copy(update={"notifications": wanted})


def _uris(params: Mapping[str, object] | None, uri: str) -> set[str]:
    """The generic document's `uris`, or the one `uri` of MCP."""
    several = (params or {}).get("uris")
    return {str(item) for item in several} if isinstance(several, list) else {uri}


def _updated(uri: str, release: Release, **meta: object) -> ResourceUpdatedNotification:
    described = resource.resource(release, uri)
    said: JsonObject = {} if described is None else {f"{PREFIX}resource": described}
    params = {"uri": uri, "_meta": {**meta, **said}}
    return ResourceUpdatedNotification(
        params=ResourceUpdatedNotificationParams.model_validate(params)
    )


class _Describing:
    """A session whose `updated` notifications carry the Resource; the rest passes through."""

    def __init__(self, session: ServerSession, watch: Watch) -> None:
        self._session, self._watch = session, watch

    async def send_notification(
        self, notification: ServerNotification, related_request_id: str | int | None = None
    ) -> None:
        if isinstance(notification, ResourceUpdatedNotification):
            meta = notification.params.meta or {}
            uri = notification.params.uri
            notification = _updated(uri, self._watch.current(), **meta)
        await self._session.send_notification(notification, related_request_id=related_request_id)
