"""Values of a release that are kept because they are likely to be asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from skillbuild.model import Icon
from skillbuild.serve.state.entries import JsonObject, ServedEntry, StoredContent

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


@dataclass(frozen=True, slots=True)
class ReleaseCaches:
    """Values that were made from a release and are asked for again; they die with it."""

    entries: BoundedCache[str, ServedEntry] = field(default_factory=lambda: BoundedCache(256))
    """By skill path."""
    skill_pages: BoundedCache[int, list[JsonObject]] = field(
        default_factory=lambda: BoundedCache(12)
    )
    """Pages of `skills/list`, by the position of their first skill."""
    directories: BoundedCache[str, list[str]] = field(default_factory=lambda: BoundedCache(8))
    """The names in a directory, by its URI."""
    filtered: BoundedCache[tuple[tuple[str, str], ...], list[str]] = field(
        default_factory=lambda: BoundedCache(4)
    )
    """URIs of the skills that a filter of `resources/list` lets through."""
    archives: BoundedCache[str, StoredContent | None] = field(
        default_factory=lambda: BoundedCache(256)
    )
    """By file name; None where there is no such archive."""
    partial_index: BoundedCache[str, bytes] = field(default_factory=lambda: BoundedCache(1))
    """By URI, where not all skills are served."""
    prompts: BoundedCache[str, ServedEntry | None] = field(
        default_factory=lambda: BoundedCache(256)
    )
    """By name; None where there is no such prompt."""
    icon_uris: BoundedCache[Icon, str | None] = field(default_factory=lambda: BoundedCache(1024))
    """`data:` URIs; None for an icon that is too large or damaged."""
