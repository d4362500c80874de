"""Looks up the skills of a release by their paths.

The entries of the skills are in the parts of the record. A part is read when it is needed. However
large the catalog is, only a few parts are in memory at a time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate
from functools import cached_property
from itertools import accumulate, chain
from threading import Lock

from pydantic_core import from_json, to_json

from skillbuild.errors import ConfigError
from skillbuild.paths import DEEPEST_PATH, parent
from skillbuild.release.entry import unlisted_in
from skillbuild.release.parts import Part
from skillbuild.release.sorted_lines import ENTRY_START, SortedLines, path_in
from skillbuild.serve.state.published import Named, read_published
from skillbuild.storage.files import DamagedError, Files

Selection = Callable[[str], object]
"""A function that returns a true value if `--only` selects the skill with this path. Pages are not
affected.
"""

_MOST_HELD_BYTES = 8 << 20
"""Maximum total size of the parts in memory."""
_FIRST_PARTS, _FIRST_BYTES = 2, 900_000
_BELOW = "0"
"""The character after `/`: all paths below `a` sort between `a/` and `a0`."""


def selection(globs: Sequence[str]) -> Selection | None:
    """Return a function that selects the skills whose path matches one of the globs; None if there
    are no globs.

    In a glob, `*` also matches `/`.
    """
    if not globs:
        return None
    if not all(globs):
        raise ConfigError("--only takes a glob of skill paths, for example 'acme/*'")
    return re.compile("|".join(map(translate, globs))).match


def selected_index(data: bytes, is_served: Callable[[str], object]) -> bytes:
    """Return the index with only the selected skills; `is_served` takes the URI of a SKILL.md."""
    index = from_json(data)
    skills: Iterable[dict[str, object]] = index["skills"]
    return to_json({**index, "skills": [each for each in skills if is_served(str(each["url"]))]})


class ServedParts:
    """The entries of all served skills as JSON lines, sorted by path. Safe to share between
    threads.
    """

    def __init__(self, files: Files, parts: Sequence[Part], only: Selection | None = None) -> None:
        """Use the parts in order; `only` selects the skills that are served, and None serves
        all.
        """
        self.parts = parts
        self.only = only
        self._files = files
        self._firsts = [part.first for part in parts]
        self._held: OrderedDict[int, bytes] = OrderedDict()
        self._lock = Lock()

    def count(self, listing: str) -> int:
        """Return how many skills are in a listing. The first call may read all parts."""
        return sum(self._counts_of(listing))

    def _counts_of(self, listing: str) -> list[int]:
        """Return the number of listed skills in each part."""
        if self.only is None:
            return [part.listed(listing) for part in self.parts]
        return [count - unlisted[listing] for count, unlisted in self._chosen]

    @cached_property
    def _chosen(self) -> list[tuple[int, Counter[str]]]:
        """The number of selected skills in each part, and how many each listing leaves out."""
        chosen = []
        for number in range(len(self.parts)):
            unlisted = [unlisted_in(line) for line in self._lines(number)]
            chosen.append((len(unlisted), Counter(chain.from_iterable(unlisted))))
        return chosen

    def find(self, path: str) -> bytes | None:
        """Return the line of the skill with this path, or None."""
        number = bisect_right(self._firsts, path) - 1
        return self._lines(number).find(path) if number >= 0 else None

    def following(self, path: str) -> Iterator[bytes]:
        """Yield the lines of the skill at `path` and of all skills that sort after it."""
        first = max(0, bisect_right(self._firsts, path) - 1)
        for number in range(first, len(self.parts)):
            lines = self._lines(number)
            yield from lines.following(lines.offset(path)) if number == first else lines

    def listed(self, listing: str, position: int = 0) -> Iterator[bytes]:
        """Yield the lines of the skills in a listing, starting at a position."""
        ends = list(accumulate(self._counts_of(listing)))
        first = bisect_right(ends, position)
        skipped = ends[first - 1] if first else 0
        for number in range(first, len(self.parts)):
            for line in self._lines(number):
                if listing in unlisted_in(line):
                    continue
                if skipped >= position:
                    yield line
                skipped += 1

    def first(self, listing: str) -> int:
        """Return how many skills of a listing belong on its first page: the skills in the first one
        or two parts of the record.

        A new client waits for these parts, which may have to be fetched. The second part is left
        out if the two together are large. With `--only`, all skills are counted, because all parts
        have been read already.
        """
        counts = self._counts_of(listing)
        if self.only is not None:
            return sum(counts)
        start = next((number for number, count in enumerate(counts) if count), 0)
        stop = start + _FIRST_PARTS
        if sum(part.size for part in self.parts[start:stop]) > _FIRST_BYTES:
            stop = start + 1
        return sum(counts[:stop])

    def above(self, path: str) -> Iterator[bytes]:
        """Yield the line of the skill at `path`, then the lines of the skills in the directories
        above `path`, innermost first.

        At most `DEEPEST_PATH` levels are tried, so a path with very many slashes costs little.
        Parts of the record are read only as the caller iterates.
        """
        for _ in range(DEEPEST_PATH):
            if not path:
                return
            if (line := self.find(path)) is not None:
                yield line
            path = parent(path)

    def children(self, path: str) -> Iterator[str]:
        """Yield the next segment of each skill path below `path`, without duplicates and in no
        particular order.
        """
        start = f"{path}/"
        seen = set[str]()
        after = start
        while (below := self._first_path(after)) is not None and below.startswith(start):
            segment = below[len(start) :].partition("/")[0]
            if segment not in seen:
                seen.add(segment)
                yield segment
            # The skill at the path of a child sorts before other skills whose paths only begin with
            # it.
            child = start + segment
            after = f"{below}\0" if below == child else child + _BELOW

    def _first_path(self, path: str) -> str | None:
        number = max(0, bisect_right(self._firsts, path) - 1)
        for candidate in range(number, len(self.parts)):
            lines = self._lines(candidate)
            below = lines.path_at(lines.offset(path))
            if below is not None:
                return below
        return None

    def _lines(self, number: int) -> SortedLines:
        """Return the lines of a part.

        Raises `DamagedError` if the part is missing or differs from what was published, and
        `UnavailableError` if it cannot currently be read.
        """
        with self._lock:
            data = self._held.get(number)
        if data is None:
            data = self._read(self.parts[number])  # May take long, and others need not wait.
        with self._lock:
            self._held[number] = data
            self._held.move_to_end(number)
            while len(self._held) > 1 and sum(map(len, self._held.values())) > _MOST_HELD_BYTES:
                self._held.popitem(last=False)
        return SortedLines(data)

    def _read(self, part: Part) -> bytes:
        data = read_published(self._files, part.path, Named(part.digest, part.size))
        if not _has_entries_alone(data):
            raise DamagedError(part.path, "a line is not a valid entry")
        if self.only is None:
            return data
        return b"".join(line for line in data.splitlines(True) if self.only(path_in(line)))


def _has_entries_alone(data: bytes) -> bool:
    """Return whether every line starts like an entry; counting is faster than a loop over the
    lines.
    """
    starts = data.startswith(ENTRY_START) + data.count(b"\n" + ENTRY_START)
    return starts == data.count(b"\n") and data.endswith(b"\n")
