"""Pages and their cursors.

A cursor is opaque and good for one listing of one release; any other one raises
`OtherReleaseError`. It is an offset (4 bytes) and a keyed hash of listing and offset (12 bytes), in
URL-safe base64.
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
    """What a cursor is bound to: the release, the method, and the parameters that choose items."""

    release: Digest
    method: str
    parameters: tuple[object, ...] = ()

    def cursor(self, offset: int) -> str:
        """The cursor of the page that starts at an offset."""
        data = offset.to_bytes(4, "big")
        return base64.urlsafe_b64encode(data + self._hash(data)).decode()

    def offset(self, cursor: str) -> int:
        """The offset in a cursor of this listing; `OtherReleaseError` for any other text."""
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
    """Items `start` to `stop` (exclusive) of a listing, and the cursor of the page after it."""

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
    """The page of a listing of `count` items at a cursor, or the first one; at most `most` items.

    `fit(start, stop)` may return a smaller `stop`. Raises `OtherReleaseError`.
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
    """The page of a method whose list has `count` items of a release."""
    return page(PagedList(release.digest, method, parameters), count, cursor)


def with_next(result: JsonObject, part: Page) -> JsonObject:
    """The result with `nextCursor`, if there is a page after this one."""
    return result if part.next_cursor is None else {**result, "nextCursor": part.next_cursor}
