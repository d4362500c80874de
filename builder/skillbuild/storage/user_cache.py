"""Where programs of this user store what they can get or compute again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def folder() -> Path | None:
    """The folder of this program there; None if it is not known, as without a home."""
    above = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not above.is_absolute():
        try:
            above = _usual()
        except RuntimeError:  # There is no home.
            return None
    return above / "skillbuild" if above.is_absolute() else None


def _usual() -> Path:
    match sys.platform:
        case "win32":
            return Path(os.environ.get("LOCALAPPDATA", ""))
        case "darwin":
            return Path.home() / "Library/Caches"
        case _:
            return Path.home() / ".cache"
