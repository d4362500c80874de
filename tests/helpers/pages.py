"""Reads the pages of an output to find dead links, active content and invalid HTML."""

from __future__ import annotations

import functools
import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'"
)
_ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src"}
_ACTIVE = """
    iframe object embed base form style applet frame frameset portal math foreignobject set animate
    audio video source track template slot noscript
"""
_FORBIDDEN = frozenset(_ACTIVE.split())
_CARD = ("template", {"id": "card"})
"""The one template that there may be: the card that the search clones."""
_SCHEMES = frozenset(["http", "https", "mailto"])
_PICTURE = re.compile(r"data:image/(png|jpeg|svg\+xml);base64,[A-Za-z0-9+/]+=*")


@dataclass
class Page(HTMLParser):
    """One page: its elements with their attributes, ids, and the text outside of tags."""

    path: str
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    samples: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Elements inside of a `<template>`, which a script fills before it shows them."""
    ids: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    is_in_template: bool = False

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        assert len(values) == len(attrs), f"{self.path}: {tag} has an attribute twice"
        (self.samples if self.is_in_template else self.elements).append((tag, values))
        self.is_in_template |= tag == "template"
        if "id" in values:
            self.ids.append(values["id"])

    def handle_endtag(self, tag: str) -> None:
        self.is_in_template &= tag != "template"

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def addresses(self) -> Iterator[tuple[str, str]]:
        """Element name and address of everything that leads somewhere."""
        for tag, values in self.elements:
            if tag in _ADDRESSES and _ADDRESSES[tag] in values:
                yield tag, values[_ADDRESSES[tag]]

    def count(self, tag: str) -> int:
        return sum(tag == name for name, _ in self.elements)


def kind(path: str) -> str:
    """What the page at a path shows; `other` for lists and single pages."""
    folder, *rest = path.split("/")
    if folder == "skills":
        _, inner, below = path.partition("/-/")
        if below.startswith("versions/") and below.count("/") > 1:
            return "difference"
        return below.partition("/")[0].removesuffix("s") if inner else "skill"
    is_value = folder in ("tags", "licenses", "groups", "versions") and len(rest) > 1
    return folder.removesuffix("s") if is_value else "other"


def read(out: Path) -> Mapping[str, Page]:
    """Every page of an output by its path."""
    pages = {}
    for file in sorted(path for path in out.rglob("*.html") if path.is_file()):
        path = file.relative_to(out).as_posix()
        page = Page(path)
        page.feed(file.read_bytes().decode())
        pages[path] = page
    return pages


def dead_links(out: Path, pages: Mapping[str, Page], base: str = "") -> list[str]:
    """Addresses that lead to no file, or to no place in a page; names must match in case.

    With a base, absolute paths and addresses below it count as links of the site.
    """
    files = {file.relative_to(out).as_posix() for file in out.rglob("*") if file.is_file()}
    places = functools.cache(lambda path: frozenset(pages[path].ids))
    dead = []
    for page in pages.values():
        for _, address in page.addresses():
            target = _inside(address, page.path, base)
            if target is None:
                continue
            path, fragment = target
            is_place = not fragment or (path in pages and fragment in places(path))
            if path not in files or not is_place:
                dead.append(f"{page.path}: {address}")
    return dead


def _inside(address: str, page: str, base: str) -> tuple[str, str] | None:
    """The file and the place that an address means; None for one that leads elsewhere."""
    if address.startswith(base) and base:
        address, page = address.removeprefix(base) or "index.html", "index.html"
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    if address.startswith("/"):
        path = unquote(parts.path.removeprefix(urlsplit(base).path or "/"))
    else:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))
        path = f"{path}/" if parts.path.endswith("/") else path if parts.path else page
    return (f"{path}index.html" if path.endswith("/") else path), unquote(parts.fragment)


_FORWARD = re.compile(r"(\.\./)*[\w-][\w./-]*")


def active_content(page: Page) -> list[str]:
    """What could run in a page or load from another host, and a policy that is not the expected."""
    active = []
    for tag, values in [*page.elements, *page.samples]:
        where = f"{page.path}: <{tag}>"
        if tag in _FORBIDDEN and (tag, values) != _CARD:
            active.append(where)
        active += [f"{where} {name}" for name in values if name.startswith("on") or name == "style"]
        if tag == "script" and not values.get("src", "").endswith(".js"):
            active.append(f"{where} inline")
        if tag in ("img", "script", "link") and values.get("rel") != "canonical":
            address = values.get("src", values.get("href", ""))
            inlined = tag == "img" and _PICTURE.fullmatch(address)
            if not inlined and (urlsplit(address).scheme or address.startswith("//")):
                active.append(f"{where} {address}")
        if tag == "a" and urlsplit(values.get("href", "")).scheme.lower() not in {"", *_SCHEMES}:
            active.append(f"{where} {values['href']}")
    headers = [values for tag, values in page.elements if "http-equiv" in values]
    policies = [values for values in headers if values["http-equiv"] != "refresh"]
    for values in headers:
        forward = values.get("content", "").removeprefix("0; url=")
        if values["http-equiv"] == "refresh" and not _FORWARD.fullmatch(forward):
            active.append(f"{page.path}: refresh to {forward}")
    if [values.get("content") for values in policies] != [POLICY]:
        active.append(f"{page.path}: policy")
    return active


def repeated_ids(page: Page) -> list[str]:
    return sorted({name for name in page.ids if page.ids.count(name) > 1})


def invalid(files: Sequence[Path]) -> str | None:
    """Errors that the checker of the W3C finds in these pages, a line each; None if it is missing.

    It needs Java, and `SKILLBUILD_VNU` with the path of its jar.
    """
    jar, java = os.environ.get("SKILLBUILD_VNU"), shutil.which("java")
    if jar is None or java is None:
        return None
    command = [java, "-jar", jar, "--errors-only", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr
