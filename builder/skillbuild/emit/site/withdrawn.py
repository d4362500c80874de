"""Pages of withdrawn skills: where the page of a skill was, one says that it is gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbuild.emit.site.addresses import skill_page
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import OutputFile
from skillbuild.paths import collision_key, path_segment_fault
from skillbuild.release.record import Record


def emit(theme: Theme, release: Record, present: Iterable[str]) -> Iterator[OutputFile]:
    """A page for every withdrawn skill, unless a present page has its path but for upper case.

    `release` is the record as it is published, `present` the paths of all other files. No other
    clash is possible: `-`, `.well-known` and `index.html` are no segments of a skill path.
    """
    if not release.withdrawn:
        return
    taken = {collision_key(path) for path in present if path.endswith("/index.html")}
    commits = {retained.commit for retained in release.releases}
    for path, last in sorted(release.withdrawn.items()):
        page = skill_page(path)
        if _is_skill_path(path) and collision_key(page) not in taken:
            taken.add(collision_key(page))
            is_retained = last.commit in commits
            yield render(
                theme, "withdrawn.html", page, path=path, last=last, is_retained=is_retained
            )


def _is_skill_path(path: str) -> bool:
    """False for what a record may hold that was not written by us, such as `../outside`."""
    return all(path_segment_fault(segment) is None for segment in path.split("/"))
