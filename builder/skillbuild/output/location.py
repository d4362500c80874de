"""Where an output may be: in a directory of its own, and never behind a link."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.paths import prefixes
from skillbuild.release import record
from skillbuild.release.record import LAYOUT, RECORD_FILE
from skillbuild.storage import disk

STAGE_PREFIX = ".stage-"
"""How the folders begin in which builds prepare what they publish."""


def refuse(out: Path) -> None:
    """Raise `OutputError` for a place that no build should write to."""
    if out.is_symlink():
        raise OutputError(f"{out} is a symbolic link; pass the directory itself")
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is not a directory")
    resolved = out.resolve()
    if resolved == Path.home().resolve() or resolved == Path(resolved.anchor):
        raise OutputError(f"{out} is a home or root directory; pass a directory of its own")
    if (out / ".git").exists():
        raise OutputError(f"{out} is a repository; pass a directory of its own")
    if out.is_dir() and any(one.name != disk.LOCK_FILE for one in out.iterdir()):
        _refuse_foreign(out)


def _refuse_foreign(out: Path) -> None:
    data = disk.read(out / RECORD_FILE)
    if data is not None:
        layout = record.read_layout(data)
        if layout is not None and layout > LAYOUT:
            raise OutputError(
                f"{out} was written by a newer skillbuild (layout {layout}); upgrade skillbuild"
            )
        if layout is not None:
            return
    if not any(out.glob(f"{STAGE_PREFIX}*")) and not (out / RECORD_FILE).is_symlink():
        raise OutputError(f"{out} is not empty and not an output; pass an empty directory")


def refuse_links(out: Path) -> None:
    """A planted link could lead a write outside; looked for under the lock, before any write."""
    for entry in disk.entries_below(out, STAGE_PREFIX):
        if entry.is_symlink():
            raise OutputError(f"{entry.path} is a symbolic link; remove it")


def refuse_links_to(out: Path, paths: Iterable[str]) -> None:
    """The same for the files that will be written or removed, and the folders on the way."""
    for path in {way for end in paths for way in (end, *prefixes(end))}:
        if (out / path).is_symlink():
            raise OutputError(f"{out / path} is a symbolic link; remove it")
