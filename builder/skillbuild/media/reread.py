"""Reads back an archive that was written a moment ago, before it is published.

`archive.unpack` reads the archives of any program, by Python's own readers. This reader knows only
the forms that `archive` writes, which takes a fraction of the time: contents are inflated by the
encoder's library and compared where they are.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from skillbuild.media.archive import (
    TAR_TYPE,
    ZIP_TYPE,
    ArchiveError,
    gunzip_bytes,
    inflate_bytes,
    mode,
)
from skillbuild.model import File

_BLOCK = 512
_CENTRAL = struct.Struct("<4s2x4xH4xIIIHHH4xII")
"""Of an entry in the directory of a zip: mark, method, CRC, packed and whole size, lengths of name,
extra field and comment, attributes, where its local header begins (APPNOTE 4.3.12)."""
_END = struct.Struct("<4s4xHHIIH")
"""Mark, entries on this disk and in all, size and begin of the directory, length of the comment."""


def holds(data: bytes, media_type: str, files: Sequence[File]) -> bool:
    """Whether the archive has exactly these files, in this order, with their modes and contents.

    False as well for an archive of another form than `archive` writes.
    """
    try:
        if media_type == ZIP_TYPE:
            return _zip_holds(data, files)
        return media_type == TAR_TYPE and _tar_holds(gunzip_bytes(data), files)
    except (ArchiveError, struct.error, ValueError):
        return False


def _tar_holds(tar: bytes, files: Sequence[File]) -> bool:
    """By the fields of the headers (POSIX.1-1988, ustar); zeros follow the last file."""
    start = 0
    for file in files:
        header, content = tar[start : start + _BLOCK], start + _BLOCK
        end = content + len(file.data)
        if not _describes(header, file) or not tar.startswith(file.data, content):
            return False
        start = end + -end % _BLOCK
        if tar[end:start].strip(b"\0"):
            return False
    return len(tar) >= start + 2 * _BLOCK and not tar[start:].strip(b"\0")


def _describes(header: bytes, file: File) -> bool:
    """Whether a header is sound and of a plain file with this path, mode and size."""
    prefix, name = header[345:500].rstrip(b"\0"), header[:100].rstrip(b"\0")
    path = b"%b/%b" % (prefix, name) if prefix else name
    total = sum(header) - sum(header[148:156]) + 8 * ord(" ")
    return (
        header[156:157] == b"0"
        and header[257:265] == b"ustar\00000"
        and path == file.path.encode()
        and _octal(header[100:108]) == mode(file)
        and _octal(header[124:136]) == len(file.data)
        and _octal(header[148:156]) == total
    )


def _octal(field: bytes) -> int:
    return int(field.strip(b" \0"), 8)


def _zip_holds(data: bytes, files: Sequence[File]) -> bool:
    """By the directory at the end, which readers go by, and the headers that it points to."""
    begin = len(data) - _END.size
    mark, here, count, size, start, comment = _END.unpack_from(data, begin)
    if (mark, here, count, comment) != (b"PK\5\6", len(files), len(files), 0):
        return False
    entry, local = start, 0
    for file in files:
        after = _after_content(data, entry, local, file)
        if after is None:
            return False
        entry, local = entry + _CENTRAL.size + len(file.path.encode()), after
    return bool(entry == begin == start + size and local == start)


def _after_content(data: bytes, entry: int, local: int, file: File) -> int | None:
    """Where the packed content of a file ends; None if the zip does not hold it at these places.

    `entry` is the place of its entry in the directory, `local` that of its local header.
    """
    name = file.path.encode()
    mark, method, crc, packed, whole, *lengths, attributes, offset = _CENTRAL.unpack_from(
        data, entry
    )
    content = local + 30 + len(name)
    end = content + packed
    common = data[entry + 6 : entry + 32]
    is_described = (
        (mark, lengths, offset) == (b"PK\1\2", [len(name), 0, 0], local)
        and attributes == (0o100000 | mode(file)) << 16
        and data.startswith(name, entry + _CENTRAL.size)
        # The local header repeats the middle of the entry.
        and data[local:content] == b"PK\3\4" + common + name
        and (whole, crc) == (len(file.data), zlib.crc32(file.data))
    )
    if not is_described:
        return None
    body = data[content:end]
    inflated = inflate_bytes(body, whole) if method else body
    return end if inflated == file.data else None
