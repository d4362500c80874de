"""A list that is held as JSON text, so that it is written once and not for each client.

A page of `skills/list` is the same for all clients: its text is sent as it is
(`transport.jsonrpc`). The SDK, which carries plain values and writes them again for every answer,
gets the list.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_core import from_json, to_json

JsonObject = dict[str, object]


@dataclass(frozen=True, slots=True)
class RawJsonList:
    """A list of JSON objects, as text."""

    text: bytes

    @classmethod
    def of(cls, items: list[JsonObject]) -> RawJsonList:
        return cls(to_json(items))

    @property
    def items(self) -> list[JsonObject]:
        """The same as plain values."""
        items: list[JsonObject] = from_json(self.text)
        return items
