"""Finds files that belong to skillbuild: the templates, scripts and styles of the site, the
documentation, and the JSON Schemas.

These files are part of an installed package. In a checkout, `templates` and `site_src` are next to
the folder `builder`.
"""

import os
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def asset_root(name: str) -> Traversable:
    """Return the folder `templates` or `site_src`, wherever skillbuild is installed."""
    packaged = files("skillbuild") / name
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[2] / name


def documentation_text(page: str) -> str:
    """Return the Markdown of a page of the documentation.

    In a checkout the page *internals* is `builder/README.md`.
    """
    text = asset_root("site_src") / "docs" / f"{page}.md"
    if page == "internals" and not text.is_file():
        text = Path(__file__).parents[1] / "README.md"
    return text.read_text("utf-8")


def index_schema() -> str:
    """Return the JSON Schema of `index.json`, the only schema that is written by hand."""
    return (files("skillbuild") / "release/schemas/index.schema.json").read_text("utf-8")


def fingerprint() -> list[tuple[str, int, int]]:
    """Return the path, size and mtime of each file of skillbuild itself, to detect edits.

    The list is sorted. It is empty if skillbuild runs from a zip archive.
    """
    roots = [files("skillbuild"), asset_root("templates"), asset_root("site_src")]
    return [
        state
        for root in roots
        if isinstance(root, Path)
        for state in sorted(_file_states(str(root), ""))
    ]


def _file_states(folder: str, prefix: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _file_states(entry.path, f"{prefix}{entry.name}/")
            else:
                status = entry.stat()
                yield f"{prefix}{entry.name}", status.st_size, status.st_mtime_ns
