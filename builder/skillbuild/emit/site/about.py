"""Two pages about the catalog itself: how to verify it, and the one for a missing address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Catalog, OutputFile

MOST_SKIPPED = 500
"""Invalid skills that the page names; `catalog.json` names all that were left out."""


def emit(
    theme: Theme, catalog: Catalog, cards: Sequence[Card], versions: Mapping[str, str]
) -> Iterator[OutputFile]:
    """`about/index.html` and `404.html`; `versions` are those of the renderers, by package.

    A server answers any address with `404.html`, so its links are absolute where the base URL is
    known.
    """
    values = {"versions": versions, "total": len(cards), "most": MOST_SKIPPED}
    internal = len(catalog.entries) - len(cards)
    page = "about/index.html"
    yield render(theme, "about.html", page, catalog=catalog, internal=internal, **values)
    root = theme.base_path if theme.config.base_url else ""
    yield render(theme, "404.html", "404.html", catalog=catalog, root=root)
