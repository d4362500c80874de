"""Writes the tree of plugins of a published release into a new directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.model import Catalog, Resource
from skillbuild.output.new_directory import WrittenFiles, write_new
from skillbuild.output.plugins.contents import TreeContent
from skillbuild.output.plugins.manifests import tree_files
from skillbuild.paths import collision_key, is_git_alias, segment_fault
from skillbuild.release.entry import REMEDY
from skillbuild.release.layout import blob_path
from skillbuild.storage.files import DamagedError, Files, MissingError, read_named


def write_tree(catalog: Catalog, content: TreeContent, files: Files, folder: Path) -> WrittenFiles:
    """Write a plugin tree to a directory. The directory must be empty or missing.

    Either all files are written or none. Skill files are read from the release (`files`) and
    checked against their digests. Executable bits are kept, and no links are written.
    """
    return write_new(folder, _files(catalog, content, files))


def _files(
    catalog: Catalog, content: TreeContent, files: Files
) -> Iterator[tuple[str, bytes, bool]]:
    """Yield path, bytes and executable bit of each file in the tree."""
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
    """Raise `OutputError` for an unsafe path: the release may come from anyone."""
    segments = {segment for item in resources for segment in item.path.split("/")}
    is_good = not any(segment_fault(each) or is_git_alias(each) for each in segments)
    if not is_good or len({collision_key(item.path) for item in resources}) < len(resources):
        raise OutputError(f"{skill} has a file with an invalid name; {REMEDY}")


def _read(files: Files, item: Resource) -> bytes:
    path = blob_path(item.digest)
    try:
        return read_named(files, path, item.digest, item.size)
    except (MissingError, DamagedError) as error:
        raise OutputError(f"{path} is {error.state}; {REMEDY}") from error
