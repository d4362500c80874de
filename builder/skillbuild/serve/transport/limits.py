"""Which HTTP requests are answered at all: by Host, Origin, and the size and pace of the body.

Host and Origin are compared whole: a page of another site must not reach a server on this machine
by a name that it controls (DNS rebinding).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import anyio
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 << 10
BODY_SECONDS = 10.0
"""Time for a request's body to arrive."""

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refusal = self._refusal(headers)
        if refusal is None and scope["method"] == "POST":
            body = await _read_body(headers, receive)
            if isinstance(body, bytes):
                receive = replay(body, receive)
            else:
                refusal = body
        await (refusal or self._application)(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._allowed.hosts:
            return _refuse("This server does not answer to that Host.", 421)
        if any(origin.lower() not in self._allowed.origins for origin in origins):
            return _refuse("Pages of that Origin may not ask here.", 403)
        return None


async def _read_body(headers: Headers, receive: Receive) -> bytes | PlainTextResponse:
    """The whole body, or the refusal: 413 when it is too large, 408 when it is too slow."""
    declared = headers.get("content-length", "0")
    large = not declared.isdecimal() or int(declared) > LARGEST_BODY
    data = bytearray()
    with anyio.move_on_after(DRAIN_SECONDS if large else BODY_SECONDS):
        more = True
        while more:
            message = await receive()
            more = message["type"] == "http.request" and message.get("more_body", False)
            large = large or len(data) + len(message.get("body", b"")) > LARGEST_BODY
            data += b"" if large else message.get("body", b"")
        if not large:
            return bytes(data)
    if large:
        return _refuse(f"A request has at most {LARGEST_BODY} bytes.", 413)
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
