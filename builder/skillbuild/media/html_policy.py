"""What in a page of a catalog could run: told from its tags, as `verify` trusts no template."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_TAG = re.compile(r"<([a-zA-Z][^<>]*)(>?)")
_ATTRIBUTE = re.compile(r"""([^\s=/"'>]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_ELEMENTS = """
    animate animatemotion animatetransform applet audio base embed foreignobject form frame
    frameset iframe math noscript object portal set source style template track use video
"""
_FORBIDDEN = frozenset(_ELEMENTS.split())
_ADDRESSES = frozenset(["href", "src", "srcset", "action", "formaction", "xlink:href", "data"])
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*(?=:)")
_HARMLESS = frozenset(["http", "https", "mailto"])
_PICTURE = re.compile(r"data:image/(png|svg\+xml);base64,[A-Za-z0-9+/]*={0,2}")
"""A picture of `<img>`: a browser runs nothing in it, whatever it holds."""
_BLANKS = re.compile(r"[\x00-\x20]+")
_POLICY = re.compile(r"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';")


def active_content(page: str) -> list[str]:
    """Everything active in a page, sorted; the pages that a build writes have none."""
    found = {said for tag in set(_TAG.findall(page)) for said in _in_tag(*tag)}
    if not _POLICY.search(page):
        found.add("no content security policy")
    return sorted(found)


def _in_tag(text: str, end: str) -> Iterator[str]:
    name = re.split(r"[\s/]", text, maxsplit=1)[0].lower()
    if not end or text.count('"') % 2:
        yield f"<{name}> without end"
    if name in _FORBIDDEN:
        yield f"<{name}>"
    given = {key.lower(): _value(value) for key, value in _ATTRIBUTE.findall(text[len(name) :])}
    yield from (f"<{name} {key}>" for key in given if key.startswith("on") or key == "style")
    pictures = [key for key in ("src",) if name == "img" and _PICTURE.fullmatch(given.get(key, ""))]
    for key in (given.keys() & _ADDRESSES) - {*pictures}:
        scheme = _SCHEME.match(_BLANKS.sub("", given[key]).lower())
        if scheme and scheme[0] not in _HARMLESS:
            yield f"<{name} {key}> to {scheme[0]}:"
    if name == "script" and (not given.get("src") or _is_elsewhere(given["src"])):
        yield "<script>"
    if name == "meta" and given.get("http-equiv", "").lower() == "refresh":
        yield "<meta> that leads elsewhere"


def _value(written: str) -> str:
    return html.unescape(written.strip("\"'"))


def _is_elsewhere(address: str) -> bool:
    return ":" in address or address.replace("\\", "/").lstrip().startswith("//")
