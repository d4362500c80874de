"""Reads JSON objects field by field; a value of the wrong type is a `ValueError` with its path."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from skillbuild.model import Digest, Json

_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Fields:
    """A JSON object, of which each getter checks the type of one field.

    `where` is the path of the object in its file, as in `entries[3]`; getters raise a `ValueError`
    that begins with it. Those named `maybe_` give None for a field that is null or not there.
    """

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{where} is not an object")
        self._value, self._where = value, where

    def text(self, key: str) -> str:
        value = self._value.get(key)
        if not isinstance(value, str):
            raise ValueError(f"{self._where}.{key} is not a text")
        return value

    def maybe_text(self, key: str) -> str | None:
        return None if self._value.get(key) is None else self.text(key)

    def integer(self, key: str) -> int:
        value = self._value.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{self._where}.{key} is not a whole number")
        return value

    def number(self, key: str) -> int:
        """A whole number from 0."""
        value = self.integer(key)
        if value < 0:
            raise ValueError(f"{self._where}.{key} is less than nothing")
        return value

    def maybe_number(self, key: str) -> int | None:
        return None if self._value.get(key) is None else self.number(key)

    def numbers(self, key: str) -> dict[str, int]:
        """The whole numbers from 0 of an object, by its own keys."""
        numbers = self.nested(key)
        return {name: numbers.number(name) for name in self.table(key)}

    def flag(self, key: str) -> bool:
        value = self._value.get(key)
        if not isinstance(value, bool):
            raise ValueError(f"{self._where}.{key} is not a boolean")
        return value

    def object_id(self, key: str) -> str:
        """40 or 64 lowercase hex digits: the id is passed to git, so it may be nothing else."""
        text = self.text(key)
        if not _OBJECT_ID.fullmatch(text):
            raise ValueError(f"{self._where}.{key} is not an object id")
        return text

    def digest(self, key: str) -> Digest:
        return Digest.parse(self.text(key))

    def table(self, key: str) -> Mapping[str, Json]:
        value = self._value.get(key)
        if not isinstance(value, dict):
            raise ValueError(f"{self._where}.{key} is not an object")
        return value

    def nested(self, key: str) -> Fields:
        """The object under a key, to be read in turn."""
        return Fields(self._value.get(key), f"{self._where}.{key}")

    def maybe_nested(self, key: str) -> Fields | None:
        return None if self._value.get(key) is None else self.nested(key)

    def has(self, key: str) -> bool:
        return key in self._value

    def is_list(self, key: str) -> bool:
        return isinstance(self._value.get(key), list)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._list(key)
        if not all(isinstance(item, str) for item in value):
            raise ValueError(f"{self._where}.{key} is not a list of texts")
        return tuple(map(str, value))

    def text_lists(self, key: str) -> dict[str, tuple[str, ...]]:
        """The lists of texts of an object, by its own keys."""
        lists = self.nested(key)
        return {name: lists.texts(name) for name in self.table(key)}

    def each(self, key: str) -> list[Fields]:
        """The objects of a list."""
        return [
            Fields(item, f"{self._where}.{key}[{index}]")
            for index, item in enumerate(self._list(key))
        ]

    def _list(self, key: str) -> Sequence[object]:
        value = self._value.get(key)
        if not isinstance(value, list):
            raise ValueError(f"{self._where}.{key} is not a list")
        return value
