"""The door to published releases: the record at a URL or in a directory, and the files it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release import record
from skillbuild.release.layout import LAYOUT, RECORD_FILE, is_named_by
from skillbuild.release.record import Record
from skillbuild.storage import disk

LARGEST_RECORD = 256 * 1024 * 1024
LARGEST_FILE = 32 * 1024 * 1024
"""Bytes; of a file whose size no record tells. An archive is hardly larger than its skill."""
_ANEW = "leave --previous out to start anew"

Read = Callable[[str, int], bytes | None]
"""Gives the bytes of a path, None when there is no such file; the number is the most to read."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A release that is published elsewhere."""

    where: str
    release: Record
    sizes: Mapping[str, int]
    read: Read

    def fetch(self, path: str, digest: Digest) -> bytes:
        """A file of the release or of one it keeps; nothing that is not what the record says."""
        try:
            data = self.read(path, self.sizes.get(path, LARGEST_FILE))
        except OutputError as error:
            raise OutputError(f"{error}; run build again, or {_ANEW}") from error
        if data is None or Digest.of(data) != digest:
            state = "missing" if data is None else "damaged"
            raise OutputError(f"{path} is {state} at {self.where}; publish it again, or {_ANEW}")
        return data


def is_url(what: str) -> bool:
    return what.startswith(("https://", "http://"))


def opened(what: str) -> Remote | None:
    """The release at a URL or in a directory; None when nothing is published there yet."""
    where = escape(what)
    if not is_url(what) and not Path(what).is_dir():
        raise OutputError(f"{where} is not a directory; {_ANEW}")
    read = reader(what)
    try:
        data = read(RECORD_FILE, LARGEST_RECORD)
    except OutputError as error:
        raise OutputError(f"{error}; {_ANEW}") from error
    if data is None:
        return None
    release = _decoded(data, where)
    files = record.files_of(release.catalog)
    sizes = {path: size for path, (_, size) in files.items() if size is not None}
    return Remote(where, release, sizes, read)


def _decoded(data: bytes, where: str) -> Record:
    """The record, if every file it names is named by its digest: names become paths of ours."""
    if (record.read_layout(data) or LAYOUT) > LAYOUT:
        raise OutputError(f"{where} was written by a newer skillbuild; upgrade, or {_ANEW}")
    release = record.decode(data, f"{_ANEW} (it was read from {where})")
    named = [(path, digest) for path, (digest, _) in record.files_of(release.catalog).items()]
    for path, digest in [*named, *(item for one in release.releases for item in one.files.items())]:
        if not is_named_by(path, digest):
            raise OutputError(f"{RECORD_FILE} at {where} names {escape(path)} wrongly; {_ANEW}")
    return release


def reader(what: str) -> Read:
    """Reads below a URL, which may name the record itself, or below a directory."""
    if is_url(what):
        # Loads a client for HTTP, which few runs need.
        from skillbuild.storage import http

        base = what.removesuffix(RECORD_FILE).rstrip("/") + "/"
        return lambda path, most: http.get(base + path, most)
    return lambda path, most: disk.read(Path(what) / path)
