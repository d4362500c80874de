"""Finds one of many JSON objects that stand one a line, sorted by their first field, `path`.

Nothing is parsed but the paths that a search meets, so many objects need no more memory than the
bytes of their file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

ENTRY_START = b'{"path":"'
_PATH_START = len(ENTRY_START)
_DECODER = json.JSONDecoder()


def path_in(line: bytes) -> str:
    """The path of a line, which is the first field of its object."""
    text = line[_PATH_START : line.index(b'"', _PATH_START)]
    if b"\\" not in text:
        return text.decode()
    path, _ = _DECODER.raw_decode(line.decode(), _PATH_START - 1)
    return str(path)


class SortedLines:
    """The lines of a file whose paths are sorted by code points; all offsets are in bytes."""

    def __init__(self, data: bytes, start: int = 0, stop: int | None = None) -> None:
        """The lines between two offsets; each ends with a line feed."""
        self._data = data
        self._start = start
        self._stop = len(data) if stop is None else stop

    def __iter__(self) -> Iterator[bytes]:
        return self.following(self._start)

    def find(self, path: str) -> bytes | None:
        """The line with this path, or None."""
        line = next(self.following(self.offset(path)), None)
        return line if line is not None and path_in(line) == path else None

    def offset(self, path: str) -> int:
        """Where the first line starts whose path is not less than `path`; the end if none is."""
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
        """The path of the line that starts at an offset; None at the end."""
        line = next(self.following(offset), None)
        return None if line is None else path_in(line)

    def following(self, offset: int) -> Iterator[bytes]:
        """The lines from an offset on, without their line feeds."""
        while offset < self._stop:
            stop = self._end(offset)
            yield self._data[offset:stop]
            offset = stop + 1

    def _end(self, start: int) -> int:
        stop = self._data.find(b"\n", start, self._stop)
        return self._stop if stop < 0 else stop
