"""`sitemap.xml`: the address and date of every page that search engines should know (sitemaps.org).

It needs absolute addresses, so there is none without a base URL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from skillbuild.emit.site.addresses import href, skill_page
from skillbuild.emit.site.cards import Card
from skillbuild.model import Catalog, Change, OutputFile

_MOST_ADDRESSES = 50_000
"""Of one file, by the sitemap protocol."""


def emit(
    catalog: Catalog, cards: Sequence[Card], changes: Mapping[str, Change], pages: Sequence[str]
) -> Iterator[OutputFile]:
    """The catalog and its skills; above 50,000 addresses, several files and their index.

    `changes` are by skill path; `pages` are paths of pages beside those of skills.
    """
    if catalog.base_url is None:
        return
    base = catalog.base_url
    lines = [_address(base, None), *(_address(base + href(page), None) for page in pages)]
    lines += [
        _address(base + href(skill_page(card.path)), changes.get(card.path)) for card in cards
    ]
    parts = [lines[i : i + _MOST_ADDRESSES] for i in range(0, len(lines), _MOST_ADDRESSES)]
    if len(parts) == 1:
        yield _file("sitemap.xml", "urlset", parts[0])
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        yield _file(name, "urlset", part)
    index = [f"<sitemap><loc>{escape(base + name, quote=False)}</loc></sitemap>" for name in names]
    yield _file("sitemap.xml", "sitemapindex", index)


def _address(address: str, change: Change | None) -> str:
    when = f"<lastmod>{change.date}</lastmod>" if change else ""
    return f"<url><loc>{escape(address, quote=False)}</loc>{when}</url>"


def _file(path: str, element: str, lines: Sequence[str]) -> OutputFile:
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{element} xmlns="{namespace}">\n'
    return OutputFile(path, (head + "\n".join(lines) + f"\n</{element}>\n").encode())
