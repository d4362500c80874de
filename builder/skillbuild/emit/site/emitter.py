"""The HTML catalog: lists, and a page for each skill and each file, all without active content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from types import MappingProxyType

from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput
from skillbuild.emit.site import (
    cards,
    catalog_pages,
    differences,
    files,
    group_pages,
    home,
    lists,
    related,
    shared_files,
    skill_pages,
    version_pages,
)
from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.changes import FRONT_PAGE
from skillbuild.emit.site.links import Links
from skillbuild.emit.site.theme import Theme, piece
from skillbuild.emit.versions import Comparison, VersionContent
from skillbuild.model import Catalog, Change, KeyedFile, Listing, OutputFile, changed
from skillbuild.release.record import Record

_DAY = 24 * 60 * 60
_RENDERERS = ("jinja2", "markdown-it-py", "mdit-py-plugins", "pygments")


@dataclass(frozen=True)
class SiteEmitter(Emitter):
    """Writes the pages of one catalog. The line of each skill is its card, followed by the card's
    HTML.
    """

    path = "index.html"
    listing = Listing.SITE
    needs_history = True

    theme: Theme

    @property
    def renderers(self) -> Mapping[str, str]:
        return _versions()

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        """Return the page of a skill, the pages of its files, the list of its versions, its data
        for the comparison page, and its card.
        """
        has_file_pages = self.theme.config.pages.files
        links = Links(
            emitted.skill, emitted.entry, emitted.documents, emitted.outline, has_file_pages
        )
        return SkillOutput(self._pages(links, emitted), self._line(emitted.card))

    def emit_version(self, content: VersionContent) -> Iterator[OutputFile]:
        """Yield the page of a version, `versions/<16 hex digits>/index.html`."""
        yield version_pages.emit_version(self.theme, content)

    def emit_comparison(self, path: str, comparison: Comparison) -> Iterator[OutputFile]:
        """Yield the page about what changed in a version, `skills/<path>/-/versions/<16 hex
        digits>/index.html`.
        """
        yield differences.emit_comparison(self.theme, path, comparison)

    def _line(self, card: Card) -> bytes:
        """Return the encoded card. It keeps all fields if the source has templates, which may use
        them.
        """
        item = piece(self.theme, "card.html", one=card)
        stored = card if self.theme.templates else cards.bare(card)
        return cards.encode(stored, item)

    def _pages(self, links: Links, emitted: EmittedSkill) -> Iterator[OutputFile]:
        yield skill_pages.emit(self.theme, links, emitted, version_pages.newest_change(emitted))
        if links.has_file_pages:
            yield from files.emit(self.theme, links, emitted)
        if not emitted.entry.is_internal:
            yield catalog_pages.compare_row(self.theme, links, emitted)
        if emitted.history.versions:
            yield version_pages.emit_version_list(self.theme, emitted)

    def emit_catalog(
        self, catalog: Catalog, lines: Sequence[bytes]
    ) -> Iterator[OutputFile | KeyedFile]:
        """Yield all pages about several skills (lists, facet pages and others), the sitemap, and
        the scripts and styles that all pages share.
        """
        every = cards.decode(lines)
        theme = self.theme
        yield from theme.assets.values()
        if theme.config.base_url and not theme.config.icons:
            yield shared_files.shared_picture(theme.config.title)
        every = [_with_first_day(card, catalog.firsts) for card in every]
        listed = sorted(every, key=lists.by_title)
        tiles = group_pages.tiles_of(catalog, listed)
        titles = lists.titles_shown(group_pages.titles_of(tiles))
        yield from related.emit(theme, every, titles)
        yield from home.emit(theme, catalog, listed, tiles)
        yield from group_pages.emit(theme, catalog, tiles, len(listed))
        yield from lists.emit_orders(every)
        yield catalog_pages.compare_page(theme)
        yield from lists.emit_facets(theme, catalog, listed, titles)
        yield from catalog_pages.emit_about(theme, catalog, every, tiles, self.renderers)
        yield from catalog_pages.emit_sitemap(catalog, every, catalog.changes, [FRONT_PAGE])
        yield from catalog_pages.emit_history(catalog.changes)

    def emit_release(self, release: Record, present: Iterable[str]) -> Iterator[OutputFile]:
        """Yield a page for each removed or moved skill, and for each yanked version."""
        every = list(present)
        yield from version_pages.emit_removed(self.theme, release, every)
        yield from version_pages.emit_yanked(self.theme, release, every)


def _with_first_day(card: Card, firsts: Mapping[str, Change]) -> Card:
    """Return the card with the day on which the skill was added, unless versions already show
    it.
    """
    first = firsts.get(card.path)
    return card if card.first_day or not first else changed(card, first_day=first.seconds // _DAY)


@cache
def _versions() -> Mapping[str, str]:
    """Return the versions of the renderers by package; cached, because a lookup takes a
    millisecond.
    """
    return MappingProxyType({name: version(name) for name in _RENDERERS})
