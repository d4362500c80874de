"""Which HTTP requests are answered at all: by Host, Origin, and the size and pace of the body.

Host and Origin are compared whole: a page of another site must not reach a server on this machine
by a name that it controls (DNS rebinding).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import anyio
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from skillbuild.serve.transport.jsonrpc import EDGE, LARGEST_MESSAGE, too_long

BODY_SECONDS = 10.0
"""Time for a request's body to arrive."""

MOST_BODY_BYTES = 32 << 20
"""Of all requests whose bodies are still coming; what comes beyond that ends its request."""

DRAIN_SECONDS = 2.0
"""Time for reading on a body that is too large: a client that still sends would miss the answer."""

_DEFAULT_PORTS = (80, 443)


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """Values of `Host` and `Origin` that are answered, in lower case."""

    hosts: frozenset[str]
    origins: frozenset[str]


def allow_hosts(names: Iterable[str], port: int, more: Iterable[str] = ()) -> AllowedHosts:
    """`names` at this port; `more` are whole values of `Host`, as a proxy passes them on."""
    hosts = {f"{name}:{port}" for name in names} | {host.lower() for host in more}
    if port in _DEFAULT_PORTS:
        hosts |= set(names)
    origins = {f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")}
    return AllowedHosts(frozenset(hosts), frozenset(origins))


class RequestFilter:
    """Refuses a request or passes it on; a body reaches the application whole or not at all."""

    def __init__(self, application: ASGIApp, allowed: AllowedHosts) -> None:
        self._application, self._allowed = application, allowed
        self._bodies = Bodies()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refusal = self._refusal(headers)
        if refusal is None and scope["method"] == "POST":
            body = await self._bodies.read(headers, receive)
            if isinstance(body, bytes):
                receive = replay(body, receive)
            else:
                refusal = body
        await (refusal or self._application)(scope, receive, send)

    def _refusal(self, headers: Headers) -> Response | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._allowed.hosts:
            return _refuse("This server does not answer to that Host.", 421)
        if any(origin.lower() not in self._allowed.origins for origin in origins):
            return _refuse("Pages of that Origin may not ask here.", 403)
        return None


class Bodies:
    """Reads the bodies of requests, and counts the bytes of those that are still coming."""

    def __init__(self) -> None:
        self._held = 0

    async def read(self, headers: Headers, receive: Receive) -> bytes | Response:
        """The whole body, or its refusal: 413 if it is too large, 408 if it is too slow, 503 if
        there is no room for it.
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
        return _refuse("The request was not there in time.", 408)


def _refuse(message: str, status: int) -> PlainTextResponse:
    """A refusal that ends the connection."""
    return PlainTextResponse(f"{message}\n", status, {"connection": "close"})


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body once more, and then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again
