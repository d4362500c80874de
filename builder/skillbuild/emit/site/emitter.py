"""The HTML catalog: lists, a page for each skill and each file, and nothing in them that runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput, Unchanged
from skillbuild.emit.site import (
    about,
    cards,
    files,
    history,
    lists,
    sitemap,
    skills,
    withdrawn,
)
from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.facts import Facts
from skillbuild.emit.site.links import Links
from skillbuild.emit.site.theme import Theme, piece
from skillbuild.model import Catalog, Change, Listing, OutputFile, UnchangedFile
from skillbuild.release.record import Record

_RENDERERS = ("jinja2", "markdown-it-py", "mdit-py-plugins", "pygments")


@dataclass(frozen=True)
class SiteEmitter(Emitter):
    """The pages of one catalog. The line of a skill is its card, with the HTML of it in lists."""

    path = "index.html"
    listing = Listing.SITE
    needs_history = True

    theme: Theme

    @property
    def renderers(self) -> Mapping[str, str]:
        return {name: version(name) for name in _RENDERERS}

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        """`skills/<path>/index.html` and the pages of its files, and its card."""
        entry = emitted.entry
        read = emitted.facts
        links = Links(emitted.skill, entry, emitted.outline, self.theme.config.pages.files)
        card = emitted.card
        pages = self._pages(links, read, card.inlined, emitted.change)
        return SkillOutput(pages, self._line(card))

    def _line(self, card: Card) -> bytes:
        """A card with its HTML in lists, which templates of the source may need more fields for."""
        item, row = (piece(self.theme, name, one=card) for name in ("card.html", "row.html"))
        stored = card if self.theme.templates else cards.bare(card)
        return cards.encode(stored, item, row)

    def _pages(
        self, links: Links, read: Facts, inlined: str, change: Change | None
    ) -> Iterator[OutputFile]:
        yield skills.emit(self.theme, links, read, change, inlined)
        if links.has_file_pages:
            yield from files.emit(self.theme, links)

    def emit_catalog(
        self, catalog: Catalog, lines: Sequence[bytes], unchanged: Unchanged
    ) -> Iterator[OutputFile | UnchangedFile]:
        """Lists, facets, about and sitemap, and the scripts and styles of all pages."""
        every = list(map(cards.decode, lines))
        theme = self.theme
        yield from theme.assets.values()
        yield from lists.emit(theme, catalog, every, unchanged)
        yield from lists.emit_facets(theme, catalog, every, unchanged)
        yield from about.emit(theme, catalog, every, self.renderers)
        yield from sitemap.emit(catalog, every, catalog.changes)
        yield from history.emit(catalog.changes)

    def emit_release(self, release: Record, present: Iterable[str]) -> Iterator[OutputFile]:
        """A page for each withdrawn skill."""
        return withdrawn.emit(self.theme, release, present)
