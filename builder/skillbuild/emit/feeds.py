"""Atom feeds (RFC 4287) of the changes to the catalog and to each skill.

The id of an entry is derived from the kind of event, commit, path and digest, but not from a URL.
So if a catalog moves to another URL, feed readers do not show every entry as new.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from skillbuild.emit.events import Event, EventKind
from skillbuild.emit.site.addresses import skill_page, versions_page
from skillbuild.emit.site.theme import environment_for
from skillbuild.model import OutputFile
from skillbuild.text.invisible import visible_text

FEED = "feed.xml"
"""File name of the catalog's feed, of every skill's feed, and of the template."""
MOST_ENTRIES = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND = int((datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH).total_seconds())
_FIRST_SECOND = int((datetime(1, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds())
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 forbids, and the control characters that it discourages."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of a feed. Characters that XML forbids are already removed."""

    id: str
    title: str
    updated: str
    page: str
    """The page with the details, relative to the base URL."""
    text: str


@dataclass(frozen=True, slots=True)
class Feed:
    """The content of a feed. Characters that XML forbids are already removed."""

    path: str
    """Path of the feed in the output."""
    page: str
    """The page with the same content, relative to the base URL."""
    id: str
    title: str
    author: str
    """The author; may be empty."""
    entries: Sequence[FeedEntry]
    """The entries, newest first."""

    @property
    def updated(self) -> str:
        return self.entries[0].updated if self.entries else _moment(0)


def skill_feed_path(path: str) -> str:
    """Return the path of the feed for the skill at `path`."""
    return f"{versions_page(path).removesuffix('index.html')}{FEED}"


def catalog_feed(title: str, since: str, newest_first: Sequence[Event]) -> Feed:
    """Return the feed of the catalog. `since` is the first commit with published versions."""
    key, entries = f"catalog {since}", [*map(_entry, newest_first[:MOST_ENTRIES])]
    return Feed(FEED, "changes/", _id(key), _text(f"{title}: changes"), _text(title), entries)


def skill_feed(title: str, path: str, oldest_first: Sequence[Event]) -> Feed:
    """Return the feed of the skill at `path`. The skill must have at least one event. `title` is
    the title of the catalog.
    """
    first = oldest_first[0]
    key = f"skill {first.change.commit} {first.path} {first.digest}"
    entries = [*map(_entry, oldest_first[::-1][:MOST_ENTRIES])]
    page = versions_page(path).removesuffix("index.html")
    own_title = _text(f"{path}: versions")
    return Feed(skill_feed_path(path), page, _id(key), own_title, _text(title), entries)


def encode_feed(feed: Feed, base_url: str) -> OutputFile:
    """Render the feed as a file; `base_url` ends with a slash."""
    text = environment_for({}).get_template(FEED).render(feed=feed, base_url=base_url)
    return OutputFile(feed.path, f"{text}\n".encode())


def _entry(event: Event) -> FeedEntry:
    return FeedEntry(
        _id(f"{event.kind} {event.change.commit} {event.path} {event.digest}"),
        _text(_sentence(event)),
        _moment(event.change.seconds),
        _page(event),
        _text(_details(event)),
    )


def _page(event: Event) -> str:
    """Return the path of the page about an event: a removed skill, a comparison or a version."""
    if event.kind is EventKind.REMOVED:
        return skill_page(event.path).removesuffix("index.html")
    return event.page.removesuffix("index.html") or f"{event.address}/"


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
        case EventKind.REMOVED:
            return f"{event.path} removed"


def _details(event: Event) -> str:
    version = f"Version {event.label}, {event.digest}, commit {event.change.commit}"
    return f"{event.difference}. {version}" if event.difference else version


def _id(key: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_OID, f"skillbuild {key}").urn


def _moment(seconds: int) -> str:
    kept = min(max(seconds, _FIRST_SECOND), _LAST_SECOND)
    return f"{(_EPOCH + timedelta(seconds=kept)).isoformat().removesuffix('+00:00')}Z"


def _text(text: str) -> str:
    """Return the text on one line, with hidden characters replaced by their code points and
    forbidden characters removed.
    """
    return " ".join(_FORBIDDEN.sub("", visible_text(text)).split())
