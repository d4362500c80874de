"""The answers to `initialize` and `server/discover` on standard streams, as the SDK gives them.

Every client begins with one of them and waits for it: they are there before the SDK is.
"""

from __future__ import annotations

from collections.abc import Mapping

from skillbuild.serve.envelope import CACHED
from skillbuild.serve.methods import identity
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.methods.describe import EXTENSION
from skillbuild.serve.protocol import HANDSHAKE_VERSIONS, MODERN_VERSIONS
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease

EXTENSIONS: dict[str, JsonObject] = {EXTENSION: {"directoryRead": True}}
SUPPORTED_VERSIONS = (*MODERN_VERSIONS, *HANDSHAKE_VERSIONS)
_RESOURCES = {"listChanged": True, "subscribe": True}
_PARAMS = frozenset(["protocolVersion", "capabilities", "clientInfo"])
_INFO = frozenset(["name", "title", "version", "description", "websiteUrl"])
_CAPABILITIES = frozenset(["experimental", "extensions", "elicitation", "roots", "sampling"])


def initialized(
    release: ServedRelease, given: Mapping[str, object], offer: Offer
) -> JsonObject | None:
    """The result of `initialize`; None if the SDK has to judge its parameters."""
    version, info = given.get("protocolVersion"), given.get("clientInfo")
    if given.keys() != _PARAMS or version not in HANDSHAKE_VERSIONS or not _is_plain_info(info):
        return None
    if not _are_plain_capabilities(given["capabilities"]):
        return None
    return {
        "capabilities": {
            "completions": {},
            "prompts": {"listChanged": offer.prompts},
            "resources": _RESOURCES,
            "tools": {"listChanged": False},
            "extensions": EXTENSIONS,
        },
        "protocolVersion": version,
        "serverInfo": identity.server_info(release),
        "instructions": identity.instructions(release, offer),
    }


def discovered(release: ServedRelease, offer: Offer) -> JsonObject:
    """The result of `server/discover`."""
    return {
        "capabilities": {
            "completions": {},
            "extensions": EXTENSIONS,
            "prompts": {"listChanged": True} if offer.prompts else {},
            "resources": _RESOURCES,
            "tools": {},
        },
        "instructions": identity.instructions(release, offer),
        "supportedVersions": SUPPORTED_VERSIONS,
        **CACHED,
    }


def _is_plain_info(info: object) -> bool:
    if not isinstance(info, dict) or not {"name", "version"} <= info.keys() <= _INFO:
        return False
    return all(isinstance(value, str) for value in info.values())


def _are_plain_capabilities(value: object) -> bool:
    """Whether these are capabilities that the SDK knows, with nothing in them that it may refuse:
    objects, and for roots `listChanged` as well.
    """
    if not isinstance(value, dict) or not value.keys() <= _CAPABILITIES:
        return False
    for key, parts in value.items():
        if not isinstance(parts, dict):
            return False
        kind = bool if key == "roots" else dict
        if not all(isinstance(part, kind) for part in parts.values()):
            return False
    return True
