"""Checks the location of an output, and lists and removes files of the output.

An output needs a directory of its own. This directory must not be a symbolic link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.output.stage_folders import STAGE_PREFIX
from skillbuild.paths import prefixes
from skillbuild.release import record
from skillbuild.release.checksums import Checksums
from skillbuild.release.layout import (
    ADDRESSED_FOLDERS,
    CHECKSUMS_FILE,
    LAYOUT,
    RECORD_FILE,
    is_addressed,
)
from skillbuild.storage import disk
from skillbuild.storage.files import Directory, FileError, read_or_none
from skillbuild.storage.targets import PRIVATE_FOLDER


def require_usable(out: Path) -> None:
    """Raise `OutputError` if a build should not write to this directory."""
    if out.is_symlink():
        raise OutputError(f"{out} is a symbolic link; pass the directory itself")
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is not a directory")
    resolved = out.resolve()
    if resolved == Path.home().resolve() or resolved == Path(resolved.anchor):
        raise OutputError(f"{out} is a home or root directory; pass an empty directory")
    if (out / ".git").exists():
        raise OutputError(f"{out} is a git repository; pass an empty directory")
    if out.is_dir() and any(entry.name != disk.LOCK_FILE for entry in out.iterdir()):
        _require_own(out)


def _require_own(out: Path) -> None:
    """Raise `OutputError` unless the directory is empty, or contains a release or an unfinished
    build.
    """
    try:
        layout = record.read_layout(read_or_none(Directory(out), RECORD_FILE) or b"")
    except FileError:
        layout = None
    if layout is not None and layout > LAYOUT:
        raise OutputError(
            f"{out} was written by a newer skillbuild (layout {layout}); upgrade skillbuild"
        )
    if layout is not None:
        return
    is_begun = any(out.glob(f"{STAGE_PREFIX}*")) or (out / PRIVATE_FOLDER).is_dir()
    if not is_begun and not (out / RECORD_FILE).is_symlink():
        raise OutputError(
            f"{out} is not empty and was not built by skillbuild; pass an empty directory"
        )


def require_no_links(out: Path) -> None:
    """Raise `OutputError` for a symbolic link anywhere in the output.

    A link could redirect writes to another place. Call this while the output is locked, before
    anything is written.
    """
    for entry in disk.entries_below(out, STAGE_PREFIX):
        if entry.is_symlink():
            raise OutputError(f"{entry.path} is a symbolic link; remove the link")


def require_no_links_to(out: Path, paths: Iterable[str]) -> None:
    """Raise `OutputError` if one of these files, or one of its parent folders in the output, is a
    symbolic link.
    """
    for path in {part for end in paths for part in (end, *prefixes(end))}:
        if (out / path).is_symlink():
            raise OutputError(f"{out / path} is a symbolic link; remove the link")


def addressed_files(out: Path) -> Iterator[str]:
    """Yield the paths of all files in the folders for content-addressed files, in no particular
    order.
    """
    for folder in ADDRESSED_FOLDERS:
        below = (f"{folder}/{path}" for path in disk.files_below(out / folder))
        yield from filter(is_addressed, below)


def listed_in(out: Path) -> Checksums:
    """Return the entries of the output's SHA256SUMS; empty if the file is missing."""
    return Checksums.parse(read_or_none(Directory(out), CHECKSUMS_FILE) or b"")


def is_whole(out: Path, checksums: Checksums) -> bool:
    """Return whether the output has exactly the content-addressed files that `checksums` lists.

    Only names are compared; no file is read.
    """
    return {path for path in checksums.paths() if is_addressed(path)} == {*addressed_files(out)}


def size_of(out: Path) -> int:
    """Return the total size in bytes of all published files, including files of earlier
    releases.
    """
    return disk.size_of(out, STAGE_PREFIX)


def remove(out: Path, paths: Iterable[str]) -> None:
    """Remove files, if they exist. Paths that point outside the output are ignored."""
    for path in paths:
        if not path.startswith("/") and ".." not in path.split("/") and "\\" not in path:
            disk.remove(out, path)
