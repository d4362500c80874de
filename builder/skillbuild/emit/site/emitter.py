"""The HTML catalog: lists, a page for each skill and each file, and no line of active content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version

from skillbuild.cache.pages import Reuse
from skillbuild.emit.site import (
    about,
    cards,
    facts,
    files,
    history,
    lists,
    search,
    sitemap,
    skills,
)
from skillbuild.emit.site.links import Links
from skillbuild.emit.site.theme import Theme, piece
from skillbuild.emit.site.withdrawn import emit as emit_withdrawn
from skillbuild.model import Catalog, Change, Entry, OutputFile, Skill
from skillbuild.source.outline import Outline

__all__ = [
    "Reuse",
    "SkillPages",
    "Theme",
    "emit_catalog",
    "emit_skill",
    "emit_withdrawn",
]

PATH = "index.html"


def renderers() -> dict[str, str]:
    """Versions of what shapes a page, by package name."""
    names = ("jinja2", "markdown-it-py", "mdit-py-plugins", "pygments")
    return {name: version(name) for name in names}


@dataclass(frozen=True, slots=True)
class SkillPages:
    """The pages of one skill, and what the list needs to know of its content."""

    card: bytes | None
    """What lists say of it; None for an internal skill, which is not looked for in a list."""
    pages: Iterator[OutputFile]


def emit_skill(
    theme: Theme,
    skill: Skill,
    entry: Entry,
    icons: Mapping[str, bytes],
    outline: Outline,
    change: Change | None,
) -> SkillPages:
    """`skills/<path>/index.html` and pages of its files; a function of this skill alone.

    `icons` are those of the skill by file name.
    """
    found = facts.gather(skill, entry)
    links = Links(skill, entry, outline, theme.config.pages.files)
    card = cards.card(entry, found, icons)
    hidden = "internal" in entry.reasons
    pages = _pages(theme, links, found, card.inlined, change)
    return SkillPages(None if hidden else _line(theme, card), pages)


def _line(theme: Theme, card: cards.Card) -> bytes:
    """A card with the pieces that lists are joined from; own templates may ask it for more."""
    item, row = (piece(theme, template, one=card) for template in ("card.html", "row.html"))
    kept = card if theme.templates else cards.bare(card)
    return cards.encode(kept, search.row(card), item, row)


def _pages(
    theme: Theme, links: Links, found: facts.Facts, inlined: str, change: Change | None
) -> Iterator[OutputFile]:
    yield skills.emit(theme, links, found, change, inlined)
    if links.has_file_pages:
        yield from files.emit(theme, links)


def emit_catalog(
    theme: Theme,
    catalog: Catalog,
    lines: Iterable[bytes],
    changes: Mapping[str, Change],
    reuse: Reuse,
) -> Iterator[OutputFile]:
    """Everything that is not about one skill; `lines` are the cards.

    `changes` are by skill path; pages that `reuse` has are left out.
    """
    every = list(map(cards.decode, lines))
    yield from theme.assets.values()
    yield from lists.emit(theme, catalog, every)
    yield from lists.emit_facets(theme, catalog, every, reuse)
    yield from about.emit(theme, catalog, every, renderers())
    yield from sitemap.emit(catalog, every, changes)
    yield from history.emit(changes)
