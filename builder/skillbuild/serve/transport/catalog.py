"""Serves the published files over HTTP, byte for byte, and answers searches; GET and HEAD only.

The path of a request is looked up in the release, and never used as a file path
(`state.published`). Each file is read completely and hashed before its first byte is sent.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import urljoin

import anyio
from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from skillbuild.release.headers import cache_control, content_type
from skillbuild.serve.methods.search import MOST_RESULTS, Results, SkillQuery, search
from skillbuild.serve.state.published import ComingError, PublishedFile
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.storage.files import DamagedError, UnavailableError

SEARCH_PATH = "/api/search"
"""The path that `npx skills find` requests (`SKILLS_API_URL`)."""
_USUAL_RESULTS = 20

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_PUBLISH_SECONDS = 1.0
"""Seconds to wait for a file that a publish in progress may bring."""

Respond: TypeAlias = Callable[[Request], Awaitable[Response]]


def file_response(file: PublishedFile, headers: Headers) -> Response:
    """Return the response: the whole file, one range of it (206), or 304 if the file has not
    changed.

    A request for several ranges gets the whole file.
    """
    size, etag = len(file.data), f'"{file.digest.hex}"'
    sent = {
        "etag": etag,
        "cache-control": cache_control(file.path),
        "accept-ranges": "bytes",
        "content-type": content_type(file.path),
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
    """Answer GET and HEAD with `respond`, and refuse other methods. `headers` are added, with `-`
    for each `_` in their names.
    """
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


class CatalogFiles:
    """An ASGI application that serves the files of the release.

    If pages are not served, requests for pages are redirected to the published catalog.
    """

    def __init__(self, watcher: ReleaseWatcher, base: str) -> None:
        self._watcher, self._base = watcher, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _give(self._response, scope, receive, send)

    async def _response(self, request: Request) -> Response:
        path = request.scope["path"]
        if not path.startswith(f"{self._base}/"):
            return _nothing()
        name = path.removeprefix(f"{self._base}/")
        deadline = anyio.current_time() + _PUBLISH_SECONDS
        while True:
            try:
                return await self._watcher.answered(
                    lambda release: _file(release, path, name, request.headers)
                )
            except ComingError:
                if anyio.current_time() >= deadline:
                    return _nothing()
                await anyio.sleep(_PUBLISH_SECONDS / 20)


def _file(release: ServedRelease, path: str, name: str, headers: Headers) -> Response:
    """Return the answer to a request path; `name` is the part below the base path."""
    files = release.published
    is_directory = not name or name.endswith("/")
    file = files.file(f"{name}index.html" if is_directory else name)
    if file is not None:
        return file_response(file, headers)
    if not files.has_pages:
        return _elsewhere(release, name)
    if not is_directory and files.find(f"{name}/index.html") is not None:
        return RedirectResponse(f"{path}/", 308)
    return _nothing()


def _nothing() -> Response:
    return PlainTextResponse("There is no such file in this catalog.\n", 404)


def _elsewhere(release: ServedRelease, name: str) -> Response:
    base_url = release.record.catalog.base_url
    if base_url is None or not base_url.startswith("https://"):
        return _nothing()
    target = urljoin(base_url.rstrip("/") + "/", f"./{name}")
    return RedirectResponse(target, 307) if target.startswith(base_url) else _nothing()


class SearchApi:
    """Answers `GET /api/search?q=WORDS&limit=N`."""

    def __init__(self, watcher: ReleaseWatcher, base: str) -> None:
        """Answer from the watched release; `base` is the base path of the catalog."""
        self._watcher, self._base = watcher, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _give(self._response, scope, receive, send, cache_control="no-cache")

    async def _response(self, request: Request) -> Response:
        words, limit = request.query_params.get("q", ""), _limit(request.query_params)
        if limit is None:
            return PlainTextResponse(f"limit must be a number from 1 to {MOST_RESULTS}\n", 400)

        def answer(release: ServedRelease) -> Response:
            results = search(release, SkillQuery(words), 0, limit)
            source = release.record.catalog.base_url or f"{request.base_url}{self._base[1:]}"
            return JSONResponse(_found(words, results, source))

        return await self._watcher.answered(answer, is_search=True)


def _limit(parameters: QueryParams) -> int | None:
    text = parameters.get("limit", f"{_USUAL_RESULTS}")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    return number if number in range(1, MOST_RESULTS + 1) else None


def _found(words: str, results: Results, source: str) -> dict[str, object]:
    """Return the fields that the installer reads; it installs skill `name` from `source`."""
    skills = [
        {
            "id": each.entry.path,
            "name": each.entry.flat_name,
            "source": source.rstrip("/"),
            "description": each.line,
            "installs": 0,
        }
        for each in results.skills
    ]
    return {"query": words, "skills": skills, "count": len(skills), "total": results.total}
