"""The catalog itself over HTTP: the published files, byte for byte, and nothing else.

The path of a request is looked up among the paths in SHA256SUMS, never made into a file path.
While a release is published over another one, the files of both are there: what neither has lost
is answered at every moment.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import anyio
import anyio.to_thread
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from skillbuild.model import Digest
from skillbuild.release.headers import cache_control, content_type
from skillbuild.release.layout import HEAD_FILES, is_addressed
from skillbuild.serve.state import files
from skillbuild.serve.state.checksums import OpenChecksums
from skillbuild.serve.state.faults import UnavailableError

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_AT_ONCE = 8
"""Requests for which files are read at the same time, each in a thread."""
_PIECE = 256 << 10
"""Bytes of a file that are held for one client."""
_PUBLISH_SECONDS = 1.0
"""How long a file is waited for that a release which is being published has, and may bring."""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file that was read once, and had this digest; in memory if it is small."""

    name: str
    file: BinaryIO
    size: int
    digest: Digest


class _ComingError(Exception):
    """A file is named, but not there: a publish has yet to bring it, or to say that it is gone."""


class StaticCatalog:
    """An ASGI application over an output."""

    def __init__(self, out: Path, base: str) -> None:
        self._out, self._base = out, base
        self._limiter = anyio.CapacityLimiter(_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        opened = None
        if request.method not in ("GET", "HEAD"):
            response: Response = PlainTextResponse("Read only.\n", 405, {"allow": "GET, HEAD"})
        else:
            opened = await self._open(scope["path"])
            response = opened if isinstance(opened, Response) else answer_file(request, opened)
        response.headers["x-content-type-options"] = "nosniff"
        try:
            await response(scope, receive, send)
        finally:
            if isinstance(opened, OpenFile):
                opened.file.close()

    async def _open(self, path: str) -> OpenFile | Response:
        """The file at a path, or the answer that there is none."""
        deadline = anyio.current_time() + _PUBLISH_SECONDS
        while True:
            try:
                return await anyio.to_thread.run_sync(self._find, path, limiter=self._limiter)
            except UnavailableError as error:
                return PlainTextResponse(f"{error}; try again.\n", 503, {"retry-after": "1"})
            except _ComingError:
                if anyio.current_time() >= deadline:
                    return _nothing()
                await anyio.sleep(_PUBLISH_SECONDS / 20)

    def _find(self, path: str) -> OpenFile | Response:
        if not path.startswith(f"{self._base}/"):
            return _nothing()
        name = path.removeprefix(f"{self._base}/")
        if not name or name.endswith("/"):
            name += "index.html"
        with closing(OpenChecksums(self._out)) as checksums:
            expected = checksums.find(name)
            if expected is None and name not in HEAD_FILES:
                if checksums.find(f"{name}/index.html") is None:
                    return _nothing()
                return RedirectResponse(f"{path}/", 308)
            opened = _open_file(self._out / name, name)
            if opened is None and checksums.is_publishing:
                raise _ComingError
        if opened is None and self._is_replaced(name, expected):
            raise _ComingError
        if opened is not None:
            if not is_addressed(name) or opened.digest.hex == expected:
                return opened
            opened.file.close()
        return PlainTextResponse("This file is damaged on the server.\n", 500)

    def _is_replaced(self, name: str, expected: str | None) -> bool:
        """Whether a publish has begun since a file was looked up, or has ended without it."""
        with closing(OpenChecksums(self._out)) as checksums:
            return checksums.is_publishing or checksums.find(name) != expected


def answer_file(request: Request, opened: OpenFile) -> Response:
    """The file, a range of it, or only that it has not changed."""
    headers = {
        "etag": f'"{opened.digest.hex}"',
        "cache-control": cache_control(opened.name),
        "accept-ranges": "bytes",
        "content-type": content_type(opened.name),
    }
    if headers["etag"] in request.headers.get("if-none-match", ""):
        return Response(None, 304, headers)
    return _whole_or_range(opened, headers, request.headers, request.method)


def _nothing() -> Response:
    return PlainTextResponse("There is no such file in this catalog.\n", 404)


def _open_file(path: Path, name: str) -> OpenFile | None:
    """The file at a path, hashed; None where none is. Raises `UnavailableError`."""
    file = files.opened(path)
    if file is None:
        return None
    try:
        data = file.read(_PIECE)
        if len(data) < _PIECE:
            file.close()
            return OpenFile(name, io.BytesIO(data), len(data), Digest.of(data))
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256")
        return OpenFile(name, file, file.seek(0, io.SEEK_END), Digest(digest.hexdigest()))
    except OSError as error:
        file.close()
        files.require_no_file(path, error)
        return None


def _whole_or_range(
    opened: OpenFile, answer_headers: dict[str, str], headers: Headers, method: str
) -> Response:
    """The whole file, or the one range that was asked for; several ranges get the whole."""
    wanted = _RANGE.fullmatch(headers.get("range", ""))
    etag, size = answer_headers["etag"], opened.size
    if wanted is None or wanted[0] == "bytes=-" or headers.get("if-range", etag) != etag:
        return _part(opened, 0, size, 200, answer_headers, method)
    first, last = wanted.groups()
    start = int(first) if first else max(size - int(last), 0)
    stop = min(int(last) + 1, size) if first and last else size
    if start >= stop:
        return Response(None, 416, {**answer_headers, "content-range": f"bytes */{size}"})
    answer_headers["content-range"] = f"bytes {start}-{stop - 1}/{size}"
    return _part(opened, start, stop, 206, answer_headers, method)


def _part(
    opened: OpenFile, start: int, stop: int, status: int, headers: dict[str, str], method: str
) -> Response:
    """Bytes of a file, piece by piece as the client reads them."""
    headers["content-length"] = str(stop - start)
    if method == "HEAD":
        return Response(None, status, headers)
    opened.file.seek(start)
    if isinstance(opened.file, io.BytesIO):
        return Response(opened.file.read(stop - start), status, headers)
    return StreamingResponse(_pieces(opened.file, stop - start), status, headers)


async def _pieces(file: BinaryIO, size: int) -> AsyncIterator[bytes]:
    while size > 0:
        piece = await anyio.to_thread.run_sync(file.read, min(size, _PIECE))
        if not piece:
            raise OSError("the file became shorter while it was sent")
        size -= len(piece)
        yield piece
