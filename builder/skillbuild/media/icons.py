"""Icons made safe to publish, and pictures drawn from a name.

The content of a file says what it is, never its name. PNG, JPEG and SVG are accepted, and all are
rewritten, so that nothing is hidden in them and equal images are one file.
"""

from dataclasses import dataclass

from skillbuild.media.identicon import MEDIA_TYPE, draw

MAX_BYTES = 256 * 1024
"""The largest icon, before and after cleaning."""

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


class IconError(ValueError):
    """An icon that may not be published; `str()` is one sentence why, without its path."""


@dataclass(frozen=True, slots=True)
class CleanIcon:
    """An icon as it is published.

    `media_type` is `image/png`, `image/jpeg` or `image/svg+xml`; `sizes` is one entry of SEP-973's
    `sizes`: width and height in pixels (`48x48`) for a PNG or JPEG, `any` for an SVG.
    """

    data: bytes
    media_type: str
    sizes: str


def clean(data: bytes) -> CleanIcon:
    """Check an icon of at most 256 KiB and rewrite it; the result cleans to itself.

    A PNG (Third Edition) or JPEG (ITU-T T.81) has 1 to 1024 pixels each side and one frame; an SVG
    (SVG 2) has only shapes, paint and text, and refers to nothing outside itself. Anything else is
    the author's fault and raises `IconError`.
    """
    if len(data) > MAX_BYTES:
        raise IconError(f"the icon has {len(data)} bytes; the limit is {MAX_BYTES}")
    # Few skills have icons of their own, and the readers of all formats take long to load.
    from skillbuild.media import jpeg, png
    from skillbuild.media.svg_allowed import SvgError

    try:
        icon = _cleaned(data)
    except (png.PngError, jpeg.JpegError, SvgError) as fault:
        raise IconError(str(fault)) from fault
    if len(icon.data) > MAX_BYTES:
        raise IconError(f"the icon has {len(icon.data)} bytes once rewritten, over {MAX_BYTES}")
    return icon


def _cleaned(data: bytes) -> CleanIcon:
    from skillbuild.media import jpeg, png, svg

    if data.startswith(png.SIGNATURE):
        image = png.clean(data)
        return CleanIcon(image.data, "image/png", f"{image.width}x{image.height}")
    if data.startswith(jpeg.SIGNATURE):
        photo = jpeg.clean(data)
        return CleanIcon(photo.data, "image/jpeg", f"{photo.width}x{photo.height}")
    if data.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(b"<"):
        return CleanIcon(svg.clean(data), "image/svg+xml", "any")
    for offset, magic, kind in _REFUSED:
        if data.startswith(magic, offset):
            raise IconError(f"the icon is {kind}; use PNG, JPEG or SVG")
    raise IconError("the icon is no PNG, JPEG or SVG image" if data else "the icon is empty")


def identicon(name: str) -> CleanIcon:
    """The picture drawn from a name."""
    return CleanIcon(draw(name), MEDIA_TYPE, "any")
