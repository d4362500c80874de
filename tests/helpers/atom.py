"""The rules of Atom feeds (RFC 4287) that a feed of ours could break, each checked by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.etree import ElementTree

ATOM = "{http://www.w3.org/2005/Atom}"
_ID = re.compile(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_ONCE = ("id", "title", "updated")
_IN_FEED = {*_ONCE, "author", "link", "generator", "entry"}
_IN_ENTRY = {*_ONCE, "link", "content"}


@dataclass(frozen=True)
class Entry:
    """One entry as a reader of feeds sees it."""

    id: str
    title: str
    updated: str
    link: str
    text: str


def entries(data: bytes) -> list[Entry]:
    """The entries of a feed, in its order."""
    return [
        Entry(
            _text(item, "id"),
            _text(item, "title"),
            _text(item, "updated"),
            _links(item, "alternate")[0].get("href", ""),
            _text(item, "content"),
        )
        for item in _read(data).iter(f"{ATOM}entry")
    ]


def faults(data: bytes, address: str) -> list[str]:
    """What is wrong with a feed that is published at `address`; expat reads the XML."""
    feed = _read(data)
    if feed.tag != f"{ATOM}feed":
        return [f"the root is {feed.tag}"]
    items = feed.findall(f"{ATOM}entry")
    ids = [_text(item, "id") for item in [feed, *items]]
    met = [f"id {each} twice" for each in {*ids} if ids.count(each) > 1]
    met += _faults_of_parts(feed, _IN_FEED)
    for item in items:
        met += _faults_of_parts(item, _IN_ENTRY)
        met += [] if _text(item, "content").strip() else ["an entry without content"]
    selves = [link.get("href") for link in _links(feed, "self")]
    met += [] if selves == [address] else [f"self is {selves}"]
    names = [name.text or "" for name in feed.iterfind(f"{ATOM}author/{ATOM}name")]
    return met + ([] if len(names) == 1 and names[0].strip() else [f"authors {names}"])


def _faults_of_parts(item: ElementTree.Element, allowed: set[str]) -> Iterator[str]:
    tags = [child.tag.removeprefix(ATOM) for child in item]
    yield from (f"<{tag}>" for tag in tags if tag not in allowed)
    yield from (f"{tags.count(tag)} of <{tag}>" for tag in _ONCE if tags.count(tag) != 1)
    if not _ID.fullmatch(_text(item, "id")):
        yield f"id {_text(item, 'id')}"
    if not _MOMENT.fullmatch(_text(item, "updated")):
        yield f"updated {_text(item, 'updated')}"
    for tag in ("title", "content"):
        for child in item.iterfind(f"{ATOM}{tag}"):
            if child.get("type") != "text" or len(child) or not (child.text or "").strip():
                yield f"<{tag}> that is not a text"
    links = _links(item, "alternate")
    if len(links) != 1:
        yield f"{len(links)} alternate links"
    for link in (*links, *_links(item, "self")):
        parts = urlsplit(link.get("href", ""))
        if not (parts.scheme == "https" and parts.netloc and link.get("href", "").isascii()):
            yield f"a link to {link.get('href')}"


def _links(item: ElementTree.Element, relation: str) -> list[ElementTree.Element]:
    return [link for link in item.iterfind(f"{ATOM}link") if link.get("rel") == relation]


def _text(item: ElementTree.Element, tag: str) -> str:
    return item.findtext(f"{ATOM}{tag}") or ""


def _read(data: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(data)  # noqa: S314 (a feed that the test has made)
