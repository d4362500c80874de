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
    """A skill begins with a line `---`, its YAML header and another line `---` (Agent Skills
    specification, SKILL.md format). Add `---` as the very first line, with name and
    description.""",
)
FRONTMATTER_FENCE = warning(
    "frontmatter-fence",
    "a frontmatter fence is not exactly ---",
    """With blanks after the opening dashes `npx skills` and Gemini CLI find no skill, and with
    blanks after the closing ones Gemini CLI finds no instructions. Remove the blanks.""",
)
FRONTMATTER_UNCLOSED = error(
    "frontmatter-unclosed",
    "the frontmatter has no closing ---",
    """Without a closing fence the whole file is header or the whole file is body, by client. Add a
    line `---` after the last field.""",
)

YAML_INVALID = error(
    "yaml-invalid",
    "the frontmatter is not valid YAML",
    """Every client drops a skill whose header does not parse, most of them in silence. Fix the
    YAML at the place shown.""",
)
YAML_UNQUOTED_COLON = error(
    "yaml-unquoted-colon",
    "a value with a colon and a blank is not quoted",
    """In YAML `: ` begins a value, so a plain text may not contain it. This is the most common
    fault in real skills. Put the text in double quotes.""",
)
YAML_FEATURE = error(
    "yaml-feature",
    "the frontmatter uses YAML beyond plain data",
    """Anchors, aliases, merge keys, tags, directives and further documents mean different things
    to different parsers and can expand without bound. Write the value out.""",
)
YAML_DUPLICATE_KEY = error(
    "yaml-duplicate-key",
    "a key is given twice",
    """Parsers keep the first, the last or refuse. Keep one of them.""",
)
YAML_KEY_TYPE = error(
    "yaml-key-type",
    "a key is not a string",
    """The frontmatter is published as JSON, whose keys are strings. Quote the key.""",
)
YAML_NUMBER = error(
    "yaml-number",
    "a number has no form in JSON",
    """Infinity and NaN cannot be written in the published JSON. Quote the value.""",
)
YAML_LINE_BREAK = error(
    "yaml-line-break",
    "the frontmatter contains a character that some parsers take for a line break",
    """YAML 1.1 ends a line at NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR, YAML 1.2 does not; a
    byte order mark that begins a line is read both ways too, and few clients know a CR alone.
    Remove the character, and end lines with LF or CRLF.""",
)
YAML_TOO_LARGE = error(
    "yaml-too-large",
    "the frontmatter is too large or too deeply nested",
    """A header is read for every skill at every start of a client: 64 KiB, 20,000 values and 32
    levels are the limits here. Move the data to a file of the skill.""",
)
YAML_AMBIGUOUS = warning(
    "yaml-ambiguous",
    "a plain value means different things in YAML 1.1 and 1.2",
    """`yes`, `010`, `12:30`, `1_000` and `1e3` are one thing to half of the clients and another to
    the rest; clients that compare the listing with the file refuse the skill. Quote the value.""",
)
YAML_FLOAT = warning(
    "yaml-float",
    "a number loses digits",
    """`1.10` is the number 1.1, so a version written this way is shown wrong. Quote the value.""",
)
YAML_INTEGER = warning(
    "yaml-integer",
    "an integer is beyond 2^53",
    """JavaScript clients round it and then refuse the skill, because the value differs from the
    listing. Quote the value.""",
)
YAML_COMMENT = warning(
    "yaml-comment",
    "a text is cut off at #",
    """In YAML a blank and `#` begin a comment, so a plain text like `for issue #12` ends before
    it, and no client sees the rest. Put the text in double quotes, or remove the comment.""",
)
YAML_STYLE = note(
    "yaml-style",
    "the frontmatter uses a style that a strict parser refuses",
    """The reference validator refuses flow collections (`[a, b]`), and one client refuses
    quoted texts that run over several lines too. One finding tells of all in a file. Nothing is
    said where there are fields that the specification does not have, as the validator refuses the
    skill anyway, nor of `metadata` with other values than texts, which a client may read as it is.
    Write a block list, or a block text with `>-`.""",
)
FRONTMATTER_NOT_MAPPING = error(
    "frontmatter-not-mapping",
    "the frontmatter is not a mapping",
    """The header is a list of `key: value` lines (Agent Skills specification, Frontmatter). Write
    at least name and description.""",
)
