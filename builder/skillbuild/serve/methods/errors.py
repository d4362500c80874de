"""Errors as the wire has them; the code of an unknown resource depends on the protocol's era."""

from __future__ import annotations

import json

from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

RESOURCE_NOT_FOUND = -32002
"""Of `resources/read` up to 2025-11-25; from 2026-07-28 on it is Invalid params."""

NOT_MODIFIED = -32010
_LONGEST = 200


def is_modern(protocol_version: str) -> bool:
    return protocol_version in MODERN_PROTOCOL_VERSIONS


def shown(text: str) -> str:
    """Somebody else's text, safe in any log: ASCII, escaped, cut."""
    return json.dumps(text)[1:-1][:_LONGEST]


def unknown_resource(uri: str, protocol_version: str) -> MCPError:
    code = INVALID_PARAMS if is_modern(protocol_version) else RESOURCE_NOT_FOUND
    return MCPError(code, f"Nothing is served at {shown(uri)}", {"uri": shown(uri)})


def unknown_skill(uri: str) -> MCPError:
    return MCPError(INVALID_PARAMS, f"No skill is served at {shown(uri)}", {"uri": shown(uri)})


def no_directory(uri: str) -> MCPError:
    return MCPError(INVALID_PARAMS, f"{shown(uri)} is not a directory", {"uri": shown(uri)})


def invalid(message: str) -> MCPError:
    return MCPError(INVALID_PARAMS, message)


def stale_cursor() -> MCPError:
    return invalid("This cursor is not of this listing in this release; start again without one")


def not_modified(uri: str, version: str) -> MCPError:
    return MCPError(NOT_MODIFIED, "Not Modified", {"uri": shown(uri), "version": version})


def damaged(uri: str, reason: str) -> MCPError:
    """The file on disk is not what was published; the code and the URI, never its bytes."""
    message = f"The content of {shown(uri)} is damaged: {reason}"
    return MCPError(INTERNAL_ERROR, message, {"code": "damaged-content", "uri": shown(uri)})
