"""Rules about the fields of the frontmatter: required fields, types and values."""

from skillbuild.model import Listing
from skillbuild.rules.define import error, note, spoils_listings, warning

NAME_MISSING = error(
    "name-missing",
    "the frontmatter has no name",
    """`name` is required: clients know the skill by it. Add `name:` with the name of the
    directory.""",
)
NAME_TYPE = error(
    "name-type",
    "name is not a string",
    """A name like `123` or `true` is a number or a boolean to YAML. Quote it.""",
)
NAME_INVALID = warning(
    "name-invalid",
    "name breaks the naming rules",
    """A name is 1 to 64 characters of `a-z`, `0-9` and single hyphens, not at the start or the end.
    Any other name is published as a title, and the skill path ends in the name of the directory.
    Claude Code, OpenCode, Gemini CLI and `npx skills` install such a skill. FastMCP and the
    TypeScript SDK refuse it, and so does Copilot CLI if the title has CJK characters, `/`, `&` or
    more than 64 characters. Choose a name that follows the rules.""",
    unlists=(Listing.MCP,),
)
NAME_WITHOUT_PLACE = error(
    "name-without-place",
    "the name of a skill at the root breaks the naming rules",
    """The skill path of a skill at the root is its name. This name has characters that a path
    cannot have, and at the root there is no directory whose name could be used instead. Choose a
    name of `a-z`, `0-9` and single hyphens, or move the skill into a directory.""",
)
NAME_SHARED = warning(
    "name-shared",
    "another skill has the same title",
    """OpenCode and Gemini CLI read the title from SKILL.md. If several skills have the same title,
    they keep only the last one. Give each skill its own name.""",
    unlists=(Listing.DISCOVERY_01,),
)
NAME_MISMATCH = note(
    "name-mismatch",
    "name is not the name of the directory",
    """The specification requires them to be equal. The published skill path ends in both the
    directory and the name, so the published skill conforms, but clients that read the repository
    itself may warn. Rename the directory or the skill to silence them.""",
)
NAME_RESERVED = note(
    "name-reserved",
    "name contains a reserved word",
    """Claude's upload refuses names that contain `claude` or `anthropic`. Choose another name if
    the skill is to be uploaded to Claude.""",
)
DESCRIPTION_MISSING = error(
    "description-missing",
    "the frontmatter has no description",
    """`description` is required: agents read it to decide whether to use the skill. Say what the
    skill does and when to use it.""",
)
DESCRIPTION_TYPE = error(
    "description-type",
    "description is not a string",
    """Clients expect a string. Quote the value, or write it as a block with `>-`.""",
)
DESCRIPTION_BLANK = error(
    "description-blank",
    "description is blank",
    """An empty or invisible description tells an agent nothing, and clients drop the skill. Say
    what the skill does and when to use it.""",
)
DESCRIPTION_TOO_LONG = spoils_listings(
    "description-too-long",
    "description is longer than 1,024 characters",
    """The limit is 1,024 UTF-16 units. FastMCP and the TypeScript SDK reject the whole MCP list if
    one skill exceeds it; discovery and the marketplace get the first 1,024 units. Shorten it and
    move details to the body.""",
)
DESCRIPTION_COVERED = note(
    "description-covered",
    "another skill has the same description",
    """Agents choose a skill by its name and description. If another skill has the same description,
    or every word of this one's name and description, an agent cannot tell when to use this one.
    Only `check` compares skills. Say in each description what that skill is for and the other is
    not.""",
)
DESCRIPTION_MARKUP = warning(
    "description-markup",
    "description contains an XML tag",
    """claude.ai and Claude Desktop refuse to upload a skill whose description contains an XML tag
    (see the documentation of Claude's Skills API). They also take a placeholder such as `<name>`
    for a tag. A single `<` or `>`, as in `a -> b` or `<100 ms`, is fine. Write `{name}`, or the
    name alone.""",
)
METADATA_TYPE = spoils_listings(
    "metadata-type",
    "metadata is not a mapping of strings",
    """The specification requires string values. FastMCP 4.1 and the TypeScript SDK reject the whole
    MCP list if one value is a number or a list; FastMCP 4.2 accepts any value, but only in a
    mapping. Quote the value. `check --fix` quotes numbers and booleans; writing a list as one
    string needs `--unsafe-fixes`. The finding is a note if a client seems to need `metadata` as it
    is, because it has a mapping, such as that of OpenClaw, or file patterns. Then keep it: all
    other formats list the skill, and `listing = "all"` lists it over MCP too.""",
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
    """The specification requires one string with a space between tools. FastMCP 4.1 rejects the
    whole MCP list if one skill has something else; FastMCP 4.2 accepts a list of strings, and the
    TypeScript SDK does not look at the field. Write the tools on one line, separated by spaces.
    `check --fix` does this if no tool contains a space or a comma; else it needs
    `--unsafe-fixes`.""",
)
COMPATIBILITY_TYPE = spoils_listings(
    "compatibility-type",
    "compatibility is not a string",
    """FastMCP and the TypeScript SDK reject the whole MCP list if one skill has another type. Write
    a string.""",
)
COMPATIBILITY_TOO_LONG = spoils_listings(
    "compatibility-too-long",
    "compatibility is longer than 500 characters",
    """FastMCP and the TypeScript SDK reject the whole MCP list if one skill exceeds the limit.
    Shorten it.""",
)
FIELD_TYPE = warning(
    "field-type",
    "a field has a type that Copilot CLI refuses",
    """Copilot CLI refuses a skill whose `argument-hint` is not a string (such as `[file]` without
    quotes), or whose `user-invocable` or `disable-model-invocation` is not true or false. Quote
    `argument-hint`; write the others without quotes.""",
)
FIELD_UNKNOWN = note(
    "field-unknown",
    "the frontmatter has a field that is not in the specification",
    """Every field is published as it is, and no known client minds the field. The reference
    validator (`agentskills validate`) refuses fields other than name, description, license,
    compatibility, metadata and allowed-tools. Move fields that no client reads below `metadata`, as
    strings.""",
)
