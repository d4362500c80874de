"""Rules about the frontmatter as text: its encoding, the `---` lines around it, and its YAML."""

from skillbuild.rules.define import error, note, warning

NOT_UTF8 = error(
    "not-utf8",
    "SKILL.md is not UTF-8",
    """SKILL.md must be a UTF-8 file. Clients reject other encodings or show garbage. Save the file
    as UTF-8.""",
)
NUL_BYTE = error(
    "nul-byte",
    "SKILL.md contains a NUL byte",
    """YAML forbids NUL bytes, and clients treat such a file as binary. Remove the byte. If the file
    was saved as UTF-16, save it as UTF-8.""",
)
BYTE_ORDER_MARK = error(
    "byte-order-mark",
    "SKILL.md has a byte order mark",
    """With a byte order mark, the first line is not exactly `---`, so most clients find no
    frontmatter. Save the file as UTF-8 without BOM.""",
)
FRONTMATTER_MISSING = error(
    "frontmatter-missing",
    "SKILL.md does not begin with frontmatter",
    """SKILL.md must begin with a `---` line, YAML fields and another `---` line (Agent Skills
    specification, SKILL.md format). Add these lines at the very top, with name and
    description.""",
)
FRONTMATTER_FENCE = warning(
    "frontmatter-fence",
    "a line that opens or closes the frontmatter is not exactly ---",
    """With spaces after the opening `---`, `npx skills` and Gemini CLI ignore the skill. With
    spaces after the closing `---`, Gemini CLI finds no instructions. Remove the spaces.""",
)
FRONTMATTER_UNCLOSED = error(
    "frontmatter-unclosed",
    "the frontmatter has no closing ---",
    """If the closing `---` is missing, some clients read the whole file as frontmatter, and others
    read the whole file as body. Add a line with `---` after the last field.""",
)

YAML_INVALID = error(
    "yaml-invalid",
    "the frontmatter is not valid YAML",
    """Every client ignores a skill with invalid frontmatter, and most clients do not report it. Fix
    the YAML at the line shown.""",
)
YAML_UNQUOTED_COLON = error(
    "yaml-unquoted-colon",
    "a value with a colon and a space is not quoted",
    """In YAML, `: ` separates a key from its value, so a value that contains `: ` must be quoted.
    This is the most common mistake in real skills. Put the value in double quotes.""",
)
YAML_FEATURE = error(
    "yaml-feature",
    "the frontmatter uses YAML features other than plain data",
    """Parsers disagree about anchors, aliases, merge keys, tags, directives and multiple documents,
    and some of these features can expand without limit. Write the value in full.""",
)
YAML_DUPLICATE_KEY = error(
    "yaml-duplicate-key",
    "a key is given twice",
    """Some parsers use the first value, some use the last, and some reject the file. Remove one of
    the two lines.""",
)
YAML_KEY_TYPE = error(
    "yaml-key-type",
    "a key is not a string",
    """The frontmatter is published as JSON, whose keys are strings. Quote the key.""",
)
YAML_NUMBER = error(
    "yaml-number",
    "a number cannot be written in JSON",
    """The frontmatter is published as JSON, which cannot contain infinity, NaN or very large
    numbers. Quote the value.""",
)
YAML_LINE_BREAK = error(
    "yaml-line-break",
    "the frontmatter contains a character that some parsers read as a line break",
    """In YAML 1.1, the characters NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR end a line; in YAML
    1.2 they do not. Parsers also disagree about a byte order mark at the start of a line, and few
    accept CR as a line end. Remove the character, and end lines with LF or CRLF.""",
)
YAML_TOO_LARGE = error(
    "yaml-too-large",
    "the frontmatter is too large or too deeply nested",
    """Clients read the frontmatter of every skill whenever they start. For this reason, frontmatter
    is limited to 64 KiB, 20,000 values and 32 levels. Move the data to a file in the skill.""",
)
YAML_AMBIGUOUS = warning(
    "yaml-ambiguous",
    "a plain value means different things in YAML 1.1 and 1.2",
    """`yes`, `010`, `12:30`, `1_000` and `1e3` mean one thing to half of the clients and another
    thing to the rest. Some clients compare the listing with the file, and reject a skill if the two
    differ. Quote the value.""",
)
YAML_FLOAT = warning(
    "yaml-float",
    "a number loses digits",
    """YAML reads `1.10` as the number 1.1, so clients show a wrong version. Quote the value.""",
)
YAML_INTEGER = warning(
    "yaml-integer",
    "an integer is above 2^53",
    """Clients written in JavaScript round the number. They then reject the skill, because the
    rounded number differs from the one in the listing. Quote the value.""",
)
YAML_COMMENT = warning(
    "yaml-comment",
    "a value is cut off at #",
    """In YAML, a space followed by `#` starts a comment, so an unquoted value such as
    `for issue #12` ends before the `#`, and no client sees the rest. Put the value in double
    quotes, or remove the comment.""",
)
YAML_STYLE = note(
    "yaml-style",
    "the frontmatter uses a YAML style that some clients reject",
    """The reference validator rejects flow collections (`[a, b]`), and some clients reject quoted
    strings that span several lines. All such values in a file are reported as a single finding.
    Nothing is reported if the skill has fields that are not in the specification, because the
    validator rejects such a skill anyway. Values in `metadata` that are not strings are not
    reported, because a client may need them. Write a list with `- ` lines, or a string as a block
    with `>-`.""",
)
FRONTMATTER_NOT_MAPPING = error(
    "frontmatter-not-mapping",
    "the frontmatter is not a mapping",
    """The frontmatter must consist of `key: value` lines (Agent Skills specification, Frontmatter).
    Write at least name and description.""",
)
