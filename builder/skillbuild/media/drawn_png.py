"""A drawing of 5 x 5 cells as PNG, for hosts that show no SVG.

Section numbers are those of the PNG Specification (Third Edition).
"""

import struct
import zlib
from collections.abc import Collection

from skillbuild.media.archive import zlib_bytes
from skillbuild.media.png import SIGNATURE

WIDTH, HEIGHT = 1200, 630
"""What hosts cut pictures of links to, in pixels."""
_CELL = 72
_PAPER = bytes.fromhex("f6f8fa")
_INDEXED = 3


def draw_cells(cells: Collection[tuple[int, int]], color: bytes) -> bytes:
    """Cells, by row and column from 0, in the middle of an empty picture.

    One bit a pixel chooses of two colors (11.2.1); `color` is red, green and blue. The
    compressor is the one of archives, which is pinned, so the bytes are the same on every host.
    """
    top, left = (HEIGHT - 5 * _CELL) // 2, (WIDTH - 5 * _CELL) // 2
    empty = bytes(1 + WIDTH // 8)
    rows = [empty] * HEIGHT
    for row in range(5):
        bits = sum(_ones(left + column * _CELL) for at, column in cells if at == row)
        start = top + row * _CELL
        rows[start : start + _CELL] = [b"\0" + bits.to_bytes(WIDTH // 8, "big")] * _CELL
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 1, _INDEXED, 0, 0, 0)
    pixels = zlib_bytes(b"".join(rows))
    chunks = ((b"IHDR", header), (b"PLTE", _PAPER + color), (b"IDAT", pixels), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, body) for kind, body in chunks)


def _ones(start: int) -> int:
    """The bits of a row for one cell; the first pixel is the highest bit (7.2)."""
    return ((1 << _CELL) - 1) << (WIDTH - start - _CELL)


def _chunk(kind: bytes, body: bytes) -> bytes:
    """Length, type, data and CRC (5.3)."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
