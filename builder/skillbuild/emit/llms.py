"""`llms.txt` and `robots.txt`: the catalog for readers that fetch text."""

from __future__ import annotations

from collections.abc import Iterator

from skillbuild.config import Config
from skillbuild.model import Catalog, Entry, OutputFile
from skillbuild.record import blob_path


def emit_catalog(catalog: Catalog, config: Config) -> Iterator[OutputFile]:
    """One line for each listed skill; addresses are absolute with a base URL."""
    base = catalog.base_url or ""
    head = [f"# {catalog.title}", ""]
    if catalog.tagline:
        head += [f"> {catalog.tagline}", ""]
    skills = [_line(entry, base) for entry in catalog.listed]
    yield OutputFile("llms.txt", "\n".join([*head, "## Skills", "", *skills, ""]).encode())
    yield OutputFile("robots.txt", _robots(catalog.base_url if "pages" in config.formats else None))


def _line(entry: Entry, base: str) -> str:
    description = " ".join(entry.text("description").split())
    address = f"{base}.well-known/skills/{entry.flat_name}/SKILL.md"
    if entry.flat_name is None:
        address = f"{base}{blob_path(entry.skill_md.digest)}"
    return f"- [{entry.path}]({address}): {description}"


def _robots(base_url: str | None) -> bytes:
    sitemap = f"Sitemap: {base_url}sitemap.xml\n" if base_url else ""
    return f"User-agent: *\nAllow: /\n{sitemap}".encode()
