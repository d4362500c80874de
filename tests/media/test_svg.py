"""SVG icons: what passes is published byte for byte, and a browser runs and loads nothing of it."""

from __future__ import annotations

import base64
import re
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.pngs import chunk, ihdr, join
from helpers.svgs import ATTACKS, HARMLESS, XLINK, svg
from skillbuild.media import icons
from skillbuild.media.raster import IconError

fuzz = settings(derandomize=True, database=None, deadline=None, max_examples=300)


def refusal(data: bytes) -> str:
    """The sentence that refuses an image, with its line; it must fit on one line of a report."""
    with pytest.raises(IconError) as caught:
        icons.clean(data)
    message, place = str(caught.value), caught.value.place
    assert message.isprintable()
    assert message.isascii()
    assert 10 < len(message) < 160
    return f"{message} (line {place.line})" if place else message


def passes(data: bytes) -> bool:
    """Whether an SVG is published, which is byte for byte; if not, the refusal is one line."""
    try:
        icon = icons.clean(data)
    except IconError:
        refusal(data)
        return False
    assert icon == icons.CleanIcon(data, "image/svg+xml", "any")
    assert list(active(data)) == []
    return True


def active(data: bytes) -> Iterator[str]:
    """Whatever in an SVG could run, load or link, found by other rules than the gate's own."""
    for element in ElementTree.fromstring(data).iter():  # noqa: S314 (no document type: see above)
        namespace, _, tag = element.tag.removeprefix("{").rpartition("}")
        if not namespace.startswith("http://www.w3.org/"):
            continue
        if tag.lower() in ("script", "a", "set", "foreignobject", "iframe", "filter"):
            yield element.tag
        if tag == "style" and "@" in (element.text or "").partition("<!--")[0]:
            yield element.tag
        for name, value in element.attrib.items():
            is_link = name.rpartition("}")[2] == "href" and not name.startswith("{urn:")
            if is_link and not value.strip().startswith(
                ("#", "data:image/png;", "data:image/jpeg;")
            ):
                yield name
            if name.lower().startswith("on") or (name == "style" and "//" in value):
                yield name


@pytest.mark.parametrize("content", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_svg_is_published_byte_for_byte(content: str) -> None:
    data = svg(content)
    assert icons.clean(data) == icons.CleanIcon(data, "image/svg+xml", "any")


@pytest.mark.parametrize("data", ATTACKS)
def test_an_attack_is_refused(data: bytes) -> None:
    refusal(data)


def test_a_declaration_a_byte_order_mark_and_space_before_the_root_do_no_harm() -> None:
    for before in (
        "\ufeff",
        "  \n",
        "<?xml version='1.0'?>",
        '<?xml version="1.0" encoding="utf-8"?>\n<!-- x -->',
    ):
        assert passes(before.encode() + svg("<g/>") + b"\n<!-- y -->\n")
    assert not passes("\ufeff\ufeff".encode() + svg("<g/>"))


def picture(width: int, height: int, *more: bytes) -> str:
    """An `<image>` of an empty PNG."""
    pixels = chunk(b"IDAT", zlib.compress(bytes((width + 1) * height)))
    data = join(ihdr(width, height), *more, pixels, chunk(b"IEND"))
    return f"<image width='8' href='data:image/png;base64,{base64.b64encode(data).decode()}'/>"


def test_small_pictures_may_be_inside() -> None:
    assert passes(svg(picture(8, 8)))
    assert passes(svg(picture(1024, 512).replace("href", f"{XLINK} xlink:href")))
    assert passes(svg(picture(2, 2).replace("base64,", "base64,\n  ")))
    assert "1025x1 pixels" in refusal(svg(picture(1025, 1)))
    assert "is animated" in refusal(svg(picture(8, 8, chunk(b"acTL", bytes(8)))))
    assert "expands to more than" in refusal(svg(picture(1024, 1024) * 4))
    twice = f"<g id='a'>{picture(1024, 1024)}</g>" + "<use href='#a'/>" * 3
    assert "expands to more than" in refusal(svg(twice))


@pytest.mark.parametrize(
    "size",
    ['width="24" height="24"', 'viewBox="0 0 24 24"', 'viewBox="0 0 1 1" width="100%"'],
)
def test_a_root_has_a_size(size: str) -> None:
    assert passes(f'<svg xmlns="http://www.w3.org/2000/svg" {size}/>'.encode())


@pytest.mark.parametrize("size", ["", 'width="24"', 'height="24" x="1"'])
def test_a_root_without_a_size_is_refused(size: str) -> None:
    data = f'<svg xmlns="http://www.w3.org/2000/svg" {size}/>'.encode()
    assert "neither a viewBox nor" in refusal(data)


STYLE_FAULTS = {
    "@import url(//evil.example)": "'@import url(//evil.example)' in a style sheet is not",
    "@media print{g{fill:red}}": "'@media print{g{fill:red}}' in a style sheet is not",
    "@font-face{src:url(x)}": "'src:url(x)' in a style is not allowed",
    "g>g{fill:red}": "the selector 'g>g' is not allowed",
    "g g{fill:red}": "the selector 'g g' is not allowed",
    "g:hover{fill:red}": "the selector 'g:hover' is not allowed",
    "[id]{fill:red}": "the selector '[id]' is not allowed",
    "{fill:red}": "the selector '' is not allowed",
    "g,{fill:red}": "the selector '' is not allowed",
    "\\67{fill:red}": "is not allowed",
    "g{fill:red": "'g{fill:red' in a style sheet is not allowed",
    "g{fill:red}}": "'}' in a style sheet is not allowed",
    "/* g{fill:red}": "the selector '/* g' is not allowed",
    "g{fill:url(//evil.example)}": "the fill 'url(//evil.example)' is not allowed",
    "g{background:red}": "'background:red' in a style is not allowed",
    "g{filter:url(//evil.example/f.svg#a)}": "is not allowed",
    "g{animation:a 1s}": "'animation:a 1s' in a style is not allowed",
    "g{x}": "'x' in a style is not allowed",
    "g{fill:red}" * 257: "over 256 selectors",
}


@pytest.mark.parametrize("sheet", STYLE_FAULTS)
def test_a_style_sheet_that_is_not_plain_is_refused(sheet: str) -> None:
    assert STYLE_FAULTS[sheet] in refusal(svg(f"<style>{escape(sheet)}</style><g/>"))


@pytest.mark.parametrize(
    "style",
    [
        "<style media='print'>g{fill:red}</style>",
        "<style><g/></style>",
        "<style><script>alert(1)</script></style>",
        "<metadata><style>g{fill:red}</style></metadata>",
    ],
)
def test_a_style_sheet_is_plain_text_for_every_medium(style: str) -> None:
    refusal(svg(style))


def test_one_fault_among_good_content_names_its_element_and_line() -> None:
    data = svg("<g/>\n<rect\n x='1'/>\n<path d='M0 0' onclick='x'/>\n")
    assert refusal(data) == "'onclick' on <path> is not allowed in an icon (line 4)"
    assert (
        refusal(svg("\n<blink/>")) == "the element 'blink' is not allowed here in an icon (line 2)"
    )
    assert refusal(svg("\n<g></a>")) == "the SVG is not well-formed XML (line 2)"
    assert refusal(svg("<g\n fill='&#10;{}'/>")) == (
        "the fill '\\n{}' is not allowed in an icon (line 1)"
    )


def test_a_long_name_is_cut_in_the_message() -> None:
    assert "'" + "x" * 43 + "...'" in refusal(svg(f"<{'x' * 100_000}/>"))
    assert "..." in refusal(svg(f"<g {'y' * 100_000}='1'/>"))
    assert "..." in refusal(svg(f"<g fill='({'&#xe9;' * 10_000}'/>"))


BAD_REFERENCES = {
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
def test_no_reference_leads_back_to_where_it_is_made(content: str, why: str) -> None:
    data = svg(content, "id='r'")
    assert why in refusal(data.removesuffix(b"</svg>") if b"</svg></svg>" in data else data)


def test_a_style_sheet_refers_for_the_elements_that_it_is_about() -> None:
    rule = "<style>.a{mask:url(#m)}</style>"
    assert passes(svg(f"{rule}<mask id='m'><g class='b'/></mask><g class='a'/>"))
    assert "refers to itself" in refusal(svg(f"{rule}<mask id='m'><g class='b a'/></mask>"))
    bomb = "".join(f"#g{n},#h{n}{{mask:url(#m{n - 1})}}" for n in range(1, 21))
    levels = "".join(f"<mask id='m{n}'><g id='g{n}'/><g id='h{n}'/></mask>" for n in range(21))
    assert "expands to more than" in refusal(svg(f"<style>{bomb}</style>{levels}"))


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
    "deep": ("<g>" * 5_000 + "</g>" * 5_000, "or 32 levels of nesting"),
    "deep in metadata": ("<x:g xmlns:x='urn:x'>" + "<a/>" * 3 + "</x:g>", "not allowed"),
    "just too deep": ("<g>" * 32 + "</g>" * 32, "or 32 levels of nesting"),
    "many": ("<g/>" * 5_000, "more than 5000 elements"),
    "many in metadata": ("<x:g xmlns:x='urn:x'>" + "<x:g/>" * 5_000 + "</x:g>", "more than 5000"),
    "spaces in a color": ("<g fill='" + " " * 200_000 + "('/>", "the fill"),
    "spaces in a transform": ("<g transform='none" + " " * 200_000 + "('/>", "the transform"),
    "transforms": ("<g transform='" + "scale(1)" * 25_000 + "('/>", "the transform"),
    "spaces in a reference": ("<g fill='url(" + " " * 200_000 + "x'/>", "the fill"),
    "almost urls": ("<g fill='" + "url(#a" * 40_000 + "'/>", "the fill"),
    "quotes in a font": ("<g style='font-family:" + '"a"' * 60_000 + "('/>", "the font-family"),
    "semicolons in a style": ("<g style='" + ";" * 200_000 + "x'/>", "'x' in a style"),
}


@pytest.mark.parametrize(("content", "why"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_refused_at_once(content: str, why: str) -> None:
    data = svg(content)
    assert len(data) <= icons.MAX_BYTES
    start = time.process_time()
    assert why in refusal(data)
    assert time.process_time() - start < 2


def test_very_long_values_take_no_time() -> None:
    assert passes(
        svg('<g class="url' + " " * 200_000 + 'x"/><g class="' + "script " * 5_000 + '"/>')
    )
    assert passes(svg("<g/>", f'width="{"0" * 100_000}1" height=".{"9" * 100_000}"'))
    assert not passes(svg("<!-- " + "xmlns" * 50_000 + " -->"))


def test_a_namespace_is_not_copied_for_every_attribute() -> None:
    names = " ".join(f'a:b{n}=""' for n in range(12_000))
    tracemalloc.start()
    assert "longer than 256" in refusal(svg(f'<g xmlns:a="{"u" * 100_000}" {names}/>'))
    assert "longer than 256" in refusal(svg(f'<g xmlns:{"a" * 99}="urn:a"/>'))
    assert passes(svg(f'<g xmlns:a="{"u" * 256}" {names}/>'))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32_000_000


def test_everything_up_to_the_limits_is_taken() -> None:
    assert passes(svg(doubling(12)))
    assert passes(svg(chain(31, forwards=True)))
    assert passes(svg(chain(31, forwards=False)))
    assert passes(svg("<g>" * 31 + "</g>" * 31))
    assert passes(svg("<g/>" * 4_999))
    gradient = '<linearGradient id="a"><stop offset="0"/></linearGradient>'
    assert passes(svg(gradient + '<g fill="url(#a)"/>' * 4_000))
    assert passes(svg("<title>" + "x" * 260_000 + "</title>"))


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
def test_any_tree_is_refused_or_harmless(content: str) -> None:
    passes(svg(content, "xmlns:x='urn:x'"))


SHEETS = st.lists(
    st.sampled_from(
        [
            *(
                "g",
                ".a",
                "#b",
                "{",
                "}",
                ";",
                ":",
                ",",
                "@import",
                "@font-face",
                "fill",
                "red",
                "src",
            ),
            *("url(", "url(#b)", "//evil.example", ")", "'", '"', "/*", "*/", "<!--", "-->", "\n"),
            *(" ", "\\", "font-family", "mask", "image-set(", "[id]", "*"),
        ]
    ),
    max_size=14,
)


@fuzz
@given(SHEETS)
def test_any_style_sheet_is_refused_or_harmless(parts: list[str]) -> None:
    sheet = "".join(parts)
    if passes(svg(f"<style>{escape(sheet)}</style><g class='a' id='b' style='{'fill:red'}'/>")):
        outside = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
        assert not re.search(r"@|\\|//|src\(|set\(", outside)


@fuzz
@given(st.binary(max_size=40), st.sampled_from([b"<", b"<svg ", b"\xef\xbb\xbf<", svg("")[:-6]]))
def test_any_bytes_are_refused_or_harmless(data: bytes, start: bytes) -> None:
    passes(start + data)
