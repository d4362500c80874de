"""Copies PNG and JPEG icons without their metadata, and draws PNG files for link previews.

Text, locations and timestamps from cameras and programs are removed. Color profiles, thumbnails,
and everything after the end of the image are removed too. The EXIF rotation is kept. Compressed
pixels are copied without being decoded or checked: a browser may show only part of a damaged image,
or nothing, but never executes it. Section numbers refer to the PNG Specification (Third Edition)
and to ITU-T T.81 (JPEG).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from skillbuild.model import Place

MAX_SIDE = 1024
"""The maximum width and height of an icon."""
MAX_SCANS = 100
"""The maximum number of scans, because browsers decode the whole image once for each scan of a
progressive JPEG, however small the file.
"""

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
JPEG_SIGNATURE = b"\xff\xd8\xff"

_PNG_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_PNG_ANIMATION = (b"acTL", b"fcTL", b"fdAT")
_INDEXED = 3

_SOI, _EOI, _SOS, _DQT, _DHT, _DRI, _COM = 0xD8, 0xD9, 0xDA, 0xDB, 0xC4, 0xDD, 0xFE
_JFIF, _EXIF, _ADOBE = 0xE0, 0xE1, 0xEE
_FRAMES = (0xC0, 0xC1, 0xC2)
"""Markers of baseline, extended sequential and progressive frames with Huffman coding (B.2.2)."""
_RESTARTS = range(0xD0, 0xD8)
_WITHOUT_LENGTH = (0x00, 0x01, _SOI, *_RESTARTS)
_JPEG_KEPT = (*_FRAMES, _DQT, _DHT, _DRI, _SOS)
_JPEG_LEFT_OUT = (*range(0xE0, 0xF0), _COM)

_ORIENTATION, _SHORT = 0x0112, 3
"""Tag and type of the only EXIF field that is kept (EXIF 2.32, 4.6.4)."""


class IconError(ValueError):
    """Raised for an image that cannot be published. The message is one sentence that does not name
    the file.

    For an SVG, `place` is the position of the problem, and `removal` says what to remove; `removal`
    is empty if no such part is known.
    """

    def __init__(self, reason: str, place: Place | None = None, removal: str = "") -> None:
        super().__init__(reason)
        self.place = place
        self.removal = removal


@dataclass(frozen=True, slots=True)
class Raster:
    """A cleaned image. Width and height are in pixels, before any rotation."""

    data: bytes
    media_type: str
    width: int
    height: int


def clean(data: bytes) -> Raster | None:
    """Remove all metadata except the EXIF rotation from a PNG or JPEG; return None for any other
    format.

    Cleaning a second time changes nothing. Raises `IconError` for an image that is truncated,
    animated, or wider or taller than `MAX_SIDE`.
    """
    if data.startswith(PNG_SIGNATURE):
        return _clean_png(data)
    if data.startswith(JPEG_SIGNATURE):
        return _clean_jpeg(data)
    return None


def _clean_png(data: bytes) -> Raster:
    written = [PNG_SIGNATURE]
    width = height = 0
    kinds: set[bytes] = set()
    for kind, body in _chunks(data):
        if (kind == b"IHDR") != (not kinds) or (kind == b"IHDR" and len(body) != 13):
            raise IconError(
                "the PNG must begin with an IHDR chunk of 13 bytes, and have no other IHDR chunk"
            )
        if kind in _PNG_ANIMATION:
            raise IconError("the PNG is animated")
        if kind == b"IHDR":
            width, height = _checked_size("PNG", *struct.unpack_from(">II", body))
        kinds.add(kind)
        if kind in _PNG_KEPT:
            written.append(_chunk(kind, body))
        elif kind == b"eXIf" and (orientation := _orientation(body)) > 1:
            written.append(_chunk(kind, _exif(orientation)))
    if b"IDAT" not in kinds:
        raise IconError("the PNG has no IDAT chunk")
    return Raster(b"".join(written), "image/png", width, height)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the type and data of each chunk up to IEND; other bytes may follow IEND (5.3)."""
    at, kind = len(PNG_SIGNATURE), b""
    while kind != b"IEND":
        if len(data) - at < 12:
            raise IconError("the PNG ends before its IEND chunk")
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        if end > len(data):
            raise IconError(f"the PNG ends inside its {ascii(kind)[1:]} chunk")
        if zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            raise IconError(f"the PNG's {ascii(kind)[1:]} chunk has a wrong CRC")
        yield kind, data[at + 8 : end - 4]
        at = end


def _clean_jpeg(data: bytes) -> Raster:
    """Copy the segments up to the end marker; other bytes may follow the marker (B.1)."""
    before: dict[int, bytes] = {}
    written: list[bytes] = []
    size: tuple[int, int] | None = None
    scans = 0
    marker, at = _marker(data, 2)
    while marker != _EOI:
        body = _segment(data, at, marker)
        at += 2 + len(body)
        if marker in _FRAMES:
            if size is not None or len(body) < 6:
                raise IconError("the JPEG has more than one frame, or a broken one")
            height, width = struct.unpack_from(">HH", body, 1)
            size = _checked_size("JPEG", width, height)
        if marker in _JPEG_KEPT:
            written.append(struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body)
        elif marker in _JPEG_LEFT_OUT:
            before |= _needed_of_application(marker, body)
        else:
            raise IconError(f"browsers do not show this kind of JPEG (segment {marker:02X})")
        if marker == _SOS:
            scans += 1
            end = _end_of_scan(data, at)
            written.append(data[at:end])
            at = end
        marker, at = _marker(data, at)
    if size is None or not 0 < scans <= MAX_SCANS:
        raise IconError(f"the JPEG has no frame, no scan, or more than {MAX_SCANS} scans")
    head = [before[marker] for marker in sorted(before)]
    whole = b"".join([bytes([0xFF, _SOI]), *head, *written, bytes([0xFF, _EOI])])
    return Raster(whole, "image/jpeg", *size)


def _checked_size(kind: str, width: int, height: int) -> tuple[int, int]:
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise IconError(f"the {kind} is {width}x{height} pixels; each side must be 1 to {MAX_SIDE}")
    return width, height


def _marker(data: bytes, at: int) -> tuple[int, int]:
    """Return the marker at a position, after optional fill bytes, and the position behind it
    (B.1.1.2).
    """
    if data[at : at + 1] not in (b"", b"\xff"):
        raise IconError("the JPEG has stray bytes between its segments")
    while data[at : at + 1] == b"\xff":
        at += 1
    if at >= len(data):
        raise IconError("the JPEG ends before its end marker")
    return data[at], at + 1


def _segment(data: bytes, at: int, marker: int) -> bytes:
    """Return the content of a segment; `at` is the position of its length field (B.1.1.4)."""
    length = int.from_bytes(data[at : at + 2], "big")
    if marker in _WITHOUT_LENGTH or length < 2 or at + length > len(data):
        raise IconError(f"the JPEG is broken or truncated at segment {marker:02X}")
    return data[at + 2 : at + length]


def _needed_of_application(marker: int, body: bytes) -> dict[int, bytes]:
    """Return the data to keep from an application segment, by marker: colors or the rotation.

    Densities and thumbnails are dropped.
    """
    kept = b""
    if marker == _JFIF and body.startswith(b"JFIF\0"):
        kept = b"JFIF\0\1\1\0\0\1\0\1\0\0"
    elif marker == _ADOBE and body.startswith(b"Adobe") and len(body) == 12:
        kept = b"Adobe\0\x64\0\0\0\0" + body[-1:]
    elif marker == _EXIF and body.startswith(b"Exif\0\0"):
        orientation = _orientation(body[6:])
        kept = b"Exif\0\0" + _exif(orientation) if orientation > 1 else b""
    return {marker: struct.pack(">BBH", 0xFF, marker, len(kept) + 2) + kept} if kept else {}


def _end_of_scan(data: bytes, at: int) -> int:
    """Return the position where compressed pixels end: the next marker that is not a restart
    (B.1.1.5).
    """
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            raise IconError("the JPEG ends inside its image data")
        if data[at + 1] != 0 and data[at + 1] not in _RESTARTS:
            return at
        at += 2


def _orientation(tiff: bytes) -> int:
    """Return the EXIF orientation, `1` (not rotated) to `8`; `1` if the data is damaged."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None or len(tiff) < 8:
        return 1
    (start,) = struct.unpack_from(f"{order}I", tiff, 4)
    count = int.from_bytes(tiff[start : start + 2], "little" if order == "<" else "big")
    for at in range(start + 2, min(start + 2 + 12 * count, len(tiff) - 11), 12):
        tag, kind, number, value = struct.unpack_from(f"{order}HHIH", tiff, at)
        if (tag, kind, number) == (_ORIENTATION, _SHORT, 1) and 1 <= value <= 8:
            return int(value)
    return 1


def _exif(orientation: int) -> bytes:
    """Return a TIFF header and a directory that contains only the orientation (EXIF 2.32,
    4.6.2).
    """
    return b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, _ORIENTATION, _SHORT, 1, orientation, 0, 0)


# Drawing a PNG


DRAWN_WIDTH, DRAWN_HEIGHT = 1200, 630
"""The size in pixels to which sites crop link previews."""
_CELL = 72
_PAPER = bytes.fromhex("f6f8fa")


def draw_cells(cells: Collection[tuple[int, int]], color: bytes) -> bytes:
    """Draw the given cells of a centered 5 x 5 grid as a PNG, for sites that do not show SVG
    images.

    A cell is (row, column), counted from 0. Each pixel is one bit that selects one of two colors
    (11.2.1). `color` is three bytes: red, green and blue. The PNG is compressed like archives, so
    its bytes are the same on every machine.
    """
    from skillbuild.media.archive import zlib_bytes  # Imported here because a check draws nothing.

    top, left = (DRAWN_HEIGHT - 5 * _CELL) // 2, (DRAWN_WIDTH - 5 * _CELL) // 2
    empty = bytes(1 + DRAWN_WIDTH // 8)
    rows = [empty] * DRAWN_HEIGHT
    for row in range(5):
        bits = sum(_ones(left + column * _CELL) for at, column in cells if at == row)
        start = top + row * _CELL
        rows[start : start + _CELL] = [b"\0" + bits.to_bytes(DRAWN_WIDTH // 8, "big")] * _CELL
    header = struct.pack(">IIBBBBB", DRAWN_WIDTH, DRAWN_HEIGHT, 1, _INDEXED, 0, 0, 0)
    pixels = zlib_bytes(b"".join(rows))
    chunks = ((b"IHDR", header), (b"PLTE", _PAPER + color), (b"IDAT", pixels), (b"IEND", b""))
    return PNG_SIGNATURE + b"".join(_chunk(kind, body) for kind, body in chunks)


def _ones(start: int) -> int:
    """Return the bits that one cell sets in a row; the first pixel is the highest bit (7.2)."""
    return ((1 << _CELL) - 1) << (DRAWN_WIDTH - start - _CELL)


def _chunk(kind: bytes, body: bytes) -> bytes:
    """Return one PNG chunk: length, type, data and CRC (5.3)."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
