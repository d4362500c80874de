"""Pages of skills that are gone: an old address says so, in place of nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbuild.emit.site.addresses import skill_page
from skillbuild.emit.site.environment import Theme, render
from skillbuild.model import OutputFile
from skillbuild.paths import collision_key
from skillbuild.release.record import Record
from skillbuild.source import skill_paths


def emit(theme: Theme, release: Record, present: Iterable[str]) -> Iterator[OutputFile]:
    """A page for every withdrawn skill, unless a file system may take it for a present page.

    `release` is the record as it is published, `present` the paths of all other files. Neither
    another skill's page nor a file below one stands at a skill path, so no other clash can be.
    """
    if not release.withdrawn:
        return
    taken = {collision_key(path) for path in present if path.endswith("/index.html")}
    kept = {path: one for one in release.releases for path in one.last_of}
    for path, digest in sorted(release.withdrawn.items()):
        page = skill_page(path)
        if _is_plain(path) and collision_key(page) not in taken:
            taken.add(collision_key(page))
            values = {"path": path, "digest": digest, "kept": kept.get(path)}
            yield render(theme, "withdrawn.html", page, **values)


def _is_plain(path: str) -> bool:
    """False for what is no skill path: a record that was read elsewhere may hold anything."""
    return all(skill_paths.path_segment_fault(segment) is None for segment in path.split("/"))
