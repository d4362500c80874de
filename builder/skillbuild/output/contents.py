"""What stands in an output: its addressed files, its size, and removing files from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from skillbuild.output.location import STAGE_PREFIX
from skillbuild.release import record
from skillbuild.release.checksums import Checksums
from skillbuild.release.layout import ADDRESSED_FOLDERS, CHECKSUMS_FILE, RECORD_FILE, is_addressed
from skillbuild.release.record import Record
from skillbuild.storage import disk


def addressed_files(out: Path) -> Iterator[str]:
    """Paths of all files in the folders of addressed files, in no order."""
    for folder in ADDRESSED_FOLDERS:
        below = (f"{folder}/{path}" for path in disk.files_below(out / folder))
        yield from filter(is_addressed, below)


def listed_in(out: Path) -> Checksums:
    """What the SHA256SUMS of an output names; nothing without that file."""
    return Checksums.parse(disk.read(out / CHECKSUMS_FILE) or b"")


def is_whole(out: Path, checksums: Checksums) -> bool:
    """Whether the folders of addressed files hold exactly the files that `checksums` names.

    Names alone are compared: no file is read.
    """
    return {path for path in checksums.paths() if is_addressed(path)} == {*addressed_files(out)}


def read_record(out: Path) -> Record | None:
    """The record of the release that the output holds, or None; a damaged one is an error."""
    data = disk.read(out / RECORD_FILE)
    return None if data is None else record.decode(data, disk.reader(out))


def size_of(out: Path) -> int:
    """Bytes of all that is published, files of earlier releases included."""
    return disk.size_of(out, STAGE_PREFIX)


def remove(out: Path, paths: Iterable[str]) -> None:
    """Remove files that may be gone already; a path that leads out of the output is left alone."""
    for path in paths:
        if not path.startswith("/") and ".." not in path.split("/") and "\\" not in path:
            disk.remove(out, path)
