"""Parts of an answer that are JSON before anybody asks: written to the wire as they are.

The SDK carries a result as plain values and writes all of them again for each client. A page
of a listing is the same for all; standard streams send its text, and where the SDK writes (over
HTTP) it is the list that it says.
"""

from __future__ import annotations

from functools import cached_property

from mcp_types import JSONRPCMessage, JSONRPCResponse
from pydantic import BaseModel, ConfigDict, model_serializer
from pydantic_core import from_json, to_json


class Prepared(BaseModel):
    """A list of objects as JSON."""

    model_config = ConfigDict(frozen=True)

    text: bytes

    @classmethod
    def of(cls, items: list[dict[str, object]]) -> Prepared:
        return cls(text=to_json(items))

    @cached_property
    def items(self) -> list[dict[str, object]]:
        found: list[dict[str, object]] = from_json(self.text)
        return found

    @model_serializer
    def _as_list(self) -> list[dict[str, object]]:
        return self.items


def line(message: JSONRPCMessage) -> bytes:
    """A message as JSON, without an end of line."""
    if isinstance(message, JSONRPCResponse) and _is_prepared(message):
        result = b",".join(
            to_json(key) + b":" + _json(message.result[key]) for key in message.result
        )
        return b'{"jsonrpc":"2.0","id":%b,"result":{%b}}' % (to_json(message.id), result)
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()


def _is_prepared(message: JSONRPCResponse) -> bool:
    return any(isinstance(value, Prepared) for value in message.result.values())


def _json(value: object) -> bytes:
    return value.text if isinstance(value, Prepared) else to_json(value)
