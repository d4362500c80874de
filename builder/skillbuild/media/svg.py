"""SVG icons rewritten so that nothing in them can run: shapes, paint and text from an allow-list.

Section numbers are those of SVG 2. What is not known to be harmless is an error and never dropped
in silence, apart from filters and from what editors add for themselves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from skillbuild.media.svg_allowed import GRADIENTS, SvgError, SvgReference, shown
from skillbuild.media.svg_reader import SVG_NAMESPACE, Node, read_svg

MAX_EXPANDED = 4 * 1024 * 1024
"""The most characters an image may have once each `use`, `mask` and `clip-path` is written out."""
MAX_EXPANDED_DEPTH = 64
"""The most elements inside one another once references are followed."""

_NUMBER = r"[-+]?(?:\d++(?:\.\d++)?|\.\d++)(?:[eE][-+]?\d++)?"
_VIEWBOX = re.compile(r"[\s,]++".join((_NUMBER, _NUMBER, *(f"({_NUMBER})",) * 2)), re.ASCII)
_LENGTH = re.compile(rf"({_NUMBER})(px|pt|pc|mm|cm|in|em|ex|rem|ch|%)?", re.ASCII)

_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTE = _IN_TEXT | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})


@dataclass(frozen=True, slots=True)
class _Size:
    """Characters of an element with its references written out, and how deep it is then."""

    characters: int
    depth: int


def clean(data: bytes) -> bytes:
    """The image in UTF-8 with `xmlns` as its only namespace and attributes sorted by name.

    Numbers, ids and text are verbatim, `xlink:href` becomes `href` (16.1.6), and cleaning the
    result again changes nothing. It is meant for `<img>` and `data:`: ids and classes are those of
    the author, so it does not belong inline in a page. Raises `SvgError` at the first fault: not
    well-formed, a DTD with declarations, anything outside the allow-list, a reference out of
    the file, to nothing or to itself, no usable size (8.2), or more elements, depth or expansion
    than the limits.
    """
    nodes = read_svg(data)
    _check_size(nodes[0].attributes)
    _check_references(nodes)
    return _write(nodes[0], f' xmlns="{SVG_NAMESPACE}"').encode()


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


def _check_references(nodes: list[Node]) -> None:
    """Follow every reference: to something here, of the right kind, in no circle, not too much."""
    ids: dict[str, Node] = {}
    for node in nodes:
        own = node.attributes.get("id")
        if own is not None and ids.setdefault(own, node) is not node:
            raise SvgError(f"the id {shown(own)} is used twice")
    if _expanded_size(nodes[0], ids, (), {}).characters > MAX_EXPANDED:
        raise SvgError(f"the SVG expands to more than {MAX_EXPANDED} characters")


def _expanded_size(
    node: Node, ids: Mapping[str, Node], above: tuple[Node, ...], sizes: dict[Node, _Size]
) -> _Size:
    """The size of an element below the elements `above`; `sizes` are those worked out before.

    The characters of a gradient do not count: a browser works it out once, however often it is
    named.
    """
    if node in above:
        raise SvgError(f"a <{node.tag}> in the SVG refers to itself")
    if len(above) + (sizes[node].depth if node in sizes else 1) > MAX_EXPANDED_DEPTH:
        raise SvgError(f"the SVG's references lead more than {MAX_EXPANDED_DEPTH} elements deep")
    if node not in sizes:
        texts = [part for part in node.content if isinstance(part, str)]
        parts = [part for part in node.content if isinstance(part, Node)]
        parts += [_target(reference, ids) for reference in node.references]
        inner = [(part, _expanded_size(part, ids, (*above, node), sizes)) for part in parts]
        characters = 64 + sum(map(len, (*texts, *node.attributes.values())))
        characters += sum(size.characters for part, size in inner if part.tag not in GRADIENTS)
        sizes[node] = _Size(characters, 1 + max((size.depth for _, size in inner), default=0))
    return sizes[node]


def _target(reference: SvgReference, ids: Mapping[str, Node]) -> Node:
    node = ids.get(reference.id)
    if node is None or node.tag not in reference.targets:
        why = "an id it does not have" if node is None else f"a <{node.tag}>, in a wrong place"
        raise SvgError(f"the SVG refers to {shown(reference.id)}, {why}")
    return node


def _write(node: Node, namespace: str = "") -> str:
    pairs = node.attributes.items()
    attributes = "".join(f' {name}="{value.translate(_IN_ATTRIBUTE)}"' for name, value in pairs)
    content = "".join(
        part.translate(_IN_TEXT) if isinstance(part, str) else _write(part) for part in node.content
    )
    end = f">{content}</{node.tag}>" if content else "/>"
    return f"<{node.tag}{namespace}{attributes}{end}"
