"""Streamable HTTP and the catalog on one port: stateless, so several processes may share a proxy.

Answers are JSON, streams only where they were asked for by `subscriptions/listen`.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from skillbuild.errors import ConfigError
from skillbuild.serve.methods.subscriptions import Notices
from skillbuild.serve.state.release import Release
from skillbuild.serve.state.watch import report
from skillbuild.serve.transport import limits
from skillbuild.serve.transport.jsonrpc import RefusedError, parse
from skillbuild.serve.transport.limits import Guard
from skillbuild.serve.transport.static import Static

BACKLOG = 2048
"""A client that installs hundreds of skills opens as many connections at once."""

MOST_CONNECTIONS = 1000
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen and below which path; port 0 takes a free one."""

    host: str
    port: int
    base: str = ""
    more_hosts: tuple[str, ...] = ()


def parse_address(text: str, base_path: str, more_hosts: Iterable[str]) -> Address:
    """`HOST:PORT`, with an IPv6 host in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"--http takes HOST:PORT, for example 127.0.0.1:8000, not {text!r}")
    base = base_path.strip("/")
    return Address(host.strip("[]"), int(port), f"/{base}" if base else "", tuple(more_hosts))


async def serve(
    server: Server[Release], notices: Notices, release: Release, address: Address
) -> None:
    """Serve until a signal ends it."""
    listening = _listen(address)
    port = listening.getsockname()[1]
    names = {*_LOOPBACK, f"[{address.host}]" if ":" in address.host else address.host.lower()}
    allowed = limits.allow(names, port, (*address.more_hosts, *_published_host(release)))
    manager = StreamableHTTPSessionManager(
        server,
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=limits.LARGEST_BODY,
    )
    application = Guard(_Split(manager, Static(release.out, address.base), address.base), allowed)
    async with manager.run(), anyio.create_task_group() as tasks:
        tasks.start_soon(notices.run)
        url = f"http://{_shown(address.host)}:{port}{address.base}"
        report(f"serving {len(release.listed)} skills at {url}/mcp and the catalog at {url}/")
        with listening:
            await _Server(_config(application), notices).serve(sockets=[listening])
        tasks.cancel_scope.cancel()


def _config(application: Guard) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        lifespan="off",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=3,
    )


class _Server(uvicorn.Server):
    """Ends open streams with their result before it waits for connections to close."""

    def __init__(self, config: uvicorn.Config, notices: Notices) -> None:
        super().__init__(config)
        self._notices = notices

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._notices.close()
        await super().shutdown(sockets)


def _listen(address: Address) -> socket.socket:
    """A TCP socket that says so: asyncio sends small answers at once only on those."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        reason = (error.strerror or str(error)).lower()
        where = f"{_shown(address.host)}:{address.port}"
        raise ConfigError(f"cannot listen on {where}: {reason}; choose another port") from error
    return listening


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _published_host(release: Release) -> list[str]:
    base = release.head.catalog.base_url
    return [urlsplit(base).netloc] if base else []


class _Split:
    """MCP at one path, the catalog at all others."""

    def __init__(self, manager: StreamableHTTPSessionManager, static: Static, base: str) -> None:
        self._manager, self._static, self._endpoint = manager, static, f"{base}/mcp"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != self._endpoint:
            await self._static(scope, receive, send)
        elif scope["method"] != "POST":
            refusal = PlainTextResponse("MCP is asked by POST.\n", 405, {"allow": "POST"})
            await refusal(scope, receive, send)
        else:
            await self._ask(scope, receive, send)

    async def _ask(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The SDK answers some of what is no message with other codes, or by era."""
        body = (await receive())["body"]
        try:
            parse(body)
        except RefusedError as refused:
            answer = Response(refused.answer, 400, media_type="application/json")
            await answer(scope, receive, send)
        else:
            await self._manager.handle_request(scope, limits.replay(body, receive), send)
