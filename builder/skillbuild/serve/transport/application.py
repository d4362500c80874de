"""The server as an ASGI application: MCP at `/mcp`, and the catalog at all other paths.

`serve --http` runs the application. Other ASGI servers can run it too (`create_app`), but must then
limit the number and duration of connections themselves. The application is stateless, so several
processes can run behind one proxy. MCP responses are JSON, except that `subscriptions/listen`
returns a stream.

Host and Origin headers must exactly match an allowed value. This prevents a page on another site
from reaching a server on this machine through a host name that the site controls (DNS rebinding).
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from skillbuild.errors import ConfigError
from skillbuild.serve.methods.describe import Offer
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.server import build_server
from skillbuild.serve.state.follow import USUAL_CACHE, USUAL_REFRESH, Wanted, opened
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport.catalog import SEARCH_PATH, CatalogFiles, SearchApi
from skillbuild.serve.transport.jsonrpc import (
    EDGE,
    LARGEST_MESSAGE,
    RefusedMessageError,
    parse_message,
    too_long,
)
from skillbuild.text.json import compact_json

ADDRESS, HOSTS = "SKILLBUILD_SERVE", "SKILLBUILD_ALLOW_HOST"
"""Environment variables: the address of a release; allowed `Host` values, comma-separated."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_DEFAULT_PORTS = (80, 443)

BODY_SECONDS = 10.0
"""Seconds for the body of a request to arrive."""
MOST_BODY_BYTES = 32 << 20
"""Maximum bytes of all incomplete bodies together; a request that exceeds it is refused."""
DRAIN_SECONDS = 2.0
"""Seconds for which the server continues to read a body that is too large; otherwise, a client that
is still sending would miss the answer.
"""

_ALIVE, _READY = "/healthz", "/readyz"

_ID_HEADER = "x-request-id"
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LONGEST_PATH = 200


@dataclass(frozen=True, slots=True)
class AppOptions:
    """The options of an application. They correspond to the arguments and options of `serve`."""

    address: str = field(default_factory=lambda: os.environ.get(ADDRESS, ""))
    base_path: str = ""
    allow_hosts: Sequence[str] = field(
        default_factory=lambda: tuple(filter(None, os.environ.get(HOSTS, "").split(",")))
    )
    tools: bool = False
    prompts: bool = False
    only: Sequence[str] = ()
    refresh: float = USUAL_REFRESH
    cache: int = USUAL_CACHE
    allow_rollback: bool = False
    access_log: bool = False

    @staticmethod
    def of(values: Mapping[str, Any]) -> AppOptions:
        """Return options with these values. Raises `ConfigError` for an unknown name or a wrong
        type.
        """
        options = AppOptions()
        kinds = {item.name: type(getattr(options, item.name)) for item in fields(AppOptions)}
        for name, value in values.items():
            kind = kinds.get(name)
            if kind is None:
                raise ConfigError(f"there is no option {name}; the options are {', '.join(kinds)}")
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
    """Answers HTTP requests below a base path.

    The background tasks start with `running`, with the lifespan of the ASGI server, or with the
    first request.
    """

    def __init__(
        self,
        watcher: ReleaseWatcher,
        offer: Offer,
        base_path: str = "",
        allow_hosts: Iterable[str] = (),
        *,
        names: Iterable[str] = LOOPBACK,
        access_log: bool = False,
    ) -> None:
        """Create the application.

        `names` are allowed host names, combined with the port of the request; `allow_hosts` are
        allowed values of `Host` as a proxy passes them on. The host of the catalog's `base_url` is
        allowed too.
        """
        self.subscriptions = Subscriptions(watcher, with_prompts=offer.prompts)
        self._manager = StreamableHTTPSessionManager(
            build_server(watcher, self.subscriptions, offer),
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=LARGEST_MESSAGE,
        )
        base = base_path.strip("/")
        router = _PathRouter(self._manager, watcher, f"/{base}" if base else "")
        base_url = watcher.release.record.catalog.base_url
        hosts = {*allow_hosts, *([urlsplit(base_url).netloc] if base_url else ())}
        answering: ASGIApp = Health(RequestFilter(router, names, hosts), watcher)
        self._answering = AccessLog(answering) if access_log else answering
        self._task: asyncio.Task[None] | None = None

    @staticmethod
    def of(options: AppOptions) -> Application:
        """Load the release and create the application; raise an error if the release cannot be
        served.
        """
        offer = Offer(duplex=False, tools=options.tools, prompts=options.prompts)
        return Application(
            opened(options.wanted),
            offer,
            options.base_path,
            options.allow_hosts,
            access_log=options.access_log,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "lifespan":
                await receive()
                await self._start()
                await send({"type": "lifespan.startup.complete"})
                await receive()
                await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
            case "http":
                await self._start()
                await self._answering(scope, receive, send)
            case _:
                await send({"type": "websocket.close"})

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the background tasks; requests are answered while this context is open."""
        async with self._manager.run(), anyio.create_task_group() as tasks:
            tasks.start_soon(self.subscriptions.run)
            self._started.set()
            yield
            self.subscriptions.end_waiting()
            tasks.cancel_scope.cancel()

    @cached_property
    def _started(self) -> asyncio.Event:
        return asyncio.Event()

    async def _start(self) -> None:
        if self._task is None and not self._started.is_set():
            self._task = asyncio.create_task(self._run())
        await self._started.wait()

    async def _run(self) -> None:
        async with self.running():
            await anyio.sleep_forever()

    async def stop(self) -> None:
        """End the background tasks that a lifespan or a request started."""
        self.subscriptions.streams.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])


class _PathRouter:
    """Routes one path to MCP, one to searches, and all others to the catalog."""

    def __init__(
        self, manager: StreamableHTTPSessionManager, watcher: ReleaseWatcher, base: str
    ) -> None:
        self._manager, self._endpoint = manager, f"{base}/mcp"
        self._catalog = CatalogFiles(watcher, base)
        self._search, self._search_path = SearchApi(watcher, base), f"{base}{SEARCH_PATH}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == self._search_path:
            await self._search(scope, receive, send)
        elif scope["path"] != self._endpoint:
            await self._catalog(scope, receive, send)
        elif scope["method"] != "POST":
            refusal = PlainTextResponse("Send MCP requests with POST.\n", 405, {"allow": "POST"})
            await refusal(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a body that is a message, and refuse any other.

        The SDK would refuse it with an error code that depends on the version of the SDK.
        """
        body = (await receive())["body"]
        try:
            parse_message(body)
        except RefusedMessageError as refused:
            answer = Response(refused.answer, 400, media_type="application/json")
            await answer(scope, receive, send)
        else:
            await self._manager.handle_request(scope, _replay(body, receive), send)


class RequestFilter:
    """Refuses requests whose Host or Origin is not allowed, and passes on all others.

    The whole body of a POST request is read first. If this fails, the request is refused.
    """

    def __init__(self, application: ASGIApp, names: Iterable[str], hosts: Iterable[str]) -> None:
        """Allow `names` with the port of the request, and `hosts` as they are."""
        self._application = application
        self._names = [name.lower() for name in names]
        self._hosts = frozenset(host.lower() for host in hosts)
        self._bodies = Bodies()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        server: tuple[str, int | None] | None = scope["server"]
        refusal = self._refusal(headers, (server[1] if server else None) or 80)
        if refusal is None and scope["method"] == "POST":
            body = await self._bodies.read(headers, receive)
            if isinstance(body, bytes):
                receive = _replay(body, receive)
            else:
                refusal = body
        await (refusal or self._application)(scope, receive, send)

    def _refusal(self, headers: Headers, port: int) -> Response | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        allowed = self._hosts | {f"{name}:{port}" for name in self._names}
        if port in _DEFAULT_PORTS:
            allowed |= set(self._names)
        if len(hosts) != 1 or hosts[0].lower() not in allowed:
            return _refuse("This server does not accept requests for this Host.", 421)
        for origin in origins:
            scheme, _, host = origin.lower().partition("://")
            if scheme not in ("http", "https") or host not in allowed:
                return _refuse("This server does not accept requests from this Origin.", 403)
        return None


class Bodies:
    """Reads request bodies, and limits the total size of the bodies that are being read."""

    def __init__(self) -> None:
        self._held = 0

    async def read(self, headers: Headers, receive: Receive) -> bytes | Response:
        """Return the whole body, or an error response: 413 if it is too large, 408 if it is too
        slow, 503 if there is no memory for it.
        """
        data = bytearray()
        try:
            return await self._read(data, headers, receive)
        finally:
            self._held -= len(data)

    async def _read(self, data: bytearray, headers: Headers, receive: Receive) -> bytes | Response:
        declared = headers.get("content-length", "0")
        large = not declared.isdecimal() or len(declared) > 9 or int(declared) > LARGEST_MESSAGE
        end = b""
        with anyio.move_on_after(DRAIN_SECONDS if large else BODY_SECONDS):
            more = True
            while more:
                message = await receive()
                more = message["type"] == "http.request" and message.get("more_body", False)
                piece = message.get("body", b"")
                large = large or len(data) + len(piece) > LARGEST_MESSAGE
                end = (end + piece[-EDGE:])[-EDGE:]
                if large:
                    piece = b"" if data else piece[:EDGE]
                data += piece
                self._held += len(piece)
                if self._held > MOST_BODY_BYTES:
                    return _refuse("Too many requests at once; try again.", 503)
            if not large:
                return bytes(data)
        if large:
            answer = too_long(bytes(data), end).answer
            return Response(answer, 413, {"connection": "close"}, "application/json")
        return _refuse("The request did not arrive in time.", 408)


def _refuse(message: str, status: int) -> PlainTextResponse:
    """Return a refusal that ends the connection."""
    return PlainTextResponse(f"{message}\n", status, {"connection": "close"})


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns the body again, and then what follows it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


class Health:
    """Answers `/healthz` and `/readyz`, and passes other requests to the application.

    It does not check the Host header, because load balancers use an IP address as host.
    """

    def __init__(self, application: ASGIApp, watcher: ReleaseWatcher) -> None:
        self._application, self._watcher = application, watcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] not in (_ALIVE, _READY) or scope["method"] not in ("GET", "HEAD"):
            await self._application(scope, receive, send)
            return
        state: dict[str, object] = {"status": "ok"}
        if scope["path"] == _READY:
            state |= self._release()
        await JSONResponse(state, headers={"cache-control": "no-store"})(scope, receive, send)

    def _release(self) -> dict[str, object]:
        """Return the release that is served, and how long ago it was confirmed to be newest.

        The age is None if every request checks, or if the release is from the cache and the origin
        could not be asked.
        """
        release, age = self._watcher.release, self._watcher.age
        return {
            "release": str(release.digest),
            "commit": release.record.catalog.commit,
            "skills": release.skill_count,
            "age": None if age is None else round(age, 1),
            "current": self._watcher.is_current,
        }


class AccessLog:
    """Writes one line of JSON to standard output for each request, including a request id.

    For privacy, a line contains no client addresses, queries or bodies.
    """

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = _request_id(headers)
        began = time.monotonic()
        status, size = 0, 0

        async def noting(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[_ID_HEADER] = request_id
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._application(scope, receive, noting)
        finally:
            _write_line(
                {
                    "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    "id": request_id,
                    "method": scope["method"],
                    "path": scope["path"][:_LONGEST_PATH],
                    "rpc": headers.get("mcp-method", "")[:_LONGEST_PATH] or None,
                    "status": status,
                    "bytes": size,
                    "ms": round((time.monotonic() - began) * 1000, 1),
                }
            )


def _request_id(headers: Headers) -> str:
    """Return the request id of a proxy; a new one if it is missing or has unusual characters."""
    given = headers.get(_ID_HEADER, "")
    return given if _ID.fullmatch(given) else os.urandom(8).hex()


def _write_line(fields: dict[str, object]) -> None:
    with suppress(OSError, ValueError):
        print(compact_json(fields), file=sys.stdout, flush=True)
