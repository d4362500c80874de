"""PNG icons, checked to their last byte and rewritten with only the chunks that pixels need.

Section numbers are those of the PNG Specification (Third Edition). The compressed pixels are not
compressed again, so that no compressor's version ends up in a digest.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_SIDE = 1024
"""The most pixels an icon may have on either side."""

_CRITICAL = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
_WRITTEN = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_ANIMATION = (b"acTL", b"fcTL", b"fdAT")
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_ADAM7 = (  # First column, first row, and the step to the next of each (8.1).
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)


class PngError(ValueError):
    """The bytes are not a PNG that may be published; `str()` is one sentence that says why."""


@dataclass(frozen=True, slots=True)
class CleanPng:
    """A rewritten PNG; width and height in pixels."""

    data: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    kind: bytes
    body: bytes


@dataclass(frozen=True, slots=True)
class _Header:
    """What IHDR says (11.2.1); width and height in pixels, depth in bits per sample."""

    width: int
    height: int
    depth: int
    color: int
    interlaced: bool


def clean(data: bytes) -> CleanPng:
    """The rewritten file: IHDR, PLTE, tRNS, one IDAT and IEND.

    Checked are every chunk's CRC, the order of chunks, palette and transparency, the length of the
    inflated image and its filter types. Raises `PngError` at the first fault (5.2 to 5.6, 10, 11.2,
    11.3.1.1), and for an image that is animated, or wider or higher than `MAX_SIDE`.
    """
    if not data.startswith(SIGNATURE):
        raise PngError("the file does not begin with the PNG signature")
    walk = _chunks(data)
    first = next(walk)
    header = _header(first)
    chunks = (first, *walk)
    _check_order([chunk.kind for chunk in chunks])
    bodies = {
        kind: b"".join(chunk.body for chunk in chunks if chunk.kind == kind) for kind in _WRITTEN
    }
    present = {chunk.kind for chunk in chunks}
    _check_palette(header, bodies[b"PLTE"] if b"PLTE" in present else None)
    if b"tRNS" in present:
        _check_transparency(header, bodies[b"PLTE"], bodies[b"tRNS"])
    _check_pixels(header, bodies[b"IDAT"])
    written = (_write(kind, bodies[kind]) for kind in _WRITTEN if kind in present)
    return CleanPng(SIGNATURE + b"".join(written), header.width, header.height)


def _chunks(data: bytes) -> Iterator[_Chunk]:
    """Every chunk, up to an IEND that must be the end of the file (5.3, 5.4)."""
    at, length, kind = len(SIGNATURE), 0, b""
    while kind != b"IEND":
        if len(data) - at < 12:
            raise PngError("the PNG is cut off before its IEND chunk")
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        if not kind.isalpha() or kind[2:3].islower():
            raise PngError(f"the PNG has a chunk with the invalid type {ascii(kind)[1:]}")
        if end > len(data):
            raise PngError(f"the PNG is cut off inside its {kind.decode()} chunk")
        if zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            raise PngError(f"the PNG's {kind.decode()} chunk has a wrong CRC")
        yield _Chunk(kind, data[at + 8 : end - 4])
        at = end
    if length:
        raise PngError("the PNG's IEND chunk is not empty")
    if at != len(data):
        raise PngError(f"the PNG has more after its IEND chunk (bytes: {len(data) - at})")


def _header(chunk: _Chunk) -> _Header:
    if chunk.kind != b"IHDR" or len(chunk.body) != 13:
        raise PngError("the PNG does not begin with an IHDR chunk of 13 bytes")
    width, height, depth, color, *methods = struct.unpack(">IIBBBBB", chunk.body)
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise PngError(f"the PNG is {width}x{height} pixels; each side must be 1 to {MAX_SIDE}")
    if depth not in _DEPTHS.get(color, ()):
        raise PngError(f"the PNG has bit depth {depth} with color type {color}, not a legal pair")
    if methods not in ([0, 0, 0], [0, 0, 1]):
        raise PngError("the PNG has an unknown compression, filter or interlace method")
    return _Header(width, height, depth, color, methods[2] == 1)


def _check_order(kinds: list[bytes]) -> None:
    """Check number and order of the chunks (5.6), of those that are left out too."""
    for kind in kinds:
        if kind in _ANIMATION:
            raise PngError(f"the PNG is animated (it has a {kind.decode()} chunk)")
        if kind[:1].isupper() and kind not in _CRITICAL:
            raise PngError(f"the PNG has an unknown critical chunk {kind.decode()}")
        if kind in _WRITTEN and kind != b"IDAT" and kinds.count(kind) > 1:
            raise PngError(f"the PNG has more than one {kind.decode()} chunk")
    if b"IDAT" not in kinds:
        raise PngError("the PNG has no IDAT chunk")
    start = kinds.index(b"IDAT")
    if any(kind != b"IDAT" for kind in kinds[start : start + kinds.count(b"IDAT")]):
        raise PngError("the PNG's IDAT chunks are not consecutive")
    if b"PLTE" in kinds[start:] or b"tRNS" in kinds[start:]:
        raise PngError("the PNG has a PLTE or tRNS chunk after its image data")
    if b"tRNS" in kinds and b"PLTE" in kinds[kinds.index(b"tRNS") :]:
        raise PngError("the PNG has its tRNS chunk before its PLTE chunk")


def _check_palette(header: _Header, palette: bytes | None) -> None:
    """Check PLTE against the color type (11.2.2); `None` stands for no such chunk."""
    if palette is None:
        if header.color == 3:
            raise PngError("the PNG has indexed color but no PLTE chunk")
        return
    if header.color in (0, 4):
        raise PngError("the PNG is grayscale but has a PLTE chunk")
    entries = 1 << header.depth if header.color == 3 else 256
    if len(palette) % 3 or not 0 < len(palette) <= entries * 3:
        raise PngError(f"the PNG has a PLTE chunk that is not 1 to {entries} colors of 3 bytes")


def _check_transparency(header: _Header, palette: bytes, alpha: bytes) -> None:
    """Check tRNS against the color type (11.3.1.1)."""
    match header.color:
        case 0 | 2:
            fits = len(alpha) == 2 * _CHANNELS[header.color]
        case 3:
            fits = 0 < len(alpha) <= len(palette) // 3
        case _:
            fits = False
    if not fits:
        raise PngError(f"the PNG has a tRNS chunk unfit for its color type {header.color}")


def _check_pixels(header: _Header, stream: bytes) -> None:
    """Inflate at most one byte too many, then check each scanline's filter type (9.2, 10)."""
    passes = tuple(_passes(header))
    size = sum(rows * stride for rows, stride in passes)
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(stream, size + 1)
    except zlib.error:
        raise PngError("the PNG's image data is not a valid zlib stream") from None
    if len(raw) > size:
        raise PngError(f"the PNG's image data inflates to more than its {size} bytes")
    if len(raw) < size or not inflater.eof:
        raise PngError(f"the PNG's image data ends before its {size} bytes are complete")
    if inflater.unused_data:
        raise PngError("the PNG has bytes after the end of its compressed image data")
    at = 0
    for rows, stride in passes:
        if max(raw[at : at + rows * stride : stride]) > 4:
            raise PngError("the PNG has a scanline with an unknown filter type")
        at += rows * stride


def _passes(header: _Header) -> Iterator[tuple[int, int]]:
    """(Scanlines, bytes in each with its filter byte) per pass that holds pixels (8.1)."""
    bits = header.depth * _CHANNELS[header.color]
    for left, top, across, down in _ADAM7 if header.interlaced else ((0, 0, 1, 1),):
        columns = max(0, -(-(header.width - left) // across))
        rows = max(0, -(-(header.height - top) // down))
        if columns and rows:
            yield rows, 1 + (columns * bits + 7) // 8


def _write(kind: bytes, body: bytes) -> bytes:
    crc = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc)
