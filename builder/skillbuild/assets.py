"""Templates and site sources: inside the installed package, or beside it in a checkout."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def asset_root(name: str) -> Traversable:
    """The folder `templates` or `site_src`, wherever this copy of the package keeps it."""
    packaged = files("skillbuild") / name
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[2] / name


def schema(name: str) -> str:
    """The JSON Schema of a published file, `index` or `catalog`."""
    return (files("skillbuild") / "release" / "schemas" / f"{name}.schema.json").read_text("utf-8")


def fingerprint() -> list[tuple[str, int, int]]:
    """Names, sizes and times of the files of this program; nothing where they are in an archive."""
    roots = [files("skillbuild"), asset_root("templates"), asset_root("site_src")]
    found = []
    for root in roots:
        for path in sorted(root.rglob("*")) if isinstance(root, Path) else ():
            if path.suffix != ".pyc" and path.is_file():
                status = path.stat()
                found.append((path.name, status.st_size, status.st_mtime_ns))
    return found
