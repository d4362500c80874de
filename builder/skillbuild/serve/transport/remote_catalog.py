"""The catalog over HTTP, where it is published elsewhere: what a digest holds, byte for byte.

Pages are not among it: nothing says of which release they are. Who asks for one is sent to where
the catalog is published.
"""

from __future__ import annotations

import io
from urllib.parse import urljoin

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from skillbuild.model import Digest
from skillbuild.release.layout import (
    INDEX_FILE,
    RECORD_FILE,
    SEARCH_FILE,
    addressed_path,
    blob_path,
)
from skillbuild.serve.state import files
from skillbuild.serve.state.follow import RemoteWatcher
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.transport.read_only import give, of_release
from skillbuild.serve.transport.static import OpenFile, answer_file

_AT_ONCE = 8


class RemoteCatalog:
    """An ASGI application over a release that is published elsewhere."""

    def __init__(self, watcher: RemoteWatcher, base: str) -> None:
        self._watcher, self._base = watcher, base
        self._limiter = anyio.CapacityLimiter(_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await give(self._response, scope, receive, send)

    async def _response(self, request: Request) -> Response:
        path = request.scope["path"]
        if not path.startswith(f"{self._base}/"):
            return _nothing()
        name = path.removeprefix(f"{self._base}/")

        async def answer(release: ServedRelease) -> Response:
            data = await anyio.to_thread.run_sync(self._read, release, name, limiter=self._limiter)
            if data is None:
                return self._elsewhere(release, name)
            file = OpenFile(name, io.BytesIO(data), len(data), Digest.of(data))
            return answer_file(request, file)

        return await of_release(self._watcher, answer)

    def _read(self, release: ServedRelease, name: str) -> bytes | None:
        """A file of this release that a digest holds; None for any other path."""
        match name:
            case _ if name == RECORD_FILE:
                return self._watcher.head
            case _ if name == INDEX_FILE:
                return files.read_in(release.out, blob_path(release.record.index_digest))
            case _ if name == SEARCH_FILE:
                return files.read_in(release.out, blob_path(release.record.search_digest))
            case _:
                try:
                    return files.read_in(release.out, addressed_path(name))
                except ValueError:
                    return None

    @staticmethod
    def _elsewhere(release: ServedRelease, name: str) -> Response:
        base_url = release.record.catalog.base_url
        if base_url is None or not base_url.startswith("https://"):
            return _nothing()
        target = urljoin(base_url.rstrip("/") + "/", f"./{name}")
        return RedirectResponse(target, 307) if target.startswith(base_url) else _nothing()


def _nothing() -> Response:
    return PlainTextResponse("There is no such file here.\n", 404)
