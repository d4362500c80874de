"""The errors that clients get; their texts repeat what was asked for only in escaped ASCII."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from skillbuild.serve.protocol import INTERNAL_ERROR, INVALID_PARAMS, is_modern
from skillbuild.serve.state.faults import DamagedContentError, DamagedError, UnavailableError
from skillbuild.serve.state.raw_json import JsonObject

if TYPE_CHECKING:  # What answers without the SDK imports this module.
    from mcp.shared.exceptions import MCPError

RESOURCE_NOT_FOUND = -32002
"""For unknown resources up to protocol version 2025-11-25; since 2026-07-28 it is -32602."""

NOT_MODIFIED = -32010
"""The client has the current version already (generic resources document, Response Messages)."""

_LONGEST_TEXT = 200


def escaped(text: str) -> str:
    """A client's text made safe for any log: ASCII, JSON escapes, at most 200 characters."""
    return json.dumps(text)[1:-1][:_LONGEST_TEXT]


def _error(code: int, message: str, data: JsonObject | None = None) -> MCPError:
    from mcp.shared.exceptions import MCPError

    return MCPError(code, message, data)


def unknown_resource(uri: str, protocol_version: str, successor: str | None) -> MCPError:
    """`successor` is the SKILL.md of the skill that has taken the place of the one at the URI."""
    code = INVALID_PARAMS if is_modern(protocol_version) else RESOURCE_NOT_FOUND
    return _unknown(code, f"Nothing is served at {escaped(uri)}", uri, successor)


def unknown_skill(uri: str, successor: str | None) -> MCPError:
    return _unknown(INVALID_PARAMS, f"No skill is served at {escaped(uri)}", uri, successor)


def no_directory(uri: str, successor: str | None) -> MCPError:
    return _unknown(INVALID_PARAMS, f"{escaped(uri)} is not a directory", uri, successor)


def _unknown(code: int, message: str, uri: str, successor: str | None) -> MCPError:
    data: JsonObject = {"uri": escaped(uri)}
    if successor is None:
        return _error(code, message, data)
    return _error(
        code, f"{message}; the skill has moved to {successor}", {**data, "successor": successor}
    )


def invalid(message: str) -> MCPError:
    return _error(INVALID_PARAMS, message)


_STALE_CURSOR = "This cursor is not of this listing in this release; start again without one"


def stale_cursor() -> MCPError:
    return invalid(_STALE_CURSOR)


def is_of_stale_cursor(error: MCPError) -> bool:
    """Whether another release may know the cursor."""
    return error.message == _STALE_CURSOR


def not_modified(uri: str, version: str) -> MCPError:
    return _error(NOT_MODIFIED, "Not Modified", {"uri": escaped(uri), "version": version})


def damaged(error: DamagedError) -> MCPError:
    """A file on disk is not what was published: the one asked for, or a part of the record."""
    match error:
        case DamagedContentError(uri=uri):
            message = f"The content of {escaped(uri)} is damaged: {error}"
            data: JsonObject = {"code": "damaged-content", "uri": escaped(uri)}
        case _:
            message = f"The release is damaged: {error}"
            data = {"code": "damaged-record"}
    return _error(INTERNAL_ERROR, message, data)


def unavailable(error: UnavailableError) -> MCPError:
    """A file could not be read, though nothing is wrong with it as far as is seen."""
    return _error(INTERNAL_ERROR, f"{error}; try again", {"code": "unavailable"})
