"""`llms.txt` and `robots.txt`: the catalog for readers that fetch text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbuild.config import Config
from skillbuild.model import Catalog, Entry, OutputFile
from skillbuild.release.record import blob_path

PATH = "llms.txt"


def emit_catalog(catalog: Catalog, config: Config, lines: Iterable[bytes]) -> Iterator[OutputFile]:
    """`lines` are those of the skills, sorted by path."""
    head = [f"# {catalog.title}", ""]
    if catalog.tagline:
        head += [f"> {catalog.tagline}", ""]
    before = [line.encode() for line in (*head, "## Skills", "")]
    yield OutputFile(PATH, b"\n".join([*before, *lines, b""]))
    yield OutputFile("robots.txt", _robots(catalog.base_url if "pages" in config.formats else None))


def line(entry: Entry, base_url: str | None) -> bytes | None:
    """One line for each listed skill; addresses are absolute with a base URL."""
    if not entry.listed:
        return None
    base = base_url or ""
    description = " ".join(entry.text("description").split())
    address = f"{base}.well-known/skills/{entry.flat_name}/SKILL.md"
    if entry.flat_name is None:
        address = f"{base}{blob_path(entry.skill_md.digest)}"
    return f"- [{entry.path}]({address}): {description}".encode()


def _robots(base_url: str | None) -> bytes:
    sitemap = f"Sitemap: {base_url}sitemap.xml\n" if base_url else ""
    return f"User-agent: *\nAllow: /\n{sitemap}".encode()
