"""A small cache that belongs to an object and dies with it, unlike a function's `lru_cache`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """At most `size` values by key; the least recently used one goes first.

    Threads may share it: each step on the dictionary is atomic, and a value that another thread
    has just dropped is computed again.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The cached value, or else what `compute` returns."""
        try:
            value = self._values[key]
            self._values.move_to_end(key)
        except KeyError:
            value = self._values[key] = compute()
            if len(self._values) > self._size:
                self._values.popitem(last=False)
        return value
