"""Pass one over the source: where the skills are, and the path each will be published under.

Only the listing and the headers are read, so cross-skill links and path rules can be judged
before any skill is checked.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from skillbuild import discover, header, names
from skillbuild.config import Config
from skillbuild.diagnostics import Diagnostic, Rule, finding
from skillbuild.discover import SKILL_FILE, inside, parent
from skillbuild.git import MOST_ENTRIES
from skillbuild.model import Place
from skillbuild.rules import source as rules
from skillbuild.source import Leaf, Reader
from skillbuild.uris import LONGEST_URI, skill_uri

_DROPPED_SEGMENTS = frozenset(["skills", "plugins"])


@dataclass(frozen=True, slots=True)
class Placed:
    """A skill of the source before it is read: `path` is None while its name is unusable.

    `leaves` are sorted by the bytes of their path, which is relative to the source.
    """

    directory: str
    leaves: tuple[Leaf, ...]
    path: str | None = None
    name_place: Place | None = None
    outer: str | None = None
    """Directory of the skill that this one is nested in."""

    @property
    def skill_file(self) -> str:
        return inside(self.directory, SKILL_FILE)

    def relative(self, leaf: Leaf) -> str:
        return leaf.path[len(self.directory) + 1 :] if self.directory else leaf.path


@dataclass(frozen=True, slots=True)
class Outline:
    """Every skill of the source, sorted by directory, and what is wrong between them."""

    by_directory: Mapping[str, Placed]
    found: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    """Findings by the directory of the skill that they refuse or remark on."""
    general: tuple[Diagnostic, ...] = ()
    """Findings that concern no skill."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Every SKILL.md that was passed over, and why."""

    @property
    def skills(self) -> tuple[Placed, ...]:
        return tuple(self.by_directory.values())

    def skill_at(self, path: str) -> Placed | None:
        """The innermost skill that a path of the source lies in."""
        folders = [path, *reversed(names.prefixes(path)), ""]
        return next((self.by_directory[one] for one in folders if one in self.by_directory), None)


def outline(
    leaves: Sequence[Leaf], reader: Reader, config: Config, without: Collection[str] = ()
) -> Outline:
    """Find the skills and their paths; `without` names directories to treat as not there."""
    if len(leaves) > MOST_ENTRIES:
        message = f"{len(leaves):,} files; the limit is {MOST_ENTRIES:,}"
        hint = "pass a directory inside the repository as REPO"
        return Outline({}, general=(finding(rules.TOO_MANY_ENTRIES, ".", None, message, hint),))
    where = discover.find(leaves, config)
    stray = [item for item in where.misspelt if item.path not in without]
    kept = [directory for directory in where.directories if directory not in without]
    skills = _named(_with_leaves(kept, leaves), reader, config)
    found = _judge(skills)
    if skills and skills[0].directory == "" and len(skills) > 1:
        found[""] += (_root_fault(len(skills) - 1),)
    by_directory = {skill.directory: skill for skill in skills}
    return Outline(by_directory, found, tuple(stray), where.ignored)


def _root_fault(others: int) -> Diagnostic:
    return finding(
        rules.SKILL_AT_ROOT,
        SKILL_FILE,
        Place(1, 1),
        f"a skill at the root would contain {others} other skills",
        'exclude one side in skillbuild.toml: exclude = ["/SKILL.md"], or the others',
    )


def _with_leaves(directories: Sequence[str], leaves: Iterable[Leaf]) -> list[Placed]:
    """Give every skill the leaves below it; a nested skill's leaves belong to the outer one too."""
    known = set(directories)
    owned: dict[str, list[Leaf]] = defaultdict(list)

    @functools.cache
    def owners(folder: str) -> tuple[str, ...]:
        above = owners(parent(folder)) if folder else ()
        return (*above, folder) if folder in known else above

    for leaf in leaves:
        for directory in owners(parent(leaf.path)):
            owned[directory].append(leaf)
    return [
        Placed(
            directory,
            tuple(sorted(owned[directory], key=_bytes_of_path)),
            outer=next(iter(reversed(owners(parent(directory)))), None) if directory else None,
        )
        for directory in directories
    ]


def _bytes_of_path(leaf: Leaf) -> bytes:
    return leaf.path.encode(errors="surrogateescape")


def _named(skills: Sequence[Placed], reader: Reader, config: Config) -> list[Placed]:
    """Read the headers and work out the paths; outer skills come before the ones inside them."""
    heads = [_skill_leaf(skill) for skill in skills]
    sizes = reader.sizes(heads)
    limit = config.limits.bytes
    readable = [i for i, size in enumerate(sizes) if size is not None and size <= limit]
    placed = {skill.directory: skill for skill in skills}
    for index, data in zip(readable, reader.read([heads[i] for i in readable]), strict=True):
        skill = skills[index]
        if data is not None:
            placed[skill.directory] = _place(skill, data, placed, config)
    return list(placed.values())


def _skill_leaf(skill: Placed) -> Leaf:
    return next(leaf for leaf in skill.leaves if leaf.path == skill.skill_file)


def _place(skill: Placed, data: bytes, placed: Mapping[str, Placed], config: Config) -> Placed:
    frontmatter = header.read(data, skill.skill_file).frontmatter
    name = frontmatter.value.get("name") if frontmatter else None
    if frontmatter is None or not isinstance(name, str) or not is_name(name):
        return skill
    outer = placed[skill.outer].path if skill.outer is not None else None
    if outer is not None and skill.outer is not None:
        path = f"{outer}/{skill.directory.removeprefix(skill.outer).lstrip('/')}"
    else:
        path = _path(skill.directory, name, config.paths)
    return Placed(skill.directory, skill.leaves, path, frontmatter.place("name"), skill.outer)


def is_name(name: str) -> bool:
    return len(name) <= names.LONGEST_NAME and names.SKILL_NAME.fullmatch(name) is not None


def _path(directory: str, name: str, paths: Mapping[str, str]) -> str:
    if directory in paths:
        return paths[directory]
    above = parent(directory)
    for folder in [above, *reversed(names.prefixes(above))]:
        if folder and folder in paths:
            rest = above[len(folder) :]
            return "/".join([*filter(None, [paths[folder]]), *_segments(rest), name])
    return "/".join([*_segments(above), name])


def _segments(directory: str) -> list[str]:
    return [
        part
        for part in directory.split("/")
        if part and part not in _DROPPED_SEGMENTS and not part.startswith(".")
    ]


def _judge(skills: Sequence[Placed]) -> defaultdict[str, tuple[Diagnostic, ...]]:
    """What is wrong with the paths: by themselves, and between two skills."""
    found: defaultdict[str, tuple[Diagnostic, ...]] = defaultdict(tuple)
    by_key: dict[str, list[Placed]] = defaultdict(list)
    for skill in skills:
        if skill.path is not None:
            found[skill.directory] += tuple(_path_faults(skill, skill.path))
            by_key[names.collision_key(skill.path)].append(skill)
    for key, same in by_key.items():
        for skill in same:
            others = [other for other in same if other is not skill]
            above = [one for part in names.prefixes(key) for one in by_key.get(part, ())]
            clashes = others + [one for one in above if not _is_within(skill, one)]
            for other in clashes:
                found[skill.directory] += (_collision(skill, other),)
            for other in clashes[len(others) :]:
                found[other.directory] += (_collision(other, skill),)
    return found


def _is_within(inner: Placed, outer: Placed) -> bool:
    return inner.outer is not None and f"{inner.directory}/".startswith(f"{outer.directory}/")


def _collision(skill: Placed, other: Placed) -> Diagnostic:
    return finding(
        rules.SKILL_PATH_COLLISION,
        skill.skill_file,
        skill.name_place,
        f"skill path {skill.path} clashes with {other.path} of {other.skill_file}",
        f'set another path in skillbuild.toml: [paths] "{skill.directory}" = "other/'
        f'{(skill.path or "").rpartition("/")[2]}"',
    )


def _path_faults(skill: Placed, path: str) -> Iterable[Diagnostic]:
    def say(rule: Rule, message: str) -> Diagnostic:
        hint = f'map the directory in skillbuild.toml: [paths] "{skill.directory}" = "…/name"'
        return finding(rule, skill.skill_file, skill.name_place, message, hint.replace("…", "x"))

    segments = path.split("/")
    for segment in segments:
        fault = "a lone -" if segment == "-" else names.segment_fault(segment)
        if fault:
            yield say(rules.SKILL_PATH_SEGMENT, f"skill path {path} contains {fault}")
    if not names.AUTHORITY.fullmatch(segments[0]):
        yield say(
            rules.SKILL_PATH_AUTHORITY,
            f"{segments[0]!r} cannot stand first in a URI; clients that list skills stop there",
        )
    if len(skill_uri(path).encode(errors="replace")) > LONGEST_URI:
        yield say(rules.URI_TOO_LONG, f"the URI of the skill is over {LONGEST_URI:,} bytes")
