"""The catalog itself over HTTP: the published files, byte for byte, and nothing else.

The path of a request is looked up among the paths in SHA256SUMS, never made into a file path.
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
from skillbuild.release.layout import CHECKSUMS_FILE, is_addressed
from skillbuild.storage import disk

_FOR_EVER = "public, max-age=31536000, immutable"
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True, slots=True)
class ChecksumFile:
    """What SHA256SUMS said when it was read last."""

    digest: Digest
    """Of the file itself."""
    files: Mapping[str, str]
    """Hex digests by path, SHA256SUMS among them."""


class StaticCatalog:
    """An ASGI application over an output; parses SHA256SUMS again when it has changed."""

    def __init__(self, out: Path, base: str) -> None:
        self._out, self._base = out, base
        self._checksums = ChecksumFile(Digest.of(b""), {})

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
        if digest != self._checksums.digest:
            files = Checksums.parse(data).hex_digests()
            self._checksums = ChecksumFile(digest, {**files, CHECKSUMS_FILE: digest.hex})
        return self._checksums.files

    def _file(self, name: str, expected: str, headers: Headers) -> Response:
        """A file, or an error if it is content-addressed and not what its name says."""
        data = disk.read(self._out / name)
        digest = None if data is None else Digest.of(data)
        addressed = is_addressed(name)
        if data is None or digest is None or (addressed and digest.hex != expected):
            return PlainTextResponse("This file is damaged on the server.\n", 500)
        answer_headers = {
            "etag": f'"{digest.hex}"',
            "cache-control": _FOR_EVER if addressed else "no-cache",
            "accept-ranges": "bytes",
            "content-type": _content_type(name),
        }
        if answer_headers["etag"] in headers.get("if-none-match", ""):
            return Response(None, 304, answer_headers)
        return _whole_or_range(data, answer_headers, headers)


def _whole_or_range(data: bytes, answer_headers: dict[str, str], headers: Headers) -> Response:
    """The whole file, or the one range that was asked for; several ranges get the whole."""
    wanted = _RANGE.fullmatch(headers.get("range", ""))
    etag = answer_headers["etag"]
    if wanted is None or wanted[0] == "bytes=-" or headers.get("if-range", etag) != etag:
        return Response(data, 200, answer_headers)
    first, last = wanted.groups()
    start = int(first) if first else max(len(data) - int(last), 0)
    stop = min(int(last) + 1, len(data)) if first and last else len(data)
    if start >= stop:
        return Response(None, 416, {**answer_headers, "content-range": f"bytes */{len(data)}"})
    content_range = f"bytes {start}-{stop - 1}/{len(data)}"
    return Response(data[start:stop], 206, {**answer_headers, "content-range": content_range})


def _content_type(name: str) -> str:
    if name.startswith("blobs/"):
        return "application/octet-stream"
    kind = media_type(name, b"")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
