"""Pages where the page of a skill was: it is withdrawn, or it stands elsewhere now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from skillbuild.emit.site.addresses import between, skill_page, versions_page
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Gone, OutputFile
from skillbuild.paths import collision_key
from skillbuild.release.record import Record
from skillbuild.source.skill_paths import is_skill_path


def emit(theme: Theme, release: Record, present: Iterable[str]) -> Iterator[OutputFile]:
    """A page for every withdrawn and every moved skill, and one where its versions were listed.

    `release` is the record as it is published, `present` the paths of all other files. A path that
    a present page has, but for upper case, has none. No other clash is possible: `-`,
    `.well-known` and `index.html` are no segments of a skill path.
    """
    catalog = release.catalog
    if not (release.withdrawn or catalog.gone or catalog.moved):
        return
    taken = {collision_key(path) for path in present if path.endswith("/index.html")}
    for path, pages in sorted(_pages(theme, release).items()):
        key = collision_key(skill_page(path))
        if is_skill_path(path) and key not in taken:
            taken.add(key)
            yield from pages()


def _pages(theme: Theme, release: Record) -> dict[str, Callable[[], Iterator[OutputFile]]]:
    """What makes the pages of each path at which there is no skill any more."""
    catalog = release.catalog
    pages: dict[str, Callable[[], Iterator[OutputFile]]] = {}
    for path in release.withdrawn:
        pages[path] = partial(_withdrawn, theme, release, path)
    for path, to in catalog.moved.items():
        pages[path] = partial(_moved, theme, path, to, None)
    for gone in catalog.gone:
        pages[gone.path] = partial(_gone, theme, gone)
    return pages


def _withdrawn(theme: Theme, release: Record, path: str) -> Iterator[OutputFile]:
    """The page of a skill that earlier releases had; nothing but its last digest is known."""
    last = release.withdrawn[path]
    is_retained = last.commit in {retained.commit for retained in release.releases}
    page = skill_page(path)
    yield render(theme, "withdrawn.html", page, path=path, last=last, is_retained=is_retained)


def _gone(theme: Theme, gone: Gone) -> Iterator[OutputFile]:
    """The pages of a skill that is no longer in the source, with its versions."""
    if gone.successor:
        yield from _moved(theme, gone.path, gone.successor, gone)
        return
    for page in (skill_page(gone.path), versions_page(gone.path)):
        yield render(theme, "gone.html", page, path=gone.path, gone=gone)


def _moved(theme: Theme, path: str, to: str, gone: Gone | None) -> Iterator[OutputFile]:
    """The pages of a skill that stands elsewhere now; `gone` if its versions are its own."""
    targets = {skill_page(path): skill_page(to), versions_page(path): versions_page(to)}
    for page, target in targets.items():
        address = between(page, target)
        forwards = gone is None or page == skill_page(path)
        yield render(
            theme, "moved.html", page, path=path, to=to, target=address, gone=gone,
            forwards=forwards,
        )  # fmt: skip
