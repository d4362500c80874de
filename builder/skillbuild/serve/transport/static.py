"""The catalog itself over HTTP: the published files, byte for byte, and nothing else.

What may be asked for is SHA256SUMS; a request's path is looked up in it and never put together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from skillbuild.media.types import media_type
from skillbuild.model import Digest
from skillbuild.release.checksums import Checksums
from skillbuild.release.layout import CHECKSUMS_FILE
from skillbuild.storage import disk

_ADDRESSED = ("blobs/", "archives/", "icons/")
_FOR_EVER = "public, max-age=31536000, immutable"
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True, slots=True)
class Published:
    """The files of an output by path, as SHA256SUMS of that moment had them."""

    digest: Digest
    files: Mapping[str, str]


class Static:
    """An ASGI application over an output; reads SHA256SUMS again when it has changed."""

    def __init__(self, out: Path, base: str) -> None:
        self._out, self._base = out, base
        self._published = Published(Digest.of(b""), {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if request.method not in ("GET", "HEAD"):
            response: Response = PlainTextResponse("Read only.\n", 405, {"allow": "GET, HEAD"})
        else:
            response = await anyio.to_thread.run_sync(self._respond, scope["path"], request.headers)
        response.headers["x-content-type-options"] = "nosniff"
        await response(scope, receive, send)

    def _respond(self, path: str, headers: Headers) -> Response:
        inside, name = path.startswith(f"{self._base}/"), path.removeprefix(f"{self._base}/")
        files = self._files() if inside else {}
        if not name or name.endswith("/"):
            name += "index.html"
        if name in files:
            return self._file(name, files[name], headers)
        if f"{name}/index.html" in files:
            return RedirectResponse(f"{path}/", 308)
        return PlainTextResponse("There is no such file in this catalog.\n", 404)

    def _files(self) -> Mapping[str, str]:
        data = disk.read(self._out / CHECKSUMS_FILE) or b""
        digest = Digest.of(data)
        if digest != self._published.digest:
            files = Checksums.parse(data).hex_digests()
            self._published = Published(digest, {**files, CHECKSUMS_FILE: digest.hex})
        return self._published.files

    def _file(self, name: str, expected: str, headers: Headers) -> Response:
        data = disk.read(self._out / name)
        digest = None if data is None else Digest.of(data)
        addressed = name.startswith(_ADDRESSED)
        if data is None or digest is None or (addressed and digest.hex != expected):
            return PlainTextResponse("This file is damaged on the server.\n", 500)
        sent = {
            "etag": f'"{digest.hex}"',
            "cache-control": _FOR_EVER if addressed else "no-cache",
            "accept-ranges": "bytes",
            "content-type": _content_type(name),
        }
        if sent["etag"] in headers.get("if-none-match", ""):
            return Response(None, 304, sent)
        return _part(data, sent, headers)


def _part(data: bytes, sent: dict[str, str], headers: Headers) -> Response:
    """The whole file, or the one range that was asked for; several ranges get the whole."""
    wanted = _RANGE.fullmatch(headers.get("range", ""))
    same = headers.get("if-range", sent["etag"]) == sent["etag"]
    if wanted is None or wanted[0] == "bytes=-" or not same:
        return Response(data, 200, sent)
    first, last = wanted.groups()
    start = int(first) if first else max(len(data) - int(last), 0)
    stop = min(int(last) + 1, len(data)) if first and last else len(data)
    if start >= stop:
        return Response(None, 416, {**sent, "content-range": f"bytes */{len(data)}"})
    span = f"bytes {start}-{stop - 1}/{len(data)}"
    return Response(data[start:stop], 206, {**sent, "content-range": span})


def _content_type(name: str) -> str:
    if name.startswith("blobs/"):
        return "application/octet-stream"
    kind = media_type(name, b"")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
