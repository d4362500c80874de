"""Where things stand in the catalog: paths of pages, and what a link of a skill may lead to."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from skillbuild.media.types import decode
from skillbuild.model import Entry, Skill
from skillbuild.paths import LONGEST_SEGMENT, collision_key, prefixes
from skillbuild.release.record import blob_path
from skillbuild.source.outline import Outline
from skillbuild.text.markdown.render import heading_names
from skillbuild.text.markdown.rewrite import Resolve

INLINE_IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
"""The first bytes of the images that a page shows; WebP is told by `RIFF....WEBP`."""

_OUTSIDE = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
_LEAVES_THE_SITE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\\")
"""What a browser may resolve to another origin; it takes a backslash for a slash (WHATWG URL)."""
_LINE = re.compile(r"L([1-9][0-9]{0,6})(?:-L?[0-9]{1,7})?")
_LONGEST_ADDRESS = 2048


def href(path: str) -> str:
    """A path as it stands in an attribute: percent-encoded, never taken for a scheme."""
    return quote(path, safe="/!$&'()*+,;=~@")


def root_of(page: str) -> str:
    """The way from a page up to the top of the output."""
    return "../" * page.count("/")


def between(page: str, target: str) -> str:
    """The address of one page, or file, as another names it: the shortest relative one."""
    return href(posixpath.relpath(target, posixpath.dirname(page) or "."))


def skill_page(path: str) -> str:
    return f"skills/{path}/index.html"


def is_image(data: bytes) -> bool:
    """Whether a page may show a file: PNG, JPEG, GIF or WebP by its content."""
    known = any(data.startswith(magic) for magic in INLINE_IMAGES)
    return known or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def file_pages(skill_path: str, files: Collection[str]) -> dict[str, str]:
    """The page of every file of a skill, none twice even where a file system folds names.

    All of them lie below `/-/`, which no skill path and no file of a skill can be.
    """
    taken = {collision_key(part) for path in files for part in prefixes(path)}
    pages = {}
    for path in files:
        name = _page_name(path)
        while collision_key(name) in taken:
            name += ".html"
        taken.add(collision_key(name))
        pages[path] = f"skills/{skill_path}/-/files/{name}"
    return pages


def _page_name(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    while len(f"{name}.html".encode()) > LONGEST_SEGMENT - 10:
        name = name[:-1]
    return f"{folder}{slash}{name}.html"


@dataclass(frozen=True)
class Links:
    """The link policy of one skill: the web, its own files, and the pages of other skills."""

    skill: Skill
    entry: Entry
    outline: Outline
    has_file_pages: bool = True
    """Without them the way to a file is its line on the skill's page, which leads to its bytes."""

    @functools.cached_property
    def pages(self) -> Mapping[str, str]:
        return file_pages(self.entry.path, [item.path for item in self.entry.resources])

    @functools.cached_property
    def lines(self) -> Mapping[str, str]:
        """The id of every file's line in the table of a skill's page."""
        return {path: f"file-{number}" for number, path in enumerate(self.pages, 1)}

    def file(self, path: str, place: str = "") -> tuple[str, str]:
        """Where a reader is led to see a file: a page, and a place in it."""
        if self.has_file_pages:
            return self.pages[path], place
        return skill_page(self.entry.path), f"#{self.lines[path]}"

    @functools.cached_property
    def folders(self) -> frozenset[str]:
        return frozenset(part for path in self.pages for part in prefixes(path)) | {"."}

    @functools.cached_property
    def _contents(self) -> Mapping[str, bytes]:
        return {file.path: file.data for file in self.skill.files}

    @functools.cached_property
    def blobs(self) -> Mapping[str, str]:
        """Where the bytes of every file are, from the top of the output."""
        return {item.path: blob_path(item.digest) for item in self.entry.resources}

    def resolver(self, page: str, file: str) -> Resolve:
        """What the links of one file mean on one page."""
        folder = posixpath.dirname(file)

        def resolve(kind: str, target: str) -> str | None:
            if len(target) > _LONGEST_ADDRESS:
                return None
            if kind == "link" and _OUTSIDE.match(target):
                return target
            if _LEAVES_THE_SITE.match(target):
                return None
            bare, _, fragment = target.partition("#")
            path = unquote(bare.partition("?")[0])
            inside = posixpath.normpath(posixpath.join(folder, path))
            if kind == "image":
                data = self._contents.get(inside, b"")
                return between(page, self.blobs[inside]) if is_image(data) else None
            found, place = self._page(inside, unquote(fragment))
            return between(page, found) + place if found else None

        return resolve

    def _page(self, path: str, fragment: str) -> tuple[str | None, str]:
        """The page that a path of the skill leads to, and the place in it."""
        if path in self.pages:
            place = self._fragment(path, fragment)
            if path == "SKILL.md" and not place.startswith("#L"):
                return skill_page(self.entry.path), place
            return self.file(path, place)
        if path in self.folders:
            return skill_page(self.entry.path), "#files"
        absolute = posixpath.normpath(posixpath.join(self.entry.directory, path))
        other = None if absolute.startswith("..") else self.outline.skill_at(absolute)
        if other is None or other.path is None or not path.startswith(".."):
            return None, ""
        known = any(leaf.path == absolute for leaf in other.leaves)
        reached = known or absolute == other.directory
        return (skill_page(other.path) if reached else None), ""

    def _fragment(self, path: str, fragment: str) -> str:
        text = decode(self._contents[path]) if fragment else None
        if text is None:
            return ""
        line = _LINE.fullmatch(fragment)
        if line:
            return f"#L{line[1]}" if int(line[1]) <= text.count("\n") + 1 else ""
        name = fragment.lower()
        known = path.endswith(".md") and name in self._headings(path, text)
        return f"#user-content-{quote(name)}" if known else ""

    def _headings(self, path: str, text: str) -> frozenset[str]:
        return heading_names(self.skill.body if path == "SKILL.md" else text)
