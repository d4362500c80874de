"""The server as an ASGI application, for other HTTP servers: uvicorn, hypercorn, an adapter.

They have to see to what `serve --http` sees to itself: how many connections there are, and how
long each may take.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import anyio
from starlette.types import ASGIApp, Receive, Scope, Send

from skillbuild.errors import ConfigError
from skillbuild.serve.methods.describe import Offer
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.server import build_server
from skillbuild.serve.state.opening import Wanted, opened
from skillbuild.serve.transport import http, limits
from skillbuild.serve.transport.access_log import AccessLog
from skillbuild.serve.transport.health import Health
from skillbuild.serve.transport.limits import RequestFilter

ADDRESS, HOSTS = "SKILLBUILD_SERVE", "SKILLBUILD_ALLOW_HOST"
"""Variables of the environment: the address of a release; values of `Host`, with commas."""


@dataclass(frozen=True, slots=True)
class AppOptions:
    """What an application serves, and to whom; the options of `serve` with these names."""

    address: str = field(default_factory=lambda: os.environ.get(ADDRESS, ""))
    base_path: str = ""
    allow_hosts: Sequence[str] = field(
        default_factory=lambda: tuple(filter(None, os.environ.get(HOSTS, "").split(",")))
    )
    tools: bool = False
    prompts: bool = False
    only: Sequence[str] = ()
    refresh: float = 10.0
    cache: int = 1024
    allow_rollback: bool = False
    access_log: bool = False

    @staticmethod
    def of(values: Mapping[str, Any]) -> AppOptions:
        """The options with these values; `ConfigError` for a name or a kind that there is not."""
        options = AppOptions()
        kinds = {item.name: type(getattr(options, item.name)) for item in fields(AppOptions)}
        for name, value in values.items():
            kind = kinds.get(name)
            if kind is None:
                raise ConfigError(f"there is no option {name}; there are {', '.join(kinds)}")
            if not isinstance(value, {tuple: (list, tuple), float: (int, float)}.get(kind, kind)):
                raise ConfigError(f"the option {name} cannot be {value!r}")
        return replace(options, **values)

    @property
    def wanted(self) -> Wanted:
        if not self.address:
            raise ConfigError(f"nothing to serve: pass an address, or set {ADDRESS}")
        only = tuple(self.only)
        return Wanted(self.address, only, self.refresh, self.cache, self.allow_rollback)


class Application:
    """Answers HTTP; what it needs to run starts with the server's lifespan, or else when the first
    request comes.
    """

    def __init__(self, options: AppOptions) -> None:
        """Loads the release, so that an application that cannot serve is none."""
        self._options, self._watcher = options, opened(options.wanted)
        self._subscriptions = Subscriptions(self._watcher, with_prompts=options.prompts)
        offer = Offer(duplex=False, tools=options.tools, prompts=options.prompts)
        self._manager = http.manager_of(build_server(self._watcher, self._subscriptions, offer))
        self._running: asyncio.Task[None] | None = None
        self._application: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "lifespan":
                await self._live(receive, send)
            case "http":
                await self._start()
                await self._answering(scope["server"])(scope, receive, send)
            case _:
                await send({"type": "websocket.close"})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await self._start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._stop()
        await send({"type": "lifespan.shutdown.complete"})

    @cached_property
    def _started(self) -> asyncio.Event:
        return asyncio.Event()

    async def _start(self) -> None:
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        await self._started.wait()

    async def _stop(self) -> None:
        self._subscriptions.streams.close()
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])

    async def _run(self) -> None:
        async with self._manager.run(), anyio.create_task_group() as tasks:
            tasks.start_soon(self._subscriptions.run)
            self._started.set()

    def _answering(self, server: tuple[str, int | None] | None) -> ASGIApp:
        """The application for requests that come in by this address."""
        if self._application is None:
            options, port = self._options, (server[1] if server else None) or 80
            more = (*options.allow_hosts, *http.published_host(self._watcher.release))
            router = http.router(self._manager, self._watcher, _base(options))
            hosts = limits.allow_hosts(http.LOOPBACK, port, more)
            health = Health(RequestFilter(router, hosts), self._watcher)
            self._application = AccessLog(health) if options.access_log else health
        return self._application


def _base(options: AppOptions) -> str:
    base = options.base_path.strip("/")
    return f"/{base}" if base else ""
