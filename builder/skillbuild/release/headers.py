"""The HTTP headers of a published file, which follow from its path."""

from __future__ import annotations

from skillbuild.media.types import media_type
from skillbuild.release.layout import is_addressed

_FOR_EVER = "public, max-age=31536000, immutable"


def content_type(path: str) -> str:
    """Return the media type of a file; files of skills are served as `application/octet-stream`, so
    that browsers neither run nor show them.
    """
    if path.startswith("blobs/"):
        return "application/octet-stream"
    kind = media_type(path, b"")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def cache_control(path: str) -> str:
    """Return the `Cache-Control` header: `immutable` for a file named by its digest; browsers must
    revalidate all other files.
    """
    return _FOR_EVER if is_addressed(path) else "no-cache"
