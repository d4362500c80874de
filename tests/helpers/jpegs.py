"""Small JPEG files built segment by segment (ITU-T T.81): every block of them is middle gray."""

from collections.abc import Iterable

SOI, EOI = b"\xff\xd8", b"\xff\xd9"


def segment(marker: int, body: bytes = b"") -> bytes:
    return bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body


def frame(width: int, height: int, marker: int = 0xC0, components: Iterable[int] = (1,)) -> bytes:
    parts = b"".join(bytes([name, 0x11, 0]) for name in components)
    size = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return segment(marker, b"\x08" + size + bytes([len(parts) // 3]) + parts)


def scan(
    components: Iterable[int] = (1,), first: int = 0, last: int = 63, approximation: int = 0
) -> bytes:
    """The header of a scan, without its pixels."""
    parts = b"".join(bytes([name, 0]) for name in components)
    return segment(0xDA, bytes([len(parts) // 2]) + parts + bytes([first, last, approximation]))


TABLE = segment(0xDB, bytes([0]) + bytes([1]) * 64)
DC = segment(0xC4, b"\x00\x01" + bytes(15) + b"\0")
"""One code: the bit 0 says that a block is as bright as the last."""
AC = segment(0xC4, b"\x10\x01" + bytes(15) + b"\0")
"""One code: the bit 0 ends a block."""
PIXELS = b"\x3f"
"""One block of one component: two bits, and ones to fill the byte."""
JFIF = segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
HEAD = TABLE + frame(8, 8) + DC + AC

GRAY = SOI + HEAD + scan() + PIXELS + EOI
"""8x8 pixels, baseline."""
COLOR = SOI + (TABLE + frame(8, 8, 0xC1, (1, 2, 3)) + DC + AC) + (scan((1, 2, 3)) + b"\x03" + EOI)
"""8x8 pixels, extended sequential, three components."""
PROGRESSIVE = (
    SOI
    + (TABLE + frame(8, 8, 0xC2) + DC + scan(last=0) + b"\x7f")
    + (AC + scan(first=1) + b"\x7f" + EOI)
)
"""8x8 pixels in two scans."""
