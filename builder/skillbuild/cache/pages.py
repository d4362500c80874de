"""What the last build of an output tells of the files about many skills."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from skillbuild.compile.result import Lines
from skillbuild.model import Digest
from skillbuild.output.base import Base, Published
from skillbuild.release.layout import SEARCH_FILE, is_named_by
from skillbuild.storage import disk

LinesByPath = Mapping[str, Lines]
"""The lines of skills by skill path."""


class PageCache:
    """Compares what pages show: skills by their cache keys, and everything else as values."""

    def __init__(
        self,
        keys: Mapping[str, str],
        earlier: Mapping[str, str],
        answers: Mapping[str, Sequence[str]],
    ) -> None:
        """`keys` are by skill path; `earlier` are the digests of what each page showed before.

        `answers` are pairs, by name: the digest of what was given, and what was made of it.
        """
        self._keys, self._earlier, self._answers = keys, earlier, answers
        self.current: dict[str, str] = {}
        """The digests of what each page shows now, of those that were asked for."""
        self.current_answers: dict[str, Sequence[str]] = {}

    def has(self, page: str, content: object, skills: Sequence[str]) -> bool:
        """True when a page shows what it showed before; `content` has a stable `repr`."""
        keys = [self._keys.get(path) for path in skills]
        if None in keys:
            return False
        self.current[page] = _digest((content, keys))
        return self._earlier.get(page) == self.current[page]

    def reuse(self, name: str, given: object, make: Callable[[], str]) -> str:
        digest = _digest(given)
        before, answer = self._answers.get(name, ("", ""))
        if before != digest:
            answer = make()
        self.current_answers[name] = (digest, answer)
        return answer


def _digest(content: object) -> str:
    return hashlib.blake2b(repr(content).encode(), digest_size=16).hexdigest()


class EarlierBuild:
    """The last build, as emitters may ask for it."""

    def __init__(
        self, pages: PageCache, before: LinesByPath, now: LinesByPath | None, out: Path, base: Base
    ) -> None:
        """`now` are the lines of all skills, None if those of some are not known."""
        self._pages, self._before, self._now = pages, before, now
        self._out, self._base = out, base

    def __call__(self, page: str, content: object, skills: Sequence[str]) -> bool:
        return self._pages.has(page, content, skills)

    def reuse(self, name: str, given: object, make: Callable[[], str]) -> str:
        return self._pages.reuse(name, given, make)

    def changed_lines(self, path: str) -> Sequence[tuple[str, bytes, bytes]] | None:
        """Lines that came from the cache are the very objects that it stores."""
        if self._now is None or self._before.keys() != self._now.keys():
            return None
        changed = []
        for skill, lines in self._now.items():
            earlier = self._before[skill]
            if lines is earlier:
                continue
            if (path in lines) != (path in earlier):
                return None
            if path in lines and lines[path] != earlier[path]:
                changed.append((skill, earlier[path], lines[path]))
        return changed

    def read(self, path: str) -> bytes | None:
        if not isinstance(self._base, Published):
            return None
        data = disk.read(self._out / path)
        if data is None:
            return None
        digest = Digest.of(data)
        is_intact = is_named_by(path, digest)
        if path == SEARCH_FILE:
            is_intact = digest == self._base.release.search_digest
        return data if is_intact else None
