"""Finds executable content in HTML pages. Because of this check, `verify` need not trust the
templates.

Scripts from files of the same site are allowed, and so are `data:` images in `<img>`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_TAG = re.compile(r"<([a-zA-Z][^<>]*)(>?)")
_ATTRIBUTE = re.compile(r"""([^\s=/"'>]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_ELEMENTS = """
    animate animatemotion animatetransform applet audio base embed foreignobject form frame
    frameset iframe math noscript object portal set source style track use video
"""
_FORBIDDEN = frozenset(_ELEMENTS.split())
_ADDRESSES = frozenset(["href", "src", "srcset", "action", "formaction", "xlink:href", "data"])
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*(?=:)")
_HARMLESS = frozenset(["http", "https", "mailto"])
_PICTURE = re.compile(r"data:image/(png|jpeg|svg\+xml);base64,[A-Za-z0-9+/]*={0,2}")
"""Matches an image for `<img>`; browsers execute nothing in it, whatever it contains."""
_FORWARD = re.compile(r"0; url=(?:\.\./)*[A-Za-z0-9_%~-][A-Za-z0-9_%~./-]*")
"""Matches a redirect to another page of the same catalog: a relative URL without a scheme."""
_BLANKS = re.compile(r"[\x00-\x20]+")
_POLICY = re.compile(r"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';")


def active_content(page: str) -> list[str]:
    """Return a sorted list of everything that a page could run or load from elsewhere, such as
    `<script>`.

    A missing content security policy is listed, too. The list is empty for every page that a build
    writes.
    """
    faults = {fault for tag in set(_TAG.findall(page)) for fault in _in_tag(*tag)}
    if not _POLICY.search(page):
        faults.add("no content security policy")
    return sorted(faults)


def _in_tag(text: str, end: str) -> Iterator[str]:
    """Yield the problems with one tag: `text` follows its `<`, and `end` is its `>` or empty."""
    name = re.split(r"[\s/]", text, maxsplit=1)[0].lower()
    if not end or text.count('"') % 2:
        yield f"<{name}> without end"
    if name in _FORBIDDEN:
        yield f"<{name}>"
    pairs = _ATTRIBUTE.findall(text[len(name) :])
    attributes = {key.lower(): _value(value) for key, value in pairs}
    yield from (f"<{name} {key}>" for key in attributes if key.startswith("on") or key == "style")
    # The content of a template is inert, unless it declares the shadow root of its parent element.
    if name == "template" and attributes.keys() - {"id"}:
        yield "<template> that is shown"
    is_picture = name == "img" and _PICTURE.fullmatch(attributes.get("src", ""))
    for key in (attributes.keys() & _ADDRESSES) - ({"src"} if is_picture else set()):
        scheme = _SCHEME.match(_BLANKS.sub("", attributes[key]).lower())
        if scheme and scheme[0] not in _HARMLESS:
            yield f"<{name} {key}> to {scheme[0]}:"
    if name == "script" and (not attributes.get("src") or _is_elsewhere(attributes["src"])):
        yield "<script>"
    refreshes = name == "meta" and attributes.get("http-equiv", "").lower() == "refresh"
    if refreshes and not _FORWARD.fullmatch(attributes.get("content", "")):
        yield "<meta> that leads elsewhere"


def _value(written: str) -> str:
    return html.unescape(written.strip("\"'"))


def _is_elsewhere(address: str) -> bool:
    return ":" in address or address.replace("\\", "/").lstrip().startswith("//")
