"""Reads an SVG into a tree of elements that an icon may have, and stops at the first other one.

Left out are comments, processing instructions, white space between elements, and what editors
add: `metadata`, other namespaces, `-inkscape-` properties. Expat is run without its own namespace
support: with it, a name is copied together with its namespace for every attribute, and 250 kB of
input can take 3 GB of memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from skillbuild.media.svg_allowed import (
    ELEMENTS,
    TEXTUAL,
    SvgError,
    SvgReference,
    declarations_in,
    references_in,
    references_in_style,
    shown,
)

MAX_DEPTH = 32
"""The most elements inside one another, as written."""
MAX_ELEMENTS = 5000
_MAX_PREFIXES = 64

_W3 = "http://www.w3.org/"
SVG_NAMESPACE = f"{_W3}2000/svg"
_XLINK, _XML = f"{_W3}1999/xlink", f"{_W3}XML/1998/namespace"
_RESERVED = {"": "", "xml": _XML, "xmlns": f"{_W3}2000/xmlns/"}
_ACTIVE = (
    "",
    SVG_NAMESPACE,
    _XML,
    f"{_W3}1999/xhtml",
    f"{_W3}1998/Math/MathML",
    f"{_W3}2001/xml-events",
)
"""The namespaces in which an element or an attribute can do something; others hold metadata."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One element; attributes are sorted by name, `content` grows while the element is read."""

    tag: str
    attributes: Mapping[str, str]
    references: tuple[SvgReference, ...]
    content: list[Node | str] = field(default_factory=list)


def read_svg(data: bytes) -> list[Node]:
    """Every element that an icon may have, in document order, the root first.

    Raises `SvgError` for what is not UTF-8, not well-formed, has a DTD, is not allowed in an icon,
    or is over the limits above.
    """
    reader = _Reader()
    try:
        text = data.decode("utf-8-sig")
        if "\0" in text:  # Expat would take it for UTF-16, whatever encoding it is given.
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
    """Handlers of one expat parser; the first thing that is not allowed ends it with `SvgError`."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        # The elements that are open, None for metadata, and the namespaces in force in each.
        self._open: list[tuple[Node | None, Mapping[str, str]]] = []
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
            raise SvgError(f"the SVG declares the encoding {shown(encoding)} instead of UTF-8")

    def _start(self, name: str, flat: list[str]) -> None:
        line = self.parser.CurrentLineNumber
        try:
            self._enter(name, list(zip(flat[::2], flat[1::2], strict=True)))
        except SvgError as fault:
            raise SvgError(f"{fault} (line {line})") from None

    def _enter(self, name: str, attributes: list[tuple[str, str]]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._open) == MAX_DEPTH:
            raise SvgError(f"the SVG has over {MAX_ELEMENTS} elements or is over {MAX_DEPTH} deep")
        parent, scope = self._open[-1] if self._open else (None, _RESERVED)
        scope = _scope_in(scope, attributes)
        is_root, in_metadata = not self._open, bool(self._open) and parent is None
        tag = _allowed_tag(name, scope, is_root=is_root, in_metadata=in_metadata)
        node = Node(tag, *_allowed_attributes(tag, attributes, scope)) if tag is not None else None
        if node is not None:
            self.nodes.append(node)
            if parent is not None:
                parent.content.append(node)
        self._open.append((node, scope))

    def _characters(self, text: str) -> None:
        parent, _ = self._open[-1]
        if parent is not None and parent.tag in TEXTUAL:
            parent.content.append(text)
        elif parent is not None and text.strip(" \t\r\n"):
            line = self.parser.CurrentLineNumber
            raise SvgError(f"the SVG has text directly inside <{parent.tag}> (line {line})")


def _scope_in(scope: Mapping[str, str], attributes: list[tuple[str, str]]) -> Mapping[str, str]:
    """The namespaces in force inside an element by prefix; that of the default one is empty."""
    own = {name[6:]: uri for name, uri in attributes if f"{name}:".startswith("xmlns:")}
    if len(scope) + len(own) > _MAX_PREFIXES:
        raise SvgError(f"the SVG declares more than {_MAX_PREFIXES} namespaces")
    return {**scope, **own, "xml": _XML, "xmlns": _RESERVED["xmlns"]}


def _resolve(name: str, scope: Mapping[str, str], default: str) -> tuple[str, str]:
    """A name split into its namespace and its local part (Namespaces in XML 1.0, 5 and 6)."""
    prefix, colon, local = name.rpartition(":")
    if not colon:
        return default, name
    if not scope.get(prefix) or not prefix or not local:
        raise SvgError(f"the name {shown(name)} has an undeclared or malformed namespace prefix")
    return scope[prefix], local


def _allowed_tag(
    name: str, scope: Mapping[str, str], *, is_root: bool, in_metadata: bool
) -> str | None:
    """An allowed tag, or None for metadata, in which nothing of SVG may hide."""
    full = _resolve(name, scope, scope[""])
    if is_root and full != (SVG_NAMESPACE, "svg"):
        raise SvgError(f'the root is not <svg xmlns="{SVG_NAMESPACE}">')
    if full[0] not in _ACTIVE or full == (SVG_NAMESPACE, "metadata"):
        return None
    if full[0] != SVG_NAMESPACE or full[1] not in ELEMENTS or in_metadata:
        raise SvgError(f"the element {shown(name)} is not allowed here in an icon")
    return full[1]


def _allowed_attributes(
    tag: str, attributes: list[tuple[str, str]], scope: Mapping[str, str]
) -> tuple[dict[str, str], tuple[SvgReference, ...]]:
    """The attributes of an element without metadata, by name, and every reference they make."""
    allowed: dict[str, str] = {}
    references: list[SvgReference] = []
    for name, value in attributes:
        key = _attribute_name(name, scope)
        if key is None:
            continue
        if allowed.get(key, value) != value:
            raise SvgError(f"<{tag}> has two different {shown(key)} attributes")
        if key == "style":
            declarations = list(declarations_in(value))
            references += references_in_style(tag, declarations)
            allowed[key] = ";".join(f"{name}:{text}" for name, text in declarations)
        else:
            references += references_in(tag, key, value)
            allowed[key] = value
    return dict(sorted(allowed.items())), tuple(references)


def _attribute_name(name: str, scope: Mapping[str, str]) -> str | None:
    """The name an attribute has in the rewritten icon, or None for metadata and namespaces."""
    if name == "xmlns":
        return None
    namespace, local = _resolve(name, scope, "")
    if (namespace, local) == (_XLINK, "href") or not namespace:
        return local
    if (namespace, local) in ((_XML, "space"), (_XML, "lang")):
        return f"xml:{local}"
    if namespace in _ACTIVE:
        raise SvgError(f"the attribute {shown(name)} is not allowed in an icon")
    return None
