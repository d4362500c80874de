"""`claude/marketplace.json`: the catalog as a plugin marketplace, in which each skill is a plugin.

Plugins need absolute https URLs, so the file is written only if a base URL is set. The file is not
in `.claude-plugin/`, because another client reads that folder too and would reject the whole file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.config import Config, Owner, default_title
from skillbuild.emit.discovery import short_description
from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput
from skillbuild.media.archive import ZIP_TYPE
from skillbuild.model import Catalog, Digest, Entry, Listing, OutputFile
from skillbuild.paths import LONGEST_NAME, base_name, is_skill_name
from skillbuild.release.entries import EntryLines
from skillbuild.source.names import is_reserved_marketplace, slug
from skillbuild.text.json import json_document, json_line


@dataclass(frozen=True)
class MarketplaceEmitter(Emitter):
    """Writes one plugin for each skill that has a zip."""

    path = "claude/marketplace.json"
    listing = Listing.MARKETPLACE

    name: str
    """The name under which users add the marketplace."""
    base_url: str
    owner: Owner = Config().owner

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        return SkillOutput(line=_line(emitted.entry, self.base_url))

    def emit_catalog(self, catalog: Catalog, lines: Sequence[bytes]) -> Iterator[OutputFile]:
        description = catalog.tagline or f"{catalog.title}: Agent Skills, one plugin each"
        fields: dict[str, object] = {
            "name": self.name,
            "description": description,
            "owner": {"name": self.owner.name or catalog.title},
        }
        if renames := _renames(catalog):
            fields["renames"] = renames
        yield OutputFile(self.path, json_document(fields, "plugins", lines))


def _renames(catalog: Catalog) -> dict[str, str]:
    """Map the former plugin name of each moved skill to its current name, so that clients follow
    it.
    """
    if not catalog.moved:
        return {}
    names = EntryLines.of(catalog.entries).flat_names()
    taken = set(names.values())
    moved = sorted(catalog.moved.items())
    renames = {base_name(path): names[to] for path, to in moved if to in names}
    return {old: new for old, new in renames.items() if old not in taken and is_skill_name(old)}


def _line(entry: Entry, base_url: str) -> bytes | None:
    """Return the JSON line of the plugin for a skill; None if the skill has no zip."""
    zips = [item for item in entry.archives if item.media_type == ZIP_TYPE]
    if not zips:
        return None
    source = {
        "source": "archive",
        "url": f"{base_url}archives/{zips[0].file_name}",
        "sha256": zips[0].digest.hex,
    }
    return json_line(
        {
            "name": entry.flat_name,
            "description": short_description(entry),
            "strict": False,
            "skills": ["./"],
            "source": source,
        }
    )


def marketplace_name(config: Config) -> str | None:
    """Return the name of the marketplace; None if it cannot be derived from the settings."""
    if config.base_url is None or not config.has_marketplace:
        return None
    is_chosen = config.title != default_title(config.repository)
    return _name(config.title if is_chosen else "", config.base_url)


def _name(title: str, base_url: str) -> str:
    """Return the first valid name of three: the title as a slug, the URL as a slug, a digest of the
    URL.

    A title that was not set is not used: many repositories are called `skills`, and a client can
    add only one marketplace of each name.
    """
    address = base_url.removeprefix("https://")
    tried = [slug(text) for text in (title, address) if len(text) <= LONGEST_NAME]
    tried.append(f"skills-{Digest.of(base_url.encode()).short}")
    return next(name for name in tried if name and not is_reserved_marketplace(name))
