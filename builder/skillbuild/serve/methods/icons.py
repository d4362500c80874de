"""Icons as SEP-973 has them: a link where the catalog is published, else a small `data:` URI."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import lru_cache

from skillbuild.model import Icon
from skillbuild.serve.state import content
from skillbuild.serve.state.release import Release

LARGEST_DATA_URI = 4096
"""Bytes: icons ride on every item of a listing and, the server's own, on every modern result."""


def described(release: Release, icons: Sequence[Icon]) -> list[dict[str, object]]:
    """Every icon that has a source; none is better than a listing full of pictures."""
    found: list[dict[str, object]] = []
    for icon in icons:
        source = _source(release, icon)
        if source is not None:
            theme = {"theme": icon.theme} if icon.theme else {}
            said = {"src": source, "mimeType": icon.media_type, "sizes": [icon.sizes]}
            found.append({**said, **theme})
    return found


def _source(release: Release, icon: Icon) -> str | None:
    base = release.head.catalog.base_url
    if base is not None and base.startswith("https://"):
        return f"{base.rstrip('/')}/icons/{icon.file_name}"
    return _data_uri(release, icon)


@lru_cache(maxsize=1024)
def _data_uri(release: Release, icon: Icon) -> str | None:
    try:
        data = content.read(release, f"icons/{icon.file_name}", icon.digest)
    except content.DamagedError:
        return None
    uri = f"data:{icon.media_type};base64,{base64.b64encode(data).decode()}"
    return uri if len(uri) <= LARGEST_DATA_URI else None
