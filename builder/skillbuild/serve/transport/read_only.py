"""HTTP that only gives: what its handlers have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from skillbuild.serve.state.faults import DamagedError, UnavailableError
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher

Respond = Callable[[Request], Awaitable[Response]]


async def give(
    respond: Respond, scope: Scope, receive: Receive, send: Send, **headers: str
) -> None:
    """Answer a GET or HEAD by `respond`, and refuse all else; `headers` have `_` for `-`."""
    request = Request(scope)
    if request.method in ("GET", "HEAD"):
        response = await respond(request)
    else:
        response = PlainTextResponse("Read only.\n", 405, {"allow": "GET, HEAD"})
    response.headers["x-content-type-options"] = "nosniff"
    for name, value in headers.items():
        response.headers[name.replace("_", "-")] = value
    await response(scope, receive, send)


async def of_release(
    watcher: ReleaseWatcher, answer: Callable[[ServedRelease], Awaitable[Response]]
) -> Response:
    """What `answer` makes of the release that is served, or the response for its fault."""
    try:
        return await watcher.answered(answer)
    except DamagedError as error:
        return PlainTextResponse(f"{error}\n", 500)
    except UnavailableError as error:
        return PlainTextResponse(f"{error}; try again.\n", 503, {"retry-after": "1"})
