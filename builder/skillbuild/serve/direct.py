"""The short way: what clients ask most is answered without the SDK, if it is asked as it should be.

For each request the SDK makes a task, a connection and several models, which takes longer than the
answer itself; to import it takes longer than to start without it. It still gets all that is not
plain: other methods and parameters, and whatever ends in an error, so that it decides on those
alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from skillbuild.serve import greeting, protocol
from skillbuild.serve.envelope import CACHED, complete
from skillbuild.serve.methods import reading, skills
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.methods.describe import PREFIX
from skillbuild.serve.methods.tool_definitions import DEFINITIONS
from skillbuild.serve.protocol import is_modern
from skillbuild.serve.state.faults import NotFetchedError, UnreadableError
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport.jsonrpc import ClientRequest

_MEANINGFUL = frozenset(["progressToken", f"{PREFIX}version"])
"""Keys of `_meta` that change an answer."""


class DirectAnswers:
    """Results as the SDK and the middleware would give them."""

    def __init__(self, watcher: ReleaseWatcher, offer: Offer) -> None:
        self._watcher, self._offer = watcher, offer

    def greeting(self, request: ClientRequest) -> tuple[str, JsonObject] | None:
        """The protocol version and the result of the request by which a client on standard streams
        begins; None if it is for the SDK.
        """
        try:
            return self._greeting(request)
        except NotFetchedError:
            return None

    def _greeting(self, request: ClientRequest) -> tuple[str, JsonObject] | None:
        if self._watcher.is_outdated():
            return None
        release, given = self._watcher.release, request.params or {}
        match request.method, given:
            case "initialize", {"protocolVersion": str() as version}:
                result = greeting.initialized(release, given, self._offer)
            case "server/discover", {
                "_meta": {protocol.VERSION_KEY: str() as version} as meta,
                **more,
            } if version in protocol.MODERN_VERSIONS and not more and _is_plain(meta, version):
                result = greeting.discovered(release, self._offer)
            case _:
                return None
        if result is None:
            return None
        return version, self._completed(release, request.method, version, result)

    def result(self, request: ClientRequest, version: str) -> JsonObject | None:
        """The result of a request of this protocol version; None if it is for the SDK."""
        given = dict(request.params or {})
        if not _is_plain(given.pop("_meta", {}), version) or self._watcher.is_outdated():
            return None
        release = self._watcher.release
        try:
            result = self._answer(release, request.method, version, given)
        except (UnreadableError, NotFetchedError):  # The SDK will meet it too, and see to it.
            return None
        if result is None:
            return None
        return self._completed(release, request.method, version, result)

    def _answer(
        self, release: ServedRelease, method: str, version: str, given: Mapping[str, object]
    ) -> JsonObject | None:
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
            case ("tools/list",):
                tools: JsonObject = {"tools": DEFINITIONS if self._offer.tools else []}
                return {**tools, **CACHED} if is_modern(version) else tools
            case ("ping",) if not is_modern(version):
                return {}
        return None

    def _completed(
        self, release: ServedRelease, method: str, version: str, result: JsonObject
    ) -> JsonObject:
        if is_modern(version):
            result["resultType"] = "complete"
        complete(release, method, version, result, self._offer)
        return result


def _is_plain(meta: object, version: str) -> bool:
    """Whether a request has the `_meta` of its version, and nothing there that we act on."""
    if not isinstance(meta, dict) or _MEANINGFUL & meta.keys():
        return False
    if not is_modern(version):
        return protocol.VERSION_KEY not in meta
    is_same = meta.get(protocol.VERSION_KEY) == version
    return is_same and protocol.CLIENT_CAPABILITIES_KEY in meta
