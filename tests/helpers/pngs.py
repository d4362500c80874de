"""PNG files built chunk by chunk (PNG Specification, Third Edition)."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def ihdr(width: int, height: int, depth: int = 8, color: int = 0, interlace: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace))


def join(*chunks: bytes) -> bytes:
    return SIGNATURE + b"".join(chunks)


def tiff(orientation: int, order: str = ">", kind: int = 3) -> bytes:
    """EXIF with a camera's place before and after the orientation of an image."""
    entries = (0x010F, 2, 4, 0x41414100), (0x8825, 4, 1, 99)
    start = (b"MM\0*" if order == ">" else b"II*\0") + struct.pack(f"{order}IH", 8, 3)
    first, last = (struct.pack(f"{order}HHII", *entry) for entry in entries)
    middle = struct.pack(f"{order}HHIHH", 0x0112, kind, 1, orientation, 0)
    return start + first + middle + last + bytes(4) + b"taken at 52.52 N"
