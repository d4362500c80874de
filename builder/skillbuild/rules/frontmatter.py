"""Rules about the frontmatter as text: its encoding, fences and YAML."""

from skillbuild.rules.define import error, note, warning

NOT_UTF8 = error(
    "not-utf8",
    "SKILL.md is not UTF-8",
    """The format is UTF-8; clients refuse other encodings or show garbage. Save the file as
    UTF-8.""",
)
NUL_BYTE = error(
    "nul-byte",
    "SKILL.md contains a NUL byte",
    """YAML forbids NUL and clients treat such a file as binary. Remove the byte; a file saved as
    UTF-16 must be saved as UTF-8.""",
)
BYTE_ORDER_MARK = error(
    "byte-order-mark",
    "SKILL.md has a byte order mark",
    """With a byte order mark the first line is not `---`, so most clients see no frontmatter at
    all. Save the file as UTF-8 without BOM.""",
)
FRONTMATTER_MISSING = error(
    "frontmatter-missing",
    "SKILL.md does not begin with frontmatter",
    """A skill begins with a `---` line, its YAML header and another `---` line (Agent Skills
    specification, SKILL.md format). Add `---` as the very first line, with name and
    description.""",
)
FRONTMATTER_FENCE = warning(
    "frontmatter-fence",
    "a line around the frontmatter is not exactly ---",
    """With spaces after the opening `---`, `npx skills` and Gemini CLI find no skill; with spaces
    after the closing one, Gemini CLI finds no instructions. Remove the spaces.""",
)
FRONTMATTER_UNCLOSED = error(
    "frontmatter-unclosed",
    "the frontmatter has no closing ---",
    """Without a closing `---`, some clients read the whole file as frontmatter and others read it
    as body. Add a line with `---` after the last field.""",
)

YAML_INVALID = error(
    "yaml-invalid",
    "the frontmatter is not valid YAML",
    """Every client drops a skill whose frontmatter does not parse, most of them silently. Fix the
    YAML at the line shown.""",
)
YAML_UNQUOTED_COLON = error(
    "yaml-unquoted-colon",
    "a value with a colon and a space is not quoted",
    """In YAML, `: ` separates a key from its value, so an unquoted value may not contain it. This
    is the most common mistake in real skills. Put the value in double quotes.""",
)
YAML_FEATURE = error(
    "yaml-feature",
    "the frontmatter uses YAML beyond plain data",
    """Parsers disagree about anchors, aliases, merge keys, tags, directives and multiple documents,
    and some of these can expand without limit. Write the value out.""",
)
YAML_DUPLICATE_KEY = error(
    "yaml-duplicate-key",
    "a key is given twice",
    """Some parsers keep the first, some the last, and some reject the file. Keep one of them.""",
)
YAML_KEY_TYPE = error(
    "yaml-key-type",
    "a key is not a string",
    """The frontmatter is published as JSON, whose keys are strings. Quote the key.""",
)
YAML_NUMBER = error(
    "yaml-number",
    "a number cannot be written in JSON",
    """Infinity and NaN cannot be written in the published JSON. Quote the value.""",
)
YAML_LINE_BREAK = error(
    "yaml-line-break",
    "the frontmatter contains a character that some parsers take for a line break",
    """YAML 1.1 ends a line at NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR; YAML 1.2 does not.
    Parsers also disagree about a byte order mark at the start of a line, and few accept CR as a
    line end. Remove the character, and end lines with LF or CRLF.""",
)
YAML_TOO_LARGE = error(
    "yaml-too-large",
    "the frontmatter is too large or too deeply nested",
    """Clients read the frontmatter of every skill whenever they start. The limits are 64 KiB,
    20,000 values and 32 levels. Move the data to a file in the skill.""",
)
YAML_AMBIGUOUS = warning(
    "yaml-ambiguous",
    "a plain value means different things in YAML 1.1 and 1.2",
    """`yes`, `010`, `12:30`, `1_000` and `1e3` mean one thing to half of the clients and another to
    the rest. Clients that compare the listing with the file refuse the skill. Quote the value.""",
)
YAML_FLOAT = warning(
    "yaml-float",
    "a number loses digits",
    """`1.10` is the number 1.1, so a version written this way is shown wrong. Quote the value.""",
)
YAML_INTEGER = warning(
    "yaml-integer",
    "an integer is beyond 2^53",
    """Clients in JavaScript round the number and then refuse the skill, because it differs from the
    listing. Quote the value.""",
)
YAML_COMMENT = warning(
    "yaml-comment",
    "a value is cut off at #",
    """In YAML, a space and `#` begin a comment, so an unquoted value like `for issue #12` ends
    before the `#`, and no client sees the rest. Put the value in double quotes, or remove the
    comment.""",
)
YAML_STYLE = note(
    "yaml-style",
    "the frontmatter uses a YAML style that some clients refuse",
    """The reference validator refuses flow collections (`[a, b]`), and some clients refuse quoted
    strings over several lines. One finding covers all of them in a file. Skills with fields that
    are not in the specification are not reported, because the validator refuses them anyway;
    neither is `metadata` whose values are not strings, because a client may need them that way.
    Write a list with `- ` lines, or a string as a block with `>-`.""",
)
FRONTMATTER_NOT_MAPPING = error(
    "frontmatter-not-mapping",
    "the frontmatter is not a mapping",
    """The frontmatter consists of `key: value` lines (Agent Skills specification, Frontmatter).
    Write at least name and description.""",
)
