"""A list that is held as JSON text, so that it is written once and not for each client.

The SDK carries a result as plain values and writes them again for every answer. A page of
`skills/list` is the same for all clients: stdio sends its text as it is (`transport.jsonrpc`); over
HTTP the SDK does the writing and gets the list.
"""

from __future__ import annotations

from functools import cached_property

from pydantic import BaseModel, ConfigDict, model_serializer
from pydantic_core import from_json, to_json

JsonObject = dict[str, object]


class RawJsonList(BaseModel):
    """A list of JSON objects, as text."""

    model_config = ConfigDict(frozen=True)

    text: bytes

    @classmethod
    def of(cls, items: list[JsonObject]) -> RawJsonList:
        return cls(text=to_json(items))

    @cached_property
    def items(self) -> list[JsonObject]:
        """The same as plain values."""
        items: list[JsonObject] = from_json(self.text)
        return items

    @model_serializer
    def _as_list(self) -> list[JsonObject]:
        return self.items
