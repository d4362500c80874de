"""Pages of yanked versions: where the page of a version was, one says that it must not be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbuild.emit.site.addresses import version_page
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import OutputFile
from skillbuild.release.record import Record


def emit(theme: Theme, release: Record, present: Iterable[str]) -> Iterator[OutputFile]:
    """A page for every yanked version; `present` are the paths of all other files."""
    pages = {version_page(digest): digest for digest in release.yanked}
    if not pages:
        return
    taken = pages.keys() & set(present)
    for page, digest in sorted(pages.items()):
        if page not in taken:
            reason = release.yanked[digest]
            yield render(theme, "yanked.html", page, digest=digest, reason=reason)
