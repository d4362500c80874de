"""Every rule of the project, in one table: code, severity, summary, why it exists and the remedy.

The codes are a public interface: `[rules]`, `explain`, SARIF and people's suppressions name them.
"""

from __future__ import annotations

from skillbuild.diagnostics import Rule, Severity

RULES: dict[str, Rule] = {}


def _rule(severity: Severity, code: str, summary: str, why: str, *, unlists: bool = False) -> Rule:
    rule = Rule(code, severity, summary, " ".join(why.split()), unlists)
    RULES[code] = rule
    return rule


def _error(code: str, summary: str, why: str) -> Rule:
    return _rule(Severity.ERROR, code, summary, why)


def _warning(code: str, summary: str, why: str, *, unlists: bool = False) -> Rule:
    return _rule(Severity.WARNING, code, summary, why, unlists=unlists)


# The source as a whole.

NO_SKILLS = _error(
    "no-skills",
    "the source holds no skill",
    """An empty catalog is nearly always a wrong directory, a wrong revision or an `exclude` that
    covers too much. Pass --allow-empty where an empty catalog is meant.""",
)
SKILL_FILE_CASE = _error(
    "skill-file-case",
    "the file is not named exactly SKILL.md",
    """Clients look for `SKILL.md` in this exact case, so a `skill.md` is found on some file
    systems and lost on others. Rename it with `git mv`.""",
)
SKILL_AT_ROOT = _error(
    "skill-at-root",
    "a SKILL.md at the root stands beside other skills",
    """A skill at the root owns every file below it, other skills included. Exclude either the
    root (`exclude = ["/SKILL.md"]`) or the skills below it.""",
)
TOO_MANY_ENTRIES = _error(
    "too-many-entries",
    "the tree holds more files than one build reads",
    """A tree of over a million entries is a mistake or an attack. Point REPO at a directory
    inside the repository, or split it.""",
)
SKILL_PATH_COLLISION = _error(
    "skill-path-collision",
    "two skills would be published at the same place",
    """Two skills have one skill path, one path lies inside the other without being nested in the
    source, or the paths differ only in case or in compatible characters. Give one of them another
    path under `[paths]` in skillbuild.toml.""",
)
SKILL_PATH_SEGMENT = _error(
    "skill-path-segment",
    "a directory name cannot stand in a skill path",
    """Skill paths become URIs, directories and page addresses, so their segments follow the rules
    for file names, and a lone `-` is reserved. Map the directory under `[paths]`.""",
)
SKILL_PATH_NAME = _error(
    "skill-path-name",
    "a path set in [paths] does not end in the skill's name",
    """The last segment of a skill path is the skill's name (SEP-2640). Change the mapping in
    skillbuild.toml or the name.""",
)
SKILL_PATH_AUTHORITY = _warning(
    "skill-path-authority",
    "the first segment of the skill path breaks URL parsers",
    """The first segment of the path is the authority of the URI. Outside `[a-z0-9._-]` strict
    clients fail to parse it and drop the whole listing, so the skill is not listed. Map the
    directory under `[paths]`.""",
    unlists=True,
)
URI_TOO_LONG = _warning(
    "uri-too-long",
    "a URI of the skill is longer than 2,048 bytes",
    """Clients and proxies refuse or cut longer URIs, so the skill is not listed. Shorten the
    directory or file names.""",
    unlists=True,
)

# The fences and the encoding of SKILL.md.

NOT_UTF8 = _error(
    "not-utf8",
    "SKILL.md is not UTF-8",
    """The format is UTF-8; clients refuse other encodings or show garbage. Save the file as
    UTF-8.""",
)
NUL_BYTE = _error(
    "nul-byte",
    "SKILL.md contains a NUL byte",
    """YAML forbids NUL and clients treat such a file as binary. Remove the byte; a file saved as
    UTF-16 must be saved as UTF-8.""",
)
BYTE_ORDER_MARK = _error(
    "byte-order-mark",
    "SKILL.md has a byte order mark",
    """With a byte order mark the first line is not `---`, so most clients see no frontmatter at
    all. Save the file as UTF-8 without BOM.""",
)
FRONTMATTER_MISSING = _error(
    "frontmatter-missing",
    "SKILL.md does not begin with frontmatter",
    """A skill begins with a line `---`, its YAML header and another line `---` (Agent Skills
    specification, SKILL.md format). Add `---` as the very first line, with name and
    description.""",
)
FRONTMATTER_FENCE = _error(
    "frontmatter-fence",
    "a frontmatter fence is not exactly ---",
    """Some clients accept blanks after the dashes and others find no frontmatter. Remove the
    blanks, and end lines with LF or CRLF.""",
)
FRONTMATTER_UNCLOSED = _error(
    "frontmatter-unclosed",
    "the frontmatter has no closing ---",
    """Without a closing fence the whole file is header or the whole file is body, by client. Add a
    line `---` after the last field.""",
)

# YAML.

YAML_INVALID = _error(
    "yaml-invalid",
    "the frontmatter is not valid YAML",
    """Every client drops a skill whose header does not parse, most of them in silence. Mend the
    YAML at the place shown.""",
)
YAML_UNQUOTED_COLON = _error(
    "yaml-unquoted-colon",
    "a value with a colon and a blank is not quoted",
    """In YAML `: ` begins a value, so a plain text may not contain it. This is the most common
    fault in real skills. Put the text in double quotes.""",
)
YAML_FEATURE = _error(
    "yaml-feature",
    "the frontmatter uses YAML beyond plain data",
    """Anchors, aliases, merge keys, tags, directives and further documents mean different things
    to different parsers and can expand without bound. Write the value out.""",
)
YAML_DUPLICATE_KEY = _error(
    "yaml-duplicate-key",
    "a key is given twice",
    """Parsers keep the first, the last or refuse. Keep one of them.""",
)
YAML_KEY_TYPE = _error(
    "yaml-key-type",
    "a key is not a string",
    """The frontmatter is published as JSON, whose keys are strings. Quote the key.""",
)
YAML_NUMBER = _error(
    "yaml-number",
    "a number has no form in JSON",
    """Infinity and NaN cannot be written in the published JSON. Quote the value.""",
)
YAML_LINE_BREAK = _error(
    "yaml-line-break",
    "the frontmatter contains a character that some parsers take for a line break",
    """YAML 1.1 ends a line at NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR, YAML 1.2 does not; a
    byte order mark in the middle is read both ways too. Remove the character.""",
)
YAML_TOO_LARGE = _error(
    "yaml-too-large",
    "the frontmatter is too large or too deeply nested",
    """A header is read for every skill at every start of a client: 64 KiB, 20,000 values and 32
    levels are the limits here. Move the data to a file of the skill.""",
)
YAML_AMBIGUOUS = _warning(
    "yaml-ambiguous",
    "a plain value means different things in YAML 1.1 and 1.2",
    """`yes`, `010`, `12:30`, `1_000` and `1e3` are one thing to half of the clients and another to
    the rest; clients that compare the listing with the file refuse the skill. Quote the value.""",
)
YAML_FLOAT = _warning(
    "yaml-float",
    "a number loses digits",
    """`1.10` is the number 1.1, so a version written this way is shown wrong. Quote the value.""",
)
YAML_INTEGER = _warning(
    "yaml-integer",
    "an integer is beyond 2^53",
    """JavaScript clients round it and then refuse the skill, because the value differs from the
    listing. Quote the value.""",
)
YAML_STYLE = _warning(
    "yaml-style",
    "the frontmatter uses a style that a strict parser refuses",
    """The reference validator and one official client refuse flow collections (`[a, b]`) and
    quoted texts that run over several lines. Write a block list, or a block text with `>-`.""",
)
FRONTMATTER_NOT_MAPPING = _error(
    "frontmatter-not-mapping",
    "the frontmatter is not a mapping",
    """The header is a list of `key: value` lines (Agent Skills specification, Frontmatter). Write
    at least name and description.""",
)

# The fields.

NAME_MISSING = _error(
    "name-missing",
    "the frontmatter has no name",
    """`name` is required: clients know the skill by it. Add `name:` with the name of the
    directory.""",
)
NAME_TYPE = _error(
    "name-type",
    "name is not a string",
    """A name like `123` or `true` is a number or a boolean to YAML. Quote it.""",
)
NAME_INVALID = _error(
    "name-invalid",
    "name breaks the naming rules",
    """A name is 1 to 64 characters of `a-z`, `0-9` and single hyphens, not at the start or the
    end. Clients refuse other names or use them as paths.""",
)
NAME_MISMATCH = _warning(
    "name-mismatch",
    "name is not the name of the directory",
    """The specification wants them equal, and clients that read the repository itself warn or
    refuse. The skill is published under its name. Rename the directory or the name.""",
)
NAME_MISMATCH_NESTED = _error(
    "name-mismatch-nested",
    "the name of a nested skill is not the name of its directory",
    """The URI of a nested skill is its place among the files of the outer one, so the directory
    cannot be replaced by the name. Rename one of the two.""",
)
NAME_RESERVED = _warning(
    "name-reserved",
    "name contains a reserved word",
    """Claude's upload refuses names that contain `claude` or `anthropic`. Choose another name
    where the skill should be uploaded there.""",
)
DESCRIPTION_MISSING = _error(
    "description-missing",
    "the frontmatter has no description",
    """`description` is required: an agent decides by it whether to use the skill. Say what the
    skill does and when to use it.""",
)
DESCRIPTION_TYPE = _error(
    "description-type",
    "description is not a string",
    """Clients expect text. Quote the value, or write a block text with `>-`.""",
)
DESCRIPTION_BLANK = _error(
    "description-blank",
    "description is blank",
    """An empty or invisible description tells an agent nothing, and clients drop the skill. Say
    what the skill does and when to use it.""",
)
DESCRIPTION_TOO_LONG = _warning(
    "description-too-long",
    "description is longer than 1,024 characters",
    """The limit is 1,024 UTF-16 units. Strict clients throw away the whole listing for one such
    entry, so the skill is published but not listed. Shorten it; move details to the body.""",
    unlists=True,
)
DESCRIPTION_MARKUP = _warning(
    "description-markup",
    "description contains < or >",
    """The description is put into prompts, and Claude's upload refuses angle brackets in it. Write
    it without them.""",
)
METADATA_TYPE = _warning(
    "metadata-type",
    "metadata is not a mapping of strings",
    """The specification wants string values, and typed clients throw away the whole listing for
    a number or a list, so the skill is published but not listed. Quote the value.""",
    unlists=True,
)
METADATA_RESERVED = _warning(
    "metadata-reserved",
    "a metadata key uses a reserved prefix",
    """Keys under `io.modelcontextprotocol/` are reserved for MCP (SEP-2640). Use a prefix of your
    own.""",
)
ALLOWED_TOOLS_TYPE = _warning(
    "allowed-tools-type",
    "allowed-tools is not a string",
    """Typed clients expect one text with blanks between the tools and throw away the whole listing
    for a list, so the skill is published but not listed. Write the tools in one line.""",
    unlists=True,
)
COMPATIBILITY_TYPE = _warning(
    "compatibility-type",
    "compatibility is not a string",
    """Typed clients throw away the whole listing for another type, so the skill is published but
    not listed. Write one text.""",
    unlists=True,
)
COMPATIBILITY_TOO_LONG = _warning(
    "compatibility-too-long",
    "compatibility is longer than 500 characters",
    """Strict clients throw away the whole listing for one such entry, so the skill is published
    but not listed. Shorten it.""",
    unlists=True,
)

# The body.

BODY_EMPTY = _warning(
    "body-empty",
    "the skill has no instructions",
    """An agent that activates the skill learns nothing beyond the description. Write the
    instructions below the frontmatter.""",
)
BODY_LONG = _warning(
    "body-long",
    "the instructions are long",
    """The whole body is loaded when the skill is activated; the specification recommends under 500
    lines and 5,000 tokens. Move details to files that are read when needed.""",
)
LINK_BROKEN = _warning(
    "link-broken",
    "a link leads to a file that is not in the skill",
    """Only the files of the skill are published, so an agent that follows the link finds nothing.
    Add the file, or correct the path; paths are relative to the file with the link.""",
)
PATH_MISSING = _warning(
    "path-missing",
    "a path in code names a file that is not in the skill",
    """The text names a file below a directory of the skill, but the file is not there. Add it, or
    correct the path.""",
)
INVISIBLE_TEXT = _warning(
    "invisible-text",
    "a file contains invisible text",
    """Tag characters, bidirectional overrides and zero-width characters can hide instructions from
    a human reader. Remove them; the catalog shows them.""",
)

# The files.

FILE_NAME = _error(
    "file-name",
    "a file name cannot be unpacked everywhere",
    """Names with control, invisible or unassigned characters, `<>:"|?*` or a backslash, a trailing
    dot or blank, a device name of Windows, over 255 bytes a segment or 512 in all, or not in
    Unicode normal form C break archives, file systems or URIs. Rename the file.""",
)
FILE_NAME_GIT = _error(
    "file-name-git",
    "a file name is taken for .git",
    """Some file systems read `.git.`, `GIT~1` and the like as `.git`, which would let the skill
    plant a repository. Rename the file.""",
)
FILE_COLLISION = _error(
    "file-collision",
    "two paths of the skill are one on some file systems",
    """File systems that ignore case or fold compatible characters unpack only one of them. Rename
    one.""",
)
FILE_LINK = _error(
    "file-link",
    "the skill contains a symbolic link",
    """Links are refused by installers and cannot be read over MCP. Put a copy of the file in its
    place.""",
)
FILE_SUBMODULE = _error(
    "file-submodule",
    "the skill contains a submodule",
    """The files of a submodule are not in this repository, so they cannot be published. Copy what
    the skill needs, or exclude the skill.""",
)
FILE_SPECIAL = _error(
    "file-special",
    "the skill contains something that is not a file",
    """A socket, pipe or device cannot be committed or published. Remove it.""",
)
FILE_LFS = _error(
    "file-lfs",
    "the file is a Git LFS pointer",
    """The commit holds only a pointer, so users would get the pointer in place of the content. Take
    the file out of LFS with `git lfs migrate export`.""",
)
FILE_UNREADABLE = _error(
    "file-unreadable",
    "the content of a file is not in the repository",
    """The object is missing, as in a partial clone, or does not match its id. Run `git fetch
    --refetch` or clone without a filter; `git fsck` names damaged objects.""",
)
FILE_LARGE = _warning(
    "file-large",
    "a file is larger than 1 MiB",
    """Files are read over MCP in one piece and counted against an agent's context. Make it
    smaller, or fetch it when needed.""",
)
FILE_JUNK = _warning(
    "file-junk",
    "files that belong to no skill are left out",
    """Caches and repository housekeeping are not published: `.gitignore`, `.DS_Store`,
    `__pycache__`, `node_modules` and the like. Remove them from the repository.""",
)
TOO_MANY_FILES = _error(
    "too-many-files",
    "the skill has more than 512 files",
    """The protocol's limit for one skill is 512 files; clients refuse more. Split the skill or
    bundle its data.""",
)
SKILL_TOO_LARGE = _error(
    "skill-too-large",
    "the skill is larger than 16 MiB",
    """The protocol's limit for one skill is 16 MiB; clients refuse more. Make it smaller, or fetch
    large files when needed.""",
)
EXEC_MARKDOWN = _warning(
    "exec-markdown",
    "a Markdown file is executable",
    """The bit is kept in archives and says nothing true. Remove it with `git update-index
    --chmod=-x`.""",
)
SCRIPT_NOT_EXECUTABLE = _warning(
    "script-not-executable",
    "a script with a shebang is not executable",
    """Instructions that run the script by its path fail after installation. Set the bit with `git
    update-index --chmod=+x`.""",
)
SECRET = _error(
    "secret",
    "a file looks like a secret",
    """Environment files, private keys and tokens must not be published, and what was once
    committed is known. Revoke it, remove it, and put a placeholder in its place.""",
)
TAR_OMITTED = _warning(
    "tar-omitted",
    "the skill has no tar.gz",
    """A widely used installer reads only plain ustar names: ASCII, at most 255 bytes. The skill is
    published as zip alone. Rename the file where installers of tar archives matter.""",
)
ICON_INVALID = _error(
    "icon-invalid",
    "an icon cannot be published",
    """Icons are PNG (at most 1,024 pixels and 256 KiB) or plain SVG without scripts, styles and
    references to other files. Replace or remove the icon.""",
)
