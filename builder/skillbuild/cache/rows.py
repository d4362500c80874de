"""The file of results: lines `subject TAB key TAB JSON`, each read only if its key is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skillbuild.cache import own_files
from skillbuild.cache.own_files import Stored

KIND = "results"
_BETWEEN, _END = b"\t", b"\n"  # No JSON in one line holds either.


@dataclass(frozen=True, slots=True)
class Row:
    """One line: what its JSON is true for, and where that stands in the file."""

    key: bytes
    file: Stored
    start: int
    end: int

    @property
    def json(self) -> bytes:
        return self.file.data[self.start : self.end]


def read_rows(out: Path) -> Mapping[bytes, Row]:
    """The lines that the last build of this output stored, by what they are about."""
    file = own_files.read(out, KIND)
    return dict(_rows(file)) if file else {}


def _rows(file: Stored) -> Iterator[tuple[bytes, Row]]:
    data, start = file.data, file.start
    while (end := data.find(_END, start, file.end)) >= 0:
        key = data.find(_BETWEEN, start, end) + 1
        json = data.find(_BETWEEN, key, end) + 1
        yield data[start : key - 1], Row(data[key : json - 1], file, json, end)
        start = end + 1


def write_rows(out: Path, rows: Iterable[tuple[bytes, bytes, bytes]]) -> None:
    """Store subjects, keys and JSON in place of what was there."""
    own_files.write(out, KIND, (_BETWEEN.join(row) + _END for row in rows))
