"""With which headers a published file is served, by its path alone."""

from __future__ import annotations

from skillbuild.media.types import media_type
from skillbuild.release.layout import is_addressed

_FOR_EVER = "public, max-age=31536000, immutable"


def content_type(path: str) -> str:
    """The media type; bytes for files of skills, so that no browser runs or shows them."""
    if path.startswith("blobs/"):
        return "application/octet-stream"
    kind = media_type(path, b"")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def cache_control(path: str) -> str:
    """For ever for what is named by its digest; all else is asked for again."""
    return _FOR_EVER if is_addressed(path) else "no-cache"
