"""Which pages about many skills would come out as they did in the last build."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence


class PageCache:
    """Compares what pages show: skills by their cache keys, and everything else as values."""

    def __init__(self, keys: Mapping[str, str], earlier: Mapping[str, str]) -> None:
        """`keys` are by skill path; `earlier` are the digests of what each page showed before."""
        self._keys, self._earlier = keys, earlier
        self.current: dict[str, str] = {}
        """The digests of what each page shows now, of those that were asked for."""

    def has(self, page: str, content: object, skills: Sequence[str]) -> bool:
        """True when a page shows what it showed before; `content` has a stable `repr`."""
        keys = [self._keys.get(path) for path in skills]
        if None in keys:
            return False
        data = repr((content, keys)).encode()
        self.current[page] = hashlib.blake2b(data, digest_size=16).hexdigest()
        return self._earlier.get(page) == self.current[page]
