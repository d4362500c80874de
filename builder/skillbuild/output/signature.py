"""Detects whether an output has changed, without reading its files.

This module imports little, so that an up-to-date build stays fast.
"""

from __future__ import annotations

import stat
from pathlib import Path

from skillbuild.release.layout import ADDRESSED_FOLDERS, HEAD_FILES


def signature(out: Path) -> str | None:
    """Return a string that changes with every publish; None if a head file is missing.

    The string consists of the sizes, mtimes and inodes of the head files, and of the mtimes and
    inodes of the folders of content-addressed files. The mtime of a folder changes when a file is
    added or removed.
    """
    try:
        if not stat.S_ISDIR(out.lstat().st_mode):
            return None
        heads = [(out / name).lstat() for name in HEAD_FILES]
        folders = [(out / name) for name in ADDRESSED_FOLDERS]
        times = [folder.lstat() for folder in folders if folder.is_dir()]
    except (OSError, ValueError):
        return None
    if not all(stat.S_ISREG(head.st_mode) for head in heads):
        return None
    parts = [f"{head.st_size}:{head.st_mtime_ns}:{head.st_ino}" for head in heads]
    return " ".join([*parts, *(f"{each.st_mtime_ns}:{each.st_ino}" for each in times)])
