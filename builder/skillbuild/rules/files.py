"""Rules about the body and the files of a skill."""

from skillbuild.model import Listing
from skillbuild.rules.define import error, note, warning

BODY_EMPTY = warning(
    "body-empty",
    "the skill has no instructions",
    """The skill tells an agent nothing beyond its description. Write the instructions below the
    frontmatter.""",
)
BODY_LONG = warning(
    "body-long",
    "the instructions are long",
    """An agent loads the whole body when it activates the skill. The specification recommends fewer
    than 500 lines and 5,000 tokens. If the body has at most 5,500 tokens, the finding is
    only a note, because agents pay for tokens, not for lines. It is also a note if the
    skill is a translation, because the original determines its length. Move details to
    files that are read when needed.""",
)
LINK_BROKEN = warning(
    "link-broken",
    "a link points to a file that does not exist in the skill",
    """Only the files of the skill are published, so an agent that follows the link finds nothing.
    Links in SKILL.md are checked if they seem to point to a file in the skill. A link in another
    file is checked if the surrounding sentence tells the reader to open the target, or if
    skillbuild can suggest the correct path. Links in tests and in files written for people, such as
    a README, are ignored. Broken links into the same folder are reported as one finding. Add the
    file, or correct the path. Paths are relative to the file that contains the link. If the file
    is outside the skill, copy it into the skill, link to its web address, or remove the link.""",
)
LINK_STALE = note(
    "link-stale",
    "a link points to a file that does not exist, but agents seldom follow it",
    """This rule is like `link-broken`, but covers links that agents seldom follow and that
    therefore do little harm. It covers links mentioned in passing outside SKILL.md, links in
    examples, and links in files that are written for people. It also covers links that work for
    agents but not on web pages: agents resolve a path against the skill's directory, and web pages
    against the folder of the file with the link. Finally, it covers links to a path on a website or
    on a particular machine (`/docs/...`), to a file about the repository, such as its license, and
    to a file of the plugin that contains the skill. Templates, copies of other files named
    `upstream-...`, comments in code, tests, example data and placeholder names are not checked.
    Write the correct path, or the full web address.""",
)
ANCHOR_MISSING = warning(
    "anchor-missing",
    "a link names a heading that does not exist",
    """The link takes readers to the top of the page, and an agent may look for a section that does
    not exist. The anchor of a heading is its text in lowercase, without punctuation and with a
    hyphen for each space: `Build & test` becomes `#build--test`. Anchors in HTML (`id`, `name`)
    and `{#name}` are recognized too. Templates and examples are not checked. In a file written
    for people, such as a README, the finding is a note. Fix the link, or add the heading.""",
)
PATH_MISSING = warning(
    "path-missing",
    "the skill runs or mentions a file that does not exist in it",
    """An agent that runs the command, or looks for the file, finds nothing. A path is looked up in
    the folder of the file that mentions the path, and in all parents of that folder within the
    skill. A path may begin with a variable for the skill's directory, such as
    `${CLAUDE_SKILL_DIR}/` or `{baseDir}/`. A bare file name is checked only if it follows the word
    "see" or appears in a listing of a folder's files. The rule ignores examples, files of another
    project, and files that the skill creates or checks for. The finding is only a note
    if the file may be somewhere else, for example because the section is about another
    project or tool. If the path begins with a folder that the skill does not have,
    the file may be in the user's project. The finding is then a note, unless SKILL.md
    says to read or run the file, or names files in that folder at least three times.
    Add the file, or correct the path. Write paths relative to the skill, not to the
    root of the repository, because an installed skill is not in the repository.""",
)
PATH_OUTSIDE = warning(
    "path-outside",
    "the skill runs or mentions a file that is elsewhere in the repository",
    """Only the files of the skill are installed, so an agent that runs the command, or looks for
    the file, finds nothing. An installed plugin may contain the file, but even then the path does
    not lead to it. The finding is only a note if an outer skill contains the file, or if the skill
    is a translation of another skill. It is also a note if the command
    runs an install or setup script of the repository, if the text names a
    test, or if it mentions a plugin file in passing. Copy the file into
    the skill. In a Claude Code plugin, you can write `${CLAUDE_PLUGIN_ROOT}/` before the path
    instead.""",
)
TEXT_PLAIN = note(
    "text-plain",
    "the catalog shows a Markdown file without rendering it",
    """A Markdown file is shown as source if it is longer than 262,144 characters, or if its links
    or tables would make the page many times larger than the file. The published file is not
    changed. Split the file, or move data to other files.""",
    formats=("pages",),
)
INVISIBLE_TEXT = warning(
    "invisible-text",
    "a file contains invisible text",
    """Tag characters, bidirectional controls and zero-width characters can hide instructions from
    people. Zero-width characters are reported if there are several in a row, or if they are inside
    words or addresses. Escapes in the frontmatter (`\\u202e`) and entities (`&#8203;`) are reported
    too. A few such characters are not reported if their name is next to them (`U+200B`, zero-width,
    bidi), because they are then only examples. The pages of the catalog show a visible mark for
    each of these characters. Remove them.""",
)
HIDDEN_COMMENT = warning(
    "hidden-comment",
    "a comment is hidden from people, but agents read it",
    """Web pages show neither `[//]: # (...)` nor the text after an HTML comment that is never
    closed, but agents read both. In SKILL.md, an HTML comment that tells an agent what to do is
    also reported, even if it begins like a note for maintainers. Comments that only concern
    maintainers, such as a license header, a TODO or the start of a generated section, are not
    reported. Write the text outside of comments, or remove it.""",
)
HIDDEN_HTML = warning(
    "hidden-html",
    "HTML hides text from people, but agents read it",
    """People cannot see elements that are `hidden`, transparent, white, zero-sized or off-screen,
    but agents read them. A one-pixel image shows nothing, but tells a server who opened the file.
    Write the text without this HTML, or remove the text.""",
)
UNUSED_DEFINITION = warning(
    "unused-definition",
    "a line is hidden, because Markdown reads it as the definition of a link",
    """Markdown reads a line such as `[Phase 1]: build` as the definition of a link. No link uses
    this definition, so pages do not show the line, but agents read it. Placeholders such as
    `[name]: [text]` are not reported. If an unpaired code fence follows, the line may belong to a
    code block without an opening fence. The finding is then only a note. Write a backslash before
    the bracket, remove the line, or add the missing fence.""",
)
HIDDEN_BY_SPACE = warning(
    "hidden-by-space",
    "text follows a very large gap",
    """Text after 150 spaces or 30 blank lines is outside the visible part of the window. People
    overlook this text, but agents read it. Remove the gap.""",
)
PACKED_TEXT = warning(
    "packed-text",
    "a file contains a long base64 string",
    """A text file or script can contain text, a program or an archive that is encoded as base64.
    People do not read base64, but an agent can decode it and follow hidden instructions. Write the
    decoded content instead, or put it into a separate file.""",
)
MIXED_SCRIPT = warning(
    "mixed-script",
    "a word mixes Latin letters with similar-looking letters of another alphabet",
    """If a name, path, host or command mixes letters of two alphabets, people and agents read
    different words. Use letters of only one alphabet in each word.""",
)


FILE_NAME = error(
    "file-name",
    "a file cannot be unpacked on some systems because of its name",
    """Some names break archives, file systems or URIs. A name must not contain control characters,
    invisible or unassigned characters, a backslash, or any of `<>:"|?*`. It must not end in a dot
    or a space, and must not be a Windows device name. It must be in Unicode normalization form
    C. A path may have at most 512 bytes, and each segment at most 255 bytes. Rename the file.""",
)
FILE_NAME_GIT = error(
    "file-name-git",
    "some file systems read the file name as .git",
    """Some file systems treat names such as `.git.` and `GIT~1` as `.git`, so the skill could
    install a git repository of its own. Rename the file.""",
)
FILE_COLLISION = error(
    "file-collision",
    "two paths of the skill are the same on some file systems",
    """Some file systems ignore case, or do not distinguish characters that Unicode considers
    equivalent. Such a file system keeps only one of the two files. Rename one file.""",
)
FILE_LINK = warning(
    "file-link",
    "a symbolic link in the skill is not published",
    """Archives and MCP cannot contain symbolic links, and skillbuild does not follow them, so
    agents cannot find the file. The finding is only a note if the link points to another file of
    the skill and no instructions mention the link. For example, `CLAUDE.md` may link to
    `AGENTS.md`. Replace the link with a copy of the file, or exclude the link.""",
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
    """The commit contains only a pointer, so users would get the pointer instead of the content. If
    agents do not need the file, exclude it as the hint says. Otherwise run `git lfs pull`,
    remove the pattern that matches the file from `.gitattributes`, run
    `git add --renormalize` on the file, and commit. Earlier commits keep the pointer. `check`
    reads the staged file, not the content that Git LFS has put into the working tree.""",
)
FILE_UNREADABLE = error(
    "file-unreadable",
    "the content of a file is not in the repository",
    """Either the git object is missing, which is normal in a partial clone, or its content does not
    match its ID. Run `git fetch --refetch --no-filter`, or clone without a filter. `git fsck` lists
    damaged objects.""",
)
FILE_LARGE = warning(
    "file-large",
    "a file is larger than 1 MiB",
    """Over MCP, a file is read in one piece and takes up the agent's context. The finding is only a
    note if the file is not meant to be read as text (a program or data, for example), or if no
    instructions mention it. It is also a note if the skill has more than 200 text files, because
    agents then search the files instead of reading them. Pictures (except SVG), sound and video are
    not reported. Make the file smaller, or have the skill download it when needed.""",
)
FILE_JUNK = note(
    "file-junk",
    "caches and repository files are not published",
    """Files and folders such as `.gitignore`, `.DS_Store`, `__pycache__` and `node_modules` are not
    published. If the repository does not need such a file, remove it there too.""",
)
SKILL_LARGE = warning(
    "skill-large",
    "the skill has more than 512 files or is larger than 16 MiB",
    """MCP clients reject a skill with more than 512 files or 16 MiB (SEP-2640), so `skills/list`
    and `skills/get` omit such a skill. Its files can still be read over MCP, and every other format
    contains the skill. Exclude files that agents do not need, pack its data into one file, or split
    the skill.""",
    unlists=(Listing.MCP,),
)
SKILL_VERY_LARGE = warning(
    "skill-very-large",
    "the skill has more than 1,000 files or is larger than 50 MiB",
    """`npx skills` silently ignores a skill with more than 1,000 files or 50 MiB, so both discovery
    formats omit it. `skills/list` and `skills/get` omit it too, because their limits are lower. The
    skill's pages and archives are still published, and its files can be read over MCP. Exclude
    files that agents do not need, pack its data into one file, or split the skill.""",
    unlists=(Listing.MCP, Listing.DISCOVERY_01, Listing.DISCOVERY_02),
)
TOO_MANY_FILES = error(
    "too-many-files",
    "the skill has more than 10,000 files",
    """Skills with this many files nearly always contain build output or data. The finding names the
    folder with the most files. Exclude that folder, pack the data into one file, or split the
    skill. `[limits]` can lower the limit.""",
)
SKILL_TOO_LARGE = error(
    "skill-too-large",
    "the skill is larger than 100 MiB",
    """Skills of this size nearly always contain build output or data. The finding names the largest
    folder. Exclude that folder, or have the skill download large files. `[limits]` can lower the
    limit.""",
)
EXEC_MARKDOWN = note(
    "exec-markdown",
    "a Markdown file is executable",
    """Markdown files are not programs, but archives keep the executable bit. A single finding
    covers all files of a skill. Remove the bit with `chmod -x`, or on Windows with
    `git add --chmod=-x`.""",
)
SCRIPT_NOT_EXECUTABLE = warning(
    "script-not-executable",
    "a script is not executable, but SKILL.md runs it by its path",
    """The command in SKILL.md fails after the skill is installed. The rule looks at commands in
    code blocks, and at commands that the text says to run. A script is not reported if SKILL.md
    also runs it with an interpreter or makes it executable. A single finding covers all scripts of
    a skill. Set the bit with `chmod +x PATH`, or on Windows with `git add --chmod=+x PATH`.""",
)
SCRIPT_MODE = note(
    "script-mode",
    "a script is not executable, but a file other than SKILL.md runs it by its path",
    """This rule is like `script-not-executable`, but covers commands in files other than SKILL.md
    and in the middle of a sentence. For such commands, agents choose an interpreter themselves. Set
    the bit with `chmod +x`, or on Windows with `git add --chmod=+x`.""",
)
SECRET = error(
    "secret",
    "a file seems to contain a secret",
    """Private keys, tokens, webhooks, database passwords, and environment files with values must
    never be published. Placeholders, documented examples, and tokens with a wrong checksum are not
    reported. A secret that was committed once is no longer secret. Revoke it, remove it, and write
    a placeholder instead. A finding never shows the secret itself. It shows the kind of secret, the
    path of the file and a fingerprint. To accept a value that is not a secret, add that fingerprint
    under `[[ignore]]`.""",
)
TAR_OMITTED = note(
    "tar-omitted",
    "the skill has no tar.gz",
    """The tar.gz archive can only contain plain ustar names (ASCII, at most 255 bytes), because a
    widely used installer cannot read other names. At least one name in this skill
    is not a plain ustar name, so the skill is published only as a zip. To publish
    a tar.gz as well, rename the files and update all references to them.""",
    formats=("tar.gz",),
)
ICON_INVALID = warning(
    "icon-invalid",
    "an icon cannot be published",
    """An icon must be a PNG or JPEG file (at most 1,024 pixels and 256 KiB) or an SVG file, in the
    skill or elsewhere in the source. An SVG file is published unchanged, so it must be safe: no
    scripts, links, animation, filters or `<!DOCTYPE>`, and nothing from outside the file. A skill
    without a usable icon gets a picture that is generated from its name. The finding is only a note
    if another icon of the skill is published. Replace or fix the icon.""",
)
