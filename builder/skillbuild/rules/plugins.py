"""Rules about plugin manifests and marketplaces, which clients read when they install from git."""

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
MARKETPLACE_LOSSY = warning(
    "marketplace-lossy",
    "a marketplace shows other skills than the source has",
    """Claude Code, Codex, Copilot CLI and Cursor install plugins from a marketplace of the
    repository. They show the skills one level below `skills/` in the folder of each plugin, and
    those that the marketplace lists. So a skill that nobody added is missing, one in a folder that
    was renamed is gone, and internal skills are shown. Codex and Copilot CLI show all of `skills/`
    also where a list names some of it. Fix the marketplace, or put the tree of `skillbuild
    plugins` into a branch. A marketplace with fewer than three quarters of the skills is taken for
    a choice.""",
)
PLUGIN_DRIFT = warning(
    "plugin-drift",
    "manifests of one plugin contradict each other",
    """Each client reads a manifest of its own. Claude Code and Gemini CLI update a plugin only if
    its version differs from the one that is installed, so people whose client reads the manifest
    that was forgotten keep the old skills. Write the same name and version into all of them, or
    let `skillbuild plugins` write them.""",
)
MARKETPLACE_RESERVED = warning(
    "marketplace-reserved",
    "Claude Code reserves the name of the marketplace",
    """Claude Code adds a marketplace with a name such as `agent-skills`, or one that seems to be
    Anthropic's, only from the repositories of Anthropic; `claude plugin validate` does not say so.
    Choose another name. Nothing is said where `repository`, the owner or their mail address is
    Anthropic's.""",
)
