"""Icons (SEP-973): a link where the catalog is published, otherwise a small `data:` URI.

A list has neither `data:` URIs nor pictures that were drawn from a name: they say nothing that the
name does not, and were a third of its length.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import partial

from skillbuild.media import identicon
from skillbuild.model import Digest, Icon
from skillbuild.serve.state import content
from skillbuild.serve.state.faults import DamagedError, UnavailableError
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease

LONGEST_DATA_URI = 4096
"""Characters."""


def linked_icons(release: ServedRelease, icons: Sequence[Icon], name: str) -> list[JsonObject]:
    """The links of icons that were not drawn from this name: those for lists."""
    if _link_base(release) is None:
        return []
    drawn = Digest.of(identicon.draw(name))
    return describe_icons(release, [icon for icon in icons if icon.digest != drawn], name)


def describe_icons(release: ServedRelease, icons: Sequence[Icon], name: str) -> list[JsonObject]:
    """The icons that have a link or are small enough for a `data:` URI, in their order.

    One that was drawn from the name is drawn again and not read: the files may be far away.
    """
    described: list[JsonObject] = []
    for icon in icons:
        source = _source(release, icon, name)
        if source is not None:
            value: JsonObject = {"src": source, "mimeType": icon.media_type, "sizes": [icon.sizes]}
            described.append({**value, "theme": icon.theme} if icon.theme else value)
    return described


def _source(release: ServedRelease, icon: Icon, name: str) -> str | None:
    base = _link_base(release)
    if base is not None:
        return f"{base}/icons/{icon.file_name}"
    try:
        return release.caches.icon_uris.get(icon, partial(_data_uri, release, icon, name))
    except UnavailableError:
        return None


def _link_base(release: ServedRelease) -> str | None:
    base_url = release.record.catalog.base_url
    return base_url.rstrip("/") if base_url and base_url.startswith("https://") else None


def _data_uri(release: ServedRelease, icon: Icon, name: str) -> str | None:
    data = identicon.draw(name)
    if Digest.of(data) != icon.digest:
        try:
            data = content.read_file(release, f"icons/{icon.file_name}", icon.digest)
        except DamagedError:
            return None
    uri = f"data:{icon.media_type};base64,{base64.b64encode(data).decode()}"
    return uri if len(uri) <= LONGEST_DATA_URI else None
