"""The `diff` command: shows what changed between two catalogs.

Each side of the comparison is an output directory, a URL, a revision, or the working tree. A
revision or the working tree is built before the comparison.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from skillbuild import build
from skillbuild.config import Limits
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Resource
from skillbuild.output import base, verify
from skillbuild.release import record
from skillbuild.release.compare import Read, compare_catalogs
from skillbuild.release.layout import RECORD_FILE, blob_path
from skillbuild.report.changes import render_changes
from skillbuild.source import tree
from skillbuild.storage import origins
from skillbuild.storage.files import (
    MOST_BYTES,
    DamagedError,
    Directory,
    Files,
    MissingError,
    read_named,
    read_or_none,
)

_WORK_TREE = "."
"""Stands for the working tree in place of a revision; no branch or tag can have this name."""
_EMPTY = Catalog("", "", "", "", None, None, icons=(), entries=())


def run(options: argparse.Namespace) -> int:
    """Print the changes between two catalogs. Returns 0; with `--exit-code`, returns 1 if anything
    changed.

    Invalid skills are named on standard error.
    """
    shown = partial(escape, utf8=takes_utf8(sys.stderr))
    repository = Path() if options.repo else None
    with (
        opened(options.old, repository, or_empty=options.allow_missing) as old,
        opened(options.new, repository) as new,
    ):
        for name, side in ((options.old, old), (options.new, new)):
            for skipped in side.catalog.skipped if not options.quiet else ():
                line = f"note: invalid in {shown(name)}: {shown(skipped)}"
                print(line, file=sys.stderr)
        if (line := _other_marketplace(old.catalog, new.catalog)) and not options.quiet:
            print(line, file=sys.stderr)
        changes = compare_catalogs(old.catalog, new.catalog, old.read, new.read)
    print(render_changes(changes, options.format, utf8=takes_utf8(sys.stdout)))
    return 1 if changes and options.exit_code else 0


def _other_marketplace(old: Catalog, new: Catalog) -> str:
    """Return a note for users who installed the marketplace under its old name; empty if the name
    is the same.
    """
    if old.plugins is None or new.plugins is None or old.plugins.name == new.plugins.name:
        return ""
    return (
        f"note: the plugin marketplace {old.plugins.name} is now called {new.plugins.name}:"
        " people who added it must add it again"
    )


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a catalog, and a function that reads its files by digest."""

    catalog: Catalog
    read: Read


@contextmanager
def opened(address: str, repository: Path | None, *, or_empty: bool = False) -> Iterator[Side]:
    """Open a catalog: at a URL, in an output directory, or built from a revision of `repository`.

    A revision is built in a temporary directory; `.` stands for the working tree. With `or_empty`,
    a URL where nothing is published is treated as a catalog without skills. Raises `OutputError` if
    there is no catalog at the address.
    """
    if origins.is_remote(address):
        yield _at_url(address, or_empty=or_empty)
    elif repository is None or (Path(address) / RECORD_FILE).is_file():
        yield _in_directory(Path(address))
    else:
        with tempfile.TemporaryDirectory(prefix="skillbuild-") as folder:
            out = Path(folder).resolve() / "out"
            _build(repository, address, out)
            yield _in_directory(out)


def _at_url(url: str, *, or_empty: bool) -> Side:
    files = base.files_at(url)
    data = read_or_none(files, RECORD_FILE, MOST_BYTES)
    if data is None and or_empty:
        return Side(_EMPTY, lambda file: None)
    if data is None:
        raise OutputError(f"nothing is published at {escape(url)}: it has no {RECORD_FILE}")
    return Side(record.decode(data, files).catalog, _by_digest(files))


def _in_directory(out: Path) -> Side:
    if not out.is_dir():
        raise OutputError(f"{out} is not a directory; to compare revisions, pass --repo")
    return Side(verify.load(out).catalog, _by_digest(Directory(out)))


def _build(repository: Path, revision: str, out: Path) -> None:
    """Build only what a comparison reads: no formats; invalid skills are skipped."""
    is_work_tree = revision == _WORK_TREE
    origin: tree.Source = (
        tree.open_for_check(repository, None)
        if is_work_tree
        else tree.open_commit(repository, revision)
    )
    leaves = origin.leaves()
    settings = tree.read_config(origin, leaves).but(formats=())
    options = build.Options(skip_invalid=True, allow_empty=True)
    request = build.Request(origin, leaves, settings, options)
    report = build.preview(request, out) if is_work_tree else build.build(request, out)
    if report.digest is None:
        what, how = ("the working tree", "") if is_work_tree else (revision, f" --rev {revision}")
        raise OutputError(f"{what} cannot be built; run skillbuild check{how}")


def _by_digest(files: Files) -> Read:
    """Return a function that reads a file of the catalog.

    The function returns None if the file is too large for a skill. It raises `OutputError` if the
    file is missing or damaged.
    """

    def read(file: Resource) -> bytes | None:
        if file.size > Limits().bytes:
            return None
        try:
            return read_named(files, blob_path(file.digest), file.digest, file.size)
        except (MissingError, DamagedError) as error:
            raise OutputError(f"{error}; build that catalog again") from error

    return read
