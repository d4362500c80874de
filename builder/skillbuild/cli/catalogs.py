"""A catalog to compare, wherever it is: an output directory, a URL, or a revision to build."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from skillbuild import build
from skillbuild.config import Limits
from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Digest
from skillbuild.output import remote, verify
from skillbuild.release import record
from skillbuild.release.compare import Read
from skillbuild.release.record import RECORD_FILE
from skillbuild.source import tree


@dataclass(frozen=True, slots=True)
class Published:
    """What one side of a comparison says, and how to read the files it names."""

    catalog: Catalog
    read: Read


_NOTHING = Catalog("", "", "", "", None, None, icons=(), entries=())


@contextmanager
def opened(what: str, repository: Path | None, *, or_empty: bool = False) -> Iterator[Published]:
    """A URL, an output, or with a repository one of its revisions, built for the moment.

    With `or_empty`, a URL where nothing is published is a catalog without skills.
    """
    if remote.is_url(what):
        yield _from_url(what, or_empty=or_empty)
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
    return Published(catalog, _checked(remote.reader(str(out)), catalog))


def _build(repository: Path, revision: str, out: Path) -> None:
    """Only what a comparison reads is built; invalid skills are in `skipped` of the catalog."""
    origin = tree.open_commit(repository, revision)
    leaves = origin.leaves()
    settings = replace(tree.read_config(origin, leaves), formats=())
    options = build.Options(skip_invalid=True, allow_empty=True)
    if build.build(build.Request(origin, leaves, settings, options), out).release is None:
        raise OutputError(f"{revision} cannot be built; see skillbuild check --rev {revision}")


def _from_url(url: str, *, or_empty: bool) -> Published:
    read = remote.reader(url)
    data = read(RECORD_FILE, remote.LARGEST_RECORD)
    if data is None and or_empty:
        return Published(_NOTHING, lambda digest: None)
    if data is None:
        raise OutputError(f"nothing is published at {escape(url)}: no {RECORD_FILE} is there")
    catalog = record.decode(data).catalog
    return Published(catalog, _checked(read, catalog))


def _checked(read: remote.ReadPath, catalog: Catalog) -> Read:
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
