"""Where an output may be: in a directory of its own, and never reached through a link."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.paths import prefixes
from skillbuild.release import record
from skillbuild.release.layout import LAYOUT, RECORD_FILE
from skillbuild.storage import disk

STAGE_PREFIX = ".stage-"
"""How the names of the folders begin in which builds prepare what they publish."""


def require_usable(out: Path) -> None:
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
    if out.is_dir() and any(entry.name != disk.LOCK_FILE for entry in out.iterdir()):
        _require_own(out)


def _require_own(out: Path) -> None:
    """A directory that is not empty must hold a release, or the stage of a build."""
    data = disk.read(out / RECORD_FILE)
    layout = None if data is None else record.read_layout(data)
    if layout is not None and layout > LAYOUT:
        raise OutputError(
            f"{out} was written by a newer skillbuild (layout {layout}); upgrade skillbuild"
        )
    if layout is not None:
        return
    if not any(out.glob(f"{STAGE_PREFIX}*")) and not (out / RECORD_FILE).is_symlink():
        raise OutputError(f"{out} is not empty and not an output; pass an empty directory")


def require_no_links(out: Path) -> None:
    """Raise `OutputError` for a symbolic link anywhere in the output.

    It could lead a write outside, so this is called under the lock before anything is written.
    """
    for entry in disk.entries_below(out, STAGE_PREFIX):
        if entry.is_symlink():
            raise OutputError(f"{entry.path} is a symbolic link; remove it")


def require_no_links_to(out: Path, paths: Iterable[str]) -> None:
    """The same for the given files alone, and for the folders on the way to them."""
    for path in {part for end in paths for part in (end, *prefixes(end))}:
        if (out / path).is_symlink():
            raise OutputError(f"{out / path} is a symbolic link; remove it")
