"""Rules about the source as a whole: where skills are, and at which paths they are published."""

from skillbuild.model import Listing
from skillbuild.rules.define import error, note, spoils_listings, warning

NO_SKILLS = error(
    "no-skills",
    "the source has no skills",
    """The cause is nearly always a wrong directory, a wrong revision, or a glob in `exclude` that
    matches too much. Pass `--allow-empty` to build an empty catalog.""",
)
SKILLS_HIDDEN = warning(
    "skills-hidden",
    "skills in dot-directories are left out, because there are skills elsewhere",
    """Skills in `.claude/skills/`, `.github/` and other dot-directories are published only if the
    source has no other skills. This source has other skills, so skills in dot-directories are left
    out, and agents do not get them. The finding is only a note if most skills are published and no
    omitted skill belongs to a plugin, because the omitted skills are then usually for people who
    work on the repository itself. To publish these skills, set `roots` to the folders of all skills
    that you want to publish. Otherwise, add the dot-directories to `exclude`.""",
)
SKILLS_BACKUP = warning(
    "skills-backup",
    "skills in a backup folder are published",
    """The skills in folders such as `backups/`, `old-backup/` and `skills.bak/` are offered to
    agents along with the current skills. Other warnings about skills in backup folders are reduced
    to notes. Exclude these folders. If you want to publish their skills, rename the folders.""",
)
PATTERN_UNUSED = warning(
    "pattern-unused",
    "a glob in roots or exclude matches nothing",
    """A glob in `exclude` should match a file, and a glob in `roots` should match a SKILL.md. This
    glob matches nothing, so it is misspelled or outdated, and files that you wanted to exclude may
    be published. Globs are relative to skillbuild.toml and use the syntax of `.gitignore`. Correct
    the glob, or remove it.""",
)
IGNORE_UNUSED = warning(
    "ignore-unused",
    "an entry of [[ignore]] silences nothing",
    """Either the findings that this entry silenced have been fixed, or the rule or paths in the
    entry are wrong. An outdated entry could hide a new problem. Correct the entry, or remove
    it.""",
)
SKILL_FILE_CASE = error(
    "skill-file-case",
    "the file is not named exactly SKILL.md",
    """Clients look for the exact name `SKILL.md`, so a `skill.md` is found only on some file
    systems. Rename the file with `git mv`, or with `mv` if git does not track it.""",
)
SKILL_AT_ROOT = error(
    "skill-at-root",
    "a skill at the root contains the other skills",
    """A skill at the root contains every file below it, including other skills. Exclude either the
    root (`exclude = ["/SKILL.md"]`) or the skills below it.""",
)
TOO_MANY_ENTRIES = error(
    "too-many-entries",
    "the tree has more files than a build accepts",
    """A tree with more than a million entries is a mistake or an attack. Pass a directory inside
    the repository as REPO, or split the repository.""",
)
SOURCE_TOO_LARGE = error(
    "source-too-large",
    "the skills of the source are larger than 2 GiB in total",
    """A build publishes at most 2 GiB of different files. Most static hosts accept even less.
    Exclude data, or pass a directory inside the repository as REPO.""",
)
SKILL_PATH_COLLISION = error(
    "skill-path-collision",
    "two skills would be published in the same place",
    """The paths of two skills collide in three cases: the paths are the same, but the files of the
    skills are not; one path is inside the other, although the skills are not nested in the source;
    or the paths differ only in case, or in characters that Unicode considers equivalent. In all
    three cases, the path of one of the two skills becomes its full directory path. If that path is
    already in use too, the skill is refused. A nested skill is also refused if the outer skill has
    a file at the path of the nested skill. Give the skill another path under `[paths]` in
    skillbuild.toml.""",
)
SKILL_PATH_MOVED = note(
    "skill-path-moved",
    "the skill path is the full directory path, because the shorter one is in use",
    """Skill paths usually omit dot-directories and folders named `skills` or `plugins`. If two
    skills would then have the same path, or one path would be inside the other, one of the two
    paths keeps these folders. To choose a path that does not depend on other skills, map the
    directory under `[paths]`.""",
)
NESTED_LEFT_OUT = warning(
    "nested-left-out",
    "the files of an invalid skill are published as files of its outer skill",
    """With `--skip-invalid`, invalid skills are left out. However, if an invalid skill is inside
    another skill, its files are published as files of the outer skill, and agents can read them.
    Fix the nested skill, or move it out of the outer skill.""",
)
VERSION_ADDRESS = error(
    "version-address",
    "two versions would be published at the same address",
    """With `[versions]`, the address of a version is the first 16 hex digits of its digest. Two
    versions never have the same 16 digits by chance, so somebody must have created a version that
    can be mistaken for the other one. Change a file in one of the two versions, or add the older
    version to `[yanked]`.""",
)
SKILL_PATH_SEGMENT = error(
    "skill-path-segment",
    "a directory name cannot be part of a skill path",
    """Skill paths become URIs, directories and page addresses. Therefore, each segment of a skill
    path must follow the rules for file names. The segment `-` is reserved. Map the directory under
    `[paths]`.""",
)
SKILL_PATH_NAME = error(
    "skill-path-name",
    "a path in [paths] does not end in the skill's name",
    """The last segment of a skill path must be the skill's name (SEP-2640). Change the mapping in
    skillbuild.toml, or the name.""",
)
SKILL_PATH_AUTHORITY = spoils_listings(
    "skill-path-authority",
    "the first segment of the skill path is not valid in a URI",
    """The first segment of the path is the authority of the URI. If this segment contains
    characters outside `[a-z0-9._-]`, the TypeScript SDK and FastMCP cannot parse the URI and reject
    the whole MCP list. Map the directory under `[paths]`.""",
)
DISCOVERY_OMITTED = note(
    "discovery-omitted",
    "discovery v0.1.0 cannot contain the skill's name or one of its files",
    """OpenCode reads discovery v0.1.0 from the addresses in its `skills.urls` setting. In this
    format, each file of a skill is published under its own name. A skill is omitted if it contains
    an HTML page, a script or an active SVG, because such a file would run on the site. It is also
    omitted if the name of a file begins with a dot or cannot be used in a URL as it is. If several
    skills have the same name, OpenCode loads only one of them, so discovery v0.1.0 contains only
    one of them: the skill that has this name in formats without paths, or else the one nearest to
    the top of the source. All other formats contain the omitted skills. If the file cannot be
    renamed (a script, for example), the build reports no note; only the skill's page mentions the
    problem. To offer the skill to OpenCode, rename or exclude the file, or rename the skill.""",
    unlists=(Listing.DISCOVERY_01,),
    formats=("discovery",),
)
URI_TOO_LONG = spoils_listings(
    "uri-too-long",
    "a URI of the skill is longer than 2,048 bytes",
    """Clients and proxies reject or truncate longer URIs. The TypeScript SDK and FastMCP reject the
    whole MCP list if one URI is broken. Shorten the directory or file names.""",
)
