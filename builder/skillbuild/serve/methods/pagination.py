"""Cursors: opaque, and good for one listing of one release; every other one is refused."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from skillbuild.model import Digest
from skillbuild.text.json import compact_json

PAGE_ITEMS = 100


class StaleCursorError(ValueError):
    """A cursor that this listing of this release did not hand out."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a cursor is bound to: the release, the method and what was asked of it."""

    release: Digest
    method: str
    question: tuple[object, ...] = ()

    def seal(self, offset: bytes) -> bytes:
        asked = compact_json([self.method, *self.question]).encode()
        mac = hashlib.blake2b(asked + offset, key=bytes.fromhex(self.release.hex), digest_size=12)
        return mac.digest()


@dataclass(frozen=True, slots=True)
class Page:
    """Items `start` to `stop` of a listing, and the cursor of the page after it."""

    start: int
    stop: int
    next_cursor: str | None


def page(
    listing: Listing,
    count: int,
    cursor: str | None,
    fit: Callable[[int, int], int] = lambda start, stop: stop,
) -> Page:
    """The page a cursor asks for; `fit` may end it sooner to keep it small."""
    start = 0 if cursor is None else _offset(listing, cursor)
    if start >= count and start > 0:
        raise StaleCursorError
    stop = fit(start, min(start + PAGE_ITEMS, count))
    return Page(start, stop, _cursor(listing, stop) if stop < count else None)


def _cursor(listing: Listing, offset: int) -> str:
    data = offset.to_bytes(4, "big")
    return base64.urlsafe_b64encode(data + listing.seal(data)).decode()


def _offset(listing: Listing, cursor: str) -> int:
    try:
        data = base64.b64decode(cursor.encode("ascii"), b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error) as error:
        raise StaleCursorError from error
    offset = int.from_bytes(data[:4], "big")
    if offset == 0 or _cursor(listing, offset) != cursor:
        raise StaleCursorError
    return offset
