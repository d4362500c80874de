"""Files that belong to the program: templates, scripts and styles of the site, JSON Schemas.

An installed package holds them; in a checkout, templates and site sources stand beside `builder`.
"""

import os
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def asset_root(name: str) -> Traversable:
    """The folder `templates` or `site_src`."""
    packaged = files("skillbuild") / name
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[2] / name


def index_schema() -> str:
    """The JSON Schema of `index.json`, the only one that is written by hand."""
    return (files("skillbuild") / "release/schemas/index.schema.json").read_text("utf-8")


def fingerprint() -> list[tuple[str, int, int]]:
    """Path, size and time of change of every file of the program, to notice that one was edited.

    Sorted. Empty when the program runs from a zip archive, whose files are no files on disk.
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
