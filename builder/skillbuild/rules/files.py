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
    lines and 5,000 tokens. It is a note up to 5 % above that. Move details to files that are read
    when needed.""",
)
LINK_BROKEN = warning(
    "link-broken",
    "a link leads to a file that does not exist in the skill",
    """Only the files of the skill are published, so an agent that follows the link finds nothing. A
    link in SKILL.md counts where it seems to name a file of the skill, one in another text where
    the sentence sends the reader there; elsewhere than in tests and texts for people, also where
    the right path is known. Links into one folder that lacks the files are one finding. Add the
    file, or correct the path, which is relative to the file with the link; copy a file from outside
    of the skill into it, link to its web address, or remove the link.""",
)
LINK_STALE = note(
    "link-stale",
    "a link that agents seldom follow leads to a file that does not exist in the skill",
    """As `link-broken`, but the link is mentioned by the way in another text than SKILL.md, stands
    in a text for people or in what seems to be an example, is right when counted from the skill's
    directory, as agents do, but not from its file, as pages do, or leads to a path of a web site or
    of one machine (`/docs/...`), to a text about the repository such as its license, or to what the
    plugin around the skill holds. Templates, copies named `upstream-...`, comments of code, what
    tests and examples give, and names to be replaced are passed over. Write the right path, or the
    whole web address, where readers should get there.""",
)
ANCHOR_MISSING = note(
    "anchor-missing",
    "a link names a heading that is not in the text",
    """Readers of the catalog stay at the top of the text; agents read it whole and get by. The name
    of a heading is its text in lower case without punctuation, each blank a hyphen: that of
    `Build & test` is `#build--test`. Names in HTML (`id`, `name`) and `{#name}` count. Templates
    and examples are passed over. Fix the link.""",
)
PATH_MISSING = warning(
    "path-missing",
    "a text runs or names a file that does not exist in the skill",
    """An agent that runs the command, or looks for the file, finds nothing. Paths count from the
    text, from any folder above it in the skill, and after words for its directory such as
    `${CLAUDE_SKILL_DIR}/` and `{baseDir}/`. What a text makes or looks for first, says to be
    another project's, or shows as an example is passed over. It is a note where the words leave
    open whose file is meant: the folder is not in the skill either, SKILL.md names fewer than three
    scripts there, or the text clones a repository. Add the file, or correct the path.""",
)
PATH_OUTSIDE = warning(
    "path-outside",
    "a text runs or names a file that is elsewhere in the repository",
    """Only the files of the skill are installed, so an agent that runs the command, or looks for
    the file, finds nothing. In a plugin that is installed as a whole the file comes along, but the
    path does not lead to it. It is a note where the skill around this one has the file, where the
    skill is a translation and its original has it, or where a text mentions a file of the plugin by
    the way, says that it is shared, or runs what installs the repository. Copy the file into the
    skill; in a plugin, write `${CLAUDE_PLUGIN_ROOT}/` before its path.""",
)
TEXT_PLAIN = note(
    "text-plain",
    "the catalog shows a text without rendering it",
    """A Markdown text over 262,144 characters, or one whose links or tables would make its page
    many times larger than itself, is shown as it is written. Split it, or move data to other
    files. The published file is not changed.""",
    formats=("pages",),
)
INVISIBLE_TEXT = warning(
    "invisible-text",
    "a file contains invisible text",
    """Tag characters, bidirectional controls, and zero-width characters in runs or inside of words
    and addresses can hide instructions from a human reader. Remove them. A few beside their name
    (`U+200B`, zero-width, bidi) are an example in a text about them, and passed over. The catalog
    shows them, and single ones elsewhere, too. Escapes in the frontmatter (`\\u202e`) and entities
    (`&#8203;`) make such characters, too.""",
)
HIDDEN_COMMENT = warning(
    "hidden-comment",
    "a text has a comment that agents read and people do not see",
    """A page shows neither `[//]: # (...)` nor what follows an HTML comment without an end, and
    GitHub shows no comment at all; an agent reads them all. In SKILL.md a comment that tells an
    agent what to do counts too, whatever its first words are. Notes for maintainers, such as a
    license or what is to be done, and marks of generated parts are passed over. Write it as text,
    or remove it.""",
)
HIDDEN_HTML = warning(
    "hidden-html",
    "a text has HTML that hides what is in it",
    """Elements that are `hidden`, transparent, white, without size or off the screen are not shown
    to people on GitHub, while agents read them. Write the text without it, or remove it.""",
)
UNUSED_DEFINITION = warning(
    "unused-definition",
    "a line is the definition of a link that nothing refers to",
    """Markdown takes a line such as `[Phase 1]: build` for the definition of a link and shows
    nothing of it; agents read it. Write a backslash before the bracket, or remove the line.""",
)
HIDDEN_BY_SPACE = warning(
    "hidden-by-space",
    "a text goes on after more space than a window has",
    """People do not look for text behind 150 blanks or 30 blank lines, and agents read it. Remove
    the space.""",
)
PACKED_TEXT = warning(
    "packed-text",
    "a text has a long piece of base64",
    """Base64 of a text, a program or an archive, in a text or a script, can hold instructions that
    nobody reads, and an agent may decode them. Write the content itself, or put it into a file of
    its own.""",
)
MIXED_SCRIPT = warning(
    "mixed-script",
    "a word mixes Latin letters with others that look like them",
    """In a name, path, host or command with letters of two scripts, an agent sees another word than
    a person. Write it in one script.""",
)


FILE_NAME = error(
    "file-name",
    "a file name cannot be unpacked everywhere",
    """Names with control, invisible or unassigned characters, `<>:"|?*` or a backslash, a trailing
    dot or blank, a device name of Windows, over 255 bytes a segment or 512 in all, or not in
    Unicode normal form C break archives, file systems or URIs. Rename the file.""",
)
FILE_NAME_GIT = error(
    "file-name-git",
    "a file name is taken for .git",
    """Some file systems read `.git.`, `GIT~1` and the like as `.git`, which would let the skill
    plant a repository. Rename the file.""",
)
FILE_COLLISION = error(
    "file-collision",
    "two paths of the skill are one on some file systems",
    """File systems that ignore case or fold compatible characters unpack only one of them. Rename
    one.""",
)
FILE_LINK = warning(
    "file-link",
    "a symbolic link in the skill is not published",
    """Links are never followed: archives and MCP have none, so agents do not find the file where a
    text names it. It is a note where the link leads to another file of the skill and no text names
    it, such as `CLAUDE.md` beside `AGENTS.md`. Put a copy of the file in its place, or exclude the
    link.""",
)
FILE_SUBMODULE = error(
    "file-submodule",
    "the skill contains a submodule",
    """The files of a submodule are not in this repository, so they cannot be published. Copy what
    the skill needs, or exclude the skill.""",
)
FILE_SPECIAL = error(
    "file-special",
    "the skill contains something that is not a file",
    """A socket, pipe or device cannot be committed or published. Remove it.""",
)
FILE_LFS = error(
    "file-lfs",
    "the file is a Git LFS pointer",
    """The commit holds only a pointer, so users would get the pointer in place of the content.
    Exclude the file, as the hint says, if agents have no use for it. Or run `git lfs pull` for the
    content, take the pattern of the file out of `.gitattributes`, and commit what `git add
    --renormalize` adds of it; earlier commits stay as they are. `check` looks at what is staged,
    not at the content that Git LFS has put into the work tree.""",
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
    """Files are read over MCP in one piece and counted against an agent's context. Make it smaller,
    or fetch it when needed. It is a note where the file is no text to be read, such as a program or
    data, or one of more than 200 texts, which agents search. Pictures other than SVG, sound and
    video are passed over.""",
)
FILE_JUNK = note(
    "file-junk",
    "files that belong to no skill are left out",
    """Caches and repository housekeeping are not published: `.gitignore`, `.DS_Store`,
    `__pycache__`, `node_modules` and the like. Remove what has no use in the repository
    either.""",
)
SKILL_LARGE = warning(
    "skill-large",
    "the skill has more than 512 files or 16 MiB",
    """MCP clients refuse a skill with more than 512 files or 16 MiB (SEP-2640), so `skills/list`
    and `skills/get` leave it out. Its files can be read over MCP, and all else has the skill.
    Exclude what agents have no use for, bundle its data, or split the skill.""",
    unlists=(Listing.MCP,),
)
SKILL_VERY_LARGE = warning(
    "skill-very-large",
    "the skill has more than 1,000 files or 50 MiB",
    """`npx skills` drops a skill with more than 1,000 files or 50 MiB without a word, so both
    discovery formats leave it out, and so do `skills/list` and `skills/get`, whose limits are
    lower. Its pages and archives are published, and its files can be read over MCP. Exclude what
    agents have no use for, bundle its data, or split the skill.""",
    unlists=(Listing.MCP, Listing.DISCOVERY_01, Listing.DISCOVERY_02),
)
TOO_MANY_FILES = error(
    "too-many-files",
    "the skill has more than 10,000 files",
    """So many files are nearly always build output or data. The finding names the folder that has
    most of them. Exclude it, bundle data, or split the skill; `[limits]` can lower the limit.""",
)
SKILL_TOO_LARGE = error(
    "skill-too-large",
    "the skill is larger than 100 MiB",
    """So many bytes are nearly always build output or data. The finding names the folder that has
    most of them. Exclude it, or fetch large files when they are needed; `[limits]` can lower the
    limit.""",
)
EXEC_MARKDOWN = note(
    "exec-markdown",
    "a Markdown file is executable",
    """The bit is kept in archives and says nothing true. One finding tells of all the files of a
    skill. Remove it with `chmod -x`, on Windows with `git add --chmod=-x`.""",
)
SCRIPT_NOT_EXECUTABLE = warning(
    "script-not-executable",
    "a script that SKILL.md runs by its path is not executable",
    """An agent that runs the command as it is written fails after installation. It stands in a
    fence, or the text says to run it. One finding tells of all the scripts of a skill; one that
    SKILL.md also gives to an interpreter, or makes executable, is passed over. Set the bit with
    `chmod +x`, on Windows with `git add --chmod=+x`.""",
)
SCRIPT_MODE = note(
    "script-mode",
    "a script that is run by its path elsewhere is not executable",
    """As `script-not-executable`, but the command is in another text than SKILL.md, or among words,
    where agents choose an interpreter themselves. Set the bit with `chmod +x`, on Windows with `git
    add --chmod=+x`.""",
)
SECRET = error(
    "secret",
    "a file looks like a secret",
    """Private keys, tokens, webhooks, passwords of databases and environment files with values must
    not be published, and what was once committed is known. Revoke it, remove it, and put a
    placeholder in its place. Placeholders, examples of documentation, and tokens whose checksum is
    wrong are none. A finding never repeats the value. It names a fingerprint of the value, its kind
    and its path, by which a value that is no secret is silenced.""",
)
TAR_OMITTED = note(
    "tar-omitted",
    "the skill has no tar.gz",
    """A widely used installer reads only plain ustar names: ASCII, at most 255 bytes. The skill is
    published as zip alone. Rename its files, and where texts name them, if installers of tar
    archives matter.""",
    formats=("tar.gz",),
)
ICON_INVALID = warning(
    "icon-invalid",
    "an icon cannot be published",
    """Icons are PNG or JPEG (at most 1,024 pixels and 256 KiB) or SVG, in the skill or elsewhere in
    the source. An SVG is published as it is, so it must be a safe document: without scripts, links,
    animation, filters, a `<!DOCTYPE>` and anything from outside the file. The skill is published
    with the picture drawn from its name in the place of such an icon. Replace or fix the icon.""",
)
