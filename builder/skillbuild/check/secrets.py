"""Finds secrets in files: private keys, tokens, and passwords of databases.

A finding names the kind and the place; the value itself is never repeated.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass, field

from skillbuild.check.secret_formats import ADDRESSES, CODES, NAMES, TEXTS, Format
from skillbuild.model import Place

_ORDER = {item: rank for rank, item in enumerate((*TEXTS, *CODES, *ADDRESSES, *NAMES))}
"""Where two formats meet at one place, the earlier says more about it."""

_BY_TEXT = {
    sign: tuple(item for item in TEXTS if item.sign == sign)
    for sign in sorted({item.sign for item in TEXTS})
}
_INNER = tuple(item for item in CODES if item.inner)
_BY_PREFIX = {
    code.sign: tuple(item for item in CODES if not item.inner and code.sign.startswith(item.sign))
    for code in CODES
    if not code.inner
}
"""The formats to try where a prefix was met; with `sk-proj-`, also that of `sk-`."""
_PREFIX = re.compile(
    rb"(?<![A-Za-z0-9])[nrt]?(%b)"
    % b"|".join(map(re.escape, sorted(_BY_PREFIX, key=len, reverse=True)))
)

_SHORTEST_ROW = 17
"""Characters in a row without which no format of `CODES` or `NAMES` is there."""
_ROW = b"a" * _SHORTEST_ROW
_IN_ROW = (string.ascii_letters + string.digits + "_-.=~:").encode()
_ROWS = bytes(ord("a") if char in _IN_ROW else ord(" ") for char in range(256))
"""Maps the characters that codes and names consist of to one letter, and others to a blank."""
_NO_DIGITS = bytes({*range(256)} - {*string.digits.encode()})
_AUTHORITY = re.compile(rb"://([^\s/\"'`<>]{4,300})")

_VISIBLE = re.compile(rb"\S")

_MOST_OF_KEY = 4096
"""Bytes of a key in such JSON, with what is said of its account."""
_COST, _BLOCK = 2**12, 8
"""Parameters of scrypt for fingerprints: 4 MiB and some milliseconds for each.

A fingerprint stands in logs and settings that others may read: to guess a password by it costs
so much for each guess.
"""


@dataclass(frozen=True, slots=True)
class Secret:
    """What looks like a secret; its value is in no representation."""

    kind: str
    place: Place | None
    """None for a whole file."""
    value: bytes = field(repr=False)


def find(data: bytes) -> Iterator[Secret]:
    """Everything in a file that looks like a secret and not like a placeholder, by place.

    Of formats that overlap, there is the one that says most.
    """
    for kind, start, end in _apart(_spans(data)):
        yield Secret(kind, _place(data, start), data[start:end])


def is_key_file(data: bytes, secret: Secret) -> bool:
    """Whether a file is there for one private key: it, or the JSON that Google hands out."""
    text = data.strip()
    if secret.kind == "a Google service account key":
        is_object = text.startswith(b"{") and text.endswith(b"}") and len(text) < _MOST_OF_KEY
        return is_object and b'"service_account"' in text and b'"private_key_id"' in text
    is_block = text.startswith(b"-----BEGIN ") and text.endswith(b"-----")
    return secret.kind == "a private key" and is_block and text.count(b"-----BEGIN ") == 1


def blanked(data: bytes) -> bytes:
    """The text with an `x` for every character of a secret, so that no finding can repeat it."""
    parts, done = [], 0
    for start, end, _, _ in _spans(data):
        if end > done:
            parts += [data[done : max(start, done)], without_text(data[max(start, done) : end])]
            done = end
    return b"".join([*parts, data[done:]])


def without_text(data: bytes) -> bytes:
    """An `x` for every byte but blanks and line ends."""
    return _VISIBLE.sub(b"x", data)


def fingerprint(kind: str, path: str, value: bytes) -> str:
    """16 hex digits that stand for this value of this kind in this file.

    They are the beginning of scrypt (RFC 7914) with N = 4,096, r = 8 and p = 1 over the value, the
    salt being the kind, a NUL and the path in the source.
    """
    salt = f"{kind}\0{path}".encode(errors="surrogateescape")
    return hashlib.scrypt(value, salt=salt, n=_COST, r=_BLOCK, p=1, dklen=8).hex()


def _spans(data: bytes) -> list[tuple[int, int, int, str]]:
    """Start, end, rank and kind of all values that are real, in order."""
    return sorted(
        (match.start(1), match.end(1), _ORDER[item], item.kind)
        for item in _formats_in(data)
        for match in item.pattern.finditer(data)
        if item.is_real(match)
    )


def _apart(spans: list[tuple[int, int, int, str]]) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of the spans; of those that overlap, the one of the lowest rank."""
    best: tuple[int, int, int, str] | None = None
    for span in spans:
        if best is None or span[0] >= best[1]:
            if best is not None:
                yield best[3], best[0], best[1]
            best = span
        elif span[2] < best[2]:
            best = span
    if best is not None:
        yield best[3], best[0], best[1]


def _formats_in(data: bytes) -> Iterator[Format]:
    """The formats whose signs are in a file, by quick searches in as little of it as will do."""
    for sign, formats in _BY_TEXT.items():
        if sign in data:
            yield from formats
    if b"://" in data:
        authorities = b" ".join(_AUTHORITY.findall(data))
        yield from (item for item in ADDRESSES if item.sign in authorities)
    rows = _rows(data)
    if rows:
        names = b" ".join(rows)
        yield from (item for item in NAMES if item.sign in names)
        codes = b" ".join([row for row in rows if row.translate(None, _NO_DIGITS)])
        for sign in dict.fromkeys(_PREFIX.findall(codes)):
            yield from _BY_PREFIX[sign]
        yield from (item for item in _INNER if item.sign in codes and item.pattern.search(codes))


def _rows(data: bytes) -> list[bytes]:
    """The long rows of letters, digits and what joins them, each with the character before it."""
    shape = data.translate(_ROWS)
    rows, start = [], shape.find(_ROW)
    while start >= 0:
        end = shape.find(b" ", start + _SHORTEST_ROW)
        end = len(data) if end < 0 else end
        rows.append(data[start and start - 1 : end])
        start = shape.find(_ROW, end)
    return rows


def _place(data: bytes, index: int) -> Place:
    start = data.rfind(b"\n", 0, index) + 1
    column = len(data[start:index].decode(errors="replace")) + 1
    return Place(data.count(b"\n", 0, index) + 1, column)
