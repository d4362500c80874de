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
    """A name is 1 to 64 characters of `a-z`, `0-9` and single hyphens, not at the start or the
    end. Another one is published as a title, and the directory stands in the skill path for it.
    Claude Code, OpenCode, Gemini CLI and `npx skills` install such a skill. Typed MCP clients
    refuse it, and Copilot CLI does where the title has CJK characters, `/`, `&` or more than 64
    characters. Choose a name that follows the rules.""",
    unlists=(Listing.MCP,),
)
NAME_WITHOUT_PLACE = error(
    "name-without-place",
    "the name of a skill at the root breaks the naming rules",
    """A skill at the root has its name as skill path. A title cannot stand in a path, and there is
    no directory that could stand for it. Choose a name of `a-z`, `0-9` and single hyphens, or move
    the skill into a directory.""",
)
NAME_SHARED = warning(
    "name-shared",
    "another skill has the same title",
    """Skills with valid names are told apart by their flat names where only one can have a name.
    OpenCode and Gemini CLI read the title from SKILL.md, and keep only the last of several skills
    with one title. Give each a name of its own.""",
    unlists=(Listing.DISCOVERY_01,),
)
NAME_MISMATCH = note(
    "name-mismatch",
    "name is not the name of the directory",
    """The specification wants them equal. The skill path ends in the directory and the name, so
    what is published conforms, but clients that read the repository itself may warn. Rename the
    directory or the skill where that matters.""",
)
NAME_RESERVED = note(
    "name-reserved",
    "name contains a reserved word",
    """Claude's upload refuses names that contain `claude` or `anthropic`. Choose another name
    where the skill should be uploaded there.""",
)
DESCRIPTION_MISSING = error(
    "description-missing",
    "the frontmatter has no description",
    """`description` is required: an agent decides by it whether to use the skill. Say what the
    skill does and when to use it.""",
)
DESCRIPTION_TYPE = error(
    "description-type",
    "description is not a string",
    """Clients expect text. Quote the value, or write a block text with `>-`.""",
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
    """The limit is 1,024 UTF-16 units. Strict MCP clients throw away the whole listing for one such
    entry; discovery and the marketplace have the first 1,024. Shorten it; move details to the
    body.""",
)
DESCRIPTION_COVERED = note(
    "description-covered",
    "another skill says all that the description says",
    """Agents choose a skill by its name and description. Where another skill has every word of
    both, or the same description, nothing tells when to take this one. Only `check` compares
    skills. Say in each description what it is for and the other is not.""",
)
DESCRIPTION_MARKUP = warning(
    "description-markup",
    "description contains an XML tag",
    """claude.ai and Claude Desktop refuse to upload a skill whose description contains an XML tag,
    as the documentation of Claude's Skills API says, and take a placeholder such as `<name>` for
    one. A single `<` or `>`, as in `a -> b` or `<100 ms`, is fine. Write `{name}`, or the name
    alone.""",
)
METADATA_TYPE = spoils_listings(
    "metadata-type",
    "metadata is not a mapping of strings",
    """The specification wants string values, and typed MCP clients throw away the whole listing for
    a number or a list. Quote the value. It is a note where a client seems to read `metadata` as it
    is, because it has a mapping, such as that of OpenClaw, or patterns of files: leave it then, all
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
    """Typed MCP clients expect one text with blanks between the tools and throw away the whole
    listing for a list. Write the tools in one line.""",
)
COMPATIBILITY_TYPE = spoils_listings(
    "compatibility-type",
    "compatibility is not a string",
    """Typed MCP clients throw away the whole listing for another type. Write one text.""",
)
COMPATIBILITY_TOO_LONG = spoils_listings(
    "compatibility-too-long",
    "compatibility is longer than 500 characters",
    """Strict MCP clients throw away the whole listing for one such entry. Shorten it.""",
)
FIELD_TYPE = warning(
    "field-type",
    "a field has a type that one client refuses",
    """Copilot CLI refuses a skill whose `argument-hint` is no text, as `[file]` without quotes, or
    whose `user-invocable` or `disable-model-invocation` is not true or false. Quote the text;
    write the others without quotes.""",
)
FIELD_UNKNOWN = note(
    "field-unknown",
    "the frontmatter has a field that the specification does not know",
    """Every field is published as it is, and the clients that are known to us read on. The
    reference validator (`agentskills validate`) refuses fields other than name, description,
    license, compatibility, metadata and allowed-tools. Move what no client reads below
    `metadata`, as text.""",
)
