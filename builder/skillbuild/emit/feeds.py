"""Atom feeds of what happened in the catalog, and to one skill (RFC 4287).

Ids follow from commit, path and digest, so a catalog that moves to another address keeps them, and
no reader shows everything as new.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape

from skillbuild.emit.events import Event, EventKind
from skillbuild.emit.site.addresses import href, skill_page, versions_page
from skillbuild.model import OutputFile
from skillbuild.text.invisible import code_points, invisible

FEED = "feed.xml"
"""The feed of the whole catalog."""
MOST_ENTRIES = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND = int((datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH).total_seconds())
_FIRST_SECOND = int((datetime(1, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds())
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 forbids, and the control characters that it discourages."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed before it is written."""

    path: str
    """Where it is published."""
    page: str
    """The page that tells the same, relative to the base URL."""
    title: str
    author: str
    key: str
    """What its id is made of."""
    events: Sequence[Event]
    """The newest first."""


def skill_feed_path(path: str) -> str:
    """Where the feed of the skill at a skill path is published."""
    return f"{versions_page(path).removesuffix('index.html')}{FEED}"


def catalog_feed(title: str, since: str, newest_first: Sequence[Event]) -> Feed:
    """The feed of a catalog whose versions begin with the commit `since`."""
    events = newest_first[:MOST_ENTRIES]
    return Feed(FEED, "changes/", f"{title}: changes", title, f"catalog {since}", events)


def skill_feed(title: str, path: str, oldest_first: Sequence[Event]) -> Feed:
    """The feed of the skill at `path`, which has events; `title` is that of the catalog."""
    first = oldest_first[0]
    key = f"skill {first.change.commit} {first.path} {first.digest}"
    events = oldest_first[::-1][:MOST_ENTRIES]
    page = versions_page(path).removesuffix("index.html")
    return Feed(skill_feed_path(path), page, f"{path}: versions", title, key, events)


def encode_feed(feed: Feed, base_url: str) -> OutputFile:
    """The file; `base_url` ends with a slash."""
    return OutputFile(feed.path, "".join(f"{line}\n" for line in _lines(feed, base_url)).encode())


def _lines(feed: Feed, base_url: str) -> Iterator[str]:
    seconds = feed.events[0].change.seconds if feed.events else 0
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<feed xmlns="http://www.w3.org/2005/Atom">'
    yield _id(feed.key)
    yield f'<title type="text">{_text(feed.title)}</title>'
    yield f"<updated>{_moment(seconds)}</updated>"
    yield f"<author><name>{_text(feed.author) or 'skillbuild'}</name></author>"
    yield f'<link rel="self" type="application/atom+xml" href="{_address(base_url, feed.path)}"/>'
    yield f'<link rel="alternate" type="text/html" href="{_address(base_url, feed.page)}"/>'
    yield "<generator>skillbuild</generator>"
    for event in feed.events:
        yield from _entry(event, base_url)
    yield "</feed>"


def _entry(event: Event, base_url: str) -> Iterator[str]:
    yield "<entry>"
    yield _id(f"{event.kind} {event.change.commit} {event.path} {event.digest}")
    yield f'<title type="text">{_text(_sentence(event))}</title>'
    yield f"<updated>{_moment(event.change.seconds)}</updated>"
    yield f'<link rel="alternate" type="text/html" href="{_address(base_url, _page(event))}"/>'
    yield f'<content type="text">{_text(_details(event))}</content>'
    yield "</entry>"


def _page(event: Event) -> str:
    """What tells more: of a withdrawn skill the list of its versions, else the version."""
    if event.kind is EventKind.WITHDRAWN:
        return skill_page(event.path).removesuffix("index.html")
    return f"{event.address}/"


def _sentence(event: Event) -> str:
    match event.kind:
        case EventKind.ADDED:
            return f"{event.path} added, version {event.label}"
        case EventKind.CHANGED:
            return f"{event.path} changed, version {event.label}"
        case EventKind.RESTORED:
            return f"{event.path} changed back to version {event.label}"
        case EventKind.MOVED:
            return f"{event.former} moved to {event.path}"
        case EventKind.WITHDRAWN:
            return f"{event.path} withdrawn"


def _details(event: Event) -> str:
    version = f"Version {event.label}, {event.digest}, commit {event.change.commit}"
    return f"{event.difference}. {version}" if event.difference else version


def _id(key: str) -> str:
    return f"<id>{uuid.uuid5(uuid.NAMESPACE_OID, f'skillbuild {key}').urn}</id>"


def _moment(seconds: int) -> str:
    kept = min(max(seconds, _FIRST_SECOND), _LAST_SECOND)
    return f"{(_EPOCH + timedelta(seconds=kept)).isoformat().removesuffix('+00:00')}Z"


def _address(base_url: str, path: str) -> str:
    return escape(base_url + href(path))


def _text(text: str) -> str:
    """Escaped text in one line; hidden characters are spelled out, forbidden ones left out."""
    parts, end = [], 0
    for match in invisible(text):
        parts += [text[end : match.start()], f"[{code_points(match[0])}]"]
        end = match.end()
    shown = _FORBIDDEN.sub("", "".join([*parts, text[end:]]))
    return escape(" ".join(shown.split()), quote=False)
