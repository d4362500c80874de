"""One SVG image, held to an allow-list and written anew: shapes, paint and text, nothing active.

Section numbers are those of SVG 2. Whatever is not known to be inert is an error and never
silently dropped; only comments, processing instructions, white space between elements, and
editors' metadata (`metadata`, other namespaces, `-inkscape-` properties) are left out.
Expat is run without its own namespace support: with it, a name is copied together with its
namespace for every attribute, and 250 kB of input can take 3 GB of memory.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

MAX_DEPTH = 32
"""The most elements inside one another, as written."""
MAX_ELEMENTS = 5000
MAX_EXPANDED = 4 * 1024 * 1024
"""The most characters an image may have once each `use`, `mask` and `clip-path` is written out."""
MAX_EXPANDED_DEPTH = 64
"""The most elements inside one another once references are followed."""

_W3 = "http://www.w3.org/"
_SVG, _XLINK, _XML = f"{_W3}2000/svg", f"{_W3}1999/xlink", f"{_W3}XML/1998/namespace"
_RESERVED = {"": "", "xml": _XML, "xmlns": f"{_W3}2000/xmlns/"}
_MAX_PREFIXES = 64
# The namespaces in which an element or an attribute can do something; others hold metadata.
_ACTIVE = ("", _SVG, _XML, f"{_W3}1999/xhtml", f"{_W3}1998/Math/MathML", f"{_W3}2001/xml-events")

# Each pattern is held against a whole, stripped value. ASCII classes are spelled out or flagged,
# because Unicode's own change from one Python to the next.
_WORDS = re.compile(r"[-+.,%\s\w]*+", re.ASCII)
_LABEL = re.compile(r"(?is)(?!.*(?:url\s*\(|script\s*:)).*+", re.ASCII)
_LETTERS = r"(?:[-+.,\s\w]|[^\x00-\x7f])*+"
_FONT = re.compile(rf"""(?:{_LETTERS}(?:"{_LETTERS}"|'{_LETTERS}'))*+{_LETTERS}""", re.ASCII)
_COLOUR = r"(?:rgba?|hsla?|color)\([-+.,%/\s\w]*+\)"
_PAINT = re.compile(rf"#[0-9A-Fa-f]{{3,8}}|[-A-Za-z]*+|{_COLOUR}", re.ASCII)
_FUNCTION = r"(?:matrix|translate[XY]?|scale[XY]?|rotate|skew[XY])\s*+\([-+.,\s\w]*+\)"
_TRANSFORM = re.compile(rf"none|(?:[\s,]*+{_FUNCTION})*+", re.ASCII)
_NONE = re.compile(r"(?:none|inherit)?")
_ID = r"""[^\x00-\x20"'()<>\\#&;%]++"""
_HREF = re.compile(rf"#({_ID})")
_URL = re.compile(rf"""url\(\s*+(["']?)#({_ID})\1\s*+\)(.*+)""", re.ASCII)
_FREE_NAME = re.compile(r"(?:aria|data)-[-.\w]++", re.ASCII)
_NUMBER = r"[-+]?(?:\d++(?:\.\d++)?|\.\d++)(?:[eE][-+]?\d++)?"
_VIEWBOX = re.compile(r"[\s,]++".join((_NUMBER, _NUMBER, *(f"({_NUMBER})",) * 2)), re.ASCII)
_LENGTH = re.compile(rf"({_NUMBER})(px|pt|pc|mm|cm|in|em|ex|rem|ch|%)?", re.ASCII)

_GRADIENTS = frozenset({"linearGradient", "radialGradient"})
_SHAPES = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"})
_USABLE = _SHAPES | {"svg", "g", "symbol", "use", "text"}
_TEXTUAL = frozenset({"text", "tspan", "title", "desc"})

_BOX = "x y width height"
_VIEW = f"{_BOX} viewBox preserveAspectRatio"
_POSITIONED = "x y dx dy rotate textLength lengthAdjust"
_GRADIENT = "gradientUnits gradientTransform spreadMethod href"
_ELEMENTS: Mapping[str, tuple[str, ...]] = {  # Each tag's own attributes.
    tag: tuple(names.split())
    for tag, names in {
        **dict.fromkeys(("g", "defs", "title", "desc"), ""),
        "svg": f"{_VIEW} version baseProfile",
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
        _NONE: "clip-path mask filter marker marker-start marker-mid marker-end",
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
    "fill": _GRADIENTS,
    "stroke": _GRADIENTS,
    "clip-path": frozenset({"clipPath"}),
    "mask": frozenset({"mask"}),
}

_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTE = _IN_TEXT | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})
_Size = tuple[int, int]


class SvgError(ValueError):
    """The bytes are not an SVG that may be published; `str()` is one sentence that says why."""


@dataclass(frozen=True, slots=True)
class _Reference:
    id: str
    targets: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """One kept element; attributes are sorted by name, `content` grows while it is read."""

    tag: str
    attributes: Mapping[str, str]
    references: tuple[_Reference, ...]
    content: list[_Node | str] = field(default_factory=list)


def clean(data: bytes) -> bytes:
    """Return the image in UTF-8 with `xmlns` as its only namespace and attributes sorted by name.

    Numbers, ids and text are verbatim, `xlink:href` becomes `href` (16.1.6), and cleaning the
    result again changes nothing. It is meant for `<img>` and `data:`: ids and classes are kept, so
    it does not belong inline in a page. Raises `SvgError` at the first fault: not well-formed, a
    DTD, anything outside the allow-list, a reference out of the file, to nothing or to itself, no
    usable size (8.2), or more elements, depth or expansion than the limits above.
    """
    nodes = _parse(data)
    _check_size(nodes[0].attributes)
    _check_references(nodes)
    return _write(nodes[0], f' xmlns="{_SVG}"').encode()


def _parse(data: bytes) -> list[_Node]:
    """Return every element that is kept, in document order, the root first."""
    reader = _Reader()
    try:
        text = data.decode("utf-8-sig")
        if "\0" in text:  # Expat would take it for UTF-16, whatever it is told.
            raise SvgError("the SVG is in UTF-16 or has a NUL; save it as UTF-8")
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise SvgError("the SVG has a <!DOCTYPE> or <!ENTITY>, which an icon may not have")
        reader.parser.Parse(text.encode(), True)
    except UnicodeDecodeError:
        raise SvgError("the SVG is not in UTF-8") from None
    except expat.ExpatError as fault:
        raise SvgError(f"the SVG is not well-formed XML (line {fault.lineno})") from None
    return reader.nodes


class _Reader:
    """Guards one expat parser, which stops at the first thing that is not allowed."""

    def __init__(self) -> None:
        self.nodes: list[_Node] = []
        self._open: list[tuple[_Node | None, Mapping[str, str]]] = []
        self._count = 0
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.ordered_attributes = True
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._declaration
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = lambda _name: self._open.pop()
        self.parser.CharacterDataHandler = self._characters

    def _declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.upper() not in ("UTF-8", "UTF8", "US-ASCII"):
            raise SvgError(f"the SVG declares the encoding {_shown(encoding)} instead of UTF-8")

    def _start(self, name: str, flat: list[str]) -> None:
        line = self.parser.CurrentLineNumber
        try:
            self._enter(name, list(zip(flat[::2], flat[1::2], strict=True)))
        except SvgError as fault:
            raise SvgError(f"{fault} (line {line})") from None

    def _enter(self, name: str, given: list[tuple[str, str]]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._open) == MAX_DEPTH:
            raise SvgError(f"the SVG has over {MAX_ELEMENTS} elements or is over {MAX_DEPTH} deep")
        around, scope = self._open[-1] if self._open else (None, _RESERVED)
        scope = _declare(scope, given)
        node = None
        if (tag := _element(name, scope, bool(self._open), around is None)) is not None:
            node = _Node(tag, *_attributes(tag, given, scope))
            self.nodes.append(node)
            if around:
                around.content.append(node)
        self._open.append((node, scope))

    def _characters(self, text: str) -> None:
        around, _ = self._open[-1]
        if around and around.tag in _TEXTUAL:
            around.content.append(text)
        elif around and text.strip(" \t\r\n"):
            line = self.parser.CurrentLineNumber
            raise SvgError(f"the SVG has text directly inside <{around.tag}> (line {line})")


def _declare(scope: Mapping[str, str], given: list[tuple[str, str]]) -> Mapping[str, str]:
    """Return the namespaces in force inside an element; the key of the default one is empty."""
    own = {name[6:]: uri for name, uri in given if name == "xmlns" or name.startswith("xmlns:")}
    if len(scope) + len(own) > _MAX_PREFIXES:
        raise SvgError(f"the SVG declares more than {_MAX_PREFIXES} namespaces")
    return {**scope, **own, "xml": _XML, "xmlns": _RESERVED["xmlns"]}


def _resolve(name: str, scope: Mapping[str, str], default: str) -> tuple[str, str]:
    """Split a name into its namespace and its local part (Namespaces in XML 1.0, 5 and 6)."""
    prefix, colon, local = name.rpartition(":")
    if not colon:
        return default, name
    if not scope.get(prefix) or not prefix or not local:
        raise SvgError(f"the name {_shown(name)} has an undeclared or malformed namespace prefix")
    return scope[prefix], local


def _element(name: str, scope: Mapping[str, str], inside: bool, dropping: bool) -> str | None:
    """Return an allowed tag, or None for metadata, in which nothing of SVG may hide."""
    full = _resolve(name, scope, scope[""])
    if not inside and full != (_SVG, "svg"):
        raise SvgError(f'the root is not <svg xmlns="{_SVG}">')
    if full[0] not in _ACTIVE or full == (_SVG, "metadata"):
        return None
    if full[0] != _SVG or full[1] not in _ELEMENTS or (inside and dropping):
        raise SvgError(f"the element {_shown(name)} is not allowed here in an icon")
    return full[1]


def _attributes(
    tag: str, given: list[tuple[str, str]], scope: Mapping[str, str]
) -> tuple[dict[str, str], tuple[_Reference, ...]]:
    """Return what is kept of an element's attributes, and every reference they make."""
    kept: dict[str, str] = {}
    references: list[_Reference] = []
    for name, value in given:
        key = _attribute(name, scope)
        if key is None:
            continue
        if kept.get(key, value) != value:
            raise SvgError(f"<{tag}> has two different {_shown(key)} attributes")
        if key == "style":
            pairs = list(_declarations(value))
            references += [r for n, v in pairs for r in _held(tag, n, v, _PROPERTIES.get(n))]
            kept[key] = ";".join(f"{name}:{text}" for name, text in pairs)
        else:
            references += _held(tag, key, value, _pattern(tag, key))
            kept[key] = value
    return dict(sorted(kept.items())), tuple(references)


def _attribute(name: str, scope: Mapping[str, str]) -> str | None:
    """Return the name an attribute is kept under, or None for metadata and namespaces."""
    if name == "xmlns":
        return None
    namespace, local = _resolve(name, scope, "")
    if (namespace, local) == (_XLINK, "href") or not namespace:
        return local
    if (namespace, local) in ((_XML, "space"), (_XML, "lang")):
        return f"xml:{local}"
    if namespace in _ACTIVE:
        raise SvgError(f"the attribute {_shown(name)} is not allowed in an icon")
    return None


def _declarations(style: str) -> Iterator[tuple[str, str]]:
    """Yield the properties of a `style` attribute, less those that only an editor reads (6.7)."""
    for declaration in filter(None, (part.strip(" \t\r\n") for part in style.split(";"))):
        name, colon, value = declaration.partition(":")
        if not colon:
            raise SvgError(f"the style declaration {_shown(declaration)} has no value")
        if not name.startswith("-inkscape-"):
            yield name.rstrip(" \t\r\n"), value.lstrip(" \t\r\n")


def _pattern(tag: str, name: str) -> re.Pattern[str] | None:
    """Return what the whole value of an attribute must match, or None if it is not allowed."""
    if name in _ELEMENTS[tag]:
        return _TRANSFORM if name == "gradientTransform" else _WORDS
    free = _LABEL if _FREE_NAME.fullmatch(name) else None
    return _PROPERTIES.get(name) or _COMMON.get(name) or free


def _held(tag: str, name: str, value: str, pattern: re.Pattern[str] | None) -> list[_Reference]:
    """Hold a value against its pattern and return the reference it makes, if any (16.1)."""
    if pattern is None:
        raise SvgError(f"{_shown(name)} on <{tag}> is not allowed in an icon")
    text = value.strip(" \t\r\n")
    found: list[_Reference] = []
    if name == "href" and (match := _HREF.fullmatch(text)):
        return [_Reference(match[1], _GRADIENTS if tag in _GRADIENTS else _USABLE)]
    if name in _TARGETS and (match := _URL.fullmatch(text)):
        found = [_Reference(match[2], _TARGETS[name])]
        text = match[3].strip(" \t\r\n")
    if name == "href" or not pattern.fullmatch(text):
        raise SvgError(f"the {name} {_shown(value)} on <{tag}> is not allowed in an icon")
    return found


def _check_size(root: Mapping[str, str]) -> None:
    """Ask for a viewBox or for a width and a height in absolute units (8.2, 8.6)."""
    lengths = [_LENGTH.fullmatch(root[side]) for side in ("width", "height") if side in root]
    if not all(length and _positive(length[1]) for length in lengths):
        raise SvgError("the root's width and height must be positive lengths")
    if "viewBox" in root:
        box = _VIEWBOX.fullmatch(root["viewBox"].strip(" \t\r\n"))
        if not box or not _positive(box[1]) or not _positive(box[2]):
            raise SvgError("the root's viewBox must be four numbers, the last two above zero")
    elif len(lengths) < 2 or any(length and length[2] == "%" for length in lengths):
        raise SvgError("the root has neither a viewBox nor a width and a height")


def _positive(number: str) -> bool:
    return 0 < float(number) < math.inf


def _check_references(nodes: list[_Node]) -> None:
    """Follow every reference: to something here, of the right kind, in no circle, not too much."""
    ids: dict[str, _Node] = {}
    for node in nodes:
        own = node.attributes.get("id")
        if own is not None and ids.setdefault(own, node) is not node:
            raise SvgError(f"the id {_shown(own)} is used twice")
    size, _ = _measure(nodes[0], ids, (), {})
    if size > MAX_EXPANDED:
        raise SvgError(f"the SVG expands to more than {MAX_EXPANDED} characters")


def _measure(
    node: _Node, ids: Mapping[str, _Node], above: tuple[_Node, ...], known: dict[_Node, _Size]
) -> _Size:
    """Return the characters and the depth of an element with its references written out.

    A gradient is looked at but not counted: however often it is named, it is worked out once.
    """
    if node in above:
        raise SvgError(f"a <{node.tag}> in the SVG refers to itself")
    if len(above) + known.get(node, (0, 1))[1] > MAX_EXPANDED_DEPTH:
        raise SvgError(f"the SVG's references lead more than {MAX_EXPANDED_DEPTH} elements deep")
    if node not in known:
        texts = [part for part in node.content if isinstance(part, str)]
        parts = [part for part in node.content if isinstance(part, _Node)]
        parts += [_target(reference, ids) for reference in node.references]
        sizes = [_measure(part, ids, (*above, node), known) for part in parts]
        own = 64 + sum(map(len, (*texts, *node.attributes.values())))
        counted = (s for s, part in zip(sizes, parts, strict=True) if part.tag not in _GRADIENTS)
        known[node] = own + sum(n for n, _ in counted), 1 + max((d for _, d in sizes), default=0)
    return known[node]


def _target(reference: _Reference, ids: Mapping[str, _Node]) -> _Node:
    node = ids.get(reference.id)
    if node is None or node.tag not in reference.targets:
        what = "an id it does not have" if node is None else f"a <{node.tag}>, in a wrong place"
        raise SvgError(f"the SVG refers to {_shown(reference.id)}, {what}")
    return node


def _write(node: _Node, namespace: str = "") -> str:
    given = node.attributes.items()
    attributes = "".join(f' {name}="{value.translate(_IN_ATTRIBUTE)}"' for name, value in given)
    content = "".join(
        part.translate(_IN_TEXT) if isinstance(part, str) else _write(part) for part in node.content
    )
    end = f">{content}</{node.tag}>" if content else "/>"
    return f"<{node.tag}{namespace}{attributes}{end}"


def _shown(text: str) -> str:
    """Quote something from the file for a message: one short line of ASCII."""
    quoted = ascii(text[:48])
    return quoted if len(quoted) <= 48 else f"{quoted[:44]}...{quoted[0]}"
