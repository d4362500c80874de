"""Reading one JSON-RPC message as strictly as the wire needs it; the answer to any other bytes."""

from __future__ import annotations

import json
import re

from mcp_types import JSONRPCNotification, JSONRPCRequest
from mcp_types.jsonrpc import INVALID_REQUEST, PARSE_ERROR
from pydantic import ValidationError

Message = JSONRPCRequest | JSONRPCNotification


class RefusedError(Exception):
    """Bytes that are no message; `answer` is the JSON-RPC error they get."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        error = {"code": code, "message": message}
        self.answer = json.dumps({"jsonrpc": "2.0", "id": None, "error": error})


def parse(data: bytes) -> Message | None:
    """The request or notification; None for an answer, as this server asks nothing."""
    try:
        value = json.loads(data.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RefusedError(PARSE_ERROR, "Parse error") from None
    if _SURROGATE.search(data) and not _is_text(value):
        raise RefusedError(INVALID_REQUEST, "A lone surrogate is no text")
    if isinstance(value, dict) and "method" not in value and {"result", "error"} & value.keys():
        return None
    try:
        if isinstance(value, dict) and "id" not in value:
            return JSONRPCNotification.model_validate(value, by_name=False)
        return JSONRPCRequest.model_validate(value, by_name=False)
    except ValidationError:
        raise RefusedError(INVALID_REQUEST, "Not one JSON-RPC request or notification") from None


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _is_text(value: object) -> bool:
    """Whether every string in a value can be written again, as an error would repeat it."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_constant(text: str) -> None:
    """JSON has no NaN and no Infinity, whatever Python reads."""
    raise ValueError(text)


def too_long(limit: int) -> RefusedError:
    return RefusedError(INVALID_REQUEST, f"A message has at most {limit} bytes")
