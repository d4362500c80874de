"""Rules about the source as a whole: where skills are, and at which paths they are published."""

from skillbuild.model import Listing
from skillbuild.rules.define import error, note, spoils_listings, warning

NO_SKILLS = error(
    "no-skills",
    "the source has no skills",
    """The cause is nearly always a wrong directory, a wrong revision or an `exclude` that matches
    too much. Pass --allow-empty to build an empty catalog.""",
)
SKILLS_HIDDEN = warning(
    "skills-hidden",
    "skills in dot-directories are left out, because there are skills elsewhere",
    """Skills in `.claude/skills/`, `.github/` and other dot-directories are published only if the
    source has no other skills. Once there is a skill elsewhere, they are left out, and agents lose
    them. The finding is a note if fewer skills are left out than published and none of them belongs
    to a plugin, because such skills are mostly for work on the repository itself. Set `roots` to
    the folders of all skills to publish, or add the other folders to `exclude`.""",
)
SKILLS_BACKUP = warning(
    "skills-backup",
    "skills in a backup folder are published",
    """Agents are offered the skills in `backups/`, `old-backup/`, `skills.bak/` and the like
    together with the current ones. Warnings about these skills become notes. Exclude the folders,
    or rename them if their skills are to be published.""",
)
PATTERN_UNUSED = warning(
    "pattern-unused",
    "a glob in roots or exclude matches nothing",
    """A glob in `exclude` that matches no file, or in `roots` that matches no SKILL.md, is
    misspelled or outdated, and files that it was to exclude may be published. Globs are relative to
    skillbuild.toml and use the syntax of `.gitignore`. Correct it, or remove it.""",
)
IGNORE_UNUSED = warning(
    "ignore-unused",
    "an entry of [[ignore]] silences nothing",
    """Either the findings that it silenced are fixed, or its rule or paths are wrong. An outdated
    entry could hide a new problem. Correct the entry, or remove it.""",
)
SKILL_FILE_CASE = error(
    "skill-file-case",
    "the file is not named exactly SKILL.md",
    """Clients look for `SKILL.md` in this exact case, so a `skill.md` is found on some file systems
    and lost on others. Rename it with `git mv`, or `mv` where git does not track it.""",
)
SKILL_AT_ROOT = error(
    "skill-at-root",
    "a SKILL.md at the root would contain the other skills",
    """A skill at the root contains every file below it, including other skills. Exclude either the
    root (`exclude = ["/SKILL.md"]`) or the skills below it.""",
)
TOO_MANY_ENTRIES = error(
    "too-many-entries",
    "the tree has more files than a build reads",
    """A tree with over a million entries is a mistake or an attack. Pass a directory inside the
    repository as REPO, or split the repository.""",
)
SOURCE_TOO_LARGE = error(
    "source-too-large",
    "the skills of the source have more than 2 GiB",
    """A build publishes at most 2 GiB of different files, more than web hosts for static pages
    accept. Exclude data, or pass a directory inside the repository as REPO.""",
)
SKILL_PATH_COLLISION = error(
    "skill-path-collision",
    "two skills would be published at the same place",
    """Skill paths clash in three cases: two skills with different files have the same path; one
    path is inside the other, but the skills are not nested in the source; or the paths differ only
    in case or in compatible characters. If the full directory paths clash too, one of the skills
    keeps its path and the other is refused. A nested skill is also refused if its path, which ends
    in its name, is the path of another file of the outer skill. Give the skill another path under
    `[paths]` in skillbuild.toml.""",
)
SKILL_PATH_MOVED = note(
    "skill-path-moved",
    "the skill path is the full directory, because the shorter path is taken",
    """Skill paths leave out `skills`, `plugins` and dot-directories. If two skills would then have
    the same path, or one path would be inside the other, the paths keep these folders. Map the
    directory under `[paths]` to choose a path that does not depend on other skills.""",
)
NESTED_LEFT_OUT = warning(
    "nested-left-out",
    "the files of an invalid skill are published with its outer skill",
    """With --skip-invalid an invalid skill is left out. If it is inside another skill, its files
    are still published as files of the outer skill, and agents can read them there. Fix the nested
    skill, or move it out of the outer one.""",
)
VERSION_ADDRESS = error(
    "version-address",
    "two versions would be published at the same address",
    """With `[versions]`, the address of a version is the first 16 hex digits of its digest. Two
    versions with the same 16 digits are not a coincidence: somebody has searched for them, so that
    one passes for the other. Change a file of one of them, or name the older one under
    `[yanked]`.""",
)
SKILL_PATH_SEGMENT = error(
    "skill-path-segment",
    "a directory name cannot be part of a skill path",
    """Skill paths become URIs, directories and page addresses, so their segments follow the rules
    for file names, and a lone `-` is reserved. Map the directory under `[paths]`.""",
)
SKILL_PATH_NAME = error(
    "skill-path-name",
    "a path set in [paths] does not end in the skill's name",
    """The last segment of a skill path is the skill's name (SEP-2640). Change the mapping in
    skillbuild.toml or the name.""",
)
SKILL_PATH_AUTHORITY = spoils_listings(
    "skill-path-authority",
    "the first segment of the skill path is not valid in a URI",
    """The first segment of the path is the authority of the URI. If it has characters outside
    `[a-z0-9._-]`, the TypeScript SDK and FastMCP cannot parse the URI and reject the whole MCP
    list. Map the directory under `[paths]`.""",
)
DISCOVERY_OMITTED = note(
    "discovery-omitted",
    "a file or the name of the skill does not fit discovery v0.1.0",
    """OpenCode reads discovery v0.1.0 (its setting `skills.urls`), which publishes each file of a
    skill under its own name on the site. A skill is left out if it has an HTML page, a script or an
    active SVG, which would run on the site; if the name of a file begins with a dot or is not a
    plain web address; or if another skill has the same name, because OpenCode loads only one skill
    with each name. Of several skills with the same name, discovery v0.1.0 has the skill whose flat
    name equals it, or else the skill nearest to the top. All other formats have the skill. To offer
    it to OpenCode, rename or exclude the file, or rename the skill. Files that need their name,
    such as scripts, are only mentioned on the page of the skill.""",
    unlists=(Listing.DISCOVERY_01,),
    formats=("discovery",),
)
URI_TOO_LONG = spoils_listings(
    "uri-too-long",
    "a URI of the skill is longer than 2,048 bytes",
    """Clients and proxies refuse or cut longer URIs, and the TypeScript SDK and FastMCP reject the
    whole MCP list if one URI is broken. Shorten the directory or file names.""",
)
