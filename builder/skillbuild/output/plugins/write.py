"""Writes the tree of plugins of a published release into a new directory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Resource
from skillbuild.output.plugins.contents import TreeContent
from skillbuild.output.plugins.manifests import tree_files
from skillbuild.paths import collision_key, is_git_alias, segment_fault
from skillbuild.release.entry import REMEDY
from skillbuild.release.layout import blob_path
from skillbuild.storage import disk
from skillbuild.storage.files import DamagedError, Files, MissingError, read_named


@dataclass(frozen=True, slots=True)
class TreeSize:
    """What was written."""

    files: int
    bytes: int


def write_tree(catalog: Catalog, content: TreeContent, files: Files, folder: Path) -> TreeSize:
    """Write a tree to a directory, which must be empty or missing, at once.

    The files of skills are read from `files`, those of the release, and checked by their digests.
    They keep their exec bits; there are no links.
    """
    _require_empty(folder)
    with disk.faults(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            size = _write(catalog, content, files, staged)
            staged.chmod(0o777 & ~_umask())
            if folder.is_dir():
                folder.rmdir()
            staged.rename(folder)
        except BaseException:
            disk.remove_tree(staged)
            raise
    return size


def _require_empty(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(f"{folder} is not a directory")
    if folder.is_dir() and any(folder.iterdir()):
        raise OutputError(f"{folder} is not empty; pass a new directory")


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _write(catalog: Catalog, content: TreeContent, files: Files, folder: Path) -> TreeSize:
    count = size = 0
    for path, data, executable in _files(catalog, content, files):
        where = folder / path
        disk.write(where, data)
        if executable:
            where.chmod(0o777 & ~_umask())
        count, size = count + 1, size + len(data)
    return TreeSize(count, size)


def _files(
    catalog: Catalog, content: TreeContent, files: Files
) -> Iterator[tuple[str, bytes, bool]]:
    """Path, bytes and exec bit of each file of the tree."""
    yield from ((path, data, False) for path, data in tree_files(content))
    places = content.places
    for entry in catalog.entries:
        place = places.get(entry.path)
        if place is None:
            continue
        _require_good_paths(entry.path, entry.resources)
        for item in entry.resources:
            yield f"{place}/{item.path}", _read(files, item), item.executable


def _require_good_paths(skill: str, resources: tuple[Resource, ...]) -> None:
    """A release that a build made has no others, but who wrote this one is not known."""
    segments = {segment for item in resources for segment in item.path.split("/")}
    is_good = not any(segment_fault(each) or is_git_alias(each) for each in segments)
    if not is_good or len({collision_key(item.path) for item in resources}) < len(resources):
        raise OutputError(f"{skill} has a file with a bad name; {REMEDY}")


def _read(files: Files, item: Resource) -> bytes:
    path = blob_path(item.digest)
    try:
        return read_named(files, path, item.digest, item.size)
    except (MissingError, DamagedError) as error:
        raise OutputError(f"{path} is {error.state}; {REMEDY}") from error
