"""`llms.txt` and `robots.txt`: the catalog for readers that fetch text."""

from __future__ import annotations

from collections.abc import Iterator

from skillbuild.model import Catalog, Entry, OutputFile


def emit_catalog(catalog: Catalog) -> Iterator[OutputFile]:
    """One line for each listed skill with a flat name; addresses are absolute with a base URL."""
    base = catalog.base_url or ""
    head = [f"# {catalog.title}", ""]
    if catalog.tagline:
        head += [f"> {catalog.tagline}", ""]
    skills = [_line(entry, base) for entry in catalog.listed if entry.flat_name is not None]
    yield OutputFile("llms.txt", "\n".join([*head, "## Skills", "", *skills, ""]).encode())
    yield OutputFile("robots.txt", _robots(catalog.base_url))


def _line(entry: Entry, base: str) -> str:
    description = " ".join(entry.text("description").split())
    return f"- [{entry.path}]({base}.well-known/skills/{entry.flat_name}/SKILL.md): {description}"


def _robots(base_url: str | None) -> bytes:
    sitemap = f"Sitemap: {base_url}sitemap.xml\n" if base_url else ""
    return f"User-agent: *\nAllow: /\n{sitemap}".encode()
