"""Rules about the fields of the frontmatter: required fields, types and values."""

from skillbuild.model import Listing
from skillbuild.rules.define import error, note, spoils_listings, warning

NAME_MISSING = error(
    "name-missing",
    "the frontmatter has no name",
    """`name` is required, because clients identify the skill by it. Add `name:` with the name of
    the directory.""",
)
NAME_TYPE = error(
    "name-type",
    "name is not a string",
    """YAML reads a name such as `123` or `true` as a number or a boolean. Quote the name.""",
)
NAME_INVALID = warning(
    "name-invalid",
    "name breaks the naming rules",
    """A name consists of 1 to 64 characters: `a-z`, `0-9` and single hyphens. It must not begin or
    end with a hyphen. Any other name is published only as a title, and the skill path ends in the
    name of the directory. Claude Code, OpenCode, Gemini CLI and `npx skills` install such a skill.
    FastMCP and the TypeScript SDK reject the skill. Copilot CLI rejects the skill if the title
    contains CJK characters, `/` or `&`, or is longer than 64 characters. Choose a name that follows
    the rules.""",
    unlists=(Listing.MCP,),
)
NAME_WITHOUT_PLACE = error(
    "name-without-place",
    "the name of a skill at the root breaks the naming rules",
    """The skill path of a skill at the root is its name. This name contains characters that a path
    cannot contain. Other skills get the name of their directory instead, but the root has no name.
    Use only `a-z`, `0-9` and single hyphens in the name, or move the skill into a directory.""",
)
NAME_SHARED = warning(
    "name-shared",
    "another skill has the same title",
    """OpenCode and Gemini CLI read the title from SKILL.md. If several skills have the same title,
    these clients load only the last one. Give each skill its own name.""",
    unlists=(Listing.DISCOVERY_01,),
)
NAME_MISMATCH = note(
    "name-mismatch",
    "name differs from the name of the directory",
    """The specification requires a skill to have the same name as its directory. The published
    skill follows this rule, because its path ends in its name. However, clients that read the
    repository directly may show a warning. Rename the directory or the skill.""",
)
NAME_RESERVED = note(
    "name-reserved",
    "name contains a reserved word",
    """Claude rejects uploaded skills whose name contains `claude` or `anthropic`. Choose another
    name if the skill will be uploaded to Claude.""",
)
DESCRIPTION_MISSING = error(
    "description-missing",
    "the frontmatter has no description",
    """`description` is required, because agents read it to decide whether to use the skill. Say
    what the skill does and when to use it.""",
)
DESCRIPTION_TYPE = error(
    "description-type",
    "description is not a string",
    """Clients expect a string. Quote the value, or write it as a block with `>-`.""",
)
DESCRIPTION_BLANK = error(
    "description-blank",
    "description is blank",
    """An empty or invisible description tells an agent nothing, and clients ignore the skill. Say
    what the skill does and when to use it.""",
)
DESCRIPTION_TOO_LONG = spoils_listings(
    "description-too-long",
    "description is longer than 1,024 characters",
    """The limit is 1,024 UTF-16 code units. FastMCP and the TypeScript SDK reject the whole MCP
    list if one skill exceeds this limit. In discovery files and the marketplace, the description is
    cut to this length. Shorten the description, and move details to the body.""",
)
DESCRIPTION_COVERED = note(
    "description-covered",
    "another skill has the same description",
    """Agents choose a skill by its name and description. Another skill has the same description, or
    uses every word of this skill's name and description, so an agent cannot tell when to use this
    skill. Only `check` reports this. Say in each description how the skill differs from the other
    one.""",
)
DESCRIPTION_MARKUP = warning(
    "description-markup",
    "description contains an XML tag",
    """claude.ai and Claude Desktop refuse to upload a skill whose description contains an XML tag
    (see the documentation of Claude's Skills API). They also treat a placeholder such as `<name>`
    as a tag. A single `<` or `>`, as in `a -> b` or `<100 ms`, is fine. Write `{name}`, or just
    `name`.""",
)
METADATA_TYPE = spoils_listings(
    "metadata-type",
    "metadata is not a mapping of strings",
    """The specification requires string values. FastMCP 4.1 and the TypeScript SDK reject the whole
    MCP list if one value is a number or a list. FastMCP 4.2 accepts any values, as long as
    `metadata` is a mapping. Quote the value. `check --fix` quotes numbers and booleans; only
    `--unsafe-fixes` turns a list into a string. The finding is only a note if `metadata` contains
    file patterns, or a mapping like OpenClaw's, because a client probably needs these values. In
    that case, do not change the values. All other formats list the skill. With
    `listing = "all"`, the MCP list contains it too.""",
)
METADATA_RESERVED = warning(
    "metadata-reserved",
    "a metadata key uses a reserved prefix",
    """Keys under `io.modelcontextprotocol/` are reserved for MCP (SEP-2640). Use a prefix of your
    own.""",
)
ALLOWED_TOOLS_TYPE = spoils_listings(
    "allowed-tools-type",
    "allowed-tools is not a string",
    """The specification requires a single string, with spaces between the tools. FastMCP 4.1
    rejects the whole MCP list if any skill has another type of value. FastMCP 4.2
    also accepts a list of strings, and the TypeScript SDK ignores the field. Write
    the tools on one line, separated by spaces. `check --fix` does this if no tool
    contains a space or a comma. Otherwise, use `--unsafe-fixes`.""",
)
COMPATIBILITY_TYPE = spoils_listings(
    "compatibility-type",
    "compatibility is not a string",
    """FastMCP and the TypeScript SDK reject the whole MCP list if the `compatibility` field of
    any skill is not a string. Write a string.""",
)
COMPATIBILITY_TOO_LONG = spoils_listings(
    "compatibility-too-long",
    "compatibility is longer than 500 characters",
    """FastMCP and the TypeScript SDK reject the whole MCP list if the `compatibility` field of
    any skill exceeds the limit. Shorten it.""",
)
FIELD_TYPE = warning(
    "field-type",
    "a field has a type that Copilot CLI rejects",
    """Copilot CLI rejects a skill if `argument-hint` is not a string (such as `[file]` without
    quotes), or if `user-invocable` or `disable-model-invocation` is not a boolean. Quote the
    value of `argument-hint`, and write the other two values without quotes.""",
)
FIELD_UNKNOWN = note(
    "field-unknown",
    "the frontmatter has a field that is not in the specification",
    """The field is published unchanged, and all known clients accept it. The reference validator
    (`agentskills validate`) rejects all fields except name, description, license, compatibility,
    metadata and allowed-tools. If no client reads the field, move it into `metadata`, as a
    string.""",
)
