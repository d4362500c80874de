"""MCP over Streamable HTTP at `/mcp`, and the catalog at all other paths of the same port.

Stateless, so that several processes may stand behind one proxy. Answers are JSON; only
`subscriptions/listen` is answered by a stream.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from signal import SIGTERM
from urllib.parse import urlsplit

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from skillbuild.errors import ConfigError
from skillbuild.serve.methods.describe import Offer
from skillbuild.serve.methods.subscriptions import MOST_STREAMS, Subscriptions
from skillbuild.serve.server import build_server
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport import connections, limits, search_api
from skillbuild.serve.transport.access_log import AccessLog
from skillbuild.serve.transport.connections import Connection, ConnectionPool, accept
from skillbuild.serve.transport.health import Health
from skillbuild.serve.transport.jsonrpc import (
    LARGEST_MESSAGE,
    RefusedMessageError,
    parse_message,
)
from skillbuild.serve.transport.limits import RequestFilter
from skillbuild.serve.transport.logs import announce
from skillbuild.serve.transport.static import StaticCatalog
from skillbuild.text.wording import plural

BACKLOG = 2048
"""A client that installs hundreds of skills opens as many connections at once."""

STOP_SECONDS = 10
"""Time for what runs to be finished, after a signal."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen and what to answer to."""

    host: str
    port: int
    """0 takes a free one."""
    base: str = ""
    """The path that everything is below, as `/team/skills`; empty for none."""
    more_hosts: tuple[str, ...] = ()
    """Further values of `Host`."""
    access_log: bool = False
    """Each request is told of on standard output."""


def parse_address(
    text: str, base_path: str, more_hosts: Iterable[str], *, access_log: bool = False
) -> Address:
    """The options of `serve`; `text` is `HOST:PORT`, with an IPv6 host in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"--http takes HOST:PORT, for example 127.0.0.1:8000, not {text!r}")
    base = base_path.strip("/")
    below = f"/{base}" if base else ""
    return Address(host.strip("[]"), int(port), below, tuple(more_hosts), access_log)


async def serve(watcher: ReleaseWatcher, offer: Offer, address: Address) -> None:
    """Serve until a signal ends it; after SIGTERM this returns, and the command has succeeded."""
    release = watcher.release
    subscriptions = Subscriptions(watcher, with_prompts=offer.prompts)
    most = connections.most_connections()
    subscriptions.streams.most = min(MOST_STREAMS, most // 2)
    listening = _listen(address)
    port = listening.getsockname()[1]
    names = {*LOOPBACK, _bracketed(address.host.lower())}
    allowed = limits.allow_hosts(names, port, (*address.more_hosts, *published_host(release)))
    manager = manager_of(build_server(watcher, subscriptions, offer))
    filtered = RequestFilter(router(manager, watcher, address.base), allowed)
    application: ASGIApp = Health(filtered, watcher)
    if address.access_log:
        application = AccessLog(application)
    url = f"http://{_bracketed(address.host)}:{port}{address.base}"
    count = plural(release.skill_count, "skill")
    announce(f"serving {count} at {url}/mcp and the catalog at {url}/")
    async with manager.run(), anyio.create_task_group() as tasks:
        tasks.start_soon(subscriptions.run)
        tasks.start_soon(search_api.prepare, watcher)
        with listening:
            await _HttpServer(_config(application, most), subscriptions, listening).serve()
        tasks.cancel_scope.cancel()


def manager_of(server: Server[object]) -> StreamableHTTPSessionManager:
    """What hands requests to the SDK; it must run while there are any."""
    return StreamableHTTPSessionManager(
        server,
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=LARGEST_MESSAGE,
    )


def router(manager: StreamableHTTPSessionManager, watcher: ReleaseWatcher, base: str) -> ASGIApp:
    """What answers below a path: MCP, searches, and the catalog."""
    search = search_api.SearchApi(watcher, base)
    return _PathRouter(manager, _catalog(watcher, base), search, base)


def _catalog(watcher: ReleaseWatcher, base: str) -> ASGIApp:
    """What answers at all paths but those of MCP and of searches."""
    out = watcher.release.out
    if isinstance(out, Path):
        return StaticCatalog(out, base)
    from skillbuild.serve.state.follow import RemoteWatcher
    from skillbuild.serve.transport.remote_catalog import RemoteCatalog

    if not isinstance(watcher, RemoteWatcher):
        raise TypeError("files that are elsewhere have a watcher of their own")
    return RemoteCatalog(watcher, base)


def _config(application: ASGIApp, most: int) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=most + 1,
        timeout_graceful_shutdown=STOP_SECONDS,
    )


class _HttpServer(uvicorn.Server):
    """Accepts connections itself, and at the end lets open streams send their result."""

    def __init__(
        self, config: uvicorn.Config, subscriptions: Subscriptions, listening: socket.socket
    ) -> None:
        super().__init__(config)
        self._subscriptions, self._listening = subscriptions, listening
        self.servers = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        limit = self.config.limit_concurrency or 1
        pool = ConnectionPool(limit - 1)
        connect = partial(Connection, self.config, self.server_state, pool)
        await self.lifespan.startup()
        self._accepting = asyncio.create_task(accept(self._listening, pool, connect))
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._accepting.cancel()
        self._listening.close()
        self._subscriptions.streams.close()
        await super().shutdown(sockets)
        # Raised again by uvicorn, it would cut short what cleans up after this.
        self._captured_signals = [each for each in self._captured_signals if each != SIGTERM]


def _listen(address: Address) -> socket.socket:
    """A listening socket with its protocol named: only then asyncio sets TCP_NODELAY."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        reason = (error.strerror or str(error)).lower()
        where = f"{_bracketed(address.host)}:{address.port}"
        raise ConfigError(f"cannot listen on {where}: {reason}; choose another port") from error
    return listening


def _bracketed(host: str) -> str:
    """A host as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


def published_host(release: ServedRelease) -> list[str]:
    """The host of the catalog's `base_url`, which a proxy may pass on."""
    base_url = release.record.catalog.base_url
    return [urlsplit(base_url).netloc] if base_url else []


class _PathRouter:
    """MCP at one path, searches at another, the catalog at all others."""

    def __init__(
        self,
        manager: StreamableHTTPSessionManager,
        catalog: ASGIApp,
        search: search_api.SearchApi,
        base: str,
    ) -> None:
        self._manager = manager
        self._catalog, self._endpoint = catalog, f"{base}/mcp"
        self._search, self._search_path = search, f"{base}{search_api.PATH}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == self._search_path:
            await self._search(scope, receive, send)
        elif scope["path"] != self._endpoint:
            await self._catalog(scope, receive, send)
        elif scope["method"] != "POST":
            refusal = PlainTextResponse("MCP is asked by POST.\n", 405, {"allow": "POST"})
            await refusal(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a body that is no message: the SDK's error codes depend on the version."""
        body = (await receive())["body"]
        try:
            parse_message(body)
        except RefusedMessageError as refused:
            answer = Response(refused.answer, 400, media_type="application/json")
            await answer(scope, receive, send)
            return
        await self._manager.handle_request(scope, limits.replay(body, receive), send)
