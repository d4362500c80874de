"""The format of published JSON: ASCII, compact, strict, with one final newline."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

_compact = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def compact_json(value: object) -> str:
    """Return a value as one line of JSON; keys keep their order."""
    return _compact(value)


def json_line(value: object) -> bytes:
    """Return a value as one line of JSON in bytes, without a line break."""
    return compact_json(value).encode()


def indented_json(value: object) -> bytes:
    """Return a value as JSON for people: indented by two spaces, with one final newline."""
    return (json.dumps(value, indent=2, allow_nan=False) + "\n").encode()


def json_document(fields: Mapping[str, object], key: str, lines: Iterable[bytes]) -> bytes:
    """Return a JSON object with `fields` and then the list `key`.

    `lines` are the items of the list as JSON; each is written on a line of its own.
    """
    return b"".join(json_pieces(fields, key, lines))


def json_pieces(fields: Mapping[str, object], key: str, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same as `json_document` in pieces, so that a large list is not copied in memory."""
    head = "".join(
        f"{compact_json(name)}:{compact_json(value)},\n" for name, value in fields.items()
    )
    yield f"{{{head}{compact_json(key)}:[".encode()
    remaining, separator = iter(lines), b"\n"
    while batch := list(islice(remaining, _LINES_AT_ONCE)):
        yield separator + b",\n".join(batch)
        separator = b",\n"
    yield b"\n\n]}\n" if separator == b"\n" else b"\n]}\n"


_LINES_AT_ONCE = 500

_STRING = re.compile(rb'"[^"\\]*(?>(?:\\.[^"\\]*)*)"?', re.DOTALL)
_NO_BRACKETS = bytes(each for each in range(256) if each not in b"[]{}")


def depth_of(data: bytes) -> int:
    """Return how deeply lists and objects are nested in JSON. Python's own limit is not used,
    because it varies by version.
    """
    depth = deepest = 0
    for bracket in _STRING.sub(b"", data).translate(None, delete=_NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def valid_text(text: str) -> str:
    r"""Return a file name with each undecodable byte escaped as `\xNN`, because some JSON parsers
    reject lone surrogates.
    """
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")
