"""The errors that clients get. Messages contain client input only as escaped ASCII."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS

from skillbuild.serve.state.content import DamagedContentError
from skillbuild.serve.state.entries import JsonObject
from skillbuild.serve.state.watch import OtherReleaseError
from skillbuild.storage.files import DamagedError, FileError, UnavailableError

RESOURCE_NOT_FOUND = -32002
"""The error code for unknown resources up to protocol version 2025-11-25; later it is -32602."""

_LONGEST_TEXT = 200


def escaped(text: str) -> str:
    """Return a client's text in a form that is safe for any log: ASCII, JSON escapes, at most 200
    characters.
    """
    return json.dumps(text)[1:-1][:_LONGEST_TEXT]


def unknown_resource(uri: str, successor: str | None) -> MCPError:
    """Return the error for an unknown URI. If another skill replaced the one at this URI,
    `successor` is the URI of the new SKILL.md.
    """
    return _unknown(RESOURCE_NOT_FOUND, f"Nothing is served at {escaped(uri)}", uri, successor)


def unknown_skill(uri: str, successor: str | None) -> MCPError:
    return _unknown(INVALID_PARAMS, f"No skill is served at {escaped(uri)}", uri, successor)


def no_directory(uri: str, successor: str | None) -> MCPError:
    return _unknown(INVALID_PARAMS, f"{escaped(uri)} is not a directory", uri, successor)


def _unknown(code: int, message: str, uri: str, successor: str | None) -> MCPError:
    data: JsonObject = {"uri": escaped(uri)}
    if successor is None:
        return MCPError(code, message, data)
    return MCPError(
        code, f"{message}; the skill has moved to {successor}", {**data, "successor": successor}
    )


def invalid(message: str) -> MCPError:
    return MCPError(INVALID_PARAMS, message)


def too_large(uri: str, size: int, most: int) -> MCPError:
    message = (
        f"{escaped(uri)} is {size:,} bytes; the limit for reading over MCP is {most:,}. Download"
        " the skill's archive from the catalog instead"
    )
    return MCPError(INVALID_PARAMS, message, {"code": "too-large", "uri": escaped(uri)})


def text_param(params: Mapping[str, object], key: str) -> str:
    """Return the value of a parameter that must be a string."""
    value = params.get(key)
    if not isinstance(value, str):
        raise invalid(f"{key} must be a string")
    return value


def of_fault(error: FileError | OtherReleaseError) -> MCPError:
    """Convert an error about a file or a cursor to an MCP error.

    For a file, the `code` in the error data is `damaged-content` if the requested file is damaged,
    `damaged-record` if another file is damaged, and `unavailable` if a file cannot currently be
    read but may be intact.
    """
    match error:
        case OtherReleaseError():
            return invalid(
                "This cursor belongs to another list or release; start again without a cursor"
            )
        case DamagedContentError(uri=uri):
            message = f"The content of {escaped(uri)} is damaged: {error.reason}"
            data: JsonObject = {"code": "damaged-content", "uri": escaped(uri)}
        case DamagedError():
            message, data = f"The release is damaged: {error}", {"code": "damaged-record"}
        case UnavailableError() | FileError():
            message, data = f"{error}; try again", {"code": "unavailable"}
    return MCPError(INTERNAL_ERROR, message, data)
