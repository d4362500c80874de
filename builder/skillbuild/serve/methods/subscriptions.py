"""Notifies clients of changes that they subscribed to.

Clients subscribe with `resources/subscribe` (up to protocol version 2025-11-25) or with
`subscriptions/listen` (SEP-2575, since 2026-07-28), which returns a stream of events. A
notification contains only the URI. Missed events are not sent again; a client whose stream breaks
must open a new one.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ServerEvent, event_matches, event_to_notification
from mcp_types import (
    NotificationParams,
    SubscriptionFilter,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)
from mcp_types.jsonrpc import INTERNAL_ERROR

from skillbuild.serve.methods import errors
from skillbuild.serve.methods.describe import describe
from skillbuild.serve.methods.generic import SubscribeParams
from skillbuild.serve.state.content import successor_uri
from skillbuild.serve.state.entries import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.storage.files import FileError

Context = ServerRequestContext[object]

MOST_STREAMS = 256
MOST_URIS = 2000
"""Maximum number of URIs in one request."""
MOST_URIS_IN_ALL = 100_000
"""Maximum number of URIs that all clients of this process may subscribe to."""
CHECK_EVERY = 2.0
"""Seconds between checks for a new release while no requests arrive."""

_AT_ONCE = 100
"""Number of URIs to compare before sending their notifications."""
_DISPLACED = "Too many streams are open, and this one had been idle the longest; listen again"


def require_few(params: Mapping[str, object] | None) -> None:
    """Refuse a request with too many URIs before the SDK validates every URI."""
    given = params or {}
    notifications = given.get("notifications")
    listened = isinstance(notifications, Mapping) and notifications.get("resourceSubscriptions")
    for uris in (listened, given.get("uris")):
        if isinstance(uris, list) and len(uris) > MOST_URIS:
            raise errors.invalid(f"a request can name at most {MOST_URIS} URIs")


@dataclass(frozen=True, eq=False, slots=True)
class ListenStream:
    """One open stream, and the cancel scope that ends it."""

    wanted: SubscriptionFilter
    uris: frozenset[str]
    scope: anyio.CancelScope


class ListenStreams:
    """The open streams of this process, never more than `most`.

    The SDK's handler sends the events, but it would refuse a new stream above the limit. This class
    ends the stream that has been idle longest instead.
    """

    def __init__(self, most: int = MOST_STREAMS, *, with_prompts: bool = False) -> None:
        self.most = most
        self._with_prompts = with_prompts
        self._bus = InMemorySubscriptionBus()
        self._handler = ListenHandler(self._bus, max_subscriptions=2 * most)
        self._open: dict[ListenStream, None] = {}
        """The stream that has been idle for the longest time comes first."""

    @property
    def uris(self) -> set[str]:
        """The URIs that at least one stream subscribes to."""
        return {uri for stream in self._open for uri in stream.uris}

    async def listen(
        self, ctx: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Keep one stream open until the client cancels it or the server shuts down. Raises
        `MCPError` if the stream is closed to make room for a newer one.
        """
        wanted = self._honored(params.notifications)
        uris = frozenset(wanted.resource_subscriptions or ())
        stream = ListenStream(wanted, uris, anyio.CancelScope())
        self._make_room(stream)
        self._open[stream] = None
        try:
            with stream.scope:
                given = params.model_copy(update={"notifications": wanted})
                return await self._handler(ctx, given)
        finally:
            self._open.pop(stream, None)
        raise MCPError(INTERNAL_ERROR, _DISPLACED)

    def _honored(self, wanted: SubscriptionFilter) -> SubscriptionFilter:
        """Return the supported part of a filter; changes of tools are not supported, because tools
        never change.
        """
        prompts = wanted.prompts_list_changed if self._with_prompts else None
        return wanted.model_copy(
            update={"tools_list_changed": None, "prompts_list_changed": prompts}
        )

    def _make_room(self, newcomer: ListenStream) -> None:
        """End streams while there are too many, first the one that has been idle for the longest
        time.
        """
        count = len(newcomer.uris) + sum(len(stream.uris) for stream in self._open)
        while self._open and (len(self._open) >= self.most or count > MOST_URIS_IN_ALL):
            oldest = next(iter(self._open))
            count -= len(oldest.uris)
            self._open.pop(oldest)
            oldest.scope.cancel()

    async def publish(self, event: ServerEvent) -> None:
        """Send an event to the streams that subscribe to it."""
        for stream in [each for each in self._open if event_matches(each.wanted, each.uris, event)]:
            self._open[stream] = self._open.pop(stream)
        await self._bus.publish(event)

    def close(self) -> None:
        """End every stream: send its pending events, and then its result."""
        self._handler.close()


class Subscriptions:
    """All clients that subscribe to changes.

    On stdio there is one client, which may use `resources/subscribe` or `subscriptions/listen`.
    Over HTTP, clients can use only `subscriptions/listen`.
    """

    def __init__(self, watcher: ReleaseWatcher, *, with_prompts: bool = False) -> None:
        self.streams = ListenStreams(with_prompts=with_prompts)
        self._with_prompts = with_prompts
        self._watcher = watcher
        self._announced = watcher.release
        self._uris: set[str] = set()
        self._session: ServerSession | None = None

    def end_waiting(self) -> None:
        """Cancel all requests that wait for an origin."""
        self._watcher.close()

    async def initialized(self, ctx: Context, params: NotificationParams) -> None:
        """Remember the session of a client that is now ready (protocol version 2025-11-25 or
        older).
        """
        self._session = ctx.session

    def subscribe(self, release: ServedRelease, params: SubscribeParams) -> JsonObject:
        named = params.named
        unknown = next((uri for uri in named if describe(release, uri) is None), None)
        if unknown is not None:
            raise errors.unknown_resource(unknown, successor_uri(release, unknown))
        if len(self._uris | named) > MOST_URIS_IN_ALL:
            raise errors.invalid(f"a client can subscribe to at most {MOST_URIS_IN_ALL} URIs")
        self._uris |= named
        return {}

    def unsubscribe(self, release: ServedRelease, params: SubscribeParams) -> JsonObject:
        self._uris -= params.named
        return {}

    async def run(self) -> None:
        """Look for new releases and announce them, until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._check_on_hangup)
            while True:
                release = await self._watcher.refreshed(at_once=False)
                if release is self._announced:
                    with anyio.move_on_after(CHECK_EVERY):
                        await self._watcher.replaced.wait()
                else:
                    await self._announce(self._announced, release)
                    self._announced = release

    async def _check_on_hangup(self) -> None:
        """Check for a new release at once on each SIGHUP."""
        if hasattr(signal, "SIGHUP"):
            with anyio.open_signal_receiver(signal.SIGHUP) as signals:
                async for _ in signals:
                    await self._watcher.refreshed()

    async def _announce(self, old: ServedRelease, new: ServedRelease) -> None:
        if old.record.catalog.entries != new.record.catalog.entries:
            await self._publish(ResourcesListChanged())
            if self._with_prompts:
                await self._publish(PromptsListChanged())
        uris = sorted(self._uris | self.streams.uris)
        for start in range(0, len(uris), _AT_ONCE):
            some = uris[start : start + _AT_ONCE]
            for uri in await anyio.to_thread.run_sync(_changed, old, new, some):
                await self._publish(ResourceUpdated(uri))

    async def _publish(self, event: ServerEvent) -> None:
        """Send an event on the streams, and to the client of 2025-11-25 or older."""
        await self.streams.publish(event)
        is_wanted = not isinstance(event, ResourceUpdated) or event.uri in self._uris
        if self._session is not None and is_wanted:
            await self._session.send_notification(event_to_notification(event, {}))


def _changed(old: ServedRelease, new: ServedRelease, uris: Iterable[str]) -> list[str]:
    """Return the URIs whose content differs.

    A SKILL.md represents its skill, so it counts as changed if any file of the skill changed.
    """
    states = ((uri, _state(old, uri), _state(new, uri)) for uri in uris)
    return [uri for uri, before, after in states if before is None or before != after]


def _state(release: ServedRelease, uri: str) -> tuple[object, object] | None:
    """Return the digests of the content at a URI and of its skill; None if they cannot be read,
    because files are missing.
    """
    try:
        described, skill = describe(release, uri), release.skill_at(uri)
    except FileError:
        return None
    return described and described.version, skill and skill.version
