"""Reads an SVG into a tree of elements that an icon may have, and stops at the first other one.

Left out are comments, processing instructions, a document type, white space between elements,
filters, and what editors add: `metadata`, other namespaces, `-inkscape-` properties. A style sheet
is written into the elements that it is about. Expat is run without its own namespace
support: with it, a name is copied together with its namespace for every attribute, and 250 kB of
input can take 3 GB of memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from skillbuild.media.svg_allowed import (
    ELEMENTS,
    FILTER_PARTS,
    LEFT_OUT,
    TEXTUAL,
    SvgError,
    SvgReference,
    declarations_in,
    references_in,
    references_in_style,
    shown,
)
from skillbuild.media.svg_style import StyleSheet, read_style_sheet

MAX_DEPTH = 32
"""The most elements inside one another, as written."""
MAX_ELEMENTS = 5000
_MAX_PREFIXES = 64
_STYLE, _CSS = "style", "text/css"

_LITERAL = """(?:"[^"<>]*+"|'[^'<>]*+')"""
_DOCTYPE = re.compile(
    r"((?:[ \t\r\n]++|<\?.*?\?>|<!--.*?-->)*+)"
    rf"<!DOCTYPE\s++svg(?:\s++PUBLIC\s++{_LITERAL})?(?:\s++SYSTEM)?(?:\s++{_LITERAL})?\s*+>",
    re.DOTALL | re.ASCII,
)
"""A document type without declarations of its own, and what may stand before it (XML 1.0, 2.8)."""

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

    Raises `SvgError` for what is not UTF-8, not well-formed, declares entities or anything else, is
    not allowed in an icon, or is over the limits above.
    """
    try:
        text = _without_doctype(data.decode("utf-8-sig"))
        if "\0" in text:  # Expat would take it for UTF-16, whatever encoding it is given.
            raise SvgError("the SVG is in UTF-16 or has a NUL; save it as UTF-8")
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise SvgError("the SVG has declarations in its <!DOCTYPE>, or one that is not of SVG")
        reader = _read(text, StyleSheet())
        if reader.styles:
            reader = _read(text, read_style_sheet("\n".join(reader.styles)))
    except UnicodeDecodeError:
        raise SvgError("the SVG is not in UTF-8") from None
    except expat.ExpatError as fault:
        raise SvgError(f"the SVG is not well-formed XML (line {fault.lineno})") from None
    return reader.nodes


def _read(text: str, sheet: StyleSheet) -> _Reader:
    reader = _Reader(sheet)
    reader.parser.Parse(text.encode(), True)
    return reader


def _without_doctype(text: str) -> str:
    """The text with blanks for a document type that only names the DTD of SVG.

    Expat must not see it: with one, a reference to an unknown entity would be no fault.
    """
    match = _DOCTYPE.match(text)
    if match is None:
        return text
    blanks = re.sub(r"[^\n]", " ", text[match.end(1) : match.end()])
    return match[1] + blanks + text[match.end() :]


class _Reader:
    """Handlers of one expat parser; the first thing that is not allowed ends it with `SvgError`."""

    def __init__(self, sheet: StyleSheet) -> None:
        self.nodes: list[Node] = []
        self.styles: list[str] = []
        """Texts of the style sheets, which may follow the elements that they are about."""
        self._sheet = sheet
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
        if parent is not None and parent.tag == _STYLE:
            raise SvgError(f"the element {shown(name)} is not allowed inside <style>")
        tag = _allowed_tag(name, scope, is_root=is_root, in_metadata=in_metadata)
        node = None
        if tag == _STYLE:
            if dict(attributes).get("type", _CSS) != _CSS or "media" in dict(attributes):
                raise SvgError("a <style> with a condition or of another type than text/css")
            node = Node(tag, {}, ())
        elif tag is not None:
            node = Node(tag, *_allowed_attributes(tag, attributes, scope, self._sheet))
            self.nodes.append(node)
            if parent is not None:
                parent.content.append(node)
        self._open.append((node, scope))

    def _characters(self, text: str) -> None:
        parent, _ = self._open[-1]
        if parent is not None and parent.tag == _STYLE:
            self.styles.append(text)
        elif parent is not None and parent.tag in TEXTUAL:
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
    """An allowed tag or `style`, or None for what is left out, in which nothing else may hide."""
    full = _resolve(name, scope, scope[""])
    if is_root and full != (SVG_NAMESPACE, "svg"):
        raise SvgError(f'the root is not <svg xmlns="{SVG_NAMESPACE}">')
    if full[0] not in _ACTIVE or full == (SVG_NAMESPACE, "metadata"):
        return None
    if full[0] == SVG_NAMESPACE and full[1] in (FILTER_PARTS if in_metadata else ["filter"]):
        return None
    if full == (SVG_NAMESPACE, _STYLE) and not in_metadata:
        return _STYLE
    if full[0] != SVG_NAMESPACE or full[1] not in ELEMENTS or in_metadata:
        raise SvgError(f"the element {shown(name)} is not allowed here in an icon")
    return full[1]


def _allowed_attributes(
    tag: str, attributes: list[tuple[str, str]], scope: Mapping[str, str], sheet: StyleSheet
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
        allowed[key] = value
        if key != _STYLE:
            references += references_in(tag, key, value)
    style = [*sheet.declarations(tag, allowed), *declarations_in(allowed.pop(_STYLE, ""))]
    references += references_in_style(tag, style)
    if kept := ";".join(f"{name}:{value}" for name, value in style if name not in LEFT_OUT):
        allowed[_STYLE] = kept
    return {key: allowed[key] for key in sorted(allowed.keys() - LEFT_OUT)}, tuple(references)


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
