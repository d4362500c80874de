"""A catalog to compare, wherever it is: an output directory, a URL, or a revision to build."""

from __future__ import annotations

import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPException, HTTPResponse
from pathlib import Path

from skillbuild import __version__, build, record, source, store, verify
from skillbuild.compare import Read
from skillbuild.config import Limits
from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Digest
from skillbuild.record import RECORD_FILE

LARGEST_RECORD = 256 * 1024 * 1024
LONGEST_SILENCE = 20.0
LONGEST_TRANSFER = 120.0
"""Seconds: between two pieces of a file, and for a whole one."""
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Published:
    """What one side of a comparison says, and how to read the files it names."""

    catalog: Catalog
    read: Read


@contextmanager
def opened(what: str, repository: Path | None) -> Iterator[Published]:
    """A URL, an output, or with a repository one of its revisions, built for the moment."""
    if what.startswith(("https://", "http://")):
        yield _from_url(what)
    elif repository is None or (Path(what) / RECORD_FILE).is_file():
        yield _from_folder(Path(what))
    else:
        with tempfile.TemporaryDirectory(prefix="skillbuild-") as folder:
            out = Path(folder).resolve() / "out"
            _build(repository, what, out)
            yield _from_folder(out)


def _from_folder(out: Path) -> Published:
    if not out.is_dir():
        raise OutputError(f"{out} is not a directory; for a revision, pass --repo")
    catalog = verify.load(out).catalog
    return Published(catalog, _checked(lambda path, size: store.read(out / path), catalog))


def _build(repository: Path, revision: str, out: Path) -> None:
    """Only what a comparison reads is built; invalid skills are in `skipped` of the catalog."""
    origin = source.open_commit(repository, revision)
    leaves = origin.leaves()
    settings = replace(source.read_config(origin, leaves), formats=())
    options = build.Options(skip_invalid=True, allow_empty=True)
    if build.build(build.Job(origin, leaves, settings, options), out).release is None:
        raise OutputError(f"{revision} cannot be built; see skillbuild check --rev {revision}")


def _from_url(url: str) -> Published:
    base = url.removesuffix(RECORD_FILE).rstrip("/") + "/"
    catalog = record.decode(_fetch(base + RECORD_FILE, LARGEST_RECORD)).catalog
    return Published(catalog, _checked(lambda path, size: _fetch(base + path, size), catalog))


def _checked(read: Callable[[str, int], bytes | None], catalog: Catalog) -> Read:
    """Reads by digest, and nothing that is not what the record says it is."""
    sizes = {item.digest: item.size for entry in catalog.entries for item in entry.resources}

    def by_digest(digest: Digest) -> bytes | None:
        path = record.blob_path(digest)
        if sizes[digest] > Limits().bytes:
            return None
        data = read(path, sizes[digest])
        if data is None or Digest.of(data) != digest:
            raise OutputError(f"{path} is missing or damaged; build that side again")
        return data

    return by_digest


def _fetch(url: str, most: int) -> bytes:
    """The body of a URL, at most so many bytes of it, in bounded time."""
    until = time.monotonic() + LONGEST_TRANSFER
    body = bytearray()
    try:
        with _opener().open(url, timeout=LONGEST_SILENCE) as response:
            while piece := _piece(response):
                body += piece
                if len(body) > most:
                    raise OutputError(f"{escape(url)} is larger than {most:,} bytes")
                if time.monotonic() > until:
                    raise OutputError(f"{escape(url)} took more than {LONGEST_TRANSFER:.0f} s")
    except (OSError, HTTPException, ValueError) as error:
        raise OutputError(f"cannot read {escape(url)}: {error}") from error
    return bytes(body)


def _piece(response: HTTPResponse) -> bytes:
    return response.read1(_CHUNK)


def _opener() -> urllib.request.OpenerDirector:
    """Speaks HTTP alone: a redirection can lead to no file and to no other protocol."""
    opener = urllib.request.OpenerDirector()
    opener.addheaders = [("User-Agent", f"skillbuild/{__version__}")]
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.UnknownHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    return opener
