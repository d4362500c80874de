"""Tells clients of changes: of `resources/subscribe` up to 2025-11-25, since then of
`subscriptions/listen`. An `updated` notification carries the new Resource in `_meta`, and that of a
SKILL.md the digests of its skill before and after.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping

import anyio
from mcp.server.session import ServerSession
from mcp_types import (
    EmptyResult,
    NotificationParams,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ServerNotification,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)

from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.describe import PREFIX, describe, version_at
from skillbuild.serve.methods.listen import MOST_URIS_IN_ALL, ListenStreams, updated
from skillbuild.serve.methods.work import in_thread
from skillbuild.serve.state.faults import UnreadableError
from skillbuild.serve.state.moves import successor_uri
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher

CHECK_EVERY = 2.0
"""Seconds between checks for a new release while no requests come."""

_AT_ONCE = 100
"""URIs that are compared before notifications are sent."""


class Subscriptions:
    """Everybody who wants to hear of changes.

    A process on stdio has one client, which may use either method; over HTTP there are only
    streams.
    """

    def __init__(self, watcher: ReleaseWatcher, *, with_prompts: bool = False) -> None:
        self.streams = ListenStreams(with_prompts=with_prompts)
        self._with_prompts = with_prompts
        self._watcher = watcher
        self._announced = watcher.release
        self._uris: set[str] = set()
        self._session: ServerSession | None = None

    async def initialized(self, ctx: Context, params: NotificationParams) -> None:
        """A client of 2025-11-25 or older is ready for notifications."""
        self._session = ctx.session

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        uris = _uris(ctx.params, params.uri)
        unknown = await in_thread(_first_unknown, ctx.lifespan_context, uris)
        if unknown is not None:
            successor = successor_uri(ctx.lifespan_context, unknown)
            raise errors.unknown_resource(unknown, ctx.protocol_version, successor)
        if len(self._uris | uris) > MOST_URIS_IN_ALL:
            raise errors.invalid(f"a client subscribes to at most {MOST_URIS_IN_ALL} URIs")
        self._session = ctx.session
        self._uris |= uris
        return EmptyResult()

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        self._uris -= _uris(ctx.params, params.uri)
        return EmptyResult()

    async def run(self) -> None:
        """Look for new releases and announce them; ends by cancellation."""
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
        """SIGHUP: check for a new release now."""
        if hasattr(signal, "SIGHUP"):
            with anyio.open_signal_receiver(signal.SIGHUP) as signals:
                async for _ in signals:
                    await self._watcher.refreshed()

    async def _announce(self, old: ServedRelease, new: ServedRelease) -> None:
        if old.record.catalog.entries != new.record.catalog.entries:
            await self.streams.send_list_changed()
            await self._send(ResourceListChangedNotification(params=NotificationParams()))
            if self._with_prompts:
                await self._send(PromptListChangedNotification(params=NotificationParams()))
        uris = sorted(self._uris | self.streams.uris)
        for start in range(0, len(uris), _AT_ONCE):
            some = uris[start : start + _AT_ONCE]
            for uri, news in await in_thread(_changes, old, new, some):
                await self.streams.send_updated(uri, news)
                if uri in self._uris:
                    await self._send(updated(uri, news))

    async def _send(self, notification: ServerNotification) -> None:
        if self._session is not None:
            await self._session.send_notification(notification)


def _first_unknown(release: ServedRelease, uris: Iterable[str]) -> str | None:
    """One of the URIs at which nothing is served."""
    return next((uri for uri in uris if describe(release, uri) is None), None)


def _changes(
    old: ServedRelease, new: ServedRelease, uris: Iterable[str]
) -> list[tuple[str, JsonObject]]:
    """Those of the URIs whose content differs, with what is told of that in `_meta`."""
    return [(uri, _news(old, new, uri)) for uri in uris if _is_changed(old, new, uri)]


def _is_changed(old: ServedRelease, new: ServedRelease, uri: str) -> bool:
    """Whether the content differs; also if the files are gone that would say.

    A SKILL.md stands for its skill, of which there is a new version with any other file.
    """
    try:
        is_same = version_at(old, uri) == version_at(new, uri)
    except UnreadableError:
        return True
    return not is_same or _skill_digest(old, uri) != _skill_digest(new, uri)


def _news(old: ServedRelease, new: ServedRelease, uri: str) -> JsonObject:
    """The new Resource, unless it has gone; for a SKILL.md both digests of the skill besides."""
    resource = _described(new, uri)
    news: JsonObject = {} if resource is None else {f"{PREFIX}resource": resource}
    digests = {"old": _skill_digest(old, uri), "new": _skill_digest(new, uri)}
    return news | ({f"{PREFIX}digests": digests} if any(digests.values()) else {})


def _skill_digest(release: ServedRelease, uri: str) -> str | None:
    """The digest of the skill whose SKILL.md is at a URI; None if there is none to be read."""
    try:
        skill = release.skill_at(uri)
    except UnreadableError:
        return None
    return None if skill is None else skill.version


def _described(release: ServedRelease, uri: str) -> JsonObject | None:
    """The Resource at a URI; None if there is none, or it cannot be read."""
    try:
        return describe(release, uri)
    except UnreadableError:
        return None


def _uris(params: Mapping[str, object] | None, uri: str) -> set[str]:
    """The `uris` of the generic resources document, or the one `uri` of MCP."""
    uris = (params or {}).get("uris")
    return {str(item) for item in uris} if isinstance(uris, list) else {uri}
