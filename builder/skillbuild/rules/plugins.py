"""Rules about manifests of plugins: what clients that install from git find in the source."""

from skillbuild.rules.define import note, warning

MANIFEST_INVALID = warning(
    "manifest-invalid",
    "a manifest of plugins, or a value in it, cannot be read",
    """Manifests of plugins (`.claude-plugin/`, `.codex-plugin/`, `.cursor-plugin/`,
    `gemini-extension.json`), marketplaces and `skills.sh.json` are JSON objects in UTF-8 of at most
    1 MiB. Claude Code, Codex, Copilot CLI and Gemini CLI do not install a plugin whose manifest
    they cannot read, or that has a number or an object where a string should be. The catalog goes
    without what such a file or value says. Fix the value or the file, or remove it.""",
)
GROUPING_UNUSED = note(
    "grouping-unused",
    "skills.sh.json groups names that are not those of one skill",
    """`skills.sh.json` names skills by `name` of their frontmatter. A name that no skill has, or
    that several have, puts none into the group. Change the name, or remove it; rename skills that
    share a name where that matters.""",
)
PLUGIN_PARTS = note(
    "plugin-parts",
    "a plugin of the source has more than skills",
    """`skillbuild plugins` makes plugins of skills alone. Hooks, commands, agents, servers and the
    like of a plugin in the source run or are read without a skill being chosen, so they are never
    copied; nor are files outside of skills. Move what a skill needs into the skill.""",
)
