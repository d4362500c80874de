"""JSON-RPC messages as bytes: reading them strictly, and writing them.

The SDK is silent about bytes that are no message; here each gets a JSON-RPC error.
"""

from __future__ import annotations

import json
import re

from mcp_types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp_types.jsonrpc import INVALID_REQUEST, PARSE_ERROR
from pydantic import ValidationError
from pydantic_core import to_json

from skillbuild.serve.state.raw_json import RawJsonList

IncomingMessage = JSONRPCRequest | JSONRPCNotification


class RefusedMessageError(Exception):
    """Bytes that are no message; `answer` is the JSON-RPC error they get, as text."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        error = {"code": code, "message": message}
        self.answer = json.dumps({"jsonrpc": "2.0", "id": None, "error": error})


def parse_message(data: bytes) -> IncomingMessage | None:
    """The request or notification; None for a response, as this server sends no requests."""
    try:
        value = json.loads(data.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise RefusedMessageError(PARSE_ERROR, "Parse error") from None
    if _SURROGATE.search(data) and not _is_text(value):
        raise RefusedMessageError(INVALID_REQUEST, "A lone surrogate is no text")
    if isinstance(value, dict) and "method" not in value and {"result", "error"} & value.keys():
        return None
    try:
        if isinstance(value, dict) and "id" not in value:
            return JSONRPCNotification.model_validate(value, by_name=False)
        return JSONRPCRequest.model_validate(value, by_name=False)
    except ValidationError:
        raise RefusedMessageError(
            INVALID_REQUEST, "Not one JSON-RPC request or notification"
        ) from None


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _is_text(value: object) -> bool:
    """True when every string in a value can be encoded, as an error may repeat it."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(text: str) -> None:
    """JSON has no NaN and no Infinity, though Python reads them."""
    raise ValueError(text)


def too_long(limit: int) -> RefusedMessageError:
    """The refusal of a message of more than `limit` bytes."""
    return RefusedMessageError(INVALID_REQUEST, f"A message has at most {limit} bytes")


def write_message(message: JSONRPCMessage) -> bytes:
    """A message as one line of JSON, without the end of the line."""
    if isinstance(message, JSONRPCResponse) and _has_raw_json(message):
        result = b",".join(
            to_json(key) + b":" + _value_json(value) for key, value in message.result.items()
        )
        return b'{"jsonrpc":"2.0","id":%b,"result":{%b}}' % (to_json(message.id), result)
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()


def _has_raw_json(message: JSONRPCResponse) -> bool:
    return any(isinstance(value, RawJsonList) for value in message.result.values())


def _value_json(value: object) -> bytes:
    return value.text if isinstance(value, RawJsonList) else to_json(value)
