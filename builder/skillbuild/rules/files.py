"""Rules about the body and the files of a skill."""

from skillbuild.model import Listing
from skillbuild.rules.define import error, note, warning

BODY_EMPTY = warning(
    "body-empty",
    "the skill has no instructions",
    """An agent that activates the skill learns nothing beyond the description. Write the
    instructions below the frontmatter.""",
)
BODY_LONG = warning(
    "body-long",
    "the instructions are long",
    """The whole body is loaded when the skill is activated; the specification recommends under 500
    lines and 5,000 tokens. The finding is a note up to 5,500 tokens, because lines alone cost an
    agent nothing, and also for a translation, because its original decides. Move details to files
    that are read when needed.""",
)
LINK_BROKEN = warning(
    "link-broken",
    "a link leads to a file that does not exist in the skill",
    """Only the files of the skill are published, so an agent that follows the link finds nothing. A
    link in SKILL.md counts if it seems to name a file of the skill. A link in another file counts
    if its sentence sends the reader there. It also counts if the right path is known, except in
    tests and in texts for people. Several broken links into the same folder are one finding. Add
    the file, or correct the path, which is relative to the file with the link. If the file is
    outside the skill, copy it into the skill, link to its web address, or remove the link.""",
)
LINK_STALE = note(
    "link-stale",
    "a link that agents seldom follow leads to a file that does not exist in the skill",
    """Like `link-broken`, but agents seldom follow the link. Either a text other than SKILL.md
    mentions it in passing; or it is in a text for people or in an example; or its path is right
    relative to the skill's directory, which agents use, but not relative to the file, which pages
    use; or its target is a path of a web site or of one machine (`/docs/...`), a text about the
    repository such as its license, or a file of the plugin that contains the skill. Not reported:
    templates, copies named `upstream-...`, comments in code, links in tests and in example data,
    and placeholder names. Write the right path, or the whole web address.""",
)
ANCHOR_MISSING = note(
    "anchor-missing",
    "a link names a heading that is not in the text",
    """The link takes readers of the catalog to the top of the text; agents are not affected,
    because they read all of it. The name of a heading is its text in lower case, without
    punctuation and with a hyphen for each space: `Build & test` becomes `#build--test`. Names in
    HTML (`id`, `name`) and `{#name}` count. Templates and examples are not checked. Fix the
    link.""",
)
PATH_MISSING = warning(
    "path-missing",
    "the skill runs or mentions a file that does not exist in it",
    """An agent that runs the command, or looks for the file, finds nothing. Paths are tried from
    the folder of the file that names them, from each folder above it in the skill, and after
    variables for the skill's directory such as `${CLAUDE_SKILL_DIR}/` and `{baseDir}/`. Not
    reported: files that are created or tested for first, files of another project, and examples.
    The finding is a note if the file may be somewhere else: in the user's project, because the
    skill lacks the folder too and SKILL.md neither says to run the script nor names three files
    there, or because the text clones a repository or names the file in another directory; or if the
    section is about criteria, another tool or another skill. Add the file, or correct the path. A
    path from the root of the repository leads nowhere from an installed skill: write it relative to
    the skill.""",
)
PATH_OUTSIDE = warning(
    "path-outside",
    "the skill runs or mentions a file that is elsewhere in the repository",
    """Only the files of the skill are installed, so an agent that runs the command, or looks for
    the file, finds nothing. Even if a plugin is installed as a whole, with the file, the path does
    not lead to it. The finding is a note if an outer skill has the file, if the skill is a
    translation of another, or if the text mentions a file of the plugin, a test or its source in
    passing, says that the file is shared or that the repository may be absent, or runs a command
    that installs the repository or checks its skills. Copy the file into the skill; in a Claude
    Code plugin, write `${CLAUDE_PLUGIN_ROOT}/` before its path.""",
)
TEXT_PLAIN = note(
    "text-plain",
    "the catalog shows a text without rendering it",
    """A Markdown text is shown as source if it has more than 262,144 characters, or if its links or
    tables would make the page many times larger than the text. Split it, or move data to other
    files. The published file is not changed.""",
    formats=("pages",),
)
INVISIBLE_TEXT = warning(
    "invisible-text",
    "a file contains invisible text",
    """Tag characters, bidirectional controls and zero-width characters (several in a row, or inside
    words and addresses) can hide instructions from a human reader. Escapes in the frontmatter
    (`\\u202e`) and entities (`&#8203;`) count too. Remove them. A few invisible characters next to
    their name (`U+200B`, zero-width, bidi) count as an example and are not reported. The catalog
    makes every invisible character visible.""",
)
HIDDEN_COMMENT = warning(
    "hidden-comment",
    "a comment is hidden from people, but agents read it",
    """Web pages show neither `[//]: # (...)` nor the text after an HTML comment that is never
    closed, but agents read both. In SKILL.md, an HTML comment that tells an agent what to do is
    reported too, even if it begins like a note for maintainers. Such notes, for example a license
    or a task, and marks of generated parts are not reported. Write it as text, or remove it.""",
)
HIDDEN_HTML = warning(
    "hidden-html",
    "HTML hides text from people, but agents read it",
    """People do not see elements that are `hidden`, transparent, white, without size or off the
    screen; agents read them. An image of one pixel shows nothing, but tells its server who opens
    the file. Write the text without this HTML, or remove it.""",
)
UNUSED_DEFINITION = warning(
    "unused-definition",
    "a line is hidden, because Markdown reads it as the definition of a link",
    """Markdown reads a line such as `[Phase 1]: build` as the definition of a link. No link uses
    it, so pages do not show the line, but agents read it. Placeholders such as `[name]: [text]` are
    not reported. If the code fences of the text do not pair, the opening fence of a code block may
    be missing, and the finding is a note. Write a backslash before the bracket, remove the line, or
    restore the fence.""",
)
HIDDEN_BY_SPACE = warning(
    "hidden-by-space",
    "text follows a gap that is larger than a window",
    """People do not look for text after 150 spaces or 30 blank lines, but agents read it. Remove
    the gap.""",
)
PACKED_TEXT = warning(
    "packed-text",
    "a text contains a long piece of base64",
    """A text or script can contain base64 of a text, program or archive, with instructions that
    nobody reads but that an agent may decode. Write the content itself, or put it into its own
    file.""",
)
MIXED_SCRIPT = warning(
    "mixed-script",
    "a word mixes Latin letters with others that look like them",
    """If a name, path, host or command mixes letters of two scripts, an agent reads a different
    word than a person does. Write the word with the letters of one script.""",
)


FILE_NAME = error(
    "file-name",
    "a file cannot be unpacked on every system because of its name",
    """These names break archives, file systems or URIs: names with control, invisible or unassigned
    characters, with `<>:"|?*` or a backslash, or with a trailing dot or space; device names of
    Windows; paths with more than 255 bytes in a segment or 512 in all; and names that are not in
    Unicode normal form C. Rename the file.""",
)
FILE_NAME_GIT = error(
    "file-name-git",
    "a file system can read the file name as .git",
    """Some file systems read `.git.`, `GIT~1` and the like as `.git`, which would let the skill
    plant a repository. Rename the file.""",
)
FILE_COLLISION = error(
    "file-collision",
    "two paths of the skill are the same on some file systems",
    """File systems that ignore case or fold compatible characters unpack only one of them. Rename
    one.""",
)
FILE_LINK = warning(
    "file-link",
    "a symbolic link in the skill is not published",
    """Archives and MCP have no symbolic links, and none is followed, so agents do not find the file
    that a text names. The finding is a note if the link points to another file of the skill and no
    text names the link, such as `CLAUDE.md` beside `AGENTS.md`. Put a copy of the file in its
    place, or exclude the link.""",
)
FILE_SUBMODULE = error(
    "file-submodule",
    "the skill contains a submodule",
    """The files of a submodule are not in this repository, so they cannot be published. Copy what
    the skill needs, or exclude the skill.""",
)
FILE_SPECIAL = error(
    "file-special",
    "the skill contains a socket, pipe or device",
    """A socket, pipe or device cannot be committed or published. Remove it.""",
)
FILE_LFS = error(
    "file-lfs",
    "the file is a Git LFS pointer",
    """The commit has only a pointer, so users would get the pointer instead of the content. If
    agents do not need the file, exclude it as the hint says. Otherwise run `git lfs pull`, remove
    the pattern of the file from `.gitattributes`, run `git add --renormalize` on the file, and
    commit; earlier commits stay as they are. `check` reads the staged file, not the content that
    Git LFS has put into the work tree.""",
)
FILE_UNREADABLE = error(
    "file-unreadable",
    "the content of a file is not in the repository",
    """The object is missing, as in a partial clone, or does not match its id. Run `git fetch
    --refetch --no-filter` or clone without a filter; `git fsck` names damaged objects.""",
)
FILE_LARGE = warning(
    "file-large",
    "a file is larger than 1 MiB",
    """Over MCP, a file is read in one piece and takes up the agent's context. Make it smaller, or
    fetch it when needed. The finding is a note if the file is not a text to read, such as a program
    or data, if no text of the skill names it, or if it is one of more than 200 texts, which agents
    search. Pictures other than SVG, sound and video are not reported.""",
)
FILE_JUNK = note(
    "file-junk",
    "caches and repository files are not published",
    """`.gitignore`, `.DS_Store`, `__pycache__`, `node_modules` and the like are not published.
    Remove those that the repository does not need either.""",
)
SKILL_LARGE = warning(
    "skill-large",
    "the skill has more than 512 files or 16 MiB",
    """MCP clients refuse a skill with more than 512 files or 16 MiB (SEP-2640), so `skills/list`
    and `skills/get` leave it out. Its files can be read over MCP, and every other format has the
    skill. Exclude files that agents do not need, pack its data into one file, or split the
    skill.""",
    unlists=(Listing.MCP,),
)
SKILL_VERY_LARGE = warning(
    "skill-very-large",
    "the skill has more than 1,000 files or 50 MiB",
    """`npx skills` silently drops a skill with more than 1,000 files or 50 MiB, so both discovery
    formats leave it out. So do `skills/list` and `skills/get`, whose limits are lower. Its pages
    and archives are published, and its files can be read over MCP. Exclude files that agents do not
    need, pack its data into one file, or split the skill.""",
    unlists=(Listing.MCP, Listing.DISCOVERY_01, Listing.DISCOVERY_02),
)
TOO_MANY_FILES = error(
    "too-many-files",
    "the skill has more than 10,000 files",
    """This many files are nearly always build output or data. The finding names the folder with
    most of them. Exclude it, pack the data into one file, or split the skill; `[limits]` can lower
    the limit.""",
)
SKILL_TOO_LARGE = error(
    "skill-too-large",
    "the skill is larger than 100 MiB",
    """A skill this large nearly always contains build output or data. The finding names the largest
    folder. Exclude it, or fetch large files when they are needed; `[limits]` can lower the
    limit.""",
)
EXEC_MARKDOWN = note(
    "exec-markdown",
    "a Markdown file is executable",
    """A Markdown file is not a program, and archives keep the bit. One finding covers all files of
    a skill. Remove the bit with `chmod -x`, on Windows with `git add --chmod=-x`.""",
)
SCRIPT_NOT_EXECUTABLE = warning(
    "script-not-executable",
    "a script that SKILL.md runs by its path is not executable",
    """An agent that runs the command as written fails after installation. The command is in a code
    block, or the text says to run it. One finding covers all scripts of a skill. A script is not
    reported if SKILL.md also runs it with an interpreter or makes it executable. Set the bit with
    `chmod +x PATH`, on Windows with `git add --chmod=+x PATH`.""",
)
SCRIPT_MODE = note(
    "script-mode",
    "a script that a file other than SKILL.md runs by its path is not executable",
    """Like `script-not-executable`, but the command is in a text other than SKILL.md or in the
    middle of a sentence, where agents choose an interpreter themselves. Set the bit with `chmod
    +x`, on Windows with `git add --chmod=+x`.""",
)
SECRET = error(
    "secret",
    "a file looks like a secret",
    """Never publish private keys, tokens, webhooks, database passwords, or environment files with
    values. A secret that was committed once is no longer secret. Revoke it, remove it, and write a
    placeholder instead. Placeholders, documented examples, and tokens with a wrong checksum are not
    reported. A finding never repeats the value. It shows a fingerprint of the value, its kind and
    its path; to accept a value that is not a secret, add that fingerprint under `[[ignore]]`.""",
)
TAR_OMITTED = note(
    "tar-omitted",
    "the skill has no tar.gz",
    """A tar.gz is limited to plain ustar names (ASCII, at most 255 bytes), because a widely used
    installer reads no others. The skill is published as zip only. To publish a tar.gz, rename the
    files, also in the texts that name them.""",
    formats=("tar.gz",),
)
ICON_INVALID = warning(
    "icon-invalid",
    "an icon cannot be published",
    """Icons are PNG or JPEG (at most 1,024 pixels and 256 KiB) or SVG, in the skill or elsewhere in
    the source. An SVG is published as it is, so it must be a safe document: without scripts, links,
    animation, filters, a `<!DOCTYPE>` or anything from outside the file. Without a usable icon, the
    skill gets a picture that is drawn from its name. The finding is a note if the skill declares
    another icon that is published. Replace or fix the icon.""",
)
