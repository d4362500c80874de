"""Rules about the source as a whole: where skills are, and the paths they are published at."""

from skillbuild.model import Listing
from skillbuild.rules.define import error, note, spoils_listings, warning

NO_SKILLS = error(
    "no-skills",
    "the source holds no skill",
    """An empty catalog is nearly always a wrong directory, a wrong revision or an `exclude` that
    covers too much. Pass --allow-empty where an empty catalog is meant.""",
)
SKILLS_HIDDEN = warning(
    "skills-hidden",
    "skills below dot-directories are left out, because there are skills elsewhere",
    """Skills in `.claude/skills/`, `.github/` and other dot-directories are found where a source
    has no others. With the first skill elsewhere they are no longer found, and agents lose them.
    Where they are fewer than those that are found, and not of plugins, it is a note, as they mostly
    serve work on the repository itself.
    Set `roots` to the folders of all skills that are meant to be published, or put those that are
    not into `exclude`.""",
)
SKILLS_BACKUP = warning(
    "skills-backup",
    "skills in a folder for backups are published",
    """Agents are offered the skills in `backups/`, `old-backup/`, `skills.bak/` and the like as
    they are the others. All else about them but errors is told as a note. Exclude the folders, or
    rename them where their skills are meant.""",
)
PATTERN_UNUSED = warning(
    "pattern-unused",
    "a glob in roots or exclude matches nothing",
    """A glob of `exclude` that matches no file, or of `roots` that matches no SKILL.md, is misspelt
    or left over, and agents may be given what it was to keep out. Globs are relative to
    skillbuild.toml and written as in `.gitignore`. Remove it, or correct it.""",
)
IGNORE_UNUSED = warning(
    "ignore-unused",
    "an entry of [[ignore]] silences nothing",
    """The findings that it silenced are fixed, or its rule or paths miss them; what agents would
    later be worse off for could be silenced unseen. Remove the entry, or correct it.""",
)
SKILL_FILE_CASE = error(
    "skill-file-case",
    "the file is not named exactly SKILL.md",
    """Clients look for `SKILL.md` in this exact case, so a `skill.md` is found on some file
    systems and lost on others. Rename it with `git mv`, or `mv` where git does not track it.""",
)
SKILL_AT_ROOT = error(
    "skill-at-root",
    "a SKILL.md at the root stands beside other skills",
    """A skill at the root owns every file below it, other skills included. Exclude either the
    root (`exclude = ["/SKILL.md"]`) or the skills below it.""",
)
TOO_MANY_ENTRIES = error(
    "too-many-entries",
    "the tree holds more files than one build reads",
    """A tree of over a million entries is a mistake or an attack. Point REPO at a directory
    inside the repository, or split it.""",
)
SOURCE_TOO_LARGE = error(
    "source-too-large",
    "the skills of the source have more than 2 GiB",
    """The different files of all skills together are more than a build publishes: no web host
    for static pages takes as much. Exclude data, or point REPO at a directory inside the
    repository.""",
)
SKILL_PATH_COLLISION = error(
    "skill-path-collision",
    "two skills would be published at the same place",
    """Two skills with different files have one skill path, one path lies inside the other without
    being nested in the source, or the paths differ only in case or in compatible characters, and
    the whole directories do not tell them apart either. One of them keeps the path. Or the path of
    a nested skill, which ends in its name, is that of another file of the outer skill. Give the
    skill another path under `[paths]` in skillbuild.toml.""",
)
SKILL_PATH_MOVED = note(
    "skill-path-moved",
    "the skill path is the whole directory, because a shorter one is not free",
    """Skill paths leave out `skills`, `plugins` and dot-directories. Where the path of another
    skill would then be the same, or one would lie inside the other, they stay in the path. Map the
    directory under `[paths]` to choose a path that no other skill can move.""",
)
NESTED_LEFT_OUT = warning(
    "nested-left-out",
    "the files of a skill that is left out are published with its outer skill",
    """With --skip-invalid an invalid skill is left out, but a skill around it has all files below
    its own directory, those of the nested skill included, and agents that are given the outer skill
    can read them there. Fix the nested skill, or move it out of the outer one.""",
)
VERSION_ADDRESS = error(
    "version-address",
    "two versions would be published at one address",
    """With `[versions]`, the files of a version are published at the first 16 hex digits of their
    digest, for ever. Two versions with the same 16 digits do not come about by chance: somebody has
    searched for them, so that one passes for the other. Change a file of one of them, or name an
    older one under `[yanked]`.""",
)
SKILL_PATH_SEGMENT = error(
    "skill-path-segment",
    "a directory name cannot stand in a skill path",
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
    "the first segment of the skill path breaks URL parsers",
    """The first segment of the path is the authority of the URI. Outside `[a-z0-9._-]` strict
    MCP clients fail to parse it and drop the whole listing. Map the directory under `[paths]`.""",
)
DISCOVERY_OMITTED = note(
    "discovery-omitted",
    "a file or the name of the skill cannot be offered in discovery v0.1.0",
    """That index needs the files of a skill under their own names, and on the site itself a page, a
    script or an SVG that is more than a picture would run; and OpenCode, which reads it, loads only
    one of several skills with one name, so one of them is offered: that whose flat name it is, or
    else the one nearest to the top. A skill with such a file, with a file whose name begins with a
    dot or is no plain address, or with the name of one that is offered is in every other format and
    not offered by `skills.urls`. Rename or exclude what stands in the way where that matters. What
    would be of no use under another name, such as a script, is told on the page of the skill
    only.""",
    unlists=(Listing.DISCOVERY_01,),
    formats=("discovery",),
)
URI_TOO_LONG = spoils_listings(
    "uri-too-long",
    "a URI of the skill is longer than 2,048 bytes",
    """Clients and proxies refuse or cut longer URIs, and strict MCP clients drop the whole listing
    for a broken one. Shorten the directory or file names.""",
)
