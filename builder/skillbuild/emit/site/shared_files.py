"""The files that all pages share: styles, scripts from `site_src/`, and the preview picture of the
catalog.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from skillbuild import assets
from skillbuild.emit.site import sources
from skillbuild.emit.site.cards import drawing
from skillbuild.media.raster import draw_cells
from skillbuild.model import Digest, OutputFile

_ENGINE = tuple(
    f"search/{name}.js"
    for name in ("letters", "snowball", "terms", "shards", "matching", "ranking", "engine")
)
"""The scripts that open and query a search index, on every page with a search."""
_LIST = (
    "page.js",
    "search/state.js",
    "search/address.js",
    "search/facets.js",
    "search/keys.js",
    "search/later.js",
    "search/words.js",
    "search/cards.js",
    "search/load.js",
    "search/start.js",
)
_SOURCES = {
    "style.css": ("style.css",),
    "history.css": ("history.css",),
    "table.css": ("table.css",),
    "theme.js": ("theme.js",),
    "page.js": ("page.js", "reading.js"),
    "choose.js": ("install.js", "choose.js"),
    "skill.js": (
        *("page.js", "reading.js", "install.js", "parts.js", "contents.js"),
        *("choose.js", "related.js"),
    ),
    "version.js": (
        *("page.js", "reading.js", "parts.js", "contents.js", "search/load.js", "version.js"),
    ),
    "compare.js": ("page.js", "choose.js", "compare.js"),
    "list.js": _LIST,
    "missing.js": ("missing.js", *_LIST),
    "search.js": (
        *_ENGINE,
        "search/spans.js",
        "search/quotes.js",
        "search/filters.js",
        "search/results.js",
        "search/page.js",
    ),
    "snowball.txt": ("search/snowball.txt",),
}
"""The sources of each file, which are joined so that a page needs one request for it.

Every page has `style.css`, `theme.js`, and either `page.js` or a script named after the page. Pages
about changes also have `history.css`, and the comparison `table.css`. The list also has
`choose.js`, and loads `search.js` once somebody searches or filters. The page for missing addresses
is a list that begins with `missing.js`. A part of `search.js` has its own license, which must be
published with it.
"""
_DOCUMENTATION = {
    "docs.css": ("docs.css",),
    "docs.js": ("search/load.js", "contents.js", "docs.js"),
    "engine.js": (*_ENGINE, "search/spans.js"),
}
"""More files for pages of the documentation; they load the search scripts once somebody
searches.
"""
_EAGER = dict.fromkeys(("search.js", "engine.js"), "//# allFunctionsCalledOnLoad\n")
"""The first line of scripts that are loaded when the search field gets the focus.

Browsers that know this comment compile the whole script at once, and not function by function while
somebody waits for an answer.
"""
_DROPPED = re.compile(r"^ +(//.*\n)?|^//.*\n|^/\*.*\*/\n", re.MULTILINE)
"""Indentation and comment lines, which the published files do not need."""
_JOINED = re.compile(r'" \+\n"')
"""The place between two joined parts of a string."""
_NEEDLESS = re.compile(r"^((?!.*//).*[;{,(\[])?\n", re.MULTILINE)
"""Line breaks of empty lines, and those after which a statement, block or list continues."""
_SPACED = re.compile(
    r"(\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|//.*)"
    r"| (=|=>|[=!]==|[-+*<>]=?|[?:]|&&|\|\|) |(?<=\{) | (?=\})|([,:]) "
)
"""Spaces beside operators of scripts, which can be removed; and strings, which stay unchanged."""
_BLANKS = re.compile(r"(\"[^\"]*\")|\s*([{};,>])\s*|(:) ")
"""White space around punctuation in styles, which can be removed; and strings, which stay
unchanged.
"""
_NEEDED_NOT = re.compile(r"(?<=[ :,(-])0(?=\.[0-9])|;(?=\})")
"""A zero before a decimal point, and the semicolon of the last declaration; both can be removed."""


def shared_files(accent: str) -> Mapping[str, OutputFile]:
    """Return the shared files by their plain names. They are published as `assets/<stem>.<part of
    digest>.<kind>`.

    `accent` is `#` and six hex digits; it is empty for the default color.
    """
    return {name: _shared_file(name, accent) for name in _SOURCES}


def documentation_files() -> Mapping[str, OutputFile]:
    """Return the additional files for documentation pages, by their plain names."""
    return {name: _shared_file(name, "") for name in _DOCUMENTATION}


@functools.cache
def _shared_file(name: str, accent: str) -> OutputFile:
    parts = _SOURCES.get(name) or _DOCUMENTATION[name]
    text = _EAGER.get(name, "") + "".join(map(_source, parts))
    if name == "style.css":
        text += sources.numbering() + (accent_rule(accent) if accent else "")
    if name.endswith(".css"):
        text = _NEEDED_NOT.sub("", _BLANKS.sub(_without_blanks, text))
    data = text.encode()
    stem, _, kind = name.rpartition(".")
    return OutputFile(f"assets/{stem}.{Digest.of(data).short[:8]}.{kind}", data)


def _without_blanks(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3]


def _source(name: str) -> str:
    text = (assets.asset_root("site_src") / name).read_text("utf-8")
    if name.endswith(".txt"):
        return text
    text = _DROPPED.sub("", text)
    if name.endswith(".js"):
        text = _SPACED.sub(lambda match: "".join(filter(None, match.groups())), text)
    return _NEEDLESS.sub(r"\1", _JOINED.sub("", text))


# The accent color of a catalog, adjusted until it can be read on light and on dark pages.


_LIGHT_GROUND = (0xF6, 0xF8, 0xFA)
_DARK_GROUND = (0x1C, 0x22, 0x2A)
_ENOUGH = 4.6
"""A sufficient contrast ratio; WCAG 2.2, success criterion 1.4.3, requires 4.5."""

_Color = tuple[int, int, int]


def accent_rule(accent: str) -> str:
    """Return a style rule that sets the accent color; `accent` is `#` and six hex digits."""
    color = (int(accent[1:3], 16), int(accent[3:5], 16), int(accent[5:7], 16))
    light, dark = _readable(color, _LIGHT_GROUND, 0), _readable(color, _DARK_GROUND, 255)
    return f":root {{ --accent: light-dark({_hex(light)}, {_hex(dark)}); }}\n"


def _readable(color: _Color, ground: _Color, towards: int) -> _Color:
    """Return the color, mixed with black (0) or white (255) in steps until it is readable on
    `ground`.
    """
    for step in range(51):
        red, green, blue = (round(part + (towards - part) * step / 50) for part in color)
        if contrast((red, green, blue), ground) >= _ENOUGH:
            return red, green, blue
    return towards, towards, towards


def contrast(first: _Color, second: _Color) -> float:
    """Return the contrast ratio of two colors as WCAG 2.2 defines it, from 1 to 21."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: _Color) -> float:
    red, green, blue = (_linear(part / 255) for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _hex(color: _Color) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)


# The preview picture (`og:image`) of a catalog that has no icon.


def shared_picture(title: str) -> OutputFile:
    """Return the picture for link previews. It is drawn from the title."""
    data = _draw(title)
    return OutputFile(_path(data), data)


def shared_picture_path(title: str) -> str:
    """Return the output path of the picture for link previews."""
    return _path(_draw(title))


def _path(data: bytes) -> str:
    return f"assets/share.{Digest.of(data).short[:8]}.png"


@functools.lru_cache(maxsize=4)
def _draw(title: str) -> bytes:
    drawn = drawing(title)
    return draw_cells(drawn.cells, bytes.fromhex(drawn.color))
