"""Reads releases that are published elsewhere, at a URL or in a directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release import record
from skillbuild.release.entries import ReadPath
from skillbuild.release.layout import HEAD_FILES, LAYOUT, RECORD_FILE, is_named_by
from skillbuild.release.record import Record
from skillbuild.storage import disk, origins

LARGEST_RECORD = 256 * 1024 * 1024
"""Bytes of a file whose size nothing gives; `index.json` is the largest of them."""
_CHANGING = HEAD_FILES
"""Files whose content changes under their name, so no cache may answer for them."""
_ADVICE = "leave --previous out to start anew"


@dataclass(frozen=True, slots=True)
class Remote:
    """A release that is published elsewhere."""

    where: str
    """Its URL or directory, escaped for messages."""
    release: Record
    record_digest: Digest
    """Of its `catalog.json`."""
    read: ReadPath
    """Reads its files; an `OutputError` names the remedy."""

    @property
    def remedy(self) -> str:
        """The end of the message about a part of its record that cannot be had."""
        return _remedy(self.where)

    def read_beside(self, out: Path) -> ReadPath:
        """Reads what an output has already from there, and all else as `read` does."""

        def read(path: str, most: int) -> bytes | None:
            present = disk.read(out / path)
            is_intact = present is not None and is_named_by(path, Digest.of(present))
            return present if is_intact else self.read(path, most)

        return read

    def fetch(self, path: str, digest: Digest, size: int | None) -> bytes:
        """A file of the release, or of an earlier one that its record names.

        The path becomes one of a file that we write, so it must be the one that its digest
        decides. `OutputError` for any other, and when the file is missing or has another digest.
        """
        if not is_named_by(path, digest):
            raise OutputError(f"{self.where} names {escape(path)} wrongly; {_ADVICE}")
        data = self.read(path, LARGEST_RECORD if size is None else size)
        if data is None or Digest.of(data) != digest:
            state = "missing" if data is None else "damaged"
            raise OutputError(f"{path} is {state} at {self.where}; publish it again, or {_ADVICE}")
        return data


def opened(address: str) -> Remote | None:
    """The release at a URL or in a directory; None when nothing is published there yet."""
    where = escape(address)
    if not origins.is_remote(address) and not Path(address).is_dir():
        raise OutputError(f"{where} is not a directory; {_ADVICE}")
    read = reader(address)
    try:
        data = read(RECORD_FILE, LARGEST_RECORD)
    except OutputError as error:
        raise OutputError(f"{error}; {_ADVICE}") from error
    if data is None:
        return None
    if (record.read_layout(data) or LAYOUT) > LAYOUT:
        raise OutputError(f"{where} was written by a newer skillbuild; upgrade, or {_ADVICE}")
    release = record.decode(data, _advising(read), _remedy(where))
    return Remote(where, release, Digest.of(data), _advising(read))


def _remedy(where: str) -> str:
    return f"{_ADVICE} (it was read from {where})"


def _advising(read: ReadPath) -> ReadPath:
    """The same reader, whose errors say what to do."""

    def read_or_advise(path: str, most: int) -> bytes | None:
        try:
            return read(path, most)
        except OutputError as error:
            raise OutputError(f"{error}; run build again, or {_ADVICE}") from error

    return read_or_advise


def reader(address: str) -> ReadPath:
    """Reads the files of a directory or at an origin, which the URL of the record names, too."""
    if not origins.is_remote(address):
        return disk.reader(Path(address))
    source = origins.opened(address)

    def read(path: str, most: int) -> bytes | None:
        if path not in _CHANGING:
            return source.read(path, most)
        versioned = source.read_changing(path, most)
        return None if versioned is None else versioned.data

    return read
