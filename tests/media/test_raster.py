"""PNG and JPEG icons: any bytes are refused, or copied with nothing but what their pixels need."""

import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers.jpegs import (
    AC,
    COLOR,
    DC,
    EOI,
    GRAY,
    HEAD,
    JFIF,
    PIXELS,
    PROGRESSIVE,
    SOI,
    TABLE,
    frame,
    scan,
    segment,
)
from helpers.pngs import SIGNATURE, chunk, ihdr, join, tiff
from skillbuild.media import raster
from skillbuild.media.raster import IconError, Raster

fuzz = settings(derandomize=True, database=None, deadline=None, max_examples=500)


def refusal(data: bytes) -> str:
    """The sentence that refuses an image; it must fit on one line of a report."""
    with pytest.raises(IconError) as caught:
        raster.clean(data)
    message = str(caught.value)
    assert message.isprintable()
    assert message.isascii()
    assert 10 < len(message) < 160
    return message


def settled_or_refused(data: bytes) -> None:
    """For any input: an `IconError`, or a result within the limits that cleans to itself."""
    try:
        image = raster.clean(data)
    except IconError:
        refusal(data)
        return
    if image is None:
        assert not data.startswith((SIGNATURE, raster.JPEG_SIGNATURE))
        return
    assert raster.clean(image.data) == image
    assert 0 < image.width <= 1024
    assert 0 < image.height <= 1024
    assert len(image.data) <= len(data) + 32


# PNG


IDAT = chunk(b"IDAT", zlib.compress(b"\0\7" * 2))
IEND = chunk(b"IEND")
DOT = join(ihdr(1, 2), IDAT, IEND)
PALETTE = chunk(b"PLTE", b"\1\2\3\4\5\6")
ALPHA = chunk(b"tRNS", b"\0")
NOTE = chunk(b"tEXt", b"Comment\0<script>alert(1)</script>")
BOMB = chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(1 << 24)))

DRESSED_PNG = {
    "nothing to leave out": DOT,
    "texts, times and profiles": join(
        ihdr(1, 2), chunk(b"gAMA", bytes(4)), NOTE, IDAT, chunk(b"tIME", bytes(7)), IEND
    ),
    "a bomb in a text": join(ihdr(1, 2), BOMB, IDAT, IEND),
    "a place": join(ihdr(1, 2), chunk(b"eXIf", tiff(1)), IDAT, IEND),
    "a zip after the end": DOT + b"PK\5\6" + bytes(18),
    "a second image after the end": DOT + DOT,
    "twenty thousand empty chunks": join(ihdr(1, 2), chunk(b"teXt") * 20_000, IDAT, IEND),
}


@pytest.mark.parametrize("data", DRESSED_PNG.values(), ids=DRESSED_PNG)
def test_of_a_png_only_what_pixels_need_is_copied(data: bytes) -> None:
    assert raster.clean(data) == Raster(DOT, "image/png", 1, 2)


def test_palette_transparency_and_every_part_of_the_pixels_are_copied() -> None:
    parts = (ihdr(48, 32, 8, 3, 1), PALETTE, ALPHA, chunk(b"IDAT", b"abc"), chunk(b"IDAT"), IDAT)
    data = join(*parts, IEND)
    assert raster.clean(data) == Raster(data, "image/png", 48, 32)


BAD_PNG = {
    "signature alone": (SIGNATURE, "ends before its IEND chunk"),
    "no end": (join(ihdr(1, 2), IDAT), "ends before its IEND chunk"),
    "wrong CRC": (DOT.replace(b"IHDR\0\0\0\1", b"IHDR\0\0\0\3"), "'IHDR' chunk has a wrong CRC"),
    "wrong CRC of what is left out": (
        join(ihdr(1, 2), chunk(b"tEXt")[:-1] + b"!", IDAT, IEND),
        "'tEXt' chunk has a wrong CRC",
    ),
    "no header": (join(IDAT, IEND), "must begin with an IHDR chunk"),
    "Apple's variant": (join(chunk(b"CgBI", bytes(4)), ihdr(1, 2), IDAT, IEND), "must begin with"),
    "short header": (join(chunk(b"IHDR", bytes(12)), IDAT, IEND), "IHDR chunk of 13 bytes"),
    "two headers": (join(ihdr(1, 2), ihdr(9, 9), IDAT, IEND), "have no other IHDR chunk"),
    "no pixels across": (join(ihdr(0, 2), IDAT, IEND), "0x2 pixels"),
    "no pixels down": (join(ihdr(1, 0), IDAT, IEND), "1x0 pixels"),
    "too wide": (join(ihdr(1025, 1), IDAT, IEND), "1025x1 pixels; each side must be 1 to 1024"),
    "too high": (join(ihdr(1, 1025), IDAT, IEND), "1x1025 pixels"),
    "as large as a header can say": (join(ihdr(2**32 - 1, 1), IDAT, IEND), "4294967295x1 pixels"),
    "animated": (join(ihdr(1, 2), chunk(b"acTL", bytes(8)), IDAT, IEND), "animated"),
    "frame control alone": (join(ihdr(1, 2), chunk(b"fcTL", bytes(26)), IDAT, IEND), "animated"),
    "frame data alone": (join(ihdr(1, 2), IDAT, chunk(b"fdAT", bytes(9)), IEND), "animated"),
    "length past the end": (
        join(ihdr(1, 2), b"\xff\xff\xff\xffIDAT", IDAT),
        "its 'IDAT' chunk",
    ),
    "a type that is not text": (join(ihdr(1, 2), b"\0\0\1\0\n\x1b\0\xff" + bytes(9)), "inside its"),
    "no image data": (join(ihdr(1, 2), IEND), "no IDAT"),
}


@pytest.mark.parametrize(("data", "why"), BAD_PNG.values(), ids=BAD_PNG)
def test_a_faulty_png_is_refused(data: bytes, why: str) -> None:
    assert why in refusal(data)


def test_a_png_cut_anywhere_or_with_any_byte_changed_is_refused() -> None:
    data = join(ihdr(1, 2, 8, 3), PALETTE, ALPHA, NOTE, IDAT, IEND)
    for at in range(len(SIGNATURE), len(data)):
        refusal(data[:at])
        for mask in (0x01, 0x20, 0x80, 0xFF):
            refusal(data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :])


@fuzz
@given(st.lists(st.sampled_from([IDAT, PALETTE, IEND, NOTE, ALPHA, ihdr(1, 2)]), max_size=5))
def test_any_order_of_chunks_is_refused_or_cleans_to_itself(parts: list[bytes]) -> None:
    settled_or_refused(join(ihdr(1, 2), *parts))
    settled_or_refused(join(*parts))


# JPEG


def image(*parts: bytes) -> bytes:
    return SOI + b"".join(parts) + EOI


def exif(data: bytes) -> bytes:
    return segment(0xE1, b"Exif\0\0" + data)


ADOBE = segment(0xEE, b"Adobe\0\x64\0\0\0\0\x01")
NOTES = segment(0xFE, b"<script>alert(1)</script>") + segment(0xE2, b"ICC_PROFILE\0" + bytes(99))


@pytest.mark.parametrize("data", [GRAY, COLOR, PROGRESSIVE, SOI + JFIF + ADOBE + GRAY[2:]])
def test_a_jpeg_of_what_pixels_need_is_its_own_result(data: bytes) -> None:
    assert raster.clean(data) == Raster(data, "image/jpeg", 8, 8)


DRESSED_JPEG = {
    "a place, a profile and a comment": SOI + exif(tiff(1)) + NOTES + GRAY[2:],
    "bytes after the end": GRAY + b"PK\5\6" + bytes(18),
    "a second image after the end": GRAY + GRAY,
    "fill bytes": SOI + b"\xff" * 9 + HEAD + scan() + PIXELS + b"\xff" * 3 + EOI,
    "an unknown application": SOI + segment(0xEF, b"x" * 9000) + GRAY[2:],
    "a comment before the scan": image(HEAD, NOTES, scan(), PIXELS),
    "a comment after the scan": image(HEAD, scan(), PIXELS, NOTES),
}


@pytest.mark.parametrize("data", DRESSED_JPEG.values(), ids=DRESSED_JPEG)
def test_of_a_jpeg_only_what_pixels_need_is_copied(data: bytes) -> None:
    assert raster.clean(data) == Raster(GRAY, "image/jpeg", 8, 8)


def test_of_an_application_segment_only_what_tells_the_colors_is_left() -> None:
    thumbnail = segment(0xE0, b"JFIF\0\1\2\1\0\x48\0\x48\1\1" + b"abc")
    flagged = segment(0xEE, b"Adobe\0\x65\xc0\x00\x12\x34\x01")
    cleaned = raster.clean(SOI + thumbnail + flagged + GRAY[2:])
    assert cleaned == Raster(SOI + JFIF + ADOBE + GRAY[2:], "image/jpeg", 8, 8)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("orientation", range(2, 9))
def test_an_orientation_is_all_that_is_left_of_exif(orientation: int, order: str) -> None:
    kept = b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0%c\0\0\0\0\0\0" % orientation
    jpeg = raster.clean(SOI + exif(tiff(orientation, order)) + GRAY[2:])
    assert jpeg == Raster(SOI + exif(kept) + GRAY[2:], "image/jpeg", 8, 8)
    png = raster.clean(join(ihdr(1, 2), chunk(b"eXIf", tiff(orientation, order)), IDAT, IEND))
    assert png == Raster(join(ihdr(1, 2), chunk(b"eXIf", kept), IDAT, IEND), "image/png", 1, 2)


@pytest.mark.parametrize("orientation", [0, 1, 9, 65535])
def test_an_orientation_that_says_nothing_is_left_out(orientation: int) -> None:
    cleaned = raster.clean(SOI + exif(tiff(orientation)) + GRAY[2:])
    assert cleaned == Raster(GRAY, "image/jpeg", 8, 8)
    other = raster.clean(SOI + exif(tiff(6, kind=4)) + GRAY[2:])
    assert other == Raster(GRAY, "image/jpeg", 8, 8)


@fuzz
@given(st.binary(max_size=40), st.integers(0, 60))
def test_any_exif_says_an_orientation_or_nothing(data: bytes, cut: int) -> None:
    for body in (data, b"MM\0*" + data, b"II*\0" + data, tiff(6)[:cut] + data):
        cleaned = raster.clean(SOI + exif(body) + GRAY[2:])
        assert cleaned is not None
        assert len(cleaned.data) in (len(GRAY), len(GRAY) + 36)


def test_restart_markers_stay() -> None:
    body = TABLE + frame(8, 24) + DC + AC + segment(0xDD, b"\0\1") + scan()
    data = SOI + body + b"\x3f\xff\xd0\x3f\xff\xd1\x3f\xff\0" + EOI
    assert raster.clean(data) == Raster(data, "image/jpeg", 8, 24)


BAD_JPEG = {
    "signature alone": (SOI + b"\xff", "ends before its end marker"),
    "no end": (GRAY[:-2], "ends inside its image data"),
    "nothing": (image(), "no frame"),
    "no frame": (image(TABLE, DC, AC, scan(), PIXELS), "no frame"),
    "no scan": (image(HEAD), "no scan, or more than 100 scans"),
    "two starts": (SOI + GRAY, "broken or truncated at segment D8"),
    "a start among segments": (image(HEAD, SOI, scan(), PIXELS), "segment D8"),
    "bytes between segments": (
        image(HEAD, b"MZ", scan(), PIXELS),
        "stray bytes between its segments",
    ),
    "a restart outside of a scan": (image(HEAD, b"\xff\xd0", scan(), PIXELS), "segment D0"),
    "two frames": (image(HEAD, frame(8, 8), scan(), PIXELS), "more than one frame"),
    "short frame": (image(segment(0xC0, b"\x08\0\x08")), "more than one frame, or a broken one"),
    "too wide": (image(TABLE, frame(1025, 8)), "1025x8 pixels; each side must be 1 to 1024"),
    "too high": (image(TABLE, frame(8, 1025)), "8x1025 pixels"),
    "as large as can be": (image(TABLE, frame(65535, 65535)), "65535x65535 pixels"),
    "height told later": (image(TABLE, frame(8, 0)), "8x0 pixels"),
    "no width": (image(TABLE, frame(0, 8)), "0x8 pixels"),
    "lossless": (image(frame(8, 8, 0xC3)), "do not show this kind of JPEG (segment C3)"),
    "arithmetic coding": (image(frame(8, 8, 0xC9)), "this kind of JPEG (segment C9)"),
    "hierarchical": (image(segment(0xDE, bytes(6))), "this kind of JPEG (segment DE)"),
    "length past the end": (SOI + b"\xff\xe1\xff\xff" + GRAY[2:], "truncated at segment E1"),
    "length of one": (SOI + b"\xff\xe1\0\1" + GRAY[2:], "truncated at segment E1"),
    "scans without end": (
        image(TABLE, frame(8, 8, 0xC2), DC, (scan(last=0) + b"\x7f") * 101),
        "no scan, or more than 100 scans",
    ),
}


@pytest.mark.parametrize(("data", "why"), BAD_JPEG.values(), ids=BAD_JPEG)
def test_a_faulty_jpeg_is_refused(data: bytes, why: str) -> None:
    assert why in refusal(data)


@pytest.mark.parametrize("data", [GRAY, COLOR, PROGRESSIVE])
def test_a_jpeg_cut_anywhere_is_refused(data: bytes) -> None:
    for at in range(3, len(data)):
        refusal(data[:at])


WHOLE = [SOI, EOI, HEAD, TABLE, DC, AC, PIXELS, JFIF, ADOBE, NOTES, scan(), scan((1, 2, 3))]
FRAMES = [frame(8, 8), frame(8, 8, 0xC2), frame(9, 9, 0xC0, (1, 2, 3)), frame(65535, 1)]
OTHERS = [exif(tiff(6)), scan(first=1), segment(0xDD, b"\0\1"), b"\xff", b"\xff\xd0", b"\xff\0"]
PARTS = st.sampled_from([*WHOLE, *FRAMES, *OTHERS])


@fuzz
@given(st.lists(PARTS, max_size=9))
@example([HEAD, scan(), PIXELS, EOI])
def test_any_order_of_segments_is_refused_or_cleans_to_itself(parts: list[bytes]) -> None:
    settled_or_refused(SOI + b"".join(parts))


@fuzz
@given(st.binary(max_size=80))
def test_any_bytes_are_refused_or_clean_to_themselves(data: bytes) -> None:
    for start in (b"", SIGNATURE, SIGNATURE + ihdr(1, 2) + IDAT, raster.JPEG_SIGNATURE):
        settled_or_refused(start + data)
    settled_or_refused(SOI + HEAD + data)
    settled_or_refused(SOI + HEAD + scan() + data + EOI)


@fuzz
@given(st.sampled_from([GRAY, COLOR, PROGRESSIVE]), st.data())
def test_any_changed_byte_is_refused_or_cleans_to_itself(data: bytes, draw: st.DataObject) -> None:
    at = draw.draw(st.integers(0, len(data) - 1))
    value = draw.draw(st.integers(0, 255))
    settled_or_refused(data[:at] + bytes([value]) + data[at + 1 :])
