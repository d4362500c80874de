"""The paths of pages in the output, and the relative links between them."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Collection
from urllib.parse import quote

from skillbuild.model import Digest, version_address
from skillbuild.paths import LONGEST_SEGMENT, collision_key, prefixes, segment_fault


def href(path: str) -> str:
    """Percent-encode a path for an `href`. Colons are encoded too, so that no path looks like a URL
    scheme.
    """
    return quote(path, safe="/!$&'()*+,;=~@")


def root_of(page: str) -> str:
    """Return the relative path from a page to the top of the output, such as `../../`; empty at the
    top.
    """
    return "../" * page.count("/")


def between(page: str, target: str) -> str:
    """Return the shortest relative address of `target` for a link on `page`."""
    return href(posixpath.relpath(target, posixpath.dirname(page) or "."))


def skill_page(path: str) -> str:
    """Return the path of a skill's page."""
    return f"skills/{path}/index.html"


def version_page(digest: Digest) -> str:
    """Return the path of the page about the version with this skill digest."""
    return f"{version_address(digest)}/index.html"


def related_page(path: str) -> str:
    """Return the path of the page about skills that are similar to this skill or refer to it."""
    return f"skills/{path}/-/related/index.html"


def compared_row(path: str) -> str:
    """Return the path of the file that holds the data of one skill for the comparison page."""
    return f"skills/{path}/-/compare.js"


def versions_page(path: str) -> str:
    """Return the path of the page that lists all versions of a skill."""
    return f"skills/{path}/-/versions/index.html"


def difference_page(path: str, digest: Digest) -> str:
    """Return the path of the page that shows what changed in a version of a skill."""
    return f"skills/{path}/-/versions/{digest.short}/index.html"


def file_pages(skill_path: str, files: Collection[str]) -> dict[str, str]:
    """Map each file of a skill to the path of its page. No two of these paths differ only in case.

    All pages are in the folder `-`, because no segment of a skill path can have this name.
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
    """Return the path with `.html`; a long name is cut so that two more `.html` still fit."""
    folder, slash, name = path.rpartition("/")
    while len(f"{name}.html".encode()) > LONGEST_SEGMENT - 10:
        name = name[:-1]
    return f"{folder}{slash}{name}.html"


def slug(label: str) -> str:
    """Return a folder name for a value of a facet. The name is valid on Windows, too.

    Unless the label is already a valid name, a part of its digest is appended, so that similar
    labels get different names.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:60]
    if plain == label and segment_fault(plain) is None:
        return plain
    return f"{plain}-{hashlib.sha256(label.encode()).hexdigest()[:8]}".lstrip("-")
