"""`claude/marketplace.json`: the catalog as a plugin marketplace, one plugin a skill.

It needs absolute https addresses, so there is none without a base URL. It never stands at
`.claude-plugin/`, where another client would reject the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbuild.config import Config
from skillbuild.media.archive import ZIP_TYPE
from skillbuild.model import Catalog, Digest, Entry, OutputFile
from skillbuild.paths import LONGEST_NAME, SKILL_NAME
from skillbuild.text.json import json_document, json_line

PATH = "claude/marketplace.json"
_RESERVED = re.compile(
    "agent-skills|healthcare|life-sciences|(financial-services|first-party|knowledge-work)-plugins"
    "|builtin|inline|skills-dir|synced|.*(anthropic|claude).*"
)
"""Names that Claude Code keeps for itself, or may take for its own."""


def emit_catalog(catalog: Catalog, name: str, lines: Iterable[bytes]) -> Iterator[OutputFile]:
    """One plugin for each skill that has a line; `name` is that of the marketplace."""
    description = catalog.tagline or f"{catalog.title}: Agent Skills, one plugin each"
    fields = {"name": name, "description": description, "owner": {"name": catalog.title}}
    yield OutputFile(PATH, json_document(fields, "plugins", lines))


def line(entry: Entry, base_url: str) -> bytes | None:
    """The plugin of a skill; None for one that is not listed, or has no flat name or no zip."""
    zips = [item for item in entry.archives if item.media_type == ZIP_TYPE]
    if not entry.listed or entry.flat_name is None or not zips:
        return None
    source = {
        "source": "archive",
        "url": f"{base_url}archives/{zips[0].file_name}",
        "sha256": zips[0].digest.hex,
    }
    return json_line(
        {
            "name": entry.flat_name,
            "description": entry.text("description"),
            "strict": False,
            "skills": ["./"],
            "source": source,
        }
    )


def name_for(config: Config) -> str | None:
    """The name under which people add the marketplace, None when there will be none."""
    secure = config.base_url is not None and config.base_url.startswith("https://")
    if config.base_url is None or not secure or "marketplace" not in config.formats:
        return None
    return _name(config.title, config.base_url)


def _name(title: str, base_url: str) -> str:
    """The title, else the address, else its digest: the first that every client can add.

    The default title is a reserved name, and one name for many catalogs would let people add only
    one of them.
    """
    address = base_url.removeprefix("https://")
    tried = (_kebab(title), _kebab(address), f"skills-{Digest.of(base_url.encode()).short}")
    return next(name for name in tried if _is_free(name))


def _is_free(name: str) -> bool:
    fits = len(name) <= LONGEST_NAME and SKILL_NAME.fullmatch(name)
    return bool(fits) and not _RESERVED.fullmatch(name)


def _kebab(text: str) -> str:
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in text.lower())
    return "-".join(words.split())
