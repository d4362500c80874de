"""`claude/marketplace.json`: the catalog as a plugin marketplace, one plugin a skill.

It needs absolute https addresses, so there is none without a base URL. It never stands at
`.claude-plugin/`, where another client would reject the whole file.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbuild import jsontext
from skillbuild.archive import ZIP_TYPE
from skillbuild.config import Config
from skillbuild.model import Catalog, Entry, OutputFile
from skillbuild.names import SKILL_NAME

_PATH = "claude/marketplace.json"


def emit_catalog(catalog: Catalog) -> Iterator[OutputFile]:
    """One plugin for each listed skill with a flat name and a zip."""
    if catalog.base_url is None or not catalog.base_url.startswith("https://"):
        return
    plugins = [plugin for entry in catalog.listed if (plugin := _plugin(entry, catalog.base_url))]
    name = _kebab(catalog.title)
    description = catalog.tagline or f"{catalog.title}: Agent Skills, one plugin each"
    fields = {"name": name, "description": description, "owner": {"name": catalog.title}}
    yield OutputFile(_PATH, jsontext.document(fields, "plugins", plugins))


def _plugin(entry: Entry, base_url: str) -> dict[str, object] | None:
    zips = [item for item in entry.archives if item.media_type == ZIP_TYPE]
    if entry.flat_name is None or not zips:
        return None
    source = {
        "source": "archive",
        "url": f"{base_url}archives/{zips[0].file_name}",
        "sha256": zips[0].digest.hex,
    }
    return {
        "name": entry.flat_name,
        "description": entry.text("description"),
        "strict": False,
        "skills": ["./"],
        "source": source,
    }


def name_for(config: Config) -> str | None:
    """The name under which people add the marketplace, None when there will be none."""
    secure = config.base_url is not None and config.base_url.startswith("https://")
    return _kebab(config.title) if secure and "marketplace" in config.formats else None


def _kebab(title: str) -> str:
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in title.lower())
    name = "-".join(words.split())
    return name if SKILL_NAME.fullmatch(name) else "agent-skills"
