"""Searches a file that has one JSON object on each line. The lines are sorted by the first field,
`path`.

A search parses only the `path` of each line that it visits, and keeps nothing in memory but the
bytes of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

ENTRY_START = b'{"path":"'
_PATH_START = len(ENTRY_START)
_DECODER = json.JSONDecoder()


def path_in(line: bytes) -> str:
    """Return the `path` in a line of JSON; `path` must be the first field of the object."""
    text = line[_PATH_START : line.index(b'"', _PATH_START)]
    if b"\\" not in text:
        return text.decode()
    path, _ = _DECODER.raw_decode(line.decode(), _PATH_START - 1)
    return str(path)


class SortedLines:
    """The lines of a file, sorted by path in code point order; all offsets are in bytes."""

    def __init__(self, data: bytes, start: int = 0, stop: int | None = None) -> None:
        """Use the lines of `data` between two offsets; each line ends with a line feed."""
        self._data = data
        self._start = start
        self._stop = len(data) if stop is None else stop

    def __iter__(self) -> Iterator[bytes]:
        return self.following(self._start)

    def find(self, path: str) -> bytes | None:
        """Return the line with this path; None if there is none."""
        line = next(self.following(self.offset(path)), None)
        return line if line is not None and path_in(line) == path else None

    def offset(self, path: str) -> int:
        """Return the offset of the first line whose path is `path` or later; the end if there is
        none.
        """
        low, high = self._start, self._stop
        while low < high:
            start = self._data.rfind(b"\n", low, (low + high) // 2) + 1 or low
            stop = self._end(start)
            if path_in(self._data[start:stop]) < path:
                low = stop + 1
            else:
                high = start
        return low

    def path_at(self, offset: int) -> str | None:
        """Return the path of the line at an offset; None at the end."""
        line = next(self.following(offset), None)
        return None if line is None else path_in(line)

    def following(self, offset: int) -> Iterator[bytes]:
        """Yield the lines from an offset to the end, without line feeds."""
        while offset < self._stop:
            stop = self._end(offset)
            yield self._data[offset:stop]
            offset = stop + 1

    def _end(self, start: int) -> int:
        stop = self._data.find(b"\n", start, self._stop)
        return self._stop if stop < 0 else stop
