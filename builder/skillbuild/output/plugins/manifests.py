"""Writes the manifests and the README of a plugin tree. Clients look for the manifests by name.

Claude Code, Copilot CLI and droid read `.claude-plugin/`. Codex reads `.agents/plugins/` and
`.codex-plugin/`. Cursor reads `.cursor-plugin/`. Gemini CLI and Qwen Code read
`gemini-extension.json`. APM reads any of these. The files contain only text: no hooks, commands or
servers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from skillbuild.model import Party
from skillbuild.output.plugins.contents import (
    LONGEST_TEXT,
    PluginContent,
    TreeContent,
    shortened,
)
from skillbuild.text.json import indented_json
from skillbuild.text.wording import joined, plural

AGENT_PLUGINS_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
_ATTRIBUTES = b"* -text -filter -ident\n"
"""Makes git check out every byte unchanged, so that the catalog's digests of skills stay valid."""
_CATEGORY = "Productivity"
"""A category, which Codex requires."""
_LONGEST_SHORT = 120
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|&~-])")
"""Characters with a meaning in Markdown."""

_Object = dict[str, object]
_MakeEntry = Callable[[PluginContent], _Object]


def tree_files(content: TreeContent) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of each file in the tree, except the files of the skills."""
    yield "README.md", _readme(content).encode()
    yield ".gitattributes", _ATTRIBUTES
    yield ".claude-plugin/marketplace.json", indented_json(_marketplace(content, _claude_entry))
    yield ".cursor-plugin/marketplace.json", indented_json(_marketplace(content, _entry))
    yield ".agents/plugins/marketplace.json", indented_json(_codex_marketplace(content))
    for plugin in content.plugins:
        owner = content.tree.owner
        folder = f"plugins/{plugin.name}"
        manifest = _manifest(plugin, owner)
        with_skills = {**manifest, "skills": "./skills/"}
        cursor = {"displayName": plugin.title, **with_skills}
        codex = {**with_skills, "interface": _interface(plugin, owner)}
        yield f"{folder}/.claude-plugin/plugin.json", indented_json(manifest)
        yield f"{folder}/.cursor-plugin/plugin.json", indented_json(cursor)
        yield f"{folder}/.codex-plugin/plugin.json", indented_json(codex)
        yield f"{folder}/gemini-extension.json", indented_json(_extension(plugin))
        if content.tree.agent_plugins:
            portable = {"$schema": AGENT_PLUGINS_SCHEMA, **manifest}
            yield f"{folder}/plugin.json", indented_json(portable)


def _filled(fields: Mapping[str, object]) -> _Object:
    """Return the fields that have a value."""
    return {key: value for key, value in fields.items() if value not in ("", (), [], None)}


def _marketplace(content: TreeContent, entry: _MakeEntry) -> _Object:
    owner = content.tree.owner
    count = f"{plural(content.skills, 'skill')} in {plural(len(content.plugins), 'plugin')}"
    return {
        "name": content.tree.name,
        "owner": _filled({"name": owner.name, "url": owner.url}),
        "metadata": {"description": content.tagline or f"{content.title}: {count}"},
        "plugins": [entry(plugin) for plugin in content.plugins],
    }


def _entry(plugin: PluginContent) -> _Object:
    return {
        "name": plugin.name,
        "source": f"./plugins/{plugin.name}",
        "description": plugin.summary,
    }


def _claude_entry(plugin: PluginContent) -> _Object:
    return _filled({**_entry(plugin), "category": plugin.group.category})


def _codex_marketplace(content: TreeContent) -> _Object:
    plugins = [
        {
            "name": plugin.name,
            "source": {"source": "local", "path": f"./plugins/{plugin.name}"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": plugin.group.category or _CATEGORY,
        }
        for plugin in content.plugins
    ]
    interface = {"displayName": content.title or content.tree.name}
    return {"name": content.tree.name, "interface": interface, "plugins": plugins}


def _manifest(plugin: PluginContent, owner: Party) -> _Object:
    group = plugin.group
    return _filled(
        {
            "name": plugin.name,
            "version": plugin.version,
            "description": plugin.description,
            "author": {"name": (group.author or owner).name},
            "homepage": group.homepage,
            "repository": group.repository,
            "license": group.license,
            "keywords": group.keywords,
        }
    )


def _interface(plugin: PluginContent, owner: Party) -> _Object:
    return {
        "displayName": plugin.title,
        "shortDescription": shortened(plugin.description, _LONGEST_SHORT),
        "longDescription": shortened(plugin.description, LONGEST_TEXT),
        "developerName": (plugin.group.author or owner).name,
        "category": plugin.group.category or _CATEGORY,
        "capabilities": [],
    }


def _extension(plugin: PluginContent) -> _Object:
    return {
        "name": plugin.name,
        "version": plugin.version,
        "description": plugin.description,
    }


_ABOUT = (
    "Agent Skills as plugins, for clients that install from a git repository or a folder. Generated"
    " by `skillbuild plugins` and overwritten by each release; edit the source instead."
)


def _readme(content: TreeContent) -> str:
    lines = [f"# {_plain(content.title or content.tree.name)}", "", _ABOUT, ""]
    lines += ["| plugin | what | skills |", "|---|---|---|"]
    for plugin in content.plugins:
        names = ", ".join(each.folder for each in plugin.skills)
        lines.append(f"| {plugin.name} | {_plain(plugin.summary)} | {names} |")
    left_out = [plugin for plugin in content.plugins if plugin.group.left_out]
    if left_out:
        lines += ["", "## Left out", ""]
        lines += ["In the source, these plugins also have parts that are not copied:", ""]
    lines += [f"- {each.name}: {joined(each.group.left_out)}" for each in left_out]
    return "\n".join([*lines, ""])


def _plain(text: str) -> str:
    """Return the text with all characters escaped that have a meaning in Markdown or HTML."""
    return _MARKUP.sub(r"\\\1", text)
