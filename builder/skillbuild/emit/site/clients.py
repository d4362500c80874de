"""How each client gets the skills of a catalog: commands to paste, and the folders that the client
reads.

The tables in this module are shown on the pages of skills, on the list, and in the documentation.
`tests/clients/folders.py` and `tests/clients/plugins.py` test the tables with the real programs. If
`tried` is empty, the client was not tested.
"""

from __future__ import annotations

from dataclasses import dataclass

_COPY = "/path/to/a/copy"
_URL = "{url}"
_SHARED = (".agents/skills/", "~/.agents/skills/")


@dataclass(frozen=True, slots=True)
class Client:
    """A client that uses skills from its own folders or from an MCP server."""

    key: str
    """The key that browsers store, which is also the name for `npx skills add --agent`."""
    name: str
    project: str
    """The folder of a project in which the client finds skills."""
    personal: str
    """The folder in the home directory in which it finds skills for all projects."""
    tried: str
    """Program and version that found skills in both folders; empty if not tested."""
    mcp_place: str
    """Where an MCP server is configured: a file, or a shell."""
    mcp: str
    """The configuration of a server that the client starts itself, for the copy in `_COPY`."""
    over_http: str
    """The configuration of a remote server; `_URL` stands for its address."""

    def http(self, url: str) -> str:
        """Return the configuration for the server at a URL. The URL must not contain quotes or
        spaces.
        """
        return self.over_http.replace(_URL, url)


def _servers(key: str = "mcpServers", kind: str = "") -> str:
    server = f'{kind}"command": "skillbuild", "args": ["serve", "{_COPY}"]'
    return f'{{"{key}": {{"skills": {{{server}}}}}}}'


def _remote(key: str = "mcpServers", kind: str = "", field: str = "url") -> str:
    return f'{{"{key}": {{"skills": {{{kind}"{field}": "{_URL}"}}}}}}'


CLIENTS = (
    Client(
        *("claude-code", "Claude Code", ".claude/skills/", "~/.claude/skills/"),
        tried="Claude Code 2.1.330",
        mcp_place="shell",
        mcp=f"claude mcp add skills -- skillbuild serve {_COPY}",
        over_http=f"claude mcp add --transport http skills {_URL}",
    ),
    Client(
        *("codex", "Codex", *_SHARED),
        tried="Codex 0.169.0",
        mcp_place="~/.codex/config.toml",
        mcp='mcp_servers.skills = { command = "skillbuild", '
        f'args = ["serve", "{_COPY}"], required = true }}',
        over_http=f'mcp_servers.skills = {{ url = "{_URL}", required = true }}',
    ),
    Client(
        *("github-copilot", "Copilot, VS Code", *_SHARED),
        tried="Copilot CLI 1.0.102",
        mcp_place=".vscode/mcp.json",
        mcp=_servers("servers", '"type": "stdio", '),
        over_http=_remote("servers", '"type": "http", '),
    ),
    Client(
        *("gemini-cli", "Gemini CLI", *_SHARED),
        tried="Gemini CLI 0.61.0",
        mcp_place="~/.gemini/settings.json",
        mcp=_servers(),
        over_http=_remote(field="httpUrl"),
    ),
    Client(
        *("opencode", "OpenCode", *_SHARED),
        tried="OpenCode 1.18.33",
        mcp_place="opencode.json",
        mcp='{"mcp": {"skills": {"type": "local", '
        f'"command": ["skillbuild", "serve", "{_COPY}"]}}}}}}',
        over_http=_remote("mcp", '"type": "remote", '),
    ),
    Client(
        *("cursor", "Cursor", *_SHARED),
        tried="",
        mcp_place=".cursor/mcp.json",
        mcp=_servers(),
        over_http=_remote(),
    ),
    Client(
        *("goose", "goose", ".goose/skills/", "~/.config/goose/skills/"),
        tried="goose 1.52.0",
        mcp_place="~/.config/goose/config.yaml, under extensions:",
        mcp="catalog: {type: stdio, name: catalog, description: Skills, enabled: true, "
        f"cmd: skillbuild, args: [serve, {_COPY}]}}",
        over_http="catalog: {type: streamable_http, name: catalog, description: Skills, "
        f"enabled: true, uri: {_URL}}}",
    ),
)
"""All clients, in the order in which pages offer them."""
_CLONE = "git clone --branch {branch} {url} {market}"


@dataclass(frozen=True, slots=True)
class PluginClient:
    """A client that installs plugins from a branch of a git repository.

    The commands contain the placeholders `{url}`, `{branch}`, `{repository}` (the last segment of
    the URL), `{market}` (the name of the marketplace) and `{plugin}`.
    """

    key: str
    """The key of the same program in `CLIENTS`, if it is there."""
    name: str
    tried: str
    """Program and version in which these commands were tested; empty if not tested."""
    add: str
    """The command that adds the marketplace or its plugins."""
    install: str
    """The command that installs one plugin."""


PLUGIN_CLIENTS = (
    PluginClient(
        *("claude-code", "Claude Code", "Claude Code 2.1.330"),
        add="claude plugin marketplace add {url}#{branch}",
        install="claude plugin install {plugin}@{market}",
    ),
    PluginClient(
        *("codex", "Codex", "Codex 0.169.0"),
        add="codex plugin marketplace add {url} --ref {branch}",
        install="codex plugin add {plugin}@{market}",
    ),
    PluginClient(
        *("github-copilot", "Copilot, VS Code", "Copilot CLI 1.0.102"),
        add="copilot plugin marketplace add {url}#{branch}",
        install="copilot plugin install {plugin}@{market}",
    ),
    PluginClient(
        *("gemini-cli", "Gemini CLI", "Gemini CLI 0.61.0"),
        add=_CLONE,
        install="gemini extensions install {market}/plugins/{plugin}",
    ),
    PluginClient(
        *("qwen-code", "Qwen Code", "Qwen Code 0.24.4"),
        add=_CLONE,
        install="qwen extensions install {market}/plugins/{plugin}",
    ),
    PluginClient(
        *("droid", "droid", "droid 0.215.0"),
        add="droid plugin marketplace add {url}#{branch}",
        install="droid plugin install {plugin}@{repository}@{branch}",
    ),
    PluginClient(
        *("apm", "APM", "APM 0.35.0"),
        add="apm marketplace add {url} --name {market} --ref {branch}",
        install="apm install {plugin}@{market}",
    ),
)
"""All programs that install plugins, in the order in which pages offer them. Programs that are also
in `CLIENTS` have their place in that order.
"""
ANY_HOST = Client(
    *("", "Others", "", ""),
    tried="",
    mcp_place="claude_desktop_config.json, or a similar file:",
    mcp=_servers(),
    over_http=_remote(kind='"type": "http", '),
)
"""Any other host of MCP servers, which has no folders."""
SCOPES = {"project": "Project", "personal": "Personal", "plugin": "Plugin"}
"""The places where commands put skills, with the labels that pages show."""


def folders() -> dict[tuple[str, str], list[str]]:
    """Map each pair of project folder and personal folder to the names of the clients that read
    these folders.
    """
    named: dict[tuple[str, str], list[str]] = {}
    for client in CLIENTS:
        named.setdefault((client.project, client.personal), []).append(client.name)
    return named
