"""Checks that an SVG is safe to publish unchanged, as a document on the catalog's origin.

Only content that is known to be harmless passes: shapes, paint, text and small embedded images. An
SVG must not run code, animate, load anything or link anywhere, and must not be slow to draw.
Section numbers refer to SVG 2.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from skillbuild.media import raster
from skillbuild.media.raster import IconError
from skillbuild.model import Place

MAX_DEPTH = 32
"""The maximum nesting depth of elements in the file."""
MAX_ELEMENTS = 5000
MAX_SELECTORS = 256
"""The maximum number of selectors in all style sheets of one image."""
MAX_EXPANDED = 4 * 1024 * 1024
"""The maximum size in characters after each reference is replaced by its target; each pixel counts
as one character.
"""
MAX_EXPANDED_DEPTH = 64
"""The maximum nesting depth after references are followed."""

_W3 = "http://www.w3.org/"
_SVG, _XLINK, _XML = f"{_W3}2000/svg", f"{_W3}1999/xlink", f"{_W3}XML/1998/namespace"
_ACTIVE = frozenset(
    [
        *("", _SVG, _XML, f"{_W3}1999/xhtml", f"{_W3}1998/Math/MathML"),
        *(f"{_W3}2001/xml-events", f"{_W3}1999/XSL/Transform"),
    ]
)
"""Namespaces whose elements and attributes browsers interpret; they ignore all others."""
_XML_ATTRIBUTES = ((_XML, "space"), (_XML, "lang"))

_GRADIENTS = ("linearGradient", "radialGradient")
_TAGS = """
    svg g defs symbol use title desc metadata style path rect circle ellipse line polyline
    polygon linearGradient radialGradient stop clipPath mask image text tspan
"""
_ELEMENTS = frozenset(_TAGS.split())
_OWN = """
    x y width height viewBox preserveAspectRatio version baseProfile zoomAndPan refX refY d
    pathLength rx ry cx cy r x1 y1 x2 y2 points gradientUnits gradientTransform spreadMethod
    fx fy fr offset clipPathUnits maskUnits maskContentUnits dx dy rotate textLength
    lengthAdjust
"""
_ATTRIBUTES = frozenset(_OWN.split())
_STYLING = """
    fill stroke color stop-color flood-color lighting-color solid-color text-decoration-color
    clip-path mask marker marker-start marker-mid marker-end transform font-family
    font-feature-settings font-variation-settings fill-opacity fill-rule stroke-width
    stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset
    stroke-opacity opacity display visibility overflow clip-rule stop-opacity flood-opacity
    solid-opacity paint-order vector-effect pointer-events isolation mask-type mix-blend-mode
    enable-background transform-origin transform-box shape-rendering text-rendering
    image-rendering color-rendering color-interpolation color-interpolation-filters
    shape-padding font-size font-size-adjust font-style font-weight font-stretch font-kerning
    font-variant font-variant-alternates font-variant-caps font-variant-east-asian
    font-variant-ligatures font-variant-numeric font-variant-position letter-spacing
    word-spacing line-height baseline-shift dominant-baseline alignment-baseline text-anchor
    text-align text-indent text-transform text-orientation text-decoration
    text-decoration-line text-decoration-style writing-mode direction unicode-bidi white-space
    block-progression inline-size
"""
_PROPERTIES = frozenset(_STYLING.split())
"""Allowed attributes, and allowed properties in `style` (6)."""
_LABEL = re.compile(r"lang|role|type|focusable|(?:aria|data)-[-.\w]+", re.ASCII)
"""Matches attributes whose values browsers only display or compare (5.11)."""

# ASCII classes are explicit, because the Unicode classes of `re` differ between Python versions.
_FUNCTION = r"""(?:rgba?|hsla?|hwb|color|(?:ok)?(?:lab|lch)|matrix|translate[XY]?|scale[XY]?|rotate
    |skew[XY])\s*+\([-+.,%/\#\s\w]*+\)"""
_PLAIN = r"(?:[-+.,%\#!\s\w]|[^\x00-\x7f])"
_IN_STRING = r"(?:[-+.,%\#!\x20\t\w]|[^\x00-\x7f])"
_ID = r"""[^\x00-\x20"'()<>\\\#&;%]++"""
_VALUE = re.compile(
    rf"""(?> (?: (?<![-\w]){_FUNCTION} | url\(\s*+(["']?)\#{_ID}\1\s*+\)
        | "{_IN_STRING}*+" | '{_IN_STRING}*+' | {_PLAIN} )* )""",
    re.ASCII | re.VERBOSE,
)
"""Matches allowed values: words, numbers, strings, colors, transformations, and references inside
the file."""
_URL = re.compile(rf"""url\(\s*+["']?\#({_ID})""", re.ASCII | re.VERBOSE)
_HREF = re.compile(rf"\s*+\#({_ID})\s*+", re.ASCII | re.VERBOSE)
_PICTURE = re.compile(
    r"\s*+data:image/(?:png|jpe?g);base64,([A-Za-z0-9+/\s]*+={0,2})\s*+", re.ASCII
)
_OTHER_NAMESPACE = re.compile(
    r"""xmlns(?!(?::[-.\w]{1,64})?\s{0,9}=\s{0,9}(?:"[^"<&]{0,256}"|'[^'<&]{0,256}'))""", re.ASCII
)
"""Matches any namespace declaration of an unusual form; expat copies the namespace into every
name."""

_BETWEEN = r"(?>(?:\s|/\*(?>(?:[^*{}()@\\]|\*(?!/))*)\*/|<!--|-->)*)"
_BETWEEN_RULES = re.compile(_BETWEEN, re.ASCII)
_RULE = re.compile(rf"{_BETWEEN}([^{{}}]*+)\{{([^{{}}]*+)\}}", re.ASCII)
_SELECTOR = re.compile(r"(?=.)(\*|[A-Za-z]\w*+)?((?>(?:[.#][A-Za-z_][-\w]*+)*))", re.ASCII)
_CLASS_OR_ID = re.compile(r"[.#][^.#]++")


@dataclass(slots=True, eq=False)
class _Element:
    """An element, with the data to compute its drawing cost."""

    tag: str
    place: Place
    names: set[str] = field(default_factory=set)
    """The classes and the id, prefixed with `.` and `#` as in a selector."""
    cost: int = 64
    """The cost: the characters of attributes and text, plus the pixels of a picture."""
    references: list[str] = field(default_factory=list)
    """The ids that the element refers to."""
    children: list[_Element] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A style rule for one selector: what the selector matches, and the ids that the rule refers
    to.
    """

    tag: str | None
    names: frozenset[str]
    references: Sequence[str]


def check(data: bytes) -> None:
    """Raise `IconError` for the first thing in an SVG that is not allowed. The error contains the
    position.

    The file must be well-formed UTF-8 without a document type or processing instructions. In
    namespaces that browsers know, only the elements and attributes that this module lists are
    allowed. Values may refer only to ids in the file and to embedded PNG or JPEG images.
    """
    reader = _Reader()
    try:
        text = data.decode("utf-8-sig")
        if "\0" in text:  # Given a NUL, expat switches to UTF-16, whatever encoding is set.
            raise IconError("the SVG is in UTF-16 or contains a NUL; save it as UTF-8")
        if "<!DOCTYPE" in text:  # Expat never sees a document type, which could define entities.
            line = text[: text.index("<!DOCTYPE")].count("\n") + 1
            reason = "an SVG with a <!DOCTYPE> is not allowed as an icon"
            raise IconError(reason, Place(line, 1), "the <!DOCTYPE>")
        if _OTHER_NAMESPACE.search(text):
            raise IconError("the SVG has a namespace that is escaped or longer than 256 characters")
        reader.parser.Parse(text.encode(), True)
    except UnicodeDecodeError:
        raise IconError("the SVG is not in UTF-8") from None
    except expat.ExpatError as fault:
        place = Place(fault.lineno, fault.offset + 1)
        raise IconError("the SVG is not well-formed XML", place) from None
    _check_cost(reader.elements, reader.rules)


class _Reader:
    """The handlers of one expat parser. Parsing stops at the first thing that is not allowed."""

    def __init__(self) -> None:
        self.elements: list[_Element] = []
        """All SVG elements, in document order."""
        self.rules: list[_Rule] = []
        self._open: list[_Element | None] = []
        """The open elements; None stands for one in an unknown namespace."""
        self._count = 0
        # Expat splits names into namespace and local name, and rejects undeclared prefixes.
        self.parser = expat.ParserCreate("UTF-8", " ")
        self.parser.ordered_attributes = True
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._declaration
        self.parser.ProcessingInstructionHandler = self._instruction
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def _place(self) -> Place:
        return Place(self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def _refusal(self, reason: str, removal: str = "") -> IconError:
        return IconError(reason, self._place(), removal)

    def _declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.upper() != "UTF-8":
            raise self._refusal(f"the SVG declares the encoding {_shown(encoding)}, not UTF-8")

    def _instruction(self, target: str, _data: str) -> None:
        raise self._refusal(f"the processing instruction {_shown(target)} is not allowed")

    def _start(self, name: str, flat: list[str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._open) == MAX_DEPTH:
            limits = f"more than {MAX_ELEMENTS} elements or {MAX_DEPTH} levels of nesting"
            raise self._refusal(f"the SVG has {limits}")
        namespace, _, tag = name.rpartition(" ")
        parent = self._open[-1] if self._open else None
        if not self._open and (namespace, tag) != (_SVG, "svg"):
            raise self._refusal(f'the root element is not <svg xmlns="{_SVG}">')
        if namespace not in _ACTIVE:
            self._open.append(None)
            return
        in_notes = bool(self._open) and (parent is None or parent.tag in ("metadata", "style"))
        if namespace != _SVG or tag not in _ELEMENTS or in_notes:
            reason = f"the element {_shown(tag)} is not allowed here in an icon"
            raise self._refusal(reason, f"the element {_shown(tag)} and whatever refers to it")
        if (
            parent is None
            and "viewBox" not in flat[::2]
            and not {"width", "height"} <= {*flat[::2]}
        ):
            raise self._refusal("the root element has neither a viewBox nor a width and a height")
        element = self._element(tag, zip(flat[::2], flat[1::2], strict=True))
        self.elements.append(element)
        if parent is not None:
            parent.children.append(element)
        self._open.append(element)

    def _element(self, tag: str, attributes: Iterable[tuple[str, str]]) -> _Element:
        element = _Element(tag, self._place())
        for name, value in attributes:
            namespace, _, local = name.rpartition(" ")
            element.cost += len(value)
            if local == "href" and namespace in ("", _XLINK):
                element.cost += self._check_href(element, value)
            elif namespace in _ACTIVE and (namespace, local) not in _XML_ATTRIBUTES:
                self._check_attribute(element, f"{namespace} {local}".lstrip(), value)
        return element

    def _check_attribute(self, element: _Element, name: str, value: str) -> None:
        if name in ("id", "class"):
            sign, own = ("#", [value]) if name == "id" else (".", value.split())
            element.names.update(f"{sign}{each}" for each in own)
        elif name == "style":
            element.references += self._declarations(value)
        elif name in _ATTRIBUTES or name in _PROPERTIES:
            element.references += self._references(name, value)
        elif not _LABEL.fullmatch(name):
            reason = f"{_shown(name)} on <{element.tag}> is not allowed in an icon"
            target = " and what it refers to" if "url(" in value else ""
            raise self._refusal(reason, f"the attribute {_shown(name)}{target}")

    def _check_href(self, element: _Element, value: str) -> int:
        """Record the target of a link; return the pixels of an embedded picture, otherwise 0."""
        if element.tag in ("use", *_GRADIENTS) and (match := _HREF.fullmatch(value)):
            element.references.append(match[1])
            return 0
        if element.tag == "image" and (match := _PICTURE.fullmatch(value)):
            return self._pixels(match[1])
        raise self._refusal(
            f"the href {_shown(value)} on <{element.tag}> is not allowed in an icon"
        )

    def _pixels(self, encoded: str) -> int:
        try:
            picture = raster.clean(base64.b64decode("".join(encoded.split()), validate=True))
        except ValueError as fault:  # Bad base64, or an `IconError`.
            raise self._refusal(f"a picture inside the SVG is not allowed: {fault}") from None
        if picture is None:
            raise self._refusal("a picture inside the SVG is neither PNG nor JPEG")
        return picture.width * picture.height

    def _references(self, name: str, value: str) -> list[str]:
        """Return the ids that the value of a property or attribute refers to."""
        if not _VALUE.fullmatch(value):
            raise self._refusal(f"the {name} {_shown(value)} is not allowed in an icon")
        return _URL.findall(value)

    def _declarations(self, style: str) -> list[str]:
        """Return the ids that a list of properties refers to (6.7)."""
        references = []
        for declaration in filter(None, (part.strip(" \t\r\n") for part in style.split(";"))):
            name, colon, value = declaration.partition(":")
            name = name.rstrip(" \t\r\n")
            if not colon or not (name in _PROPERTIES or name.startswith("-inkscape-")):
                raise self._refusal(f"{_shown(declaration)} in a style is not allowed in an icon")
            references += self._references(name, value)
        return references

    def _characters(self, text: str) -> None:
        if (parent := self._open[-1]) is not None:
            parent.cost += len(text)
            if parent.tag == "style":
                parent.text.append(text)

    def _end(self, _name: str) -> None:
        element = self._open.pop()
        if element is not None and element.tag == "style":
            self._read_sheet("".join(element.text))

    def _read_sheet(self, text: str) -> None:
        """Add the rules of a style sheet, which may have only plain selectors and properties."""
        at = 0
        while match := _RULE.match(text, at):
            at = match.end()
            references = self._declarations(match[2])
            for selector in match[1].split(","):
                parts = _SELECTOR.fullmatch(selector.strip(" \t\r\n"))
                if parts is None or len(self.rules) == MAX_SELECTORS:
                    reason = f"the selector {_shown(selector)} is not allowed in an icon"
                    raise self._refusal(
                        reason if parts is None else f"the SVG has over {MAX_SELECTORS} selectors"
                    )
                tag = None if parts[1] == "*" else parts[1]
                names = frozenset(_CLASS_OR_ID.findall(parts[2]))
                self.rules.append(_Rule(tag, names, references))
        if not _BETWEEN_RULES.fullmatch(text, at):
            raise self._refusal(f"{_shown(text[at:].strip())} in a style sheet is not allowed")


@dataclass(frozen=True, slots=True)
class _Size:
    """The cost and depth of an element with its references replaced by their targets."""

    cost: int
    depth: int


def _check_cost(elements: Sequence[_Element], rules: Sequence[_Rule]) -> None:
    """Follow every reference; raise `IconError` for circular references and exceeded limits.

    References to missing ids, or to elements of an unexpected kind, are harmless.
    """
    ids: dict[str, list[_Element]] = {}
    referring = [rule for rule in rules if rule.references]
    for element in elements:
        for rule in referring:
            if rule.tag in (None, element.tag) and rule.names <= element.names:
                element.references.extend(rule.references)
        for name in element.names:
            ids.setdefault(name, []).append(element)
    if _expanded_size(elements[0], ids, (), {}).cost > MAX_EXPANDED:
        raise IconError(f"the SVG expands to more than {MAX_EXPANDED} characters and pixels")


def _expanded_size(
    element: _Element,
    ids: Mapping[str, Sequence[_Element]],
    above: tuple[_Element, ...],
    sizes: dict[_Element, _Size],
) -> _Size:
    """Return the size of an element nested in the elements `above`; `sizes` caches previous
    results.

    A gradient costs nothing, because browsers compute it once, however often it is used.
    """
    if element in above:
        raise IconError(f"the <{element.tag}> in the SVG refers to itself", element.place)
    if len(above) + (sizes[element].depth if element in sizes else 1) > MAX_EXPANDED_DEPTH:
        raise IconError(
            f"the SVG's references are nested more than {MAX_EXPANDED_DEPTH} elements deep",
            element.place,
        )
    if element not in sizes:
        named = [each for name in element.references for each in ids.get(f"#{name}", ())]
        inner = [
            (part, _expanded_size(part, ids, (*above, element), sizes))
            for part in (*element.children, *named)
        ]
        cost = element.cost + sum(size.cost for part, size in inner if part.tag not in _GRADIENTS)
        sizes[element] = _Size(cost, 1 + max((size.depth for _, size in inner), default=0))
    return sizes[element]


def _shown(text: str) -> str:
    """Quote text from the file for a message, as one short line of ASCII."""
    quoted = ascii(text[:48])
    return quoted if len(quoted) <= 48 else f"{quoted[:44]}...{quoted[0]}"
