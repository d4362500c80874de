"""`GET /api/search?q=WORDS&limit=N`: what `npx skills find` asks (`SKILLS_API_URL`)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_thread
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from skillbuild.serve.methods.search import MOST_RESULTS, Results, SkillQuery, search
from skillbuild.serve.server import SEARCHES
from skillbuild.serve.state.faults import DamagedError, UnavailableError
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport.read_only import give, of_release

PATH = "/api/search"
_USUAL_RESULTS = 20
_USUAL_QUERY = SkillQuery("skill")
_PREPARED_AFTER = 0.5
"""Seconds after a server has started."""


async def prepare(watcher: ReleaseWatcher) -> None:
    """Search once, after the first clients were answered: what any query reads is held then.

    A release that is elsewhere is left alone, as everything that it needs has to be fetched.
    """
    await anyio.sleep(_PREPARED_AFTER)
    if isinstance(watcher.release.out, Path):
        with suppress(DamagedError, UnavailableError):  # Told to whoever asks.
            await _found_in(watcher.release, _USUAL_QUERY, _USUAL_RESULTS)


async def _found_in(release: ServedRelease, query: SkillQuery, count: int) -> Results:
    return await anyio.to_thread.run_sync(search, release, query, 0, count, limiter=SEARCHES)


class SearchApi:
    """An ASGI application over the release being served."""

    def __init__(self, watcher: ReleaseWatcher, base: str) -> None:
        """`base` is the path below which the catalog is."""
        self._watcher, self._base = watcher, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await give(self._response, scope, receive, send, cache_control="no-cache")

    async def _response(self, request: Request) -> Response:
        words, limit = request.query_params.get("q", ""), _limit(request.query_params)
        if limit is None:
            reason = f"limit is a number from 1 to {MOST_RESULTS}\n"
            return PlainTextResponse(reason, 400)

        async def answer(release: ServedRelease) -> Response:
            results = await _found_in(release, SkillQuery(words), limit)
            source = release.record.catalog.base_url or f"{request.base_url}{self._base[1:]}"
            return JSONResponse(_found(words, results, source))

        return await of_release(self._watcher, answer)


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
