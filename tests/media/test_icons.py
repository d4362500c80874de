"""Icons: published ones have no animation and no script, with equal bytes on every machine."""

import hashlib
import re
import struct
import tracemalloc
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbuild.media import icons, png

SIGNATURE = b"\x89PNG\r\n\x1a\n"
ROOT = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"'
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
LEGAL = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8)]
LEGAL += [(4, 8), (4, 16), (6, 8), (6, 16)]

fuzz = settings(derandomize=True, database=None, deadline=None, max_examples=300)


def refusal(data: bytes) -> str:
    """The sentence `clean` refuses with; it must fit on one line of a report."""
    with pytest.raises(icons.IconError) as caught:
        icons.clean(data)
    message = str(caught.value)
    assert message.isprintable()
    assert message.isascii()
    assert 10 < len(message) < 160
    return message


# PNG


def chunk(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def ihdr(width: int, height: int, depth: int = 8, color: int = 0, *methods: int) -> bytes:
    return chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, *methods or (0,) * 3)
    )


def adam7(width: int, height: int) -> list[tuple[int, int]]:
    """(columns, rows) of the seven passes, found by asking every pixel which pass it is in."""
    grid = ("16462646", "77777777", "56565656", "77777777") * 2
    grid = (*grid[:4], "36463646", *grid[5:])
    sizes = []
    for number in "1234567":
        pixels = [
            (x, y) for y in range(height) for x in range(width) if grid[y % 8][x % 8] == number
        ]
        sizes.append((len({x for x, _ in pixels}), len({y for _, y in pixels})))
    return sizes


def scanlines(width: int, height: int, depth: int, color: int, interlace: int) -> bytes:
    sizes = adam7(width, height) if interlace else [(width, height)]
    rows = [(w * depth * CHANNELS[color] + 7) // 8 for w, h in sizes if w for _ in range(h)]
    return b"".join(bytes([n % 5]) + bytes(i % 251 for i in range(s)) for n, s in enumerate(rows))


def join(*chunks: bytes) -> bytes:
    return SIGNATURE + b"".join(chunks)


GRAY = b"\0\7" * 2
IDAT = chunk(b"IDAT", zlib.compress(GRAY))
IEND = chunk(b"IEND")
DOT = join(ihdr(1, 2), IDAT, IEND)
PALETTE = chunk(b"PLTE", b"\1\2\3\4\5\6")
INDEXED = chunk(b"IDAT", zlib.compress(b"\0\1" * 2))


@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize("size", [(1, 1), (2, 3), (5, 9), (48, 48), (1024, 1)])
@pytest.mark.parametrize(("color", "depth"), LEGAL)
def test_every_kind_of_png_keeps_its_pixels(
    color: int, depth: int, size: tuple[int, int], interlace: int
) -> None:
    stream = zlib.compress(scanlines(*size, depth, color, interlace))
    palette = [chunk(b"PLTE", bytes(6))] if color == 3 else []
    head = ihdr(*size, depth, color, 0, 0, interlace)
    plain = join(head, *palette, chunk(b"IDAT", stream), IEND)
    dressed = join(
        head,
        chunk(b"gAMA", bytes(4)),
        *palette,
        chunk(b"tEXt", b"Comment\0<script>alert(1)</script>"),
        chunk(b"IDAT", stream[:3]),
        chunk(b"IDAT"),
        chunk(b"IDAT", stream[3:]),
        chunk(b"tIME", bytes(7)),
        IEND,
    )
    expected = icons.CleanIcon(plain, "image/png", f"{size[0]}x{size[1]}")
    assert icons.clean(dressed) == expected
    assert icons.clean(plain) == expected


@pytest.mark.parametrize(
    ("depth", "color", "chunks"),
    [
        (8, 0, [chunk(b"tRNS", bytes(2))]),
        (8, 2, [chunk(b"tRNS", bytes(6))]),
        (8, 2, [chunk(b"PLTE", bytes(768)), chunk(b"tRNS", bytes(6))]),
        (8, 3, [PALETTE, chunk(b"tRNS", b"\0")]),
        (8, 3, [PALETTE, chunk(b"tRNS", b"\0\1")]),
        (8, 6, [PALETTE]),
    ],
)
def test_palette_and_transparency_are_unchanged(
    depth: int, color: int, chunks: list[bytes]
) -> None:
    stream = zlib.compress(scanlines(1, 2, depth, color, 0))
    data = join(ihdr(1, 2, depth, color), *chunks, chunk(b"IDAT", stream), IEND)
    assert icons.clean(data) == icons.CleanIcon(data, "image/png", "1x2")


def swap(data: bytes, old: bytes, new: bytes) -> bytes:
    assert data.count(old) == 1
    return data.replace(old, new)


def stream(raw: bytes) -> bytes:
    return join(ihdr(1, 2), chunk(b"IDAT", raw), IEND)


BAD_PNG = {
    "zip after the end": (DOT + b"PK\5\6" + bytes(18), "has more after its IEND chunk (bytes: 22)"),
    "a second image after the end": (DOT + DOT, "after its IEND chunk"),
    "one byte after the end": (DOT + b"\0", "has more after its IEND chunk (bytes: 1)"),
    "signature alone": (SIGNATURE, "cut off before its IEND chunk"),
    "no end": (join(ihdr(1, 2), IDAT), "cut off before its IEND chunk"),
    "end with a body": (join(ihdr(1, 2), IDAT, chunk(b"IEND", b"x")), "IEND chunk is not empty"),
    "wrong CRC": (
        swap(DOT, b"\0\0\0\x01\0\0\0\x02", b"\0\0\0\x01\0\0\0\x03"),
        "IHDR chunk has a wr",
    ),
    "wrong CRC in a dropped chunk": (
        join(ihdr(1, 2), chunk(b"tEXt")[:-1] + b"!", IDAT, IEND),
        "tEXt",
    ),
    "no header": (join(IDAT, IEND), "does not begin with an IHDR"),
    "Apple's variant": (
        join(chunk(b"CgBI", bytes(4)), ihdr(1, 2), IDAT, IEND),
        "begin with an IHDR",
    ),
    "text first": (join(chunk(b"tEXt", bytes(13)), IDAT, IEND), "begin with an IHDR"),
    "short header": (join(chunk(b"IHDR", bytes(12)), IDAT, IEND), "IHDR chunk of 13 bytes"),
    "two headers": (join(ihdr(1, 2), ihdr(1, 2), IDAT, IEND), "more than one IHDR"),
    "no pixels across": (join(ihdr(0, 2), IDAT, IEND), "0x2 pixels"),
    "no pixels down": (join(ihdr(1, 0), IDAT, IEND), "1x0 pixels"),
    "too wide": (join(ihdr(1025, 1), IDAT, IEND), "1025x1 pixels"),
    "too high": (join(ihdr(1, 1025), IDAT, IEND), "1x1025 pixels"),
    "as large as a header can say": (join(ihdr(2**31 - 1, 2**31 - 1, 16, 6), IDAT, IEND), "pixels"),
    "more than that": (join(ihdr(2**32 - 1, 1), IDAT, IEND), "4294967295x1 pixels"),
    "compression method": (join(ihdr(1, 2, 8, 0, 1, 0, 0), IDAT, IEND), "unknown compression"),
    "filter method": (join(ihdr(1, 2, 8, 0, 0, 1, 0), IDAT, IEND), "unknown compression"),
    "interlace method": (join(ihdr(1, 2, 8, 0, 0, 0, 2), IDAT, IEND), "unknown compression"),
    "animated": (join(ihdr(1, 2), chunk(b"acTL", bytes(8)), IDAT, IEND), "animated"),
    "frame control alone": (join(ihdr(1, 2), chunk(b"fcTL", bytes(26)), IDAT, IEND), "animated"),
    "frame data alone": (join(ihdr(1, 2), IDAT, chunk(b"fdAT", bytes(9)), IEND), "animated"),
    "unknown critical chunk": (join(ihdr(1, 2), chunk(b"ABCD"), IDAT, IEND), "critical chunk ABCD"),
    "reserved bit": (join(ihdr(1, 2), chunk(b"abcd"), IDAT, IEND), "invalid type 'abcd'"),
    "type that is not letters": (join(ihdr(1, 2), chunk(b"t\nX\0"), IDAT, IEND), "invalid type"),
    "length past the end": (join(ihdr(1, 2), b"\xff\xff\xff\xffIDAT", IDAT), "inside its IDAT"),
    "no image data": (join(ihdr(1, 2), IEND), "no IDAT"),
    "empty image data": (stream(b""), "ends before its 4 bytes"),
    "image data apart": (join(ihdr(1, 2), IDAT, chunk(b"tEXt"), IDAT, IEND), "not consecutive"),
    "not zlib": (stream(b"plain"), "not a valid zlib"),
    "raw deflate": (stream(zlib.compress(GRAY)[2:-4]), "not a valid zlib"),
    "wrong checksum": (stream(zlib.compress(GRAY)[:-1] + b"!"), "not a valid zlib"),
    "cut checksum": (stream(zlib.compress(GRAY)[:-1]), "ends before"),
    "preset dictionary": (
        stream(b"\x78\xbb\0\0\0\1" + zlib.compress(GRAY)[2:]),
        "not a valid zlib",
    ),
    "one byte too few": (stream(zlib.compress(GRAY[:-1])), "ends before its 4 bytes"),
    "one byte too many": (stream(zlib.compress(GRAY + b"\0")), "more than its 4 bytes"),
    "hidden after the stream": (
        stream(zlib.compress(GRAY) + b"PK"),
        "after the end of its compressed",
    ),
    "two streams": (stream(zlib.compress(GRAY[:2]) + zlib.compress(GRAY[2:])), "ends before"),
    "unknown filter": (stream(zlib.compress(b"\0\7\5\7")), "unknown filter"),
    "indexed without palette": (join(ihdr(1, 2, 8, 3), INDEXED, IEND), "no PLTE"),
    "palette in grayscale": (join(ihdr(1, 2), PALETTE, IDAT, IEND), "grayscale but has a PLTE"),
    "broken palette": (join(ihdr(1, 2, 8, 3), chunk(b"PLTE", b"1234"), INDEXED, IEND), "1 to 256"),
    "empty palette": (join(ihdr(1, 2, 8, 3), chunk(b"PLTE"), INDEXED, IEND), "1 to 256 colors"),
    "long palette": (join(ihdr(1, 2, 1, 3), chunk(b"PLTE", bytes(9)), INDEXED, IEND), "1 to 2 col"),
    "two palettes": (join(ihdr(1, 2, 8, 3), PALETTE, PALETTE, INDEXED, IEND), "more than one PLTE"),
    "late palette": (join(ihdr(1, 2, 8, 3), INDEXED, PALETTE, IEND), "after its image data"),
    "late alpha": (join(ihdr(1, 2), IDAT, chunk(b"tRNS", bytes(2)), IEND), "after its image data"),
    "alpha first": (
        join(ihdr(1, 2, 8, 3), chunk(b"tRNS", b"\0"), PALETTE, INDEXED, IEND),
        "tRNS chunk before its PLTE",
    ),
    "two alphas": (join(ihdr(1, 2), chunk(b"tRNS", b"12") * 2, IDAT, IEND), "more than one tRNS"),
    "long gray alpha": (join(ihdr(1, 2), chunk(b"tRNS", b"123"), IDAT, IEND), "color type 0"),
    "short color alpha": (
        join(ihdr(1, 2, 8, 2), chunk(b"tRNS", b"12"), IDAT, IEND),
        "color type 2",
    ),
    "alpha beyond the palette": (
        join(ihdr(1, 2, 8, 3), PALETTE, chunk(b"tRNS", b"123"), INDEXED, IEND),
        "color type 3",
    ),
    "empty palette alpha": (
        join(ihdr(1, 2, 8, 3), PALETTE, chunk(b"tRNS"), INDEXED, IEND),
        "color type 3",
    ),
    "alpha twice over": (
        join(ihdr(1, 2, 8, 6), chunk(b"tRNS", b"12"), IDAT, IEND),
        "color type 6",
    ),
}


def test_a_file_without_the_png_signature_is_refused() -> None:
    with pytest.raises(png.PngError, match="signature"):
        png.clean(DOT[1:])


@pytest.mark.parametrize(("data", "why"), BAD_PNG.values(), ids=BAD_PNG)
def test_a_faulty_png_is_refused(data: bytes, why: str) -> None:
    assert why in refusal(data)


def test_only_legal_pairs_of_color_and_depth_are_read() -> None:
    for color in range(256):
        for depth in (*range(34), 255):
            data = join(ihdr(1, 2, depth, color), IDAT, IEND)
            assert "not a legal pair" in refusal(data) if (color, depth) not in LEGAL else True


def test_a_png_cut_anywhere_or_with_any_byte_changed_is_refused() -> None:
    alpha = chunk(b"tRNS", b"\0")
    data = join(ihdr(1, 2, 8, 3), PALETTE, alpha, chunk(b"tEXt", b"k\0v"), INDEXED, IEND)
    assert icons.clean(data).sizes == "1x2"
    for at in range(len(data)):
        refusal(data[:at])
        for mask in (0x01, 0x20, 0x80, 0xFF):
            refusal(data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :])


def test_inflating_a_deflate_bomb_stops_at_the_limit() -> None:
    packer = zlib.compressobj(9)
    bomb = b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(240)), packer.flush()])
    assert 200_000 < len(bomb) < icons.MAX_BYTES - 100
    tracemalloc.start()
    assert "more than its 4 bytes" in refusal(stream(bomb))
    assert "pixels" in refusal(join(ihdr(65535, 65535, 16, 6), chunk(b"IDAT", bomb), IEND))
    _, small = tracemalloc.get_traced_memory()
    largest = join(ihdr(1024, 1024, 16, 6), chunk(b"IDAT", bomb), IEND)
    assert "more than its 8389632 bytes" in refusal(largest)
    _, large = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert small < 8 * icons.MAX_BYTES
    assert large < 40_000_000


def test_a_bomb_in_a_dropped_chunk_is_never_inflated() -> None:
    bomb = chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(1 << 24)))
    profile = chunk(b"iCCP", b"p\0\0" + zlib.compress(bytes(1 << 24)))
    assert icons.clean(join(ihdr(1, 2), bomb, profile, IDAT, IEND)).data == DOT


def test_twenty_thousand_empty_chunks_take_no_time() -> None:
    assert icons.clean(join(ihdr(1, 2), chunk(b"teXt") * 20_000, IDAT, IEND)).data == DOT


@fuzz
@given(st.lists(st.sampled_from([IDAT, INDEXED, PALETTE, IEND, chunk(b"tRNS", b"12")]), max_size=5))
def test_any_order_of_chunks_is_refused_or_cleans_to_itself(parts: list[bytes]) -> None:
    for color in (0, 3):
        settled_or_refused(join(ihdr(1, 2, 8, color), *parts))


@fuzz
@given(st.binary(max_size=64))
def test_any_image_data_is_refused_or_cleans_to_itself(body: bytes) -> None:
    settled_or_refused(stream(body))
    settled_or_refused(stream(zlib.compress(body)))


def settled_or_refused(data: bytes) -> icons.CleanIcon | None:
    """For any input: an `IconError` in one line, or a result that cleans to itself."""
    try:
        icon = icons.clean(data)
    except icons.IconError:
        refusal(data)
        return None
    assert icons.clean(icon.data) == icon
    return icon


# SVG


def svg(content: str, attributes: str = "") -> bytes:
    return f"<svg {ROOT}{' ' + attributes if attributes else ''}>{content}</svg>".encode()


def cleaned(content: str, attributes: str = "") -> str:
    """The content of a plain root element after cleaning."""
    icon = icons.clean(svg(content, attributes))
    assert (icon.media_type, icon.sizes) == ("image/svg+xml", "any")
    assert icons.clean(icon.data) == icon
    text = icon.data.decode()
    start, end = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">', "</svg>"
    assert text.startswith(start) or attributes
    return text.removeprefix(start).removesuffix(end)


SAME = {
    "path": '<path d="M1.50,2e-3 .5-.5A1 1 0 01 2 3z" fill="#0Af"/>',
    "every shape": '<circle cx="4" cy="4" r="3"/><ellipse rx="1" ry="2"/><line x2="1"/>'
    '<polygon points="0,0 1,1 0,1"/><polyline points="0 0 1 1"/><rect rx="1" width="1"/>',
    "colors": '<g color="currentColor" fill="none" stroke="rgb(0 0 0 / 50%)"/>'
    '<g fill="rgba(1, 2, 3, .5)" stroke="hsl(120deg 50% 50%)"/><g fill="inherit"/>',
    "wide gamut": '<g style="fill:color(display-p3 1 0 0);fill-opacity:1"/>',
    "gradients": '<defs><linearGradient id="a"><stop offset="0%" stop-color="red"/>'
    "</linearGradient>"
    '<radialGradient gradientTransform="rotate(45)" href="#a" id="b"/></defs>'
    '<path d="M0 0" fill="url(#a)" stroke="url(#b) none"/>',
    "quoted reference": '<mask id="a"/><g style="mask:url(\'#a\')"/>',
    "clip and mask": '<clipPath clipPathUnits="userSpaceOnUse" id="c"><rect/></clipPath>'
    '<mask id="m" style="mask-type:alpha"><g/></mask><g clip-path="url(#c)" mask="url(#m)"/>',
    "use": '<symbol id="s" viewBox="0 0 1 1"><rect/></symbol><use href="#s" width="2" x="1"/>',
    "transforms": '<g transform="translate(1,2) rotate(-45 4 4),scale(.5)matrix(1 0 0 1 0 0)"/>',
    "text": '<text font-family="Inter, \'Noto Sans\', 微软雅黑" x="1" xml:space="preserve"> a '
    '<tspan dy="1em">b</tspan> </text>',
    "escapes": '<title>a &lt; b &amp; c &gt; d "e" é &#13;</title>',
    "escaped values": '<g aria-label="&amp;&gt; &quot;x&quot;&#9;&#10;&#13;\'"/>',
    "labels": '<g aria-hidden="true" class="st0 a-1" data-name="Layer" id="图层_1" role="img"/>',
    "id with a space": '<g id="Group 1 (copy)"/>',
    "nested svg": '<svg height="1" viewBox="0 0 1 1" width="1"><rect/></svg>',
    "style": '<g style="fill:#fff;stroke-width:1.5px;marker:none;mix-blend-mode:multiply"/>',
    "unused property": '<g style="enable-background:new 0 0 24 24"/>',
    "old zoom": '<svg height="1" width="1" zoomAndPan="magnify"/>',
}


@pytest.mark.parametrize("content", SAME.values(), ids=SAME)
def test_a_canonical_svg_is_its_own_result(content: str) -> None:
    assert cleaned(content) == content


INKSCAPE = (
    'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
    'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" '
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" inkscape:version="1.3"'
)
REWRITTEN = {
    "attributes in another order": ("<rect y='1' x='2'/>", '<rect x="2" y="1"/>'),
    "white space and comments": ("\n <!-- x --> <g>\t<rect /> </g>\n", "<g><rect/></g>"),
    "empty element": ("<g></g>", "<g/>"),
    "processing instruction": ("<?php echo 1 ?><g/>", "<g/>"),
    "CDATA": ("<title><![CDATA[<b> & ]]></title>", "<title>&lt;b&gt; &amp; </title>"),
    "character references": ("<title>&#x41;&lt;</title>", "<title>A&lt;</title>"),
    "line ends in a value": ('<path d="M0 0\r\nL1 1"/>', '<path d="M0 0 L1 1"/>'),
    "style with blanks": ('<g style=" fill : red ;; "/>', '<g style="fill:red"/>'),
    "order of style": ('<g style="fill:red;fill:blue;fill:red"/>',) * 2,
    "Inkscape's properties": (
        '<g style="-inkscape-stroke:none;fill:red"/>',
        '<g style="fill:red"/>',
    ),
    "old link": (f'<g id="a"/><use {XLINK} xlink:href="#a"/>', '<g id="a"/><use href="#a"/>'),
    "both links": (
        f'<g id="a"/><use {XLINK} xlink:href="#a" href="#a" xlink:title="t"/>',
        '<g id="a"/><use href="#a"/>',
    ),
    "prefix for SVG itself": (
        '<s:g xmlns:s="http://www.w3.org/2000/svg" fill="red"><s:rect/></s:g>',
        '<g fill="red"><rect/></g>',
    ),
    "editor's data": (
        f"<g {INKSCAPE}><sodipodi:v>t<inkscape:grid x='javascript:1'/></sodipodi:v></g>",
        "<g/>",
    ),
    "editor's attributes": (
        f"<g {INKSCAPE}><rect sodipodi:nodetypes='cc' inkscape:label='x'/></g>",
        "<g><rect/></g>",
    ),
    "metadata": (
        f"<metadata><rdf:RDF {INKSCAPE}><rdf:li>x</rdf:li></rdf:RDF></metadata><g/>",
        "<g/>",
    ),
    "filter": (
        (
            '<defs><filter id="f" x="0"><feGaussianBlur stdDeviation="6"/><feMerge><feMergeNode/>'
            '</feMerge></filter></defs><g filter="url(#f)" id="a"/>'
        ),
        '<defs/><g id="a"/>',
    ),
    "filter with attributes that would be active elsewhere": (
        "<filter id='f' onload='alert(1)'><feFlood href='//evil.example'/>text</filter><g/>",
        "<g/>",
    ),
    "filter in a style": (
        (
            '<g style="filter:drop-shadow(0 0 2px rgb(0 0 0 / 50%)) blur(2px);fill:red"/>'
            '<g style="filter:none"/>'
        ),
        '<g style="fill:red"/><g/>',
    ),
}
STYLED = {
    "classes": (
        (
            "<style type='text/css'>\n.a{fill:red;}\n\t.b,.c-1{opacity:.5}</style>"
            '<g class="a"/><g class=" c-1 a"/><g class="d"/>'
        ),
        (
            '<g class="a" style="fill:red"/><g class=" c-1 a" style="fill:red;opacity:.5"/>'
            '<g class="d"/>'
        ),
    ),
    "own style last": (
        '<style>.a{fill:red}</style><g class="a" style="fill:blue" stroke="red"/>',
        '<g class="a" stroke="red" style="fill:red;fill:blue"/>',
    ),
    "weight before order": (
        (
            "<style>#i{fill:#001}g.a{fill:#002}.a{fill:#003}.a.b{fill:#004}g{fill:#005}"
            '</style><g class="a b" id="i"/>'
        ),
        ('<g class="a b" id="i" style="fill:#005;fill:#003;fill:#002;fill:#004;fill:#001"/>'),
    ),
    "after what it is about": (
        '<g class="a"/><defs><style><![CDATA[/* x */ <!-- .a { fill : red } -->]]></style></defs>',
        '<g class="a" style="fill:red"/><defs/>',
    ),
    "references": (
        '<style>.a{fill:url(#p);filter:url(#f)}</style><linearGradient id="p"/><g class="a"/>',
        '<linearGradient id="p"/><g class="a" style="fill:url(#p)"/>',
    ),
    "two sheets": (
        '<style>g{fill:red}</style><style id="x"/><style>g{fill:blue}</style><g/>',
        '<g style="fill:red;fill:blue"/>',
    ),
    "another's style": (
        '<x:style xmlns:x="urn:x">@import "y"</x:style><style>g{fill:red}</style><g/>',
        '<g style="fill:red"/>',
    ),
    "for nothing here": ("<style>.a,text{fill:red}</style><g/>", "<g/>"),
}


@pytest.mark.parametrize(("content", "result"), STYLED.values(), ids=STYLED)
def test_a_style_sheet_is_written_into_the_elements_that_it_is_about(
    content: str, result: str
) -> None:
    assert cleaned(content) == result


def test_a_style_sheet_for_every_element_is_about_the_root_too() -> None:
    text = cleaned("<style>*{fill:red}</style><g/>", "id='r'")
    assert text.endswith('style="fill:red" viewBox="0 0 8 8"><g style="fill:red"/>')


STYLE_FAULTS = {
    "@import url(//evil.example)": "'@import url(//evil.example)', which is not allowed",
    "@media print{g{fill:red}}": "which is not allowed in an icon",
    "@font-face{src:url(x)}": "'src' on <style> is not allowed",
    "g>g{fill:red}": "the selector 'g>g' is not allowed",
    "g g{fill:red}": "the selector 'g g' is not allowed",
    "g:hover{fill:red}": "the selector 'g:hover' is not allowed",
    "[id]{fill:red}": "the selector '[id]' is not allowed",
    "{fill:red}": "the selector '' is not allowed",
    "g,{fill:red}": "the selector '' is not allowed",
    "\\67{fill:red}": "is not allowed",
    "g{fill:red": "the style sheet has 'g{fill:red'",
    "g{fill:red}}": "the style sheet has '}'",
    "/* g{fill:red}": "the selector '/* g' is not allowed",
    "g{fill:url(//evil.example)}": "is not allowed",
    "g{fill:red!important}": "is not allowed",
    "g{background:red}": "'background' on <style> is not allowed",
    "g{filter:url(//evil.example/f.svg#a)}": "is not allowed",
    "g{x}": "has no value",
    "g{fill:url(#none)}": "an id it does not have",
    "g{fill:red}" * 257: "more than 256 selectors",
}


@pytest.mark.parametrize("sheet", STYLE_FAULTS)
def test_a_style_sheet_that_cannot_be_applied_is_refused(sheet: str) -> None:
    assert STYLE_FAULTS[sheet] in refusal(svg(f"<style>{escape(sheet)}</style><g/>"))


@pytest.mark.parametrize(
    "style",
    [
        "<style type='text/plain'>g{fill:red}</style>",
        "<style media='print'>g{fill:red}</style>",
        "<style><g/></style>",
        "<style><script>alert(1)</script></style>",
        "<metadata><style>g{fill:red}</style></metadata>",
    ],
)
def test_a_style_sheet_is_plain_text_for_every_medium(style: str) -> None:
    refusal(svg(style))


def test_a_long_style_sheet_for_many_elements_is_refused_at_once() -> None:
    font = f"font-family:{'x' * 10_000}"
    data = svg(f"<style>{f'.a{{{font}}}' * 20}</style>" + '<g class="a"/>' * 2_000)
    assert "gives more than 262144 characters" in refusal(data)


DOCTYPE = b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">'


@pytest.mark.parametrize(
    "before",
    [
        DOCTYPE,
        b"<!DOCTYPE svg>",
        b"<!DOCTYPE\nsvg SYSTEM 'x.dtd' >",
        b'\xef\xbb\xbf<?xml version="1.0" standalone="no"?>\n<!-- > -->' + DOCTYPE + b"\n",
    ],
)
def test_a_document_type_without_declarations_is_dropped(before: bytes) -> None:
    assert icons.clean(before + svg("<g/>")) == icons.clean(svg("<g/>"))
    assert refusal(before + svg("&nbsp;")).startswith("the SVG is not well-formed")
    assert refusal(before + svg("<g id='&x;'/>")).startswith("the SVG is not well-formed")
    assert refusal(before + before.strip(b"\xef\xbb\xbf") + svg("<g/>"))
    line = 1 + before.count(b"\n")
    assert refusal(before + svg("<blink/>")).endswith(f"(line {line})")


@pytest.mark.parametrize(
    "data",
    [
        svg("<!DOCTYPE svg>"),
        svg("<g/>") + b"<!DOCTYPE svg>",
        b"<!DOCTYPE svg []>" + svg("<g/>"),
        b"<!DOCTYPE svg PUBLIC '-//W3C' 'x' [<!ENTITY a 'x'>]>" + svg("<g/>"),
        b"<!DOCTYPE svg SYSTEM 'x' [%a;]>" + svg("<g/>"),
        b"<!DOCTYPE html>" + svg("<g/>"),
        b"<!DOCTYPE svg" + svg("<g/>"),
        b"<!DOCTYPE svg SYSTEM '>'" + svg("<g/>"),
    ],
)
def test_a_document_type_that_declares_something_or_stands_elsewhere_is_refused(
    data: bytes,
) -> None:
    refusal(data)


@pytest.mark.parametrize(("content", "result"), REWRITTEN.values(), ids=REWRITTEN)
def test_an_svg_with_the_additions_of_editors_is_written_in_one_form(
    content: str, result: str
) -> None:
    assert cleaned(content) == result


def test_a_declaration_a_byte_order_mark_and_space_before_the_root_are_dropped() -> None:
    plain = icons.clean(svg("<g/>"))
    for before in (
        "\ufeff",
        "  \n",
        "<?xml version='1.0'?>",
        '<?xml version="1.0" encoding="utf-8"?>\n<!-- x -->',
    ):
        assert icons.clean(before.encode() + svg("<g/>") + b"\n<!-- y -->\n") == plain


@pytest.mark.parametrize(
    "size",
    [
        'width="24" height="24"',
        'width="1e2px" height=".5cm"',
        'viewBox="0 0 24 24"',
        'viewBox="-1.5,-2 , 3e1 .5"',
        'viewBox="0 0 1 1" width="100%"',
        'viewBox="0 0 1 1" height="1em" width="1em"',
    ],
)
def test_a_root_has_a_size(size: str) -> None:
    data = f'<svg xmlns="http://www.w3.org/2000/svg" {size}/>'.encode()
    assert icons.clean(data).sizes == "any"


@pytest.mark.parametrize(
    "size",
    [
        "",
        'width="24"',
        'width="100%" height="100%"',
        'width="0" height="24"',
        'width="-1" height="24"',
        'width="auto" height="24"',
        'width="1e999" height="24"',
        'width="1e-999" height="24"',
        'viewBox=""',
        'viewBox="0 0 24"',
        'viewBox="0 0 24 0"',
        'viewBox="0 0 0 24"',
        'viewBox="0 0 24 -24"',
        'viewBox="0 0 24 24 24"',
        'viewBox="0 0 24 NaN"',
        'viewBox="0 0 inf 24"',
        'viewBox="0 0 24 1e400"',
        'viewBox="0 0 24 24" width="0"',
    ],
)
def test_a_root_without_a_size_is_refused(size: str) -> None:
    refusal(f'<svg xmlns="http://www.w3.org/2000/svg" {size}/>'.encode())


HTML = 'xmlns:h="http://www.w3.org/1999/xhtml"'
EVENTS = 'xmlns:ev="http://www.w3.org/2001/xml-events"'
ATTACKS = [
    svg("<script>alert(1)</script>"),
    svg("<script href='//evil.example/x.js'/>"),
    svg(f"<script {XLINK} xlink:href='data:text/javascript,alert(1)'/>"),
    svg("<s:script xmlns:s='http://www.w3.org/2000/svg'>alert(1)</s:script>"),
    svg(f"<h:script {HTML}>alert(1)</h:script>"),
    svg("<script xmlns='http://www.w3.org/1999/xhtml'>alert(1)</script>"),
    svg("<script xmlns=''>alert(1)</script>"),
    svg("<SCRIPT>alert(1)</SCRIPT>"),
    svg("<metadata><script>alert(1)</script></metadata>"),
    svg("<x:a xmlns:x='urn:x'><script>alert(1)</script></x:a>"),
    svg(f"<x:a xmlns:x='urn:x'><h:script {HTML}>alert(1)</h:script></x:a>"),
    svg("<title><script>alert(1)</script></title>"),
    svg("<desc><h:img xmlns:h='http://www.w3.org/1999/xhtml' src='x' onerror='alert(1)'/></desc>"),
    svg("", "onload='alert(1)'"),
    svg("", "ONLOAD='alert(1)'"),
    svg("", "onbegin='alert(1)'"),
    svg("<path d='M0 0' onclick='alert(1)'/>"),
    svg("<g onfocusin='alert(1)' tabindex='1'/>"),
    svg(f"<g {HTML} h:onclick='alert(1)'/>"),
    svg("<g s:onclick='alert(1)' xmlns:s='http://www.w3.org/2000/svg'/>"),
    svg("<handler xmlns:ev='http://www.w3.org/2001/xml-events' ev:event='load'>alert(1)</handler>"),
    svg(f"<ev:listener {EVENTS} event='load' handler='#h'/>"),
    svg(f"<g {EVENTS} ev:event='load'/>"),
    svg("<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'/></foreignObject>"),
    svg("<foreignObject><iframe xmlns='http://www.w3.org/1999/xhtml' srcdoc='x'/></foreignObject>"),
    svg(f"<h:iframe {HTML} src='javascript:alert(1)'/>"),
    svg(f"<h:body {HTML} onload='alert(1)'/>"),
    svg("<switch><foreignObject/></switch>"),
    svg("<a href='javascript:alert(1)'><rect/></a>"),
    svg(f"<a {XLINK} xlink:href='https://evil.example'><rect/></a>"),
    svg("<image href='https://evil.example/pixel.png'/>"),
    svg("<image href='data:image/svg+xml;base64,PHN2Zy8+'/>"),
    svg("<feImage href='#a'/>"),
    svg("<filter id='f'><feImage href='https://evil.example/x'/></filter>"),
    svg("<filter id='f'><feBlend><script>alert(1)</script></feBlend></filter>"),
    svg("<filter id='f'><feFlood><animate attributeName='x'/></feFlood></filter>"),
    svg("<filter id='f'><foreignObject/></filter>"),
    svg("<filter id='f'><g/></filter>"),
    svg("<feBlend/>"),
    svg("<g style='filter:url(data:x#a)'/>"),
    svg("<g filter='progid:DXImageTransform.Microsoft.Alpha(src=x)'/>"),
    svg("<use href='https://evil.example/x.svg#a'/>"),
    svg("<use href='x.svg#a'/>"),
    svg("<use href='//evil.example#a'/>"),
    svg("<use href='data:image/svg+xml,&lt;svg id=\"a\"/>#a'/>"),
    svg("<use href='javascript:alert(1)'/>"),
    svg("<use href=' java&#10;script:alert(1)'/>"),
    svg(f"<use {XLINK} xlink:href='#a' href='https://evil.example#a'/><g id='a'/>"),
    svg("<linearGradient href='https://evil.example/x.svg#a'/>"),
    svg("<g xml:base='https://evil.example/'><use href='#a'/></g><g id='a'/>"),
    svg("<animate attributeName='href' values='javascript:alert(1)'/>"),
    svg("<set attributeName='onmouseover' to='alert(1)'/>"),
    svg("<rect><animateTransform onbegin='alert(1)' attributeName='x' dur='1s'/></rect>"),
    svg("<animateMotion/>"),
    svg("<discard href='#a'/>"),
    svg("<style>@import 'https://evil.example/x.css'</style>"),
    svg("<style>*{background:url(javascript:alert(1))}</style>"),
    svg("<h:link xmlns:h='http://www.w3.org/1999/xhtml' rel='stylesheet' href='//evil.example'/>"),
    svg("<g style='background:url(https://evil.example)'/>"),
    svg("<g style='fill:url(https://evil.example#a)'/>"),
    svg("<g style='fill:URL(#a)'/>"),
    svg("<g style='fill:u\\72l(https://evil.example)'/>"),
    svg("<g style='fill:url/**/(https://evil.example)'/>"),
    svg("<g style='fill:red/*'/>"),
    svg("<g style='fill:red!important'/>"),
    svg("<g style='fill:expression(alert(1))'/>"),
    svg("<g style='fill:var(--x)'/>"),
    svg("<g style='--x:url(https://evil.example)'/>"),
    svg("<g style='behavior:url(#default#time2)'/>"),
    svg("<g style='-moz-binding:url(https://evil.example/x.xml#a)'/>"),
    svg("<g style='cursor:url(https://evil.example/x.cur),auto'/>"),
    svg("<g style='font-family:\"a;background:url(//evil.example)\"'/>"),
    svg("<g style='@import url(//evil.example)'/>"),
    svg("<g style='fill'/>"),
    svg("<g fill='url(https://evil.example/x.svg#a)'/>"),
    svg("<g fill='url(#a) url(https://evil.example)'/><linearGradient id='a'/>"),
    svg("<g fill='url(#a'/>"),
    svg("<g filter='url(https://evil.example/x.svg#a)'/>"),
    svg("<g mask='url(//evil.example#a)'/>"),
    svg("<g clip-path='url(\"data:x#a\")'/>"),
    svg("<g marker-start='url(https://evil.example#a)'/>"),
    svg("<g cursor='url(https://evil.example)'/>"),
    svg("<g class='javascript:alert(1)'/>"),
    svg("<g data-href='JavaScript :alert(1)'/>"),
    svg("<g aria-label='url( https://evil.example )'/>"),
    svg("<g src='https://evil.example'/>"),
    svg("<g ping='https://evil.example'/>"),
    svg("<g externalResourcesRequired='true'/>"),
    svg("<font-face-uri href='https://evil.example/x.svg#f'/>"),
    svg("<text><textPath href='https://evil.example/x.svg#p'/></text>"),
    svg("<color-profile href='https://evil.example/x.icc' name='c'/>"),
    svg("<pattern id='p'><image href='https://evil.example'/></pattern>"),
    svg("<view id='v'/>"),
    svg("<unknown/>"),
    svg("<h:math xmlns:h='http://www.w3.org/1998/Math/MathML'/>"),
    svg("<undeclared:g/>"),
    svg("<g undeclared:x='1'/>"),
    svg("<g xmlns:x='' x:y='1'/>"),
    svg("<g a:b:c='1' xmlns:a='urn:a'/>"),
    svg("<g xmlns:a:b='urn:a' a:b:c='1'/>"),
    svg("<:g/>"),
    svg("<g :fill='red'/>"),
    svg("<x: xmlns:x='urn:x'/>"),
    svg(f"<h:title {HTML}>x</h:title>"),
    svg("<path xmlns='' d='M0 0'/>"),
    svg("<x:a xmlns:x='urn:x'><path d='M0 0'/></x:a>"),
    svg("<metadata><g/></metadata>"),
    svg("<use href='a'/>"),
    svg("<use href=''/>"),
    svg(f"<use {XLINK} xlink:href='#a' href='#b'/><g id='a'/><g id='b'/>"),
    svg("hidden text"),
    f"<g {ROOT}/>".encode(),
    f"<x:svg xmlns:x='urn:x' {ROOT}/>".encode(),
    f"<metadata {ROOT}/>".encode(),
    b"<?xml-stylesheet href='https://evil.example/x.xsl' type='text/xsl'?>" + svg(""),
    b"<?xml-stylesheet href='javascript:alert(1)'?>" + svg("<g/>"),
    b"<!DOCTYPE svg [<!ENTITY a 'x'>]>" + svg("<title>&a;</title>"),
    b"<!DOCTYPE svg [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>" + svg("<title>&a;</title>"),
    b"<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'https://evil.example/svg11.dtd'>"
    + svg("<title>&a;</title>"),
    b"<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'alert(1)'>]>" + svg(""),
    b"<!DOCTYPE html><script>alert(1)</script>",
    b"<html xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></html>",
    b"<script>alert(1)</script>",
    b"<svg viewBox='0 0 1 1'><script>alert(1)</script></svg>",
    svg("") + b"<script xmlns='http://www.w3.org/2000/svg'>alert(1)</script>",
    svg("&undefined;"),
    svg("<title>+ADw-script+AD4-</title>").replace(
        b"<svg", b"<?xml version='1.0' encoding='utf-7'?><svg"
    ),
    b"<?xml version='1.0' encoding='iso-2022-jp'?>" + svg("<title>\x1b(J</title>"),
    b"<?xml version='1.0' encoding='utf-16'?>" + svg(""),
    svg("<title>alert</title>").decode().encode("utf-16"),
    svg("<title>alert</title>").decode().encode("utf-16-le"),
    svg("<title>alert</title>").decode().encode("utf-16-be"),
    "<!DOCTYPE svg [<!ENTITY a 'alert'>]>".encode("utf-16-le")
    + svg("<title>&a;</title>").decode().encode("utf-16-le"),
    b"\xef\xbb\xbf" + svg("<title>alert</title>").decode().encode("utf-16-le"),
    svg("<title>\xff</title>").decode().encode("latin-1"),
    svg("<title>\0</title>"),
    svg("<title>&#0;</title>"),
]


@pytest.mark.parametrize("data", ATTACKS)
def test_an_attack_is_refused_or_left_with_nothing_active(data: bytes) -> None:
    icon = settled_or_refused(data)
    assert (icon is not None) == data.startswith(b"<?xml-stylesheet")  # These are dropped.
    assert icon is None or list(active(icon.data)) == []


def active(data: bytes) -> Iterator[str]:
    """Whatever in an SVG could run, load or link, found by other rules than the cleaner's own."""
    if b"<?" in data or b"<!" in data:
        yield "markup"
    for element in ElementTree.fromstring(data).iter():  # noqa: S314 (of what was just cleaned)
        if not element.tag.startswith("{http://www.w3.org/2000/svg}"):
            yield element.tag
        if element.tag.partition("}")[2].lower() in (
            "script",
            "style",
            "a",
            "image",
            "set",
            "foreignobject",
        ):
            yield element.tag
        for name, value in element.attrib.items():
            if name.lower().startswith("on") or ("href" in name and value[:1] != "#"):
                yield name
            if "script:" in value.lower() or ":" in value.replace(";", ":").partition("url(")[2]:
                yield value


def test_one_fault_among_good_content_names_its_element_and_line() -> None:
    data = svg("<g/>\n<rect\n x='1'/>\n<path d='M0 0' onclick='x'/>\n")
    assert refusal(data) == "'onclick' on <path> is not allowed in an icon (line 4)"
    assert (
        refusal(svg("\n<blink/>")) == "the element 'blink' is not allowed here in an icon (line 2)"
    )
    assert refusal(svg("\n<g></a>")) == "the SVG is not well-formed XML (line 2)"
    assert refusal(svg("<g\n fill='&#10;{}'/>")) == (
        "the fill '\\n{}' on <g> is not allowed in an icon (line 1)"
    )


def test_a_long_name_is_cut_in_the_message() -> None:
    assert "'" + "x" * 43 + "...'" in refusal(svg(f"<{'x' * 100_000}/>"))
    assert "..." in refusal(svg(f"<g {'y' * 100_000}='1'/>"))
    assert "..." in refusal(svg(f"<g fill='{'&#xe9;' * 10_000}'/>"))


BAD_REFERENCES = {
    "to nothing": ("<use href='#a'/>", "an id it does not have"),
    "to what was dropped": (
        "<x:g xmlns:x='urn:x' id='a'/><use href='#a'/>",
        "an id it does not have",
    ),
    "fill with a shape": ("<g id='a'/><g fill='url(#a)'/>", "a <g>, in a wrong place"),
    "clip with a mask": ("<mask id='a'/><g clip-path='url(#a)'/>", "a <mask>, in a wrong place"),
    "use of a gradient": ("<linearGradient id='a'/><use href='#a'/>", "in a wrong place"),
    "gradient from a shape": ("<g id='a'/><linearGradient href='#a'/>", "a <g>, in a wrong place"),
    "id used twice": ("<g id='a'/><g id='a'/>", "the id 'a' is used twice"),
    "use of itself": ("<use id='a' href='#a'/>", "refers to itself"),
    "use of what holds it": ("<g id='a'><g><use href='#a'/></g></g>", "refers to itself"),
    "two uses": ("<use id='a' href='#b'/><use id='b' href='#a'/>", "refers to itself"),
    "use of the root": ("<use href='#r'/></svg>", "refers to itself"),
    "gradients": (
        "<linearGradient id='a' href='#b'/><radialGradient id='b' href='#a'/>",
        "refers to itself",
    ),
    "mask in itself": ("<mask id='a'><g mask='url(#a)'/></mask>", "refers to itself"),
    "clip in itself": ("<clipPath id='a' style='clip-path:url(#a)'/>", "refers to itself"),
    "mask by way of use": (
        "<mask id='m'><use href='#u'/></mask><g id='u' mask='url(#m)'/>",
        "refers to itself",
    ),
}


@pytest.mark.parametrize(("content", "why"), BAD_REFERENCES.values(), ids=BAD_REFERENCES)
def test_a_reference_leads_to_the_right_kind_and_in_no_circle(content: str, why: str) -> None:
    data = svg(content, "id='r'")
    assert why in refusal(data.removesuffix(b"</svg>") if b"</svg></svg>" in data else data)


def doubling(levels: int, tag: str = "g") -> str:
    first = f'<{tag} id="a0"><path d="M0 0"/></{tag}>'
    return first + "".join(
        f'<{tag} id="a{n}"><use href="#a{n - 1}"/><use href="#a{n - 1}"/></{tag}>'
        for n in range(1, levels + 1)
    )


def chain(length: int, *, forwards: bool) -> str:
    links = [f'<g id="a{n}"><use href="#a{n + 1}"/></g>' for n in range(length)]
    links.append(f'<g id="a{length}"/>')
    return "".join(links if forwards else links[::-1])


def masks(levels: int) -> str:
    return '<mask id="m0"/>' + "".join(
        f'<mask id="m{n}"><g mask="url(#m{n - 1})"/><g mask="url(#m{n - 1})"/></mask>'
        for n in range(1, levels + 1)
    )


BOMBS = {
    "doubling by use": (doubling(25), "expands to more than"),
    "doubling in symbols": (doubling(16, "symbol"), "expands to more than"),
    "doubling by masks": (masks(20), "expands to more than"),
    "one heavy path used often": (
        f'<path id="p" d="{"M0 0" * 20_000}"/>' + '<use href="#p"/>' * 100,
        "expands to more than",
    ),
    "chain of uses": (chain(2_000, forwards=True), "64 elements deep"),
    "chain of uses, last first": (chain(2_000, forwards=False), "64 elements deep"),
    "one use too deep": (chain(32, forwards=False), "64 elements deep"),
    "deep": ("<g>" * 5_000 + "</g>" * 5_000, "over 32 deep"),
    "deep in metadata": ("<x:g xmlns:x='urn:x'>" + "<a/>" * 3 + "</x:g>", "not allowed"),
    "just too deep": ("<g>" * 32 + "</g>" * 32, "over 32 deep"),
    "many": ("<g/>" * 5_000, "over 5000 elements"),
    "many in metadata": ("<x:g xmlns:x='urn:x'>" + "<x:g/>" * 5_000 + "</x:g>", "over 5000"),
    "many namespaces": (
        "<g " + " ".join(f"xmlns:a{n}='urn:{n}'" for n in range(5_000)) + "/>",
        "more than 64 namespaces",
    ),
    "spaces in a color": ("<g fill='" + " " * 200_000 + "('/>", "the fill"),
    "spaces in a transform": ("<g transform='none" + " " * 200_000 + "x'/>", "the transform"),
    "transforms": ("<g transform='" + "scale(1)" * 25_000 + "x'/>", "the transform"),
    "spaces in a reference": ("<g fill='url(" + " " * 200_000 + "x'/>", "the fill"),
    "almost urls in a label": ("<g class='url(" + "url " * 50_000 + "'/>", "the class"),
    "quotes in a font": ("<g style='font-family:" + '"a"' * 60_000 + "('/>", "the font-family"),
    "semicolons in a style": ("<g style='" + ";" * 200_000 + "x'/>", "has no value"),
}


@pytest.mark.parametrize(("content", "why"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_refused_at_once(content: str, why: str) -> None:
    data = svg(content)
    assert len(data) <= icons.MAX_BYTES
    assert why in refusal(data)


def test_very_long_values_take_no_time() -> None:
    assert cleaned('<g class="url' + " " * 200_000 + 'x"/><g class="' + "script " * 5_000 + '"/>')
    assert cleaned("<g/>", f'width="{"0" * 100_000}1" height=".{"9" * 100_000}"')


def test_a_namespace_is_not_copied_for_every_attribute() -> None:
    names = " ".join(f'a:b{n}=""' for n in range(12_000))
    data = svg(f'<g xmlns:a="{"u" * 100_000}" {names}/>')
    tracemalloc.start()
    assert icons.clean(data).data == icons.clean(svg("<g/>")).data
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16_000_000


def test_everything_up_to_the_limits_is_taken() -> None:
    cleaned(doubling(12))
    cleaned(chain(31, forwards=True))
    cleaned(chain(31, forwards=False))
    cleaned("<g>" * 31 + "</g>" * 31)
    cleaned("<g/>" * 4_999)
    cleaned(
        '<linearGradient id="a"><stop offset="0"/></linearGradient>' + '<g fill="url(#a)"/>' * 4_000
    )
    assert len(icons.clean(svg("<title>" + "x" * 260_000 + "</title>")).data) > 260_000


def test_a_result_is_never_over_the_limit() -> None:
    grows = svg(f"<title><![CDATA[{'&' * 100_000}]]></title>")
    assert "once rewritten" in refusal(grows)


def test_an_svg_cut_anywhere_is_refused() -> None:
    data = svg('<g fill="red"><title>é &amp; x</title><path d="M0 0"/></g>')
    for at in range(len(data)):
        refusal(data[:at])


def written(tag: str, attributes: dict[str, str], parts: list[str]) -> str:
    given = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<{tag}{given}>{''.join(parts)}</{tag}>"


CHARACTERS = st.characters(codec="utf-8")
TAGS = st.sampled_from(["g", "path", "use", "text", "x:y", "script", "metadata", "svg", "mask"])
NAMES = st.sampled_from(["id", "href", "fill", "style", "mask", "d", "x:y", "onload", "class"])
VALUES = st.sampled_from(
    ["a", "#a", "url(#a)", "none", "fill:url(#b)", "mask:none;x", "javascript:"]
)
ATTRIBUTES = st.dictionaries(NAMES, VALUES | st.text(CHARACTERS, max_size=8), max_size=3)
TREES = st.recursive(
    st.text(CHARACTERS, max_size=4).map(escape),
    lambda inner: st.builds(written, TAGS, ATTRIBUTES, st.lists(inner, max_size=3)),
    max_leaves=8,
)


@fuzz
@given(TREES)
def test_any_tree_is_refused_or_is_safe_and_cleans_to_itself(content: str) -> None:
    data = svg(content, "xmlns:x='urn:x'")
    if icon := settled_or_refused(data):
        assert list(active(icon.data)) == []


@fuzz
@given(st.binary(max_size=40), st.sampled_from([b"", SIGNATURE, b"<", b"<svg ", b"\xef\xbb\xbf<"]))
def test_any_bytes_are_refused_or_clean_to_themselves(data: bytes, start: bytes) -> None:
    settled_or_refused(start + data)


# Which format it is


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
    "text": (b"icon.svg", "the icon is no PNG, JPEG or SVG image"),
    "PDF": (b"%PDF-1.7", "the icon is no PNG, JPEG or SVG image"),
    "PNG that went through a text filter": (
        b"\x89PNG\n\x1a\n",
        "the icon is no PNG, JPEG or SVG image",
    ),
    "one byte too large": (bytes(256 * 1024 + 1), "has 262145 bytes; the limit is 262144"),
}


@pytest.mark.parametrize(("data", "why"), OTHERS.values(), ids=OTHERS)
def test_any_other_format_is_refused_by_its_name(data: bytes, why: str) -> None:
    assert why in refusal(data)


def test_a_png_as_large_as_allowed_is_taken() -> None:
    filler = icons.MAX_BYTES - len(DOT) - 12
    assert icons.clean(join(ihdr(1, 2), chunk(b"teXt", bytes(filler)), IDAT, IEND)).data == DOT
    refusal(join(ihdr(1, 2), chunk(b"teXt", bytes(filler + 1)), IDAT, IEND))


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
