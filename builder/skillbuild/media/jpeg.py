"""JPEG icons, checked segment by segment and rewritten with only the segments that pixels need.

Names of sections and markers are those of ITU-T T.81. Left out are EXIF (with it, an orientation),
color profiles, thumbnails, comments, and whatever follows the end of the image. The compressed
pixels are copied and not decoded: a browser shows a damaged image in part, and runs none of it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from skillbuild.media.png import MAX_SIDE

SIGNATURE = b"\xff\xd8\xff"
MAX_SCANS = 100
"""A progressive image is decoded once for each scan, however small its file is."""

_SOI, _EOI, _SOS, _DQT, _DHT, _DRI, _COM = 0xD8, 0xD9, 0xDA, 0xDB, 0xC4, 0xDD, 0xFE
_PROGRESSIVE = 0xC2
_FRAMES = (0xC0, 0xC1, _PROGRESSIVE)
"""Baseline, extended sequential and progressive frames with Huffman coding (B.2.2)."""
_RESTARTS = range(0xD0, 0xD8)
_APP = range(0xE0, 0xF0)

# What tells a decoder which colors the components are, without densities and thumbnails.
_JFIF = b"JFIF\0", b"\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"
_ADOBE = b"Adobe", b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0"


class JpegError(ValueError):
    """The bytes are not a JPEG that may be published; `str()` is one sentence that says why."""


@dataclass(frozen=True, slots=True)
class CleanJpeg:
    """A rewritten JPEG; width and height in pixels."""

    data: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class _Frame:
    """What a frame header says; `components` are quantization tables by component (B.2.2)."""

    width: int
    height: int
    components: dict[int, int]
    progressive: bool


@dataclass(slots=True)
class _Image:
    """What was read of an image so far."""

    written: list[bytes] = field(default_factory=list)
    colors: dict[int, bytes] = field(default_factory=dict)
    """By marker, the rewritten APP0 and APP14."""
    frame: _Frame | None = None
    quantization: set[int] = field(default_factory=set)
    huffman: set[tuple[int, int]] = field(default_factory=set)
    """Class (0 for DC, 1 for AC) and destination of each Huffman table."""
    restarts: bool = False
    scanned: set[int] = field(default_factory=set)
    """Components that a scan was about."""
    scans: int = 0


def clean(data: bytes) -> CleanJpeg:
    """The rewritten file: JFIF and Adobe's color transform if there, tables, frame and scans.

    Checked are the length of every segment, the tables, the frame header, and that each scan refers
    to components and tables that were defined. Raises `JpegError` at the first fault, and for an
    image that is wider or higher than `MAX_SIDE`.
    """
    if not data.startswith(SIGNATURE):
        raise JpegError("the file does not begin with the JPEG signature")
    image, at = _Image(), 2
    while True:
        marker, at = _marker(data, at)
        if marker == _EOI:
            break
        body = _body(data, at, marker)
        at += 2 + len(body)
        _read(image, marker, body)
        if marker == _SOS:
            stop = _end_of_scan(data, at, restarts=image.restarts)
            image.written.append(data[at:stop])
            at = stop
    frame = image.frame
    if frame is None or image.scanned != set(frame.components):
        raise JpegError("the JPEG ends before all its pixels were given")
    colors = [image.colors[marker] for marker in sorted(image.colors)]
    whole = b"".join([SIGNATURE[:2], *colors, *image.written, bytes([0xFF, _EOI])])
    return CleanJpeg(whole, frame.width, frame.height)


def _marker(data: bytes, at: int) -> tuple[int, int]:
    """The marker at a position, which fill bytes may precede, and what follows it (B.1.1.2)."""
    if data[at : at + 1] not in (b"", b"\xff"):
        raise JpegError("the JPEG has bytes between its segments")
    while data[at : at + 1] == b"\xff":
        at += 1
    if at >= len(data):
        raise JpegError("the JPEG is cut off before its end marker")
    return data[at], at + 1


def _body(data: bytes, at: int, marker: int) -> bytes:
    if marker in (_SOI, 0x00, 0x01, *_RESTARTS):
        raise JpegError(f"the JPEG has a marker {marker:02X} that may not stand there")
    length = int.from_bytes(data[at : at + 2], "big")
    if length < 2 or at + length > len(data):
        raise JpegError(f"the JPEG is cut off inside its segment {marker:02X}")
    return data[at + 2 : at + length]


def _read(image: _Image, marker: int, body: bytes) -> None:
    """Check one segment, and keep it if it is about pixels."""
    if marker == _COM or marker in _APP:
        image.colors |= _colors(marker, body)
        return
    if marker in _FRAMES and image.frame is None:
        image.frame = _frame(body, progressive=marker == _PROGRESSIVE)
    elif marker in _FRAMES:
        raise JpegError("the JPEG has more than one frame")
    elif marker == _DQT:
        image.quantization |= _quantization_tables(body)
    elif marker == _DHT:
        image.huffman |= _huffman_tables(body)
    elif marker == _DRI:
        if len(body) != 2:
            raise JpegError("the JPEG has a restart interval that is not of 2 bytes")
        image.restarts = body != b"\0\0"
    elif marker == _SOS:
        _check_scan(image, body)
    else:
        raise JpegError(f"the JPEG is of a kind that browsers do not show (segment {marker:02X})")
    image.written.append(struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body)


def _colors(marker: int, body: bytes) -> dict[int, bytes]:
    """The segment to write for one of an application: one at most, by its marker."""
    if marker == 0xE0 and body.startswith(_JFIF[0]):
        return {marker: _JFIF[1]}
    if marker == 0xEE and body.startswith(_ADOBE[0]) and len(body) == 12:
        return {marker: _ADOBE[1] + body[-1:]}
    return {}


def _frame(body: bytes, *, progressive: bool) -> _Frame:
    """Read a frame header (B.2.2) of one or three components of 8 bits."""
    if len(body) < 6 or len(body) != 6 + 3 * body[5]:
        raise JpegError("the JPEG has a frame header of a wrong length")
    depth, height, width, count = struct.unpack_from(">BHHB", body)
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise JpegError(f"the JPEG is {width}x{height} pixels; each side must be 1 to {MAX_SIDE}")
    if depth != 8 or count not in (1, 3):
        raise JpegError(f"the JPEG has not 1 or 3 components of 8 bits, but {count} of {depth}")
    parts = [body[start : start + 3] for start in range(6, len(body), 3)]
    components = {identity: table for identity, _, table in parts}
    sampling = [divmod(each[1], 16) for each in parts]
    in_range = all(1 <= side <= 4 for sides in sampling for side in sides)
    if len(components) < count or not in_range or sum(a * b for a, b in sampling) > 10:
        raise JpegError("the JPEG has components with equal names or impossible sampling")
    return _Frame(width, height, components, progressive)


def _quantization_tables(body: bytes) -> set[int]:
    """The destinations of all tables in a DQT segment (B.2.4.1)."""
    tables, at = set(), 0
    while at < len(body):
        wide, table = divmod(body[at], 16)
        at += 1 + 64 * (1 + wide)
        if wide > 1 or table > 3 or at > len(body):
            raise JpegError("the JPEG has a broken quantization table")
        tables.add(table)
    return tables


def _huffman_tables(body: bytes) -> set[tuple[int, int]]:
    """Class and destination of all tables in a DHT segment (B.2.4.2)."""
    tables, at = set(), 0
    while at < len(body):
        table, counts = divmod(body[at], 16), body[at + 1 : at + 17]
        at += 17 + sum(counts)
        room = sum(count << (16 - length) for length, count in enumerate(counts, 1)) <= 1 << 16
        if table[0] > 1 or table[1] > 3 or at > len(body) or sum(counts) > 256 or not room:
            raise JpegError("the JPEG has a broken Huffman table")
        tables.add(table)
    return tables


def _check_scan(image: _Image, body: bytes) -> None:
    """Check a scan header (B.2.3) against the frame and the tables before it."""
    frame = image.frame
    if frame is None:
        raise JpegError("the JPEG has a scan before its frame header")
    image.scans += 1
    if image.scans > MAX_SCANS:
        raise JpegError(f"the JPEG has more than {MAX_SCANS} scans")
    count = body[0] if body else 0
    if not 1 <= count <= 4 or len(body) != 4 + 2 * count:
        raise JpegError("the JPEG has a scan header of a wrong length")
    first, last, approximation = body[-3:]
    if frame.progressive:
        orders = last == 0 if first == 0 else first <= last <= 63 and count == 1
    else:
        orders = (first, last, approximation) == (0, 63, 0)
    if not orders or approximation & 15 > 13:
        raise JpegError("the JPEG has a scan of impossible coefficients")
    needed = [0] * (first == 0 and approximation < 16) + [1] * (last > 0)
    scanned = dict(zip(body[1:-3:2], body[2:-3:2], strict=True))
    for component, tables in scanned.items():
        huffman = {(kind, divmod(tables, 16)[kind]) for kind in needed}
        is_defined = frame.components.get(component) in image.quantization
        if len(scanned) < count or not is_defined or not huffman <= image.huffman:
            raise JpegError("the JPEG has a scan of components or tables that it does not define")
    image.scanned |= scanned.keys()


def _end_of_scan(data: bytes, at: int, *, restarts: bool) -> int:
    """Where the compressed pixels end: at the next marker that is not one of theirs (B.1.1.5)."""
    start, number = at, 0
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            raise JpegError("the JPEG is cut off inside its compressed pixels")
        marker = data[at + 1]
        if marker == _RESTARTS[number % 8] and restarts:
            number += 1
        elif marker != 0:
            break
        at += 2
    if at == start:
        raise JpegError("the JPEG has a scan without pixels")
    return at
