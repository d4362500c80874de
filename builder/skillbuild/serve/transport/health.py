"""`/healthz` and `/readyz`, for whoever runs several servers: asked by address, so for any Host."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from skillbuild.serve.state.watch import ReleaseWatcher

_ALIVE, _READY = "/healthz", "/readyz"


class Health:
    """An ASGI application before another one."""

    def __init__(self, application: ASGIApp, watcher: ReleaseWatcher) -> None:
        self._application, self._watcher = application, watcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] not in (_ALIVE, _READY) or scope["method"] not in ("GET", "HEAD"):
            await self._application(scope, receive, send)
            return
        state: dict[str, object] = {"status": "ok"}
        if scope["path"] == _READY:
            state |= self._release()
        await JSONResponse(state, headers={"cache-control": "no-store"})(scope, receive, send)

    def _release(self) -> dict[str, object]:
        """Which release is served, and how many seconds ago it was seen to be the newest.

        None where every request looks; also where it is from the cache, and nobody could be asked.
        """
        release, age = self._watcher.release, self._watcher.age
        return {
            "release": str(release.digest),
            "commit": release.record.catalog.commit,
            "skills": release.skill_count,
            "age": None if age is None else round(age, 1),
            "current": self._watcher.is_current,
        }
