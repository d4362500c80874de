"""Looks files up in SHA256SUMS on disk: a large one is neither read whole nor held."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from skillbuild.release.layout import CHECKSUMS_FILE, RECORD_FILE
from skillbuild.serve.state import files

_DIGEST_END = 64
_PATH_START = 66
_BLOCK = 8 << 10
"""Bytes; no line is longer."""


class OpenChecksums:
    """SHA256SUMS as it was when it was opened, whatever is published meanwhile.

    Its lines are sorted by the bytes of their paths. Whoever opens it closes it. Raises
    `UnavailableError`.
    """

    def __init__(self, out: Path) -> None:
        self._path = out / CHECKSUMS_FILE
        self._file: BufferedReader | None = files.opened(self._path)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def is_missing(self) -> bool:
        return self._file is None

    @property
    def is_publishing(self) -> bool:
        """Whether these are the files of two releases, one of which is taking the other's place."""
        return self.find(RECORD_FILE) is None

    def find(self, path: str) -> str | None:
        """The 64 hex digits of a file, or None."""
        if self._file is None:
            return None
        wanted = path.encode(errors="replace")
        try:
            low, high = 0, self._file.seek(0, 2)
            while low < high:
                start, line = self._line_at(self._file, (low + high) // 2)
                if line[_PATH_START:] == wanted:
                    return line[:_DIGEST_END].decode("ascii", "replace")
                if line[_PATH_START:] < wanted:
                    low = start + len(line) + 1
                else:
                    high = start
        except OSError as error:
            files.require_no_file(self._path, error)
        return None

    @staticmethod
    def _line_at(file: BufferedReader, offset: int) -> tuple[int, bytes]:
        """Where the line begins that a byte belongs to, and the line without its end."""
        begin = max(0, offset - _BLOCK)
        file.seek(begin)
        data = file.read(2 * _BLOCK)
        start = data.rfind(b"\n", 0, offset - begin) + 1
        stop = data.find(b"\n", offset - begin)
        return begin + start, data[start:stop] if stop >= 0 else data[start:]
