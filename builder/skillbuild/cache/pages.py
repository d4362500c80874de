"""Which pages about many skills would come out as they did the last time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from skillbuild.emit.site.cards import Card


class Reuse:
    """Compares what pages are made of: the skills on them by their keys, and all else as values.

    `keys` are by skill path and cover all that a list can say of a skill; `before` are the
    digests of what each page was made of. Both may be empty, and then every page is made.
    """

    def __init__(self, keys: Mapping[str, str], before: Mapping[str, str]) -> None:
        self._keys, self._before = keys, before
        self.now: dict[str, str] = {}
        self.same: list[str] = []

    def has(self, page: str, what: object, cards: Sequence[Card]) -> bool:
        """True when a page need not be made; remembers what it is made of."""
        keys = [self._keys.get(card.path) for card in cards]
        if None in keys:
            return False
        self.now[page] = hashlib.blake2b(repr((what, keys)).encode(), digest_size=16).hexdigest()
        if self._before.get(page) != self.now[page]:
            return False
        self.same.append(page)
        return True
