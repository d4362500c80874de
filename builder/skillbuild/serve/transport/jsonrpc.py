"""Parses JSON-RPC messages strictly.

The SDK ignores bytes that are not a message, and the client waits until its timeout. Here, the
client gets a JSON-RPC error, with the id of the request if it can be read.
"""

from __future__ import annotations

import json
import re

from mcp_types import JSONRPCNotification, JSONRPCRequest, RequestId
from mcp_types.jsonrpc import INVALID_REQUEST, PARSE_ERROR

LARGEST_MESSAGE = 256 << 10
"""Size limit of a request in bytes; `subscriptions/listen` with 1,200 URIs fits."""

EDGE = 1024
"""Number of bytes at each end of a longer message that are searched for its id."""


class RefusedMessageError(Exception):
    """The received bytes are not a message; `answer` is the JSON-RPC error for the client."""

    def __init__(self, code: int, message: str, request_id: RequestId | None = None) -> None:
        super().__init__(message)
        error = {"code": code, "message": message}
        self.answer = json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error})


def parse_message(data: bytes) -> JSONRPCRequest | JSONRPCNotification | None:
    """Parse a request or notification; return None for a response, because this server sends no
    requests.
    """
    try:
        value = json.loads(data.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise RefusedMessageError(PARSE_ERROR, "Parse error") from None
    if _SURROGATE.search(data) and not _is_text(value):
        raise RefusedMessageError(
            INVALID_REQUEST,
            "The message contains a lone surrogate, which is not valid Unicode",
            _id_of(value),
        )
    if isinstance(value, dict) and "method" not in value and {"result", "error"} & value.keys():
        return None
    message = _message(value)
    if message is None:
        reason = "Expected one JSON-RPC request or notification"
        raise RefusedMessageError(INVALID_REQUEST, reason, _id_of(value))
    return message


def _message(value: object) -> JSONRPCRequest | JSONRPCNotification | None:
    """Convert a JSON value to a message; return None if it is not one."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return None
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str) or not isinstance(params, dict | None):
        return None
    if "id" not in value:
        return JSONRPCNotification(jsonrpc="2.0", method=method, params=params)
    request_id = _id_of(value)
    if request_id is None:
        return None
    return JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=params)


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _is_text(value: object) -> bool:
    """Return whether every string in a value can be encoded, because an error may repeat it."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(text: str) -> None:
    """Refuse NaN and Infinity, which JSON does not have but Python accepts."""
    raise ValueError(text)


def _id_of(value: object) -> RequestId | None:
    """Return the id in an object that is not a message; None if there is no valid id."""
    request_id = value.get("id") if isinstance(value, dict) else None
    if isinstance(request_id, str) and _is_text(request_id):
        return request_id
    return request_id if type(request_id) is int else None


def too_long(start: bytes, end: bytes) -> RefusedMessageError:
    """Return the error for a message longer than `LARGEST_MESSAGE`, given its first and
    last bytes.
    """
    match = _FIRST_ID.match(start[:EDGE]) or _LAST_ID.search(end[-EDGE:])
    message = f"A message can have at most {LARGEST_MESSAGE} bytes"
    try:
        request_id = None if match is None else _id_of({"id": json.loads(match[1])})
    except ValueError:
        request_id = None
    return RefusedMessageError(INVALID_REQUEST, message, request_id)


_TEXT = rb'"(?:[^"\\]|\\.)*"'
_MEMBER = _TEXT + rb"\s*:\s*(?:" + _TEXT + rb"|[-+.\w]+)"
_ID = rb'"id"\s*:\s*(' + _TEXT + rb"|-?[0-9]+)"
_FIRST_ID = re.compile(rb"\s*\{\s*(?:" + _MEMBER + rb"\s*,\s*)*?" + _ID + rb"\s*[,}]")
"""The id before the first value that is an array or an object."""
_LAST_ID = re.compile(rb"[,{]\s*" + _ID + rb"\s*(?:,\s*" + _MEMBER + rb"\s*)*\}\s*\Z")
"""The id after the last value that is an array or an object; there it cannot be inside another
object or a string.
"""
