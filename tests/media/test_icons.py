"""Icons: the format is told by the content, and pictures drawn from names never change."""

import hashlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.jpegs import GRAY
from helpers.pngs import chunk, ihdr, join
from helpers.svgs import svg
from skillbuild.media import icons
from skillbuild.media.raster import IconError

fuzz = settings(derandomize=True, database=None, deadline=None, max_examples=300)


def refusal(data: bytes) -> str:
    with pytest.raises(IconError) as caught:
        icons.clean(data)
    return str(caught.value)


def test_each_format_is_published() -> None:
    png = join(ihdr(3, 2), chunk(b"IDAT"), chunk(b"IEND"))
    assert icons.clean(png) == icons.CleanIcon(png, "image/png", "3x2")
    assert icons.clean(GRAY) == icons.CleanIcon(GRAY, "image/jpeg", "8x8")
    assert icons.clean(svg("<g/>")) == icons.CleanIcon(svg("<g/>"), "image/svg+xml", "any")


OTHERS = {
    "GIF": (b"GIF89a\1\0\1\0", "a GIF image; use PNG, JPEG or SVG"),
    "old GIF": (b"GIF87a\1\0\1\0", "a GIF image; use PNG, JPEG or SVG"),
    "WebP": (b"RIFF\x1a\0\0\0WEBPVP8L", "a WebP image; use PNG, JPEG or SVG"),
    "ICO": (b"\0\0\1\0\1\0\x10\x10", "an ICO image; use PNG, JPEG or SVG"),
    "AVIF": (b"\0\0\0\x1cftypavif", "an AVIF image; use PNG, JPEG or SVG"),
    "BMP": (b"BM\x46\0\0\0", "a BMP image; use PNG, JPEG or SVG"),
    "gzipped SVG": (b"\x1f\x8b\x08\0", "a gzip file; use PNG, JPEG or SVG"),
    "LFS pointer": (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer; use PNG,"),
    "UTF-16": ("<svg/>".encode("utf-16"), "UTF-16 text; use PNG, JPEG or SVG"),
    "nothing": (b"", "the icon is empty"),
    "text": (b"icon.svg", "the icon is not a PNG, JPEG or SVG image"),
    "PDF": (b"%PDF-1.7", "the icon is not a PNG, JPEG or SVG image"),
    "PNG that went through a text filter": (
        b"\x89PNG\n\x1a\n",
        "the icon is not a PNG, JPEG or SVG image",
    ),
    "one byte too large": (bytes(256 * 1024 + 1), "is 262,145 bytes; the limit is 262,144"),
}


@pytest.mark.parametrize(("data", "why"), OTHERS.values(), ids=OTHERS)
def test_any_other_format_is_refused_by_its_name(data: bytes, why: str) -> None:
    assert why in refusal(data)


def test_an_icon_as_large_as_allowed_is_taken() -> None:
    parts = join(ihdr(1, 2), chunk(b"IDAT")), chunk(b"IEND")
    filler = icons.MAX_BYTES - sum(map(len, parts)) - 12
    assert icons.clean(chunk(b"teXt", bytes(filler)).join(parts)).data == b"".join(parts)
    assert "the limit is 262,144" in refusal(chunk(b"teXt", bytes(filler + 1)).join(parts))


# Identicons


GOLDEN = {
    "brand-guidelines": "339f962a74b259e8fc64ba65a9b8570dee7f9fc99734e19ff36c3557b0fc56ea",
    "café": "fd1eef200b911c4e64c38b9cb8b45451529df9f6e31d08a681ab62f59ec12b8b",
    "a/b": "87665420d7ffab2b3988eb903e45aba45921a33a25dc3028c50ab7af5196db83",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_an_identicon_never_changes(name: str) -> None:
    assert hashlib.sha256(icons.identicon(name).data).hexdigest() == GOLDEN[name]


def test_an_identicon_in_full() -> None:
    rows = ("1 1", "5 1", "1 2", "3 2", "5 2", "3 3", "1 4", "2 4", "3 4", "4 4", "5 4")
    squares = "".join(f"M{at}h1v1h-1z" for at in (*rows, "2 5", "3 5", "4 5"))
    expected = (
        '<svg xmlns="http://www.w3.org/2000/svg" fill="#76821f" viewBox="0 0 7 7">'
        '<rect fill-opacity=".12" height="7" rx="1" width="7"/>'
        f'<path d="{squares}" shape-rendering="crispEdges"/></svg>'
    )
    assert icons.identicon("pdf") == icons.CleanIcon(expected.encode(), "image/svg+xml", "any")


@fuzz
@given(st.text(st.characters(codec="utf-8")))
def test_an_identicon_is_small_clean_and_symmetric(name: str) -> None:
    icon = icons.identicon(name)
    assert icons.clean(icon.data) == icon
    assert len(icon.data) < 1024
    cells = set(re.findall(rb"M(\d) (\d)h1v1h-1z", icon.data))
    assert cells == {(b"%d" % (6 - int(x)), y) for x, y in cells}
    assert cells <= {(b"%d" % x, b"%d" % y) for x in range(1, 6) for y in range(1, 6)}
    assert len(cells) >= 6


def test_names_seldom_share_an_identicon() -> None:
    assert len({icons.identicon(f"skill-{n}").data for n in range(1_000)}) > 990


def luminance(color: tuple[float, ...]) -> float:
    """Relative luminance of sRGB in 0 to 1 (WCAG 2.2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("page", ["ffffff", "f6f8fa", "1e1e1e", "0d1117", "000000"])
def test_an_identicon_stands_out_from_its_tile_on_light_and_dark(page: str) -> None:
    under = tuple(c / 255 for c in bytes.fromhex(page))
    colors = {icons.identicon(str(n)).data.partition(b'fill="#')[2][:6] for n in range(500)}
    assert len(colors) == 16
    for color in (tuple(c / 255 for c in bytes.fromhex(f.decode())) for f in colors):
        tile = tuple(0.12 * c + 0.88 * u for c, u in zip(color, under, strict=True))
        dark, light = sorted((luminance(color), luminance(tile)))
        assert (light + 0.05) / (dark + 0.05) >= 3


@pytest.mark.parametrize(
    ("drawing", "plate"),
    [
        ('<path fill="#F0F4F7" d="M0 0"/>', "dark"),
        ('<path fill="#fff" stroke="white" d="M0 0"/>', "dark"),
        ('<path d="M0 0"/>', "light"),
        ('<path fill="none" stroke="currentColor" d="M0 0"/>', "light"),
        ('<path style="fill: #111" d="M0 0"/>', "light"),
        ('<path fill="#fff" d="M0 0"/><path fill="#000" d="M0 0"/>', ""),
        ('<path fill="#e42527" d="M0 0"/>', ""),
        ('<path fill="tomato" d="M0 0"/>', ""),
        ('<path fill="url(#a)" d="M0 0"/>', ""),
    ],
)
def test_a_mark_of_one_tone_stands_on_a_plate(drawing: str, plate: str) -> None:
    assert icons.plate(svg(drawing)) == plate
    assert icons.plate(GRAY) == ""
