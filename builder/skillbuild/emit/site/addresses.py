"""The paths of pages in the output, and the relative addresses by which they link each other."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Collection
from urllib.parse import quote

from skillbuild.model import Digest, version_address
from skillbuild.paths import LONGEST_SEGMENT, collision_key, prefixes, segment_fault


def href(path: str) -> str:
    """A path as the value of an `href`: percent-encoded, and never taken for a scheme."""
    return quote(path, safe="/!$&'()*+,;=~@")


def root_of(page: str) -> str:
    """The way from the page at this path up to the top of the output: empty, or `../` repeated."""
    return "../" * page.count("/")


def between(page: str, target: str) -> str:
    """The shortest relative address that leads from a page to another file of the output."""
    return href(posixpath.relpath(target, posixpath.dirname(page) or "."))


def skill_page(path: str) -> str:
    """The page of the skill at a skill path."""
    return f"skills/{path}/index.html"


def version_page(digest: Digest) -> str:
    """The page of the version with this skill digest."""
    return f"{version_address(digest)}/index.html"


def related_page(path: str) -> str:
    """What is like the skill at a skill path, and what refers to it."""
    return f"skills/{path}/-/related/index.html"


def compared_row(path: str) -> str:
    """What the page that compares skills loads of the skill at a skill path."""
    return f"skills/{path}/-/compare.js"


def versions_page(path: str) -> str:
    """The list of all versions of the skill at a skill path."""
    return f"skills/{path}/-/versions/index.html"


def difference_page(path: str, digest: Digest) -> str:
    """What changed in a version of the skill at a skill path."""
    return f"skills/{path}/-/versions/{digest.short}/index.html"


def file_pages(skill_path: str, files: Collection[str]) -> dict[str, str]:
    """The page of every file of a skill, all different even where file systems ignore case.

    All of them lie in the folder `-`, a name that no segment of a skill path can have.
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
    """The path with `.html`; a long name is cut so that two more `.html` still fit."""
    folder, slash, name = path.rpartition("/")
    while len(f"{name}.html".encode()) > LONGEST_SEGMENT - 10:
        name = name[:-1]
    return f"{folder}{slash}{name}.html"


def slug(label: str) -> str:
    """A folder name for a value, on Windows too.

    A part of a digest keeps labels apart that would share one, and from the names of devices.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:60]
    if plain == label and segment_fault(plain) is None:
        return plain
    return f"{plain}-{hashlib.sha256(label.encode()).hexdigest()[:8]}".lstrip("-")
