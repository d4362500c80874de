"""JSON as it is published: ASCII, compact, strict, one final newline."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

_compact = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def compact(value: object) -> str:
    """One line of JSON, keys in the order of the value."""
    return _compact(value)


def document(fields: Mapping[str, object], key: str, items: Iterable[object]) -> bytes:
    """An object with `fields`, and last the list `key` with one item a line."""
    return b"".join(pieces(fields, key, items))


def pieces(fields: Mapping[str, object], key: str, items: Iterable[object]) -> Iterator[bytes]:
    """The same, piece by piece: a large list need never be in memory as text."""
    head = "".join(f"{compact(name)}:{compact(value)},\n" for name, value in fields.items())
    yield f"{{{head}{compact(key)}:[\n".encode()
    separator = ""
    for item in items:
        yield f"{separator}{compact(item)}".encode()
        separator = ",\n"
    yield b"\n]}\n"


def valid_text(text: str) -> str:
    """Undecodable bytes of a file name escaped: lone surrogates are not JSON for everyone."""
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")
