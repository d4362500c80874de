"""Names and removes the stages in an output: temporary folders to which builds write files.

This module imports little, so that an up-to-date build stays fast.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from skillbuild.storage import disk

STAGE_PREFIX = ".stage-"
"""Prefix of the names of these folders."""


def remove_left(out: Path) -> None:
    """Remove the stages of killed builds, unless another process holds the lock of the output."""
    if any(out.glob(f"{STAGE_PREFIX}*")):
        with suppress(OSError), disk.locked(out, wait=False) as is_free:
            if is_free:
                remove_unlocked(out)


def remove_unlocked(out: Path) -> None:
    """Remove the stages that no running build has locked. The caller must hold the lock of the
    output.
    """
    for folder in out.glob(f"{STAGE_PREFIX}*"):
        if folder.is_dir() and not folder.is_symlink():
            with disk.locked(folder, wait=False) as is_free:
                if is_free:
                    disk.remove_tree(folder)
