"""The door of the HTTP server: who may ask, how much and how slowly, before anything else runs.

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
"""In which a request's body has to be there."""

DRAIN_SECONDS = 2.0
"""For reading on what is too large: a client that is still sending would miss the answer."""

_DEFAULT_PORTS = (80, 443)


@dataclass(frozen=True, slots=True)
class Allowed:
    """Values of Host that are answered, and the origins whose pages may ask."""

    hosts: frozenset[str]
    origins: frozenset[str]


def allow(names: Iterable[str], port: int, more: Iterable[str] = ()) -> Allowed:
    """`names` at this port; `more` are whole Host values, as they arrive through a proxy."""
    hosts = {f"{name}:{port}" for name in names} | {host.lower() for host in more}
    if port in _DEFAULT_PORTS:
        hosts |= set(names)
    origins = {f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")}
    return Allowed(frozenset(hosts), frozenset(origins))


class Guard:
    """Refuses or passes on; a body reaches the application whole or not at all."""

    def __init__(self, application: ASGIApp, allowed: Allowed) -> None:
        self._application, self._allowed = application, allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refusal = self._refusal(headers)
        if refusal is None and scope["method"] == "POST":
            body = await _body(headers, receive)
            if isinstance(body, bytes):
                receive = replay(body, receive)
            else:
                refusal = body
        await (refusal or self._application)(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._allowed.hosts:
            return _close("This server does not answer to that Host.", 421)
        if any(origin.lower() not in self._allowed.origins for origin in origins):
            return _close("Pages of that Origin may not ask here.", 403)
        return None


async def _body(headers: Headers, receive: Receive) -> bytes | PlainTextResponse:
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
        return _close(f"A request has at most {LARGEST_BODY} bytes.", 413)
    return _close("The request was not there in time.", 408)


def _close(message: str, status: int) -> PlainTextResponse:
    return PlainTextResponse(f"{message}\n", status, {"connection": "close"})


def replay(body: bytes, receive: Receive) -> Receive:
    """A body that has been read, to be received again."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
