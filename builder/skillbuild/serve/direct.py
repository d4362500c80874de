"""The short way: what clients ask most is answered without the SDK, if it is asked as it should be.

For each request the SDK makes a task, a connection and several models, which takes longer than the
answer itself. It still gets all that is not plain: other methods and parameters, and whatever ends
in an error, so that it decides on those alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY, JSONRPCRequest

from skillbuild.serve.methods import errors, reading, skills
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.methods.describe import PREFIX
from skillbuild.serve.middleware import complete
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher

_MEANINGFUL = frozenset(["progressToken", f"{PREFIX}version"])
"""Keys of `_meta` that change an answer."""


class DirectAnswers:
    """Results as the SDK and the middleware would give them."""

    def __init__(self, watcher: ReleaseWatcher, offer: Offer) -> None:
        self._watcher, self._offer = watcher, offer

    def result(self, request: JSONRPCRequest, version: str) -> JsonObject | None:
        """The result of a request of this protocol version; None if it is for the SDK."""
        given = dict(request.params or {})
        if not _is_plain(given.pop("_meta", {}), version) or self._watcher.is_outdated():
            return None
        release = self._watcher.release
        try:
            result = _answer(release, request.method, given)
        except Exception:  # The SDK will meet it too, and make an error of it.
            return None
        if result is not None:
            if errors.is_modern(version):
                result["resultType"] = "complete"
            complete(release, request.method, version, result, self._offer)
        return result


def _is_plain(meta: object, version: str) -> bool:
    """Whether a request has the `_meta` of its version, and nothing there that we act on."""
    if not isinstance(meta, dict) or _MEANINGFUL & meta.keys():
        return False
    if not errors.is_modern(version):
        return PROTOCOL_VERSION_META_KEY not in meta
    return meta.get(PROTOCOL_VERSION_META_KEY) == version and CLIENT_CAPABILITIES_META_KEY in meta


def _answer(release: ServedRelease, method: str, given: Mapping[str, object]) -> JsonObject | None:
    """What one of the methods here says to its only parameter; None for all else."""
    match method, *given.items():
        case "resources/read", ("uri", str() as uri):
            return reading.read_at_once(release, uri)
        case "skills/get", ("uri", str() as uri):
            return skills.get_at_once(release, uri)
        case "skills/list", ("cursor", str() as cursor):
            return skills.list_at_once(release, cursor)
        case ("skills/list",):
            return skills.list_at_once(release)
    return None
