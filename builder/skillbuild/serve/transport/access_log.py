"""The access log: a line of JSON for each request on standard output, with an id to find it by.

It has no addresses, no queries and no bodies: who asked for what skill is nobody's business.
"""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from skillbuild.text.json import compact_json

_HEADER = "x-request-id"
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LONGEST_PATH = 200


class AccessLog:
    """An ASGI application around another one."""

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
                MutableHeaders(scope=message)[_HEADER] = request_id
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._application(scope, receive, noting)
        finally:
            _write(
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
    """The id that a proxy gave; a new one where there is none, or one that could be anything."""
    given = headers.get(_HEADER, "")
    return given if _ID.fullmatch(given) else os.urandom(8).hex()


def _write(fields: dict[str, object]) -> None:
    with suppress(OSError, ValueError):
        print(compact_json(fields), file=sys.stdout, flush=True)
