"""Searches a release with the same index as the pages of the catalog, so results have the same
order.

The files of the index are read when a query needs them, and checked by digest. Few of them stay in
memory.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from skillbuild.model import Digest, SizedDigest
from skillbuild.release.layout import blob_path, search_path
from skillbuild.release.search.ranking import Answer, ask
from skillbuild.release.search.reading import Index
from skillbuild.serve.state.look_up import Selection
from skillbuild.serve.state.published import MOST_OF_SEARCH, Named, read_published
from skillbuild.storage.files import DamagedError, Files, UnavailableError

MOST_SECONDS = 5.0
"""Time limit of one query, which usually takes milliseconds."""
_PATH, _TOKENS = 0, 5
"""Two of the columns in a row of the index; `emit/search.py` defines all columns."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A skill that a query finds."""

    path: str
    tokens: int
    """Estimated tokens of its SKILL.md."""
    fields: Sequence[str]
    """For each term of the query, the field that contains it; empty if none does."""


@dataclass(frozen=True, slots=True)
class Hits:
    """One part of the results of a query, best first, and the total number of results."""

    answer: Answer | None
    """The answer of the index; None for a query without words, which matches every skill."""
    total: int
    part: Sequence[Hit]


class ServedSearch:
    """Searches the index of one release. Safe to share between threads; one search runs at a
    time.
    """

    def __init__(
        self,
        files: Files,
        manifest: SizedDigest,
        only: Selection | None,
        most_seconds: float = MOST_SECONDS,
    ) -> None:
        """Search the index of `manifest`, the search manifest in the record; `only` selects the
        skills.
        """
        self._files, self._manifest, self._only = files, manifest, only
        self._most_seconds, self._deadline = most_seconds, 0.0
        self._lock = Lock()

    def find(self, query: str, start: int, count: int, group: str = "", tag: str = "") -> Hits:
        """Return up to `count` skills that a query finds, starting at rank `start`.

        `group` and `tag` limit the result to skills that have them; empty means any. Raises
        `DamagedError` if a file of the index is missing or damaged, and `UnavailableError` if it
        cannot currently be read or the query takes too long.
        """
        with self._lock:
            self._deadline = time.monotonic() + self._most_seconds
            try:
                return self._find(query, start, start + count, group, tag)
            except (IndexError, TypeError, ValueError) as error:
                raise DamagedError("the search index", f"{error}") from error

    def _find(self, query: str, start: int, stop: int, group: str, tag: str) -> Hits:
        index, among = self._index, self._served
        for key, value in (("groups", group), ("tags", tag)):
            if value:
                having = index.having(key, value)
                among = having if among is None else among & having
        answer = ask(index, query, among, self._require_time)
        if answer is not None:
            numbers: Sequence[int] = [*answer.matches, *answer.also]
        else:
            numbers = range(index.manifest.count) if among is None else sorted(among)
        part = [self._hit(index, number, answer) for number in numbers[start:stop]]
        return Hits(answer, len(numbers), part)

    @cached_property
    def _index(self) -> Index:
        named = self._manifest
        path = blob_path(named.digest)
        return Index(read_published(self._files, path, Named.of(named)), self._part)

    @cached_property
    def _served(self) -> frozenset[int] | None:
        """The numbers of the skills that are served; None if all are served."""
        index, only = self._index, self._only
        if only is None:
            return None
        paths = (self._hit(index, number).path for number in range(index.manifest.count))
        return frozenset(number for number, path in enumerate(paths) if only(path))

    def _require_time(self) -> None:
        if time.monotonic() >= self._deadline:
            raise UnavailableError(
                "the search", f"it took more than {self._most_seconds:g} seconds"
            )

    def _part(self, digest: Digest) -> bytes:
        self._require_time()
        return read_published(self._files, search_path(digest), Named(digest), MOST_OF_SEARCH)

    @staticmethod
    def _hit(index: Index, number: int, answer: Answer | None = None) -> Hit:
        row = index.row(number)
        path, tokens = row[_PATH], row[_TOKENS]
        if not isinstance(path, str) or not isinstance(tokens, int):
            raise ValueError("a row has no path or no token count")
        return Hit(path, tokens, answer.fields(index, number) if answer else ())
