"""Pages and files about the whole catalog, except lists.

These are `about/` (how to verify the catalog), `404.html`, the page that compares skills,
`sitemap.xml` and `history.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from skillbuild import __version__
from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.site import lists
from skillbuild.emit.site.addresses import compared_row, href, skill_page
from skillbuild.emit.site.cards import Card, samples, shown_icons
from skillbuild.emit.site.facts import declared, row_titles
from skillbuild.emit.site.group_pages import Tile, largest
from skillbuild.emit.site.links import Links
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Catalog, Change, Entry, Listing, OutputFile
from skillbuild.release.facts import answers_of, license_words
from skillbuild.release.frontmatter import declared_version
from skillbuild.text.json import json_document, json_line

MOST_SKIPPED = 500
"""Maximum number of invalid skills that the page names; `catalog.json` names all skipped skills."""


def emit_about(
    theme: Theme,
    catalog: Catalog,
    cards: Sequence[Card],
    tiles: Sequence[Tile],
    versions: Mapping[str, str],
) -> Iterator[OutputFile]:
    """Yield `about/index.html` and `404.html`.

    `tiles` are the groups, and `versions` maps the packages that render pages to their versions. A
    server returns `404.html` for every unknown address, so the links of this page are absolute if
    the base URL is known.
    """
    values = {
        "versions": versions,
        "own_version": __version__,
        "total": len(cards),
        "most": MOST_SKIPPED,
        "rows": row_titles(),
    }
    found = {
        "catalog": catalog,
        "total": len(cards),
        "samples": samples(),
        "tiles": largest(tiles),
        "group_count": len(tiles),
    }
    listed = {"usual_license": lists.usual(cards).license, "has_icons": lists.has_icons(cards)}
    internal = len(catalog.entries) - len(cards)
    page = "about/index.html"
    yield render(theme, "about.html", page, catalog=catalog, internal=internal, **values)
    root = theme.base_path if theme.config.base_url else ""
    yield render(theme, "404.html", "404.html", root=root, **listed, **found)


# The page that compares skills. It contains no skills; a script loads one file for each.


_COMPARE_PAGE = "compare/index.html"
_ROW_START = b"skillbuild.row="
_MOST_NAMES = 30
_LONGEST = 1_024
_LONGEST_LICENSE = 80


def compare_page(theme: Theme) -> OutputFile:
    """Return the comparison page. A script fills this page in the browser."""
    return render(theme, "compare.html", _COMPARE_PAGE)


def compare_row(theme: Theme, links: Links, emitted: EmittedSkill) -> OutputFile:
    """Return one skill's data for the comparison page. The script of that page reads the fields by
    name.
    """
    entry = links.entry
    facts, card = emitted.facts, emitted.card
    description = " ".join(entry.text("description").split())
    fields = {
        "path": entry.path,
        "title": entry.title,
        "group": emitted.outline.grouped.title(entry.group) or entry.group,
        "picture": _pictures(card, entry),
        "description": description[:_LONGEST] + ("\u2026" * (len(description) > _LONGEST)),
        "license": license_words(entry.facts.license, _LONGEST_LICENSE),
        "tools": None if facts.tools is None else facts.tools[:_MOST_NAMES],
        "loud": [label for label in facts.tools or () if declared(label).alarming],
        "deprecated": entry.deprecated.words if entry.deprecated else "",
        "does": [
            (
                *(each.place, each.title, each.words, each.is_loud),
                links.line_place(each.path, each.line).address(links.own_page),
            )
            for each in answers_of(entry.facts.runs, entry.facts.hidden)
        ],
        "files": len(entry.resources),
        "listing": facts.listing_tokens,
        "body": facts.body_tokens,
        "all": facts.all_tokens,
        "version": declared_version(entry.frontmatter) or "",
        "versions": len(emitted.history.versions),
        "date": card.date,
        "npx": theme.discovery and entry.is_listed(Listing.DISCOVERY_02),
    }
    return OutputFile(compared_row(entry.path), _ROW_START + json_line(fields) + b"\n")


def _pictures(card: Card, entry: Entry) -> Sequence[tuple[str, str]]:
    """Return the address and the color scheme of each icon that a comparison shows. The address of
    a small icon is a `data:` URI, which needs no request.
    """
    icons = card.picture.icons or [(icon.file_name, "") for icon in shown_icons(entry.icons)]
    addresses = card.inlined.split() or [f"icons/{name}" for name, _ in icons]
    return [(address, scheme) for address, (_, scheme) in zip(addresses, icons, strict=True)]


# The sitemap.


_MOST_ADDRESSES = 50_000
"""Maximum number of addresses in one file, set by the sitemap protocol."""


def emit_sitemap(
    catalog: Catalog, cards: Sequence[Card], changes: Mapping[str, Change], pages: Sequence[str]
) -> Iterator[OutputFile]:
    """Yield a sitemap of the catalog and its skills. If there are more than 50,000 addresses, yield
    several sitemaps and an index of them.

    `changes` maps skill paths to their last change. `pages` are the paths of other pages.
    """
    if catalog.base_url is None:
        return
    base = catalog.base_url
    lines = [_sitemap_line(base, None), *(_sitemap_line(base + href(page), None) for page in pages)]
    lines += [
        _sitemap_line(base + href(skill_page(card.path)), changes.get(card.path)) for card in cards
    ]
    parts = [lines[i : i + _MOST_ADDRESSES] for i in range(0, len(lines), _MOST_ADDRESSES)]
    if len(parts) == 1:
        yield _sitemap_file("sitemap.xml", "urlset", parts[0])
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        yield _sitemap_file(name, "urlset", part)
    index = [f"<sitemap><loc>{escape(base + name, quote=False)}</loc></sitemap>" for name in names]
    yield _sitemap_file("sitemap.xml", "sitemapindex", index)


def _sitemap_line(address: str, change: Change | None) -> str:
    when = f"<lastmod>{change.date}</lastmod>" if change else ""
    return f"<url><loc>{escape(address, quote=False)}</loc>{when}</url>"


def _sitemap_file(path: str, element: str, lines: Sequence[str]) -> OutputFile:
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{element} xmlns="{namespace}">\n'
    return OutputFile(path, (head + "\n".join(lines) + f"\n</{element}>\n").encode())


# The history.


def emit_history(changes: Mapping[str, Change]) -> Iterator[OutputFile]:
    """Yield `history.json` with one line for each skill, sorted by path. Yield nothing if no change
    is known.

    `changes` maps skill paths to their last change.
    """
    if changes:
        rows = (
            json_line(
                {
                    "path": path,
                    "commit": change.commit,
                    "date": change.date,
                    "seconds": change.seconds,
                }
            )
            for path, change in sorted(changes.items())
        )
        yield OutputFile("history.json", json_document({}, "skills", rows))
