"""Checks and cleans icons before publication, and draws icons for names.

The type of an icon is detected from its content, not from its file name. PNG, JPEG and SVG are
accepted.
"""

import re
from dataclasses import dataclass

from skillbuild.media import raster, svg
from skillbuild.media.identicon import MEDIA_TYPE, draw
from skillbuild.media.raster import IconError

MAX_BYTES = 256 * 1024
"""The maximum size of an icon."""

_REFUSED = (  # Offset, the bytes there, and what a file with them is.
    (0, b"GIF87a", "a GIF image"),
    (0, b"GIF89a", "a GIF image"),
    (8, b"WEBP", "a WebP image"),
    (0, b"\0\0\1\0", "an ICO image"),
    (4, b"ftypavif", "an AVIF image"),
    (0, b"BM", "a BMP image"),
    (0, b"\x1f\x8b", "a gzip file"),
    (0, b"version https://git-lfs", "a Git LFS pointer"),
    (0, b"\xff\xfe", "UTF-16 text"),
    (0, b"\xfe\xff", "UTF-16 text"),
)


@dataclass(frozen=True, slots=True)
class CleanIcon:
    """An icon ready for publication.

    `media_type` is `image/png`, `image/jpeg` or `image/svg+xml`. `sizes` is a single size in the
    format of SEP-973: `any` for an SVG; otherwise the width and height in pixels, such as `48x48`.
    """

    data: bytes
    media_type: str
    sizes: str


def clean(data: bytes) -> CleanIcon:
    """Clean an icon of at most 256 KiB for publication. Cleaning is idempotent.

    A PNG or JPEG must have one frame and 1 to 1024 pixels on each side; it is copied without
    metadata. An SVG is published byte for byte if it contains only shapes, paint, text and embedded
    images. Raises `IconError` for anything else.
    """
    if len(data) > MAX_BYTES:
        raise IconError(f"the icon is {len(data):,} bytes; the limit is {MAX_BYTES:,}")
    if image := raster.clean(data):
        return CleanIcon(image.data, image.media_type, f"{image.width}x{image.height}")
    if data.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(b"<"):
        svg.check(data)
        return CleanIcon(data, MEDIA_TYPE, "any")
    for offset, magic, kind in _REFUSED:
        if data.startswith(magic, offset):
            raise IconError(f"the icon is {kind}; use PNG, JPEG or SVG")
    raise IconError("the icon is not a PNG, JPEG or SVG image" if data else "the icon is empty")


_PAINT = re.compile(
    rb"(?:fill|stroke|stop-color)\s*[=:]\s*[\"']?\s*(#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,20}[(]?)"
)
_NAMED = {b"white": 255.0, b"black": 0.0, b"currentcolor": 0.0}
_NO_PAINT = frozenset((b"none", b"transparent", b"inherit"))
_PALE, _INKY = 165, 60
"""Limits of brightness, from `0` to `255`: a shape lighter than the first is invisible on white,
and a shape darker than the second is invisible on black.
"""


def plate(data: bytes) -> str:
    """Return the background that makes an icon visible: `dark` for a pale SVG, `light` for a black
    SVG.

    The result is empty for a PNG or JPEG, and for an SVG that has several tones or is visible on
    both backgrounds.
    """
    if data[:1] not in b"<\xef \t\r\n" or b"<image" in data:
        return ""
    paints = {match[1].lower() for match in _PAINT.finditer(data)} - _NO_PAINT
    tones = [_brightness(paint) for paint in paints] or [0.0]
    if all(tone is not None and tone >= _PALE for tone in tones):
        return "dark"
    return "light" if all(tone is not None and tone <= _INKY for tone in tones) else ""


def _brightness(paint: bytes) -> float | None:
    """Return the brightness of a color with the weights of ITU-R BT.709; None for a name or a
    function.
    """
    if paint[:1] != b"#":
        return _NAMED.get(paint)
    digits = paint[1:].decode()
    pairs = [digits[n : n + 2] for n in (0, 2, 4)] if len(digits) >= 6 else [2 * d for d in digits]
    red, green, blue = (int(pair, 16) for pair in pairs[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def identicon(name: str) -> CleanIcon:
    """Return the icon that is generated from a name."""
    return CleanIcon(draw(name), MEDIA_TYPE, "any")
