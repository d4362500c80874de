"""Files that belong to the program: templates, scripts and styles of the site, JSON Schemas.

An installed package holds them; in a checkout, templates and site sources stand beside `builder`.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def asset_root(name: str) -> Traversable:
    """The folder `templates` or `site_src`."""
    packaged = files("skillbuild") / name
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[2] / name


def schema(name: str) -> str:
    """The JSON Schema of a published file, `index` or `catalog`."""
    return (files("skillbuild") / "release" / "schemas" / f"{name}.schema.json").read_text("utf-8")


def fingerprint() -> list[tuple[str, int, int]]:
    """Name, size and time of change of every file of the program, to notice that one was edited.

    Empty when the program runs from a zip archive, whose files are no files on disk.
    """
    roots = [files("skillbuild"), asset_root("templates"), asset_root("site_src")]
    states = []
    for root in roots:
        for path in sorted(root.rglob("*")) if isinstance(root, Path) else ():
            if path.suffix != ".pyc" and path.is_file():
                status = path.stat()
                states.append((path.name, status.st_size, status.st_mtime_ns))
    return states
