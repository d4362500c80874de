"""How each client installs a skill or the whole catalog, as commands to paste."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from skillbuild.emit.site.clients import CLIENTS, PLUGIN_CLIENTS, Client, PluginClient
from skillbuild.emit.site.theme import GAP, Theme
from skillbuild.model import Entry, Listing, group_address
from skillbuild.source.groups import tree_name


@dataclass(frozen=True, slots=True)
class Way:
    """One way to install skills: its scope, a title for the commands, and the commands to paste."""

    scope: str
    """A key of `SCOPES`."""
    title: str
    commands: str


@dataclass(frozen=True, slots=True)
class ClientOffer:
    """The ways in which one client can install a skill, a group or the whole catalog."""

    client: Client | PluginClient
    ways: tuple[Way, ...]

    @property
    def by_npx(self) -> bool:
        return any("npx" in way.commands for way in self.ways)


def offers(theme: Theme, entry: Entry | None = None, group: str = "") -> list[ClientOffer]:
    """Return the clients that can install a skill, a group or the whole catalog, with their
    commands.
    """
    listed = entry is None or entry.is_listed(Listing.DISCOVERY_02)
    plugin = entry.plugin if entry else group or "PLUGIN"
    by_git = {each.key: way for each in PLUGIN_CLIENTS if (way := _from_git(theme, plugin, each))}
    every = [
        ClientOffer(
            client,
            (
                *(_npx(theme, entry, group, client) if theme.discovery and listed else ()),
                *(
                    [by_git[client.key]]
                    if client.key in by_git
                    else _from_archive(theme, entry, group, client)
                ),
            ),
        )
        for client in CLIENTS
    ]
    others = by_git.keys() - {client.key for client in CLIENTS}
    every += [
        ClientOffer(each, (by_git[each.key],)) for each in PLUGIN_CLIENTS if each.key in others
    ]
    return [offer for offer in every if offer.ways]


def _from_git(theme: Theme, plugin: str, client: PluginClient) -> Way | None:
    """Return the commands for a plugin from the branch in the settings; None without a branch."""
    config = theme.config
    if not (config.repository and config.plugins.branch and plugin):
        return None
    names = {
        "url": f"{config.repository}.git",
        "repository": config.repository.rpartition("/")[2],
        "branch": config.plugins.branch,
        "market": tree_name(config),
        "plugin": plugin,
    }
    commands = f"{client.add}\n{client.install}".format_map(names)
    return Way("plugin", "As a plugin, from the repository", commands)


def _from_archive(theme: Theme, entry: Entry | None, group: str, client: Client) -> Iterator[Way]:
    """Yield the commands for a skill as a plugin from the site's marketplace, which only Claude
    Code reads.
    """
    is_there = entry.is_listed(Listing.MARKETPLACE) if entry else not group
    if client.key != "claude-code" or not theme.marketplace or not is_there:
        return
    commands = f"/plugin marketplace add {_site(theme)}claude/marketplace.json"
    if entry is not None:
        commands += f"\n/plugin install {entry.flat_name}@{theme.marketplace}"
    yield Way("plugin", "As a plugin, which Claude Code keeps up to date", commands)


def _npx(theme: Theme, entry: Entry | None, group: str, client: Client) -> Iterator[Way]:
    # Characters with a meaning in a shell are percent-encoded.
    folder = group_address(group) if group else ""
    which = f"skills/{quote(entry.path)}" if entry else folder
    every = "" if entry else " --skill '*'"
    command = f"npx skills add {_site(theme)}{which}{every} --agent {client.key}"
    yield Way("project", f"Into {client.project} of a project", command)
    yield Way("personal", f"Into {client.personal}, for all projects", f"{command} --global")


def _site(theme: Theme) -> str:
    return theme.config.base_url or GAP
