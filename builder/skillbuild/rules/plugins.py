"""Rules about plugin manifests and marketplaces, which clients read when they install from git."""

from skillbuild.rules.define import note, warning

MANIFEST_INVALID = warning(
    "manifest-invalid",
    "a plugin manifest, or a value in it, cannot be read",
    """Plugin manifests (`.claude-plugin/`, `.codex-plugin/`, `.cursor-plugin/`,
    `gemini-extension.json`), marketplaces and `skills.sh.json` must be JSON objects in UTF-8, of at
    most 1 MiB. Claude Code, Codex, Copilot CLI and Gemini CLI do not install a plugin if they
    cannot read its manifest, or if a value that must be a string is a number or an object. Claude
    Code, Codex and Gemini CLI reject names with spaces, slashes and other special characters; the
    hint lists the allowed characters. The catalog ignores such a file or value. Fix it, or remove
    it.""",
)
GROUPING_UNUSED = note(
    "grouping-unused",
    "a name in skills.sh.json matches no skill, or more than one",
    """`skills.sh.json` refers to a skill by the `name` in the skill's frontmatter. A name is
    ignored unless exactly one skill has it. Correct the name, or remove it. If several skills have
    the name, rename all but one of them.""",
)
PLUGIN_PARTS = note(
    "plugin-parts",
    "a plugin in the source contains more than skills",
    """`skillbuild plugins` writes plugins that contain only skills. Hooks, commands, agents and
    servers of a plugin can run even if no agent has chosen a skill, so they are never copied. Files
    outside of skills are not copied either. If a skill needs such a file, move the file into the
    skill.""",
)
MARKETPLACE_LOSSY = warning(
    "marketplace-lossy",
    "a marketplace does not show the same skills as the source",
    """Claude Code, Codex, Copilot CLI and Cursor install plugins from a marketplace in the
    repository. They show the skills one level below `skills/` in each plugin's folder, and the
    skills that the marketplace lists. Codex and Copilot CLI show all skills in `skills/` even if
    the marketplace lists only some of them. A skill is missing if it was never added, or if its
    folder was renamed. Internal skills are shown too if they are in `skills/` or in the list.
    Copilot CLI rejects a marketplace with two plugins of the same name. A marketplace with fewer
    than three quarters of the skills is treated as a deliberate selection, and missing skills are
    not reported. Fix the marketplace, or push the output of `skillbuild plugins` to a branch.""",
)
PLUGIN_DRIFT = warning(
    "plugin-drift",
    "manifests of one plugin contradict each other",
    """Each client reads its own manifest. Claude Code and Gemini CLI update a plugin only if its
    version differs from the installed one. If one manifest still has the old version, users of the
    client that reads this manifest keep the old skills. Codex rejects a plugin if its manifest and
    the marketplace give it different names. If the plugin's own files refer to its
    commands by the name in the manifest (`/name:command`), the difference is only a note. Write
    the same name and version into all manifests, or let `skillbuild plugins` write them.""",
)
MARKETPLACE_RESERVED = warning(
    "marketplace-reserved",
    "Claude Code reserves the name of the marketplace",
    """Claude Code reserves the name `agent-skills`, similar names, and names that look like
    Anthropic's. Claude Code accepts a marketplace with such a name only from Anthropic's
    repositories. `claude plugin validate` does not report this. skillbuild does not report a
    marketplace if its `repository`, owner or email address belongs to Anthropic. Choose another
    name.""",
)
