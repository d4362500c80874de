"""What an SVG icon may hold: elements, attributes, and the values of each (SVG 2, by section).

Whatever is not listed here is refused, so nothing can run, load or refer to anything outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# A whole, stripped value must match its pattern. ASCII classes are spelled out or flagged, because
# Unicode's own change from one Python to the next.
_WORDS = re.compile(r"[-+.,%\s\w]*+", re.ASCII)
_LABEL = re.compile(r"(?is)(?!.*(?:url\s*\(|script\s*:)).*+", re.ASCII)
_LETTERS = r"(?:[-+.,\s\w]|[^\x00-\x7f])*+"
_FONT = re.compile(rf"""(?:{_LETTERS}(?:"{_LETTERS}"|'{_LETTERS}'))*+{_LETTERS}""", re.ASCII)
_COLOR = r"(?:rgba?|hsla?|color)\([-+.,%/\s\w]*+\)"
_PAINT = re.compile(rf"#[0-9A-Fa-f]{{3,8}}|[-A-Za-z]*+|{_COLOR}", re.ASCII)
_FUNCTION = r"(?:matrix|translate[XY]?|scale[XY]?|rotate|skew[XY])\s*+\([-+.,\s\w]*+\)"
_TRANSFORM = re.compile(rf"none|(?:[\s,]*+{_FUNCTION})*+", re.ASCII)
_NONE = re.compile(r"(?:none|inherit)?")
_ID = r"""[^\x00-\x20"'()<>\\#&;%]++"""
_HREF = re.compile(rf"#({_ID})")
_URL = re.compile(rf"""url\(\s*+(["']?)#({_ID})\1\s*+\)(.*+)""", re.ASCII)
_EFFECT = r"(?!url)[-A-Za-z]++\((?:[^()<>\"'\\:]|\([-+.,%/\s\w]*+\))*+\)"
_FILTER = re.compile(
    rf"""none|inherit|(?:\s*+(?:url\(\s*+(?:#{_ID}|'#{_ID}'|"#{_ID}")\s*+\)|{_EFFECT}))*+""",
    re.ASCII,
)
_FREE_NAME = re.compile(r"(?:aria|data)-[-.\w]++", re.ASCII)

GRADIENTS = frozenset({"linearGradient", "radialGradient"})
_SHAPES = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"})
_USABLE = _SHAPES | {"svg", "g", "symbol", "use", "text"}
TEXTUAL = frozenset({"text", "tspan", "title", "desc"})

_BOX = "x y width height"
_VIEW = f"{_BOX} viewBox preserveAspectRatio"
_POSITIONED = "x y dx dy rotate textLength lengthAdjust"
_GRADIENT = "gradientUnits gradientTransform spreadMethod href"
ELEMENTS: Mapping[str, tuple[str, ...]] = {  # Every allowed tag, with its own attributes.
    tag: tuple(names.split())
    for tag, names in {
        **dict.fromkeys(("g", "defs", "title", "desc"), ""),
        "svg": f"{_VIEW} version baseProfile zoomAndPan",
        "symbol": f"{_VIEW} refX refY",
        "use": f"{_BOX} href",
        "path": "d pathLength",
        "rect": f"{_BOX} rx ry pathLength",
        "circle": "cx cy r pathLength",
        "ellipse": "cx cy rx ry pathLength",
        "line": "x1 y1 x2 y2 pathLength",
        "polyline": "points pathLength",
        "polygon": "points pathLength",
        "linearGradient": f"x1 y1 x2 y2 {_GRADIENT}",
        "radialGradient": f"cx cy r fx fy fr {_GRADIENT}",
        "stop": "offset",
        "clipPath": "clipPathUnits",
        "mask": f"{_BOX} maskUnits maskContentUnits",
        "text": _POSITIONED,
        "tspan": _POSITIONED,
    }.items()
}
_PROPERTIES: Mapping[str, re.Pattern[str]] = {  # Attributes and declarations in `style` alike (6).
    name: pattern
    for pattern, names in {
        _PAINT: """fill stroke color stop-color flood-color lighting-color solid-color
            text-decoration-color""",
        _NONE: "clip-path mask marker marker-start marker-mid marker-end",
        _FILTER: "filter",
        _TRANSFORM: "transform",
        _FONT: "font-family font-feature-settings font-variation-settings",
        _WORDS: """fill-opacity fill-rule stroke-width stroke-linecap stroke-linejoin
            stroke-miterlimit stroke-dasharray stroke-dashoffset stroke-opacity opacity display
            visibility overflow clip-rule stop-opacity flood-opacity solid-opacity paint-order
            vector-effect pointer-events isolation mask-type mix-blend-mode enable-background
            transform-origin transform-box shape-rendering text-rendering image-rendering
            color-rendering color-interpolation color-interpolation-filters shape-padding
            font-size font-size-adjust font-style font-weight font-stretch font-kerning
            font-variant font-variant-alternates font-variant-caps font-variant-east-asian
            font-variant-ligatures font-variant-numeric font-variant-position letter-spacing
            word-spacing line-height baseline-shift dominant-baseline alignment-baseline
            text-anchor text-align text-indent text-transform text-orientation text-decoration
            text-decoration-line text-decoration-style writing-mode direction unicode-bidi
            white-space block-progression inline-size""",
    }.items()
    for name in names.split()
}
_COMMON: Mapping[str, re.Pattern[str]] = {  # Attributes that any element may have (5.11).
    **dict.fromkeys(("id", "class"), _LABEL),
    **dict.fromkeys(("lang", "xml:lang", "role", "focusable"), _WORDS),
    "xml:space": re.compile(r"default|preserve"),
}
_TARGETS: Mapping[str, frozenset[str]] = {  # What each property's url(#id) may name.
    "fill": GRADIENTS,
    "stroke": GRADIENTS,
    "clip-path": frozenset({"clipPath"}),
    "mask": frozenset({"mask"}),
}


LEFT_OUT = frozenset({"filter"})
"""Attributes and properties that are checked and not published: effects cost browsers much time."""
_EFFECTS = """
    feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
    feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
    feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting
    feSpotLight feTile feTurbulence
"""
FILTER_PARTS = frozenset(_EFFECTS.split())
"""What a `filter` may hold, which is left out with it; `feImage` would load something."""


class SvgError(ValueError):
    """The bytes are not an SVG that may be published; `str()` is one sentence that says why."""


@dataclass(frozen=True, slots=True)
class SvgReference:
    """A reference to the element with this id, which must have one of the tags."""

    id: str
    targets: frozenset[str]


def references_in(tag: str, name: str, value: str) -> list[SvgReference]:
    """The references that an attribute makes, at most one; `SvgError` if it is not allowed."""
    return _checked(tag, name, value, _pattern(tag, name))


def references_in_style(tag: str, declarations: list[tuple[str, str]]) -> list[SvgReference]:
    """The references that properties of a `style` make; `SvgError` if one is not allowed."""
    return [
        reference
        for name, value in declarations
        for reference in _checked(tag, name, value, _PROPERTIES.get(name))
    ]


def declarations_in(style: str) -> Iterator[tuple[str, str]]:
    """The properties of a `style` attribute, without those that only an editor reads (6.7)."""
    for declaration in filter(None, (part.strip(" \t\r\n") for part in style.split(";"))):
        name, colon, value = declaration.partition(":")
        if not colon:
            raise SvgError(f"the style declaration {shown(declaration)} has no value")
        if not name.startswith("-inkscape-"):
            yield name.rstrip(" \t\r\n"), value.lstrip(" \t\r\n")


def _pattern(tag: str, name: str) -> re.Pattern[str] | None:
    """What the value of an attribute must match, or None if the attribute is not allowed."""
    if name in ELEMENTS[tag]:
        return _TRANSFORM if name == "gradientTransform" else _WORDS
    free = _LABEL if _FREE_NAME.fullmatch(name) else None
    return _PROPERTIES.get(name) or _COMMON.get(name) or free


def _checked(
    tag: str, name: str, value: str, pattern: re.Pattern[str] | None
) -> list[SvgReference]:
    """Match a value against its pattern and return the reference that it makes, if any (16.1)."""
    if pattern is None:
        raise SvgError(f"{shown(name)} on <{tag}> is not allowed in an icon")
    text = value.strip(" \t\r\n")
    references: list[SvgReference] = []
    if name == "href" and (match := _HREF.fullmatch(text)):
        return [SvgReference(match[1], GRADIENTS if tag in GRADIENTS else _USABLE)]
    if name in _TARGETS and (match := _URL.fullmatch(text)):
        references = [SvgReference(match[2], _TARGETS[name])]
        text = match[3].strip(" \t\r\n")
    if name == "href" or not pattern.fullmatch(text):
        raise SvgError(f"the {name} {shown(value)} on <{tag}> is not allowed in an icon")
    return references


def shown(text: str) -> str:
    """Quote something from the file for a message: one short line of ASCII."""
    quoted = ascii(text[:48])
    return quoted if len(quoted) <= 48 else f"{quoted[:44]}...{quoted[0]}"
