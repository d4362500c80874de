"""The catalog over HTTP: the published files, byte for byte, and searches; GET and HEAD alone.

The path of a request is looked up, never made into a file path: in SHA256SUMS for an output in a
directory, among the names that are digests for a release that is published elsewhere. Each file is
read whole and hashed before its first byte is sent.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urljoin

import anyio
import anyio.to_thread
from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from skillbuild.model import Digest
from skillbuild.release.headers import cache_control, content_type
from skillbuild.release.layout import (
    HEAD_FILES,
    INDEX_FILE,
    RECORD_FILE,
    RELEASE_FILE,
    SEARCH_FILE,
    blob_path,
    is_addressed,
)
from skillbuild.serve.methods.search import MOST_RESULTS, Results, SkillQuery, search
from skillbuild.serve.server import ANSWERS, SEARCHES
from skillbuild.serve.state.look_up import LocalNames, require_output
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher, RemoteWatcher
from skillbuild.storage.files import (
    MOST_BYTES,
    DamagedError,
    Directory,
    MissingError,
    UnavailableError,
)

SEARCH_PATH = "/api/search"
"""What `npx skills find` asks (`SKILLS_API_URL`)."""
_USUAL_RESULTS = 20

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_PUBLISH_SECONDS = 1.0
"""How long a file is waited for that a release which is being published has, and may bring."""

Respond: TypeAlias = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """A published file that was read and hashed."""

    name: str
    data: bytes
    digest: Digest


class _ComingError(Exception):
    """A file is named, but not there: a publish has yet to bring it, or to say that it is gone."""


def catalog_of(watcher: ReleaseWatcher, base: str) -> ASGIApp:
    """The application that answers at all paths but those of MCP and of searches."""
    files = watcher.release.files
    if isinstance(files, Directory):
        return LocalCatalog(files, base)
    if not isinstance(watcher, RemoteWatcher):
        raise TypeError("files that are elsewhere have a watcher of their own")
    return RemoteCatalog(watcher, base)


def file_response(file: CatalogFile, headers: Headers) -> Response:
    """The file, the one range of it that was asked for, or only that it has not changed.

    Several ranges get the whole.
    """
    size, etag = len(file.data), f'"{file.digest.hex}"'
    sent = {
        "etag": etag,
        "cache-control": cache_control(file.name),
        "accept-ranges": "bytes",
        "content-type": content_type(file.name),
    }
    if etag in headers.get("if-none-match", ""):
        return Response(None, 304, sent)
    wanted = _RANGE.fullmatch(headers.get("range", ""))
    if wanted is None or wanted[0] == "bytes=-" or headers.get("if-range", etag) != etag:
        return Response(file.data, 200, sent)
    first, last = wanted.groups()
    start = int(first) if first else max(size - int(last), 0)
    stop = min(int(last) + 1, size) if first and last else size
    if start >= stop:
        return Response(None, 416, {**sent, "content-range": f"bytes */{size}"})
    sent["content-range"] = f"bytes {start}-{stop - 1}/{size}"
    return Response(file.data[start:stop], 206, sent)


async def _give(
    respond: Respond, scope: Scope, receive: Receive, send: Send, **headers: str
) -> None:
    """Answer a GET or HEAD by `respond`, and refuse all else; `headers` have `_` for `-`."""
    request = Request(scope)
    if request.method in ("GET", "HEAD"):
        try:
            response = await respond(request)
        except DamagedError as error:
            response = PlainTextResponse(f"{error}\n", 500)
        except UnavailableError as error:
            response = PlainTextResponse(f"{error}; try again.\n", 503, {"retry-after": "1"})
    else:
        response = PlainTextResponse("Read only.\n", 405, {"allow": "GET, HEAD"})
    response.headers["x-content-type-options"] = "nosniff"
    for name, value in headers.items():
        response.headers[name.replace("_", "-")] = value
    await response(scope, receive, send)


class LocalCatalog:
    """An ASGI application over an output in a directory.

    While a release is published over another one, the files of both are there: what neither has
    lost is answered at every moment.
    """

    def __init__(self, files: Directory, base: str) -> None:
        self._files, self._base = files, base
        self._names = LocalNames(files)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _give(self._response, scope, receive, send)

    async def _response(self, request: Request) -> Response:
        path = request.scope["path"]
        name = path.removeprefix(f"{self._base}/") if path.startswith(f"{self._base}/") else None
        if name is None:
            return _nothing()
        if not name or name.endswith("/"):
            name += "index.html"
        found = await self._waited_for(name)
        match found:
            case CatalogFile():
                return file_response(found, request.headers)
            case True:
                return RedirectResponse(f"{path}/", 308)
            case _:
                return _nothing()

    async def _waited_for(self, name: str) -> CatalogFile | bool:
        """The file with a name; True for a directory with a page, False for nothing."""
        deadline = anyio.current_time() + _PUBLISH_SECONDS
        while True:
            try:
                return await anyio.to_thread.run_sync(self._find, name, limiter=ANSWERS)
            except _ComingError:
                if anyio.current_time() >= deadline:
                    return False
                await anyio.sleep(_PUBLISH_SECONDS / 20)

    def _find(self, name: str) -> CatalogFile | bool:
        with closing(self._names.opened()) as names:
            digests, is_publishing = names.find(name), names.is_publishing
            if not digests and name not in HEAD_FILES:
                return bool(names.find(f"{name}/index.html"))
        is_missing = False
        try:
            data = self._files.read(name, MOST_BYTES)
        except MissingError:
            require_output(self._files)
            is_missing = True
        except DamagedError:
            pass
        else:
            file = CatalogFile(name, data, Digest.of(data))
            if file.digest in digests or not digests:
                return file
        with closing(self._names.opened()) as names:
            if is_missing and names.is_publishing:
                raise _ComingError
            if names.is_publishing != is_publishing or names.find(name) != digests:
                raise _ComingError  # A publish has begun or ended meanwhile.
        raise DamagedError(name, "is damaged on the server")


def _nothing() -> Response:
    return PlainTextResponse("There is no such file in this catalog.\n", 404)


class RemoteCatalog:
    """An ASGI application over a release that is published elsewhere.

    Pages are not among its files: nothing says of which release they are. Who asks for one is sent
    to where the catalog is published.
    """

    def __init__(self, watcher: RemoteWatcher, base: str) -> None:
        self._watcher, self._base = watcher, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _give(self._response, scope, receive, send)

    async def _response(self, request: Request) -> Response:
        path = request.scope["path"]
        if not path.startswith(f"{self._base}/"):
            return _nothing()
        name = path.removeprefix(f"{self._base}/")

        async def answer(release: ServedRelease) -> Response:
            file = await anyio.to_thread.run_sync(self._find, release, name, limiter=ANSWERS)
            if file is None:
                return _elsewhere(release, name)
            return file_response(file, request.headers)

        return await self._watcher.answered(answer)

    def _find(self, release: ServedRelease, name: str) -> CatalogFile | None:
        """A file of this release that a digest holds; None for any other path."""
        if name == RECORD_FILE:
            return CatalogFile(name, self._watcher.head, release.digest)
        if name == RELEASE_FILE:
            data = release.record.release_object
            return CatalogFile(name, data, release.record.release_digest)
        heads = {INDEX_FILE: release.record.fixed.index, SEARCH_FILE: release.record.fixed.search}
        if name in heads:
            digest = heads[name].digest
            return CatalogFile(
                name, release.read(blob_path(digest), digest, heads[name].size), digest
            )
        if is_addressed(name) and (digests := release.names.find(name)):
            return CatalogFile(name, release.read(name, digests[0]), digests[0])
        return None


def _elsewhere(release: ServedRelease, name: str) -> Response:
    base_url = release.record.catalog.base_url
    if base_url is None or not base_url.startswith("https://"):
        return _nothing()
    target = urljoin(base_url.rstrip("/") + "/", f"./{name}")
    return RedirectResponse(target, 307) if target.startswith(base_url) else _nothing()


class SearchApi:
    """`GET /api/search?q=WORDS&limit=N` over the release being served."""

    def __init__(self, watcher: ReleaseWatcher, base: str) -> None:
        """`base` is the path below which the catalog is."""
        self._watcher, self._base = watcher, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _give(self._response, scope, receive, send, cache_control="no-cache")

    async def _response(self, request: Request) -> Response:
        words, limit = request.query_params.get("q", ""), _limit(request.query_params)
        if limit is None:
            return PlainTextResponse(f"limit is a number from 1 to {MOST_RESULTS}\n", 400)

        async def answer(release: ServedRelease) -> Response:
            query = SkillQuery(words)
            results = await anyio.to_thread.run_sync(
                search, release, query, 0, limit, limiter=SEARCHES
            )
            source = release.record.catalog.base_url or f"{request.base_url}{self._base[1:]}"
            return JSONResponse(_found(words, results, source))

        return await self._watcher.answered(answer)


def _limit(parameters: QueryParams) -> int | None:
    text = parameters.get("limit", f"{_USUAL_RESULTS}")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    return number if number in range(1, MOST_RESULTS + 1) else None


def _found(words: str, results: Results, source: str) -> dict[str, object]:
    """The fields that the installer reads; `source` is what it installs a skill from by `name`."""
    skills = [
        {
            "id": skill.path,
            "name": skill.flat_name,
            "source": source.rstrip("/"),
            "description": line,
            "installs": 0,
        }
        for skill, line, _ in results.skills
    ]
    return {"query": words, "skills": skills, "count": len(skills), "total": results.total}
