"""What every result has besides its content, by protocol version, whoever made the content."""

from __future__ import annotations

from skillbuild.serve.methods import identity
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.protocol import SERVER_INFO_KEY, is_modern
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease

TTL_MS = 60_000
"""How long a client may use an answer again: an update is visible within a minute."""
CACHED: JsonObject = {"ttlMs": TTL_MS, "cacheScope": "public"}

GREETINGS = frozenset(["initialize", "server/discover"])
_CACHEABLE = frozenset(
    [
        *("skills/list", "skills/get", "resources/directory/read", "resources/metadata"),
        *("resources/list", "resources/read", "resources/templates/list"),
    ]
)
"""Methods whose results the SDK does not say how long to cache."""


def complete(
    release: ServedRelease, method: str, version: str, result: JsonObject, offer: Offer
) -> None:
    """Add to a result what it has in this protocol version, whatever the method."""
    if is_modern(version):
        _add_envelope(release, method, result)
    elif not offer.duplex:
        _deny_subscriptions(result)


def _add_envelope(release: ServedRelease, method: str, result: JsonObject) -> None:
    """What every result has since 2026-07-28: who the server is, and how long to cache it."""
    meta = object_of(result.get("_meta") or {})
    is_greeting = method in GREETINGS
    info = identity.server_info(release) if is_greeting else identity.server_stamp(release)
    result["_meta"] = {**meta, SERVER_INFO_KEY: info}
    if method in _CACHEABLE:
        result |= CACHED


def _deny_subscriptions(result: JsonObject) -> None:
    """Where no notification can be sent, no resource can be subscribed to."""
    items = [result.get("resource")]
    for key in ("resources", "contents", "resourceTemplates", "content"):
        more = result.get(key)
        items += more if isinstance(more, list) else []
    for item in items:
        if isinstance(item, dict) and "capabilities" in item:
            item["capabilities"] = {**item["capabilities"], "subscribe": False}


def object_of(value: object) -> JsonObject:
    """A value of a result that must be an object."""
    if not isinstance(value, dict):
        raise TypeError(f"the SDK gave {type(value).__name__} for an object")
    return value
