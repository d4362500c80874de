"""Splits lists into pages, with cursors.

A cursor is opaque and valid for one listing of one release; any other cursor raises
`OtherReleaseError`. A cursor consists of an offset (4 bytes) and a keyed hash of listing and offset
(12 bytes), in URL-safe base64.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from skillbuild.model import Digest
from skillbuild.serve.state.entries import JsonObject
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import OtherReleaseError
from skillbuild.text.json import compact_json

PAGE_ITEMS = 100


@dataclass(frozen=True, slots=True)
class PagedList:
    """Identifies the listing that a cursor belongs to: the release, the method, and the parameters
    that select items.
    """

    release: Digest
    method: str
    parameters: tuple[object, ...] = ()

    def cursor(self, offset: int) -> str:
        """Return the cursor of the page that starts at an offset."""
        data = offset.to_bytes(4, "big")
        return base64.urlsafe_b64encode(data + self._hash(data)).decode()

    def offset(self, cursor: str) -> int:
        """Return the offset in a cursor; raise `OtherReleaseError` if the cursor belongs to another
        listing.
        """
        try:
            data = base64.b64decode(cursor.encode("ascii"), b"-_", validate=True)
        except (UnicodeEncodeError, binascii.Error) as error:
            raise OtherReleaseError from error
        offset = int.from_bytes(data[:4], "big")
        if offset == 0 or self.cursor(offset) != cursor:
            raise OtherReleaseError
        return offset

    def _hash(self, offset: bytes) -> bytes:
        listing = compact_json([self.method, *self.parameters]).encode()
        key = bytes.fromhex(self.release.hex)
        return hashlib.blake2b(listing + offset, key=key, digest_size=12).digest()


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing: the items from `start` up to, but not including, `stop`, and the
    cursor of the next page.
    """

    start: int
    stop: int
    next_cursor: str | None


def page(
    listing: PagedList,
    count: int,
    cursor: str | None,
    fit: Callable[[int, int], int] = lambda start, stop: stop,
    most: int = PAGE_ITEMS,
) -> Page:
    """Return the page of a listing that starts at `cursor`, or the first page if there is no
    cursor.

    The listing has `count` items, and a page never has more than `most`. `fit(start, stop)` may
    make a page shorter by returning a smaller `stop`. Raises `OtherReleaseError` if the cursor
    belongs to another listing or release.
    """
    start = 0 if cursor is None else listing.offset(cursor)
    if start >= count and start > 0:
        raise OtherReleaseError
    stop = fit(start, min(start + most, count))
    return Page(start, stop, listing.cursor(stop) if stop < count else None)


def page_of(
    release: ServedRelease,
    method: str,
    count: int,
    cursor: str | None,
    parameters: tuple[object, ...] = (),
) -> Page:
    """Return the page of a method that lists `count` items of a release; see `page`."""
    return page(PagedList(release.head_digest, method, parameters), count, cursor)


def with_next(result: JsonObject, part: Page) -> JsonObject:
    """Add `nextCursor` to a result if there is another page."""
    return result if part.next_cursor is None else {**result, "nextCursor": part.next_cursor}
