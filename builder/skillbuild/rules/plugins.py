"""Rules about plugin manifests and marketplaces, which clients read when they install from git."""

from skillbuild.rules.define import note, warning

MANIFEST_INVALID = warning(
    "manifest-invalid",
    "a manifest of plugins, or a value in it, cannot be read",
    """Manifests of plugins (`.claude-plugin/`, `.codex-plugin/`, `.cursor-plugin/`,
    `gemini-extension.json`), marketplaces and `skills.sh.json` are JSON objects in UTF-8 of at most
    1 MiB. Claude Code, Codex, Copilot CLI and Gemini CLI do not install a plugin whose manifest
    they cannot read, or that has a number or an object where a string should be. The catalog
    ignores such a file or value. Claude Code, Codex and Gemini CLI refuse names with spaces,
    slashes or other characters that the hint does not allow. Fix the file or value, or remove
    it.""",
)
GROUPING_UNUSED = note(
    "grouping-unused",
    "skills.sh.json has a name that no skill has, or that several skills have",
    """`skills.sh.json` refers to a skill by the `name` in its frontmatter. A name that no skill
    has, or that several skills have, adds nothing to the group. Correct the name, or remove it. If
    several skills have the name, rename all but one of them.""",
)
PLUGIN_PARTS = note(
    "plugin-parts",
    "a plugin of the source contains more than skills",
    """`skillbuild plugins` writes plugins that contain only skills. Hooks, commands, agents and
    servers of a plugin can run without an agent choosing a skill, so they are never copied; neither
    are files outside skills. Move files that a skill needs into the skill.""",
)
MARKETPLACE_LOSSY = warning(
    "marketplace-lossy",
    "a marketplace does not show the skills of the source",
    """Claude Code, Codex, Copilot CLI and Cursor install plugins from a marketplace of the
    repository. They show the skills one level below `skills/` in the folder of each plugin, and the
    skills that the marketplace lists. So a skill is missing if nobody added it or its folder was
    renamed, and internal skills are shown. Copilot CLI refuses a marketplace with two plugins of
    the same name. Codex and Copilot CLI show all of `skills/` even if the marketplace lists only
    some of it. Fix the marketplace, or push the output of `skillbuild plugins` to a branch. A
    marketplace with fewer than three quarters of the skills is taken for a deliberate selection,
    and missing skills are not reported.""",
)
PLUGIN_DRIFT = warning(
    "plugin-drift",
    "manifests of one plugin contradict each other",
    """Each client reads its own manifest. Claude Code and Gemini CLI update a plugin only if its
    version differs from the installed one. If one manifest still has the old version, users of its
    client keep the old skills. Codex refuses a plugin if its manifest and the marketplace give it
    different names. Another name is a note if texts of the plugin call its commands by the name in
    the manifest (`/name:command`). Write the same name and version into all manifests, or let
    `skillbuild plugins` write them.""",
)
MARKETPLACE_RESERVED = warning(
    "marketplace-reserved",
    "Claude Code reserves the name of the marketplace",
    """Claude Code accepts a marketplace named `agent-skills` or the like, or with a name that looks
    like Anthropic's, only from Anthropic's repositories; `claude plugin validate` does not report
    it. Choose another name. Marketplaces whose `repository`, owner or email address is Anthropic's
    are not reported.""",
)
