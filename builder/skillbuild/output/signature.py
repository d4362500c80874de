"""Whether an output is still the one that was seen before, without reading its files.

Light on purpose: a build that has nothing to do loads this and little else.
"""

from __future__ import annotations

import stat
from pathlib import Path

from skillbuild.release.layout import ADDRESSED_FOLDERS, HEAD_FILES


def signature(out: Path) -> str | None:
    """Sizes, times and inodes that differ after every publish; None if a head file is missing.

    They are those of the head files, and the times of the folders of addressed files, which change
    when a file is added or removed there.
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
