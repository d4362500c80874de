"""JPEG icons: any bytes are refused, or rewritten with nothing but what their pixels need."""

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
from skillbuild.media import icons, jpeg

fuzz = settings(derandomize=True, database=None, deadline=None, max_examples=500)

ADOBE = segment(0xEE, b"Adobe\0\x64\0\0\0\0\x01")
EXIF = segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08 taken at 52.52 N")
NOTES = segment(0xFE, b"<script>alert(1)</script>") + segment(0xE2, b"ICC_PROFILE\0" + bytes(99))


@pytest.mark.parametrize("data", [GRAY, COLOR, PROGRESSIVE, SOI + JFIF + ADOBE + GRAY[2:]])
def test_a_jpeg_of_what_pixels_need_is_its_own_result(data: bytes) -> None:
    assert jpeg.clean(data) == jpeg.CleanJpeg(data, 8, 8)
    assert icons.clean(data) == icons.CleanIcon(data, "image/jpeg", "8x8")


DRESSED = {
    "EXIF, profile and comment": SOI + EXIF + NOTES + GRAY[2:],
    "bytes after the end": GRAY + b"PK\5\6" + bytes(18),
    "a second image after the end": GRAY + GRAY,
    "fill bytes": SOI + b"\xff" * 9 + HEAD + scan() + PIXELS + b"\xff" * 3 + EOI,
    "an unknown application": SOI + segment(0xEF, b"x" * 9000) + GRAY[2:],
    "a comment before the scan": SOI + HEAD + NOTES + scan() + PIXELS + EOI,
    "a comment after the scan": SOI + HEAD + scan() + PIXELS + NOTES + EOI,
}


@pytest.mark.parametrize("data", DRESSED.values(), ids=DRESSED)
def test_what_is_not_about_pixels_is_dropped(data: bytes) -> None:
    assert jpeg.clean(data) == jpeg.CleanJpeg(GRAY, 8, 8)


def test_of_an_application_segment_only_what_tells_the_colors_is_left() -> None:
    thumbnail = segment(0xE0, b"JFIF\0\1\2\1\0\x48\0\x48\1\1" + b"abc")
    flagged = segment(0xEE, b"Adobe\0\x65\xc0\x00\x12\x34\x01")
    data = SOI + thumbnail + flagged + GRAY[2:]
    assert jpeg.clean(data).data == SOI + JFIF + ADOBE + GRAY[2:]


def test_restart_markers_stay_where_an_interval_is_defined() -> None:
    body = TABLE + frame(8, 24) + DC + AC + segment(0xDD, b"\0\1") + scan()
    data = SOI + body + b"\x3f\xff\xd0\x3f\xff\xd1\x3f" + EOI
    assert jpeg.clean(data) == jpeg.CleanJpeg(data, 8, 24)


def image(*parts: bytes) -> bytes:
    return SOI + b"".join(parts) + EOI


def huffman(counts: bytes, symbols: int) -> bytes:
    return segment(0xC4, b"\0" + counts + bytes(symbols))


BAD = {
    "signature alone": (SOI + b"\xff", "cut off before its end marker"),
    "no end": (GRAY[:-2], "cut off inside its compressed pixels"),
    "nothing": (image(), "before all its pixels"),
    "no frame": (image(TABLE, DC, AC, scan(), PIXELS), "scan before its frame"),
    "no scan": (image(HEAD), "before all its pixels"),
    "two starts": (SOI + GRAY, "marker D8 that may not stand there"),
    "a start among segments": (image(HEAD, SOI, scan(), PIXELS), "marker D8 that may not"),
    "bytes between segments": (image(HEAD, b"MZ", scan(), PIXELS), "bytes between its segments"),
    "a restart outside of a scan": (image(HEAD, b"\xff\xd0", scan(), PIXELS), "marker D0"),
    "a restart without an interval": (image(HEAD, scan(), b"\x3f\xff\xd0\x3f"), "marker D0"),
    "two frames": (image(HEAD, frame(8, 8), scan(), PIXELS), "more than one frame"),
    "too wide": (image(TABLE, frame(1025, 8)), "1025x8 pixels; each side must be 1 to 1024"),
    "too high": (image(TABLE, frame(8, 1025)), "8x1025 pixels"),
    "as large as can be": (image(TABLE, frame(65535, 65535)), "65535x65535 pixels"),
    "height told later": (image(TABLE, frame(8, 0)), "8x0 pixels"),
    "no width": (image(TABLE, frame(0, 8)), "0x8 pixels"),
    "four components": (
        image(frame(8, 8, 0xC0, (1, 2, 3, 4))),
        "of 8 bits, but 4 of 8",
    ),
    "two of one name": (image(frame(8, 8, 0xC0, (1, 1, 2))), "equal names"),
    "no sampling": (image(segment(0xC0, b"\x08\0\x08\0\x08\1\1\0\0")), "impossible sampling"),
    "twelve bits": (
        image(segment(0xC1, b"\x0c\0\x08\0\x08\1\1\x11\0")),
        "of 8 bits, but 1 of 12",
    ),
    "short frame": (image(segment(0xC0, b"\x08\0\x08")), "frame header of a wrong length"),
    "frame that lies": (image(segment(0xC0, b"\x08\0\x08\0\x08\3\1\x11\0")), "wrong length"),
    "lossless": (image(frame(8, 8, 0xC3)), "browsers do not show (segment C3)"),
    "arithmetic coding": (image(frame(8, 8, 0xC9)), "browsers do not show (segment C9)"),
    "hierarchical": (image(segment(0xDE, bytes(6))), "browsers do not show (segment DE)"),
    "length past the end": (SOI + b"\xff\xe1\xff\xff" + GRAY[2:], "cut off inside its segment E1"),
    "length of one": (SOI + b"\xff\xe1\0\1" + GRAY[2:], "cut off inside its segment E1"),
    "short quantization": (image(TABLE[:2] + b"\0\x10" + bytes(14)), "broken quantization"),
    "fifth quantization": (image(segment(0xDB, b"\x04" + bytes(64))), "broken quantization"),
    "short Huffman": (image(segment(0xC4, b"\0\1")), "broken Huffman"),
    "too few symbols": (image(huffman(b"\0\4" + bytes(14), 3)), "broken Huffman"),
    "too many codes": (image(huffman(b"\3" + bytes(15), 3)), "broken Huffman"),
    "third class": (image(segment(0xC4, b"\x20\1" + bytes(15) + b"\0")), "broken Huffman"),
    "restart interval": (image(HEAD, segment(0xDD, b"\0")), "restart interval"),
    "undefined quantization": (image(frame(8, 8), DC, AC, scan(), PIXELS), "does not define"),
    "undefined Huffman": (image(TABLE, frame(8, 8), DC, scan(), PIXELS), "does not define"),
    "scan of another": (image(HEAD, scan((2,)), PIXELS), "does not define"),
    "scan of nothing": (image(HEAD, scan(()), PIXELS), "scan header of a wrong length"),
    "empty scan": (image(HEAD, scan()), "scan without pixels"),
    "a part in baseline": (image(HEAD, scan(last=5), PIXELS), "impossible coefficients"),
    "coefficients backwards": (
        image(TABLE, frame(8, 8, 0xC2), DC, AC, scan(first=9, last=3), PIXELS),
        "impossible coefficients",
    ),
    "one component of three": (
        image(TABLE, frame(8, 8, 0xC0, (1, 2, 3)), DC, AC, scan((1,)), PIXELS),
        "before all its pixels",
    ),
    "scans without end": (
        image(TABLE, frame(8, 8, 0xC2), DC, (scan(last=0) + b"\x7f") * 101),
        "more than 100 scans",
    ),
}


@pytest.mark.parametrize(("data", "why"), BAD.values(), ids=BAD)
def test_a_faulty_jpeg_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(jpeg.JpegError) as caught:
        jpeg.clean(data)
    assert why in str(caught.value)


def test_a_file_without_the_jpeg_signature_is_refused() -> None:
    with pytest.raises(jpeg.JpegError, match="signature"):
        jpeg.clean(b"\0" + GRAY)


@pytest.mark.parametrize("data", [GRAY, COLOR, PROGRESSIVE])
def test_a_jpeg_cut_anywhere_is_refused(data: bytes) -> None:
    for at in range(len(data)):
        with pytest.raises((jpeg.JpegError, icons.IconError)):
            icons.clean(data[:at])


def settled_or_refused(data: bytes) -> None:
    """For any input: a `JpegError`, or a result within the limits that cleans to itself."""
    try:
        image = jpeg.clean(data)
    except jpeg.JpegError:
        return
    assert jpeg.clean(image.data) == image
    assert 0 < image.width <= 1024
    assert 0 < image.height <= 1024
    assert len(image.data) <= len(data) + 32
    assert image.data.endswith(EOI)


WHOLE = [SOI, EOI, HEAD, TABLE, DC, AC, PIXELS, JFIF, ADOBE, EXIF, NOTES, scan(), scan((1, 2, 3))]
FRAMES = [frame(8, 8), frame(8, 8, 0xC2), frame(9, 9, 0xC0, (1, 2, 3)), frame(65535, 1)]
OTHERS = [scan(last=0), scan(first=1), segment(0xDD, b"\0\1"), b"\xff", b"\xff\xd0", b"\xff\0"]
PARTS = st.sampled_from([*WHOLE, *FRAMES, *OTHERS])


@fuzz
@given(st.lists(PARTS, max_size=9))
@example([HEAD, scan(), PIXELS, EOI])
def test_any_order_of_segments_is_refused_or_cleans_to_itself(parts: list[bytes]) -> None:
    settled_or_refused(SOI + b"".join(parts))


@fuzz
@given(st.binary(max_size=80))
def test_any_bytes_are_refused_or_clean_to_themselves(data: bytes) -> None:
    settled_or_refused(data)
    settled_or_refused(jpeg.SIGNATURE + data)
    settled_or_refused(SOI + HEAD + data)
    settled_or_refused(SOI + HEAD + scan() + data + EOI)


@fuzz
@given(st.sampled_from([GRAY, COLOR, PROGRESSIVE]), st.data())
def test_any_changed_byte_is_refused_or_cleans_to_itself(data: bytes, draw: st.DataObject) -> None:
    at = draw.draw(st.integers(0, len(data) - 1))
    value = draw.draw(st.integers(0, 255))
    settled_or_refused(data[:at] + bytes([value]) + data[at + 1 :])
