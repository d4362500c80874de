"""Reads releases that are published elsewhere, at a URL or in a directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release import record
from skillbuild.release.layout import INDEX_FILE, LAYOUT, RECORD_FILE, is_named_by
from skillbuild.release.record import Record
from skillbuild.storage import disk

LARGEST_RECORD = 256 * 1024 * 1024
"""Bytes of `catalog.json` or `index.json`."""
LARGEST_FILE = 32 * 1024 * 1024
"""Bytes of a file whose size no record gives; an archive is hardly larger than its skill."""
_CHANGING = (RECORD_FILE, INDEX_FILE)
"""Files whose content changes under their name, so no cache may answer for them."""
_ADVICE = "leave --previous out to start anew"

ReadPath = Callable[[str, int], bytes | None]
"""Reads a file by its path in a release and the most bytes it may have; None if it is missing."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A release that is published elsewhere."""

    where: str
    """Its URL or directory, escaped for messages."""
    release: Record
    sizes: Mapping[str, int]
    """Bytes of its files by path, as far as the record gives them."""
    read: ReadPath

    def fetch(self, path: str, digest: Digest) -> bytes:
        """A file of the release, or of an earlier one that its record names.

        `OutputError` when it is missing, cannot be read, or has another digest.
        """
        try:
            data = self.read(path, self.sizes.get(path, LARGEST_FILE))
        except OutputError as error:
            raise OutputError(f"{error}; run build again, or {_ADVICE}") from error
        if data is None or Digest.of(data) != digest:
            state = "missing" if data is None else "damaged"
            raise OutputError(f"{path} is {state} at {self.where}; publish it again, or {_ADVICE}")
        return data


def is_url(address: str) -> bool:
    return address.startswith(("https://", "http://"))


def opened(address: str) -> Remote | None:
    """The release at a URL or in a directory; None when nothing is published there yet."""
    where = escape(address)
    if not is_url(address) and not Path(address).is_dir():
        raise OutputError(f"{where} is not a directory; {_ADVICE}")
    read = reader(address)
    try:
        data = read(RECORD_FILE, LARGEST_RECORD)
    except OutputError as error:
        raise OutputError(f"{error}; {_ADVICE}") from error
    if data is None:
        return None
    release = _decoded(data, where)
    files = record.files_of(release.catalog)
    sizes = {path: size for path, (_, size) in files.items() if size is not None}
    return Remote(where, release, sizes, read)


def _decoded(data: bytes, where: str) -> Record:
    """The record that was read from `where`.

    Paths in it become paths of files that we write, so each must be the one that its digest
    decides: `OutputError` for any other.
    """
    if (record.read_layout(data) or LAYOUT) > LAYOUT:
        raise OutputError(f"{where} was written by a newer skillbuild; upgrade, or {_ADVICE}")
    release = record.decode(data, f"{_ADVICE} (it was read from {where})")
    for path, digest in _addressed_files(release):
        if not is_named_by(path, digest):
            raise OutputError(f"{RECORD_FILE} at {where} names {escape(path)} wrongly; {_ADVICE}")
    return release


def _addressed_files(release: Record) -> Iterator[tuple[str, Digest]]:
    """Path and digest of each content-addressed file of a release and of those before it."""
    for path, (digest, _) in record.files_of(release.catalog).items():
        yield path, digest
    for earlier in release.releases:
        yield from earlier.files.items()


def reader(address: str) -> ReadPath:
    """Reads the files below a URL, which may be that of the record itself, or in a directory."""
    if is_url(address):
        # Loads a client for HTTP, which few runs need.
        from skillbuild.storage import http

        base = address.removesuffix(RECORD_FILE).rstrip("/") + "/"
        return lambda path, most: http.get(base + path, most, past_caches=path in _CHANGING)
    return lambda path, most: disk.read(Path(address) / path)
