"""Caches for values that were computed from a release."""

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
    """A cache of at most `size` values; a new value replaces the least recently used one.

    Threads may share a cache, because each operation on its dictionary is atomic. If another thread
    has just removed a value, the value is computed again.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """Return the cached value; compute and cache it if it is missing."""
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
    """The caches of one release, which are freed together with it."""

    entries: BoundedCache[str, ServedEntry] = field(default_factory=lambda: BoundedCache(256))
    """Skills by skill path."""
    skill_pages: BoundedCache[int, list[JsonObject]] = field(
        default_factory=lambda: BoundedCache(12)
    )
    """Pages of `skills/list`, by the position of their first skill."""
    directories: BoundedCache[str, list[str]] = field(default_factory=lambda: BoundedCache(8))
    """The names in a directory, by its URI."""
    filtered: BoundedCache[tuple[tuple[str, str], ...], list[str]] = field(
        default_factory=lambda: BoundedCache(4)
    )
    """URIs of the skills that match a filter of `resources/list`."""
    archives: BoundedCache[str, StoredContent | None] = field(
        default_factory=lambda: BoundedCache(256)
    )
    """Archives by file name; None for an archive that does not exist."""
    partial_index: BoundedCache[str, bytes] = field(default_factory=lambda: BoundedCache(1))
    """The index by URI, if only some skills are served."""
    prompts: BoundedCache[str, ServedEntry | None] = field(
        default_factory=lambda: BoundedCache(256)
    )
    """Prompts by name; None for a prompt that does not exist."""
    icon_uris: BoundedCache[Icon, str | None] = field(default_factory=lambda: BoundedCache(1024))
    """`data:` URIs; None for an icon that is too large or damaged."""
