"""What each client can do with a skill, or with the whole catalog: commands, ready to be pasted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from skillbuild.emit.site.clients import CLIENTS, Client
from skillbuild.emit.site.theme import GAP, Theme
from skillbuild.model import Entry, Listing


@dataclass(frozen=True, slots=True)
class Way:
    """Commands to paste at one place, and what they do, in a few words."""

    scope: str
    """A key of `SCOPES`."""
    title: str
    commands: str


@dataclass(frozen=True, slots=True)
class ClientOffer:
    """What one client can do with a catalog, or with one skill of it."""

    client: Client
    ways: tuple[Way, ...]

    @property
    def by_npx(self) -> bool:
        return any("npx" in way.commands for way in self.ways)


def offers(theme: Theme, entry: Entry | None = None, folder: str = "") -> list[ClientOffer]:
    """What each client can do with a skill, or with the whole catalog; none without installers.

    `folder` is that of a group, with a final `/`, for the skills of the group alone.
    """
    listed = entry is None or entry.is_listed(Listing.DISCOVERY_02)
    in_marketplace = entry is None or entry.is_listed(Listing.MARKETPLACE)
    market = theme.marketplace if in_marketplace and not folder else None
    every = (
        ClientOffer(
            client,
            (
                *(_npx(theme, entry, folder, client) if theme.discovery and listed else ()),
                *(_plugins(theme, entry, market) if client.key == "claude-code" and market else ()),
            ),
        )
        for client in CLIENTS
    )
    return [offer for offer in every if offer.ways]


def _plugins(theme: Theme, entry: Entry | None, market: str) -> Iterator[Way]:
    commands = f"/plugin marketplace add {_site(theme)}claude/marketplace.json"
    if entry is not None:
        commands += f"\n/plugin install {entry.flat_name}@{market}"
    yield Way("plugin", "As a plugin, which Claude Code keeps up to date", commands)


def _npx(theme: Theme, entry: Entry | None, folder: str, client: Client) -> Iterator[Way]:
    # Every character that a shell may read as its own is percent-encoded.
    which = f"skills/{quote(entry.path)}" if entry else folder
    every = "" if entry else " --skill '*'"
    command = f"npx skills add {_site(theme)}{which}{every} --agent {client.key}"
    yield Way("project", f"Into {client.project} of a project", command)
    yield Way("personal", f"Into {client.personal}, for all projects", f"{command} --global")


def _site(theme: Theme) -> str:
    return theme.config.base_url or GAP
