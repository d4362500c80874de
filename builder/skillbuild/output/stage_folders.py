"""Folders in an output where builds prepare what they publish: their names, and which are left.

Light on purpose: a build that has nothing to do loads this and little else.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from skillbuild.storage import disk

STAGE_PREFIX = ".stage-"
"""How the names of these folders begin."""


def remove_left(out: Path) -> None:
    """Remove the folders of builds that were killed, unless another build has just this moment."""
    if any(out.glob(f"{STAGE_PREFIX}*")):
        with suppress(OSError), disk.locked(out, wait=False) as is_free:
            if is_free:
                remove_unlocked(out)


def remove_unlocked(out: Path) -> None:
    """Remove those whose locks went with their builds; called under the lock of the output."""
    for folder in out.glob(f"{STAGE_PREFIX}*"):
        if folder.is_dir() and not folder.is_symlink():
            with disk.locked(folder, wait=False) as is_free:
                if is_free:
                    disk.remove_tree(folder)
