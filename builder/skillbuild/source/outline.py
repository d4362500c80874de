"""Pass one over the source: where the skills are, and the path each will be published under.

Only the listing and the headers are read, so cross-skill links and path rules can be judged
before any skill is checked.
"""

from __future__ import annotations

import difflib
import functools
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.errors import ConfigError
from skillbuild.model import Place
from skillbuild.paths import (
    AUTHORITY,
    LONGEST_NAME,
    SKILL_NAME,
    collision_key,
    is_git_alias,
    prefixes,
    segment_fault,
)
from skillbuild.rules import source as rules
from skillbuild.source import discovery
from skillbuild.source.discovery import SKILL_FILE, inside, parent
from skillbuild.source.flat_names import flat_names
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.skill_md import read_skill_md
from skillbuild.source.tree import Leaf, Reader
from skillbuild.uris import LONGEST_URI, skill_uri

_RESERVED_SEGMENTS = frozenset(["-", "index.html", ".well-known"])
_DROPPED_SEGMENTS = frozenset(["skills", "plugins"])


@dataclass(frozen=True, slots=True)
class SkillTree:
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

    by_directory: Mapping[str, SkillTree]
    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    """Findings by the directory of the skill that they refuse or remark on."""
    general: tuple[Finding, ...] = ()
    """Findings that concern no skill."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Every SKILL.md that was passed over, and why."""
    flat_names: Mapping[str, str] = field(default_factory=dict)
    """Names for formats without paths, by the path of the skill."""

    @property
    def skills(self) -> tuple[SkillTree, ...]:
        return tuple(self.by_directory.values())

    def skill_at(self, path: str) -> SkillTree | None:
        """The innermost skill that a path of the source lies in."""
        while path and path not in self.by_directory:
            path = parent(path)
        return self.by_directory.get(path)


DeclaredName = tuple[str, Place | None]
"""A name, and where it stands in its file."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What the listing and the headers say, read once however many skills are left out later.

    `leaves` are sorted by the bytes of their path.
    """

    leaves: Sequence[Leaf]
    found: discovery.Found
    names: Mapping[str, DeclaredName]
    """Usable names by directory, with where they stand."""


def survey(
    leaves: Sequence[Leaf],
    config: Config,
    read: Callable[[Sequence[Leaf]], Iterable[tuple[str, DeclaredName]]],
    known: Mapping[str, DeclaredName] = MappingProxyType({}),
) -> Survey:
    """Find the skills and `read` their names, as `read_names` does; `known` are by object id."""
    if len(leaves) > MOST_ENTRIES:
        return Survey(leaves, discovery.Found((), {}, ()), {})
    leaves, written = discovery.without_outputs(leaves)
    leaves = sorted(leaves, key=_bytes_of_path)
    found = discovery.find(leaves, config)
    found = replace(found, ignored={**found.ignored, **written})
    _refuse_unused_paths(found, config)
    wanted = {inside(directory, SKILL_FILE): directory for directory in found.directories}
    heads = [leaf for leaf in leaves if leaf.path in wanted]
    named = {wanted[leaf.path]: known[leaf.object_id] for leaf in heads if leaf.object_id in known}
    unread = [leaf for leaf in heads if wanted[leaf.path] not in named]
    return Survey(leaves, found, named | {wanted[path]: name for path, name in read(unread)})


def _refuse_unused_paths(found: discovery.Found, config: Config) -> None:
    """A key of [paths] that names nothing is a slip, and would change paths in silence."""
    if not config.paths:
        return
    skills = [*found.directories, *(parent(item.path) for item in found.misspelt)]
    known = {part for path in skills for part in [path, *prefixes(path)]}
    for directory in config.paths if skills else ():
        if directory not in known:
            close = difflib.get_close_matches(directory, sorted(known), n=1)
            remedy = f"did you mean {close[0]}?" if close else "name a directory with skills"
            raise ConfigError(f"{CONFIG_FILE}: [paths] {directory!r} holds no skill; {remedy}")


def plan(surveyed: Survey, config: Config, without: Collection[str] = ()) -> Outline:
    """Give every skill its path; `without` names directories to treat as not there."""
    where, count = surveyed.found, len(surveyed.leaves)
    if count > MOST_ENTRIES:
        message = f"{count:,} files; the limit is {MOST_ENTRIES:,}"
        hint = "pass a directory inside the repository as REPO"
        return Outline({}, general=(finding(rules.TOO_MANY_ENTRIES, ".", None, message, hint),))
    stray = [item for item in where.misspelt if item.path not in without]
    kept = [directory for directory in where.directories if directory not in without]
    by_directory = _place_all(kept, surveyed, config)
    skills = list(by_directory.values())
    found = _judge(skills)
    flat = flat_names([skill.path for skill in skills if skill.path])
    if "discovery" in config.formats or "marketplace" in config.formats:
        _judge_flat_names(skills, flat, found, config.formats)
    if "" in by_directory and len(by_directory) > 1:
        found[""] += (_root_fault(len(by_directory) - 1),)
    return Outline(by_directory, found, tuple(stray), where.ignored, flat)


def outline(
    leaves: Sequence[Leaf], reader: Reader, config: Config, without: Collection[str] = ()
) -> Outline:
    """Survey and plan in one."""
    read = functools.partial(read_names, reader=reader, config=config)
    return plan(survey(leaves, config, read), config, without)


def _root_fault(others: int) -> Finding:
    return finding(
        rules.SKILL_AT_ROOT,
        SKILL_FILE,
        Place(1, 1),
        f"a skill at the root would contain the other ones ({others})",
        'exclude one side in skillbuild.toml: exclude = ["/SKILL.md"], or the others',
    )


def _place_all(
    directories: Sequence[str], surveyed: Survey, config: Config
) -> dict[str, SkillTree]:
    """Outer skills are placed before the ones inside them; they hold the leaves of these too."""
    placed: dict[str, SkillTree] = {}
    so_far = Outline(placed)
    keys = [_bytes_of_path(leaf) for leaf in surveyed.leaves]
    for directory in directories:
        leaves = tuple(surveyed.leaves[_below(directory, keys)])
        outer = so_far.skill_at(parent(directory)) if directory else None
        named = surveyed.names.get(directory)
        placed[directory] = _place(directory, leaves, outer, named, config.paths)
    return placed


def _below(directory: str, keys: Sequence[bytes]) -> slice:
    """Where what lies in a directory stands among sorted paths."""
    if not directory:
        return slice(None)
    start = directory.encode(errors="surrogateescape")
    first = bisect_left(keys, start + b"/")
    return slice(first, bisect_left(keys, start + _AFTER_SLASH, first))


_AFTER_SLASH = b"0"


def _bytes_of_path(leaf: Leaf) -> bytes:
    return leaf.path.encode(errors="surrogateescape")


def read_names(
    heads: Sequence[Leaf], reader: Reader, config: Config
) -> Iterator[tuple[str, DeclaredName]]:
    """The usable names in headers, by the path of the SKILL.md."""
    for leaf, data in _read_all(heads, reader, config.limits.bytes):
        frontmatter = read_skill_md(data, leaf.path).frontmatter if data is not None else None
        name = frontmatter.value.get("name") if frontmatter else None
        if frontmatter is not None and isinstance(name, str) and is_name(name):
            yield leaf.path, (name, frontmatter.place("name"))


_BYTES_AT_ONCE = 64 * 1024 * 1024


def _read_all(
    leaves: Sequence[Leaf], reader: Reader, limit: int
) -> Iterator[tuple[Leaf, bytes | None]]:
    """Contents of files up to a size, so many at a time that memory stays bounded."""
    group: list[Leaf] = []
    held = 0
    for leaf, size in zip(leaves, reader.sizes(leaves), strict=True):
        if size is None or size > limit:
            continue
        if held + size > _BYTES_AT_ONCE:
            yield from zip(group, reader.read(group), strict=True)
            group, held = [], 0
        group.append(leaf)
        held += size
    yield from zip(group, reader.read(group), strict=True)


def _place(
    directory: str,
    leaves: tuple[Leaf, ...],
    outer: SkillTree | None,
    named: DeclaredName | None,
    paths: Mapping[str, str],
) -> SkillTree:
    path = place = None
    if named is not None:
        name, place = named
        if outer is not None and outer.path is not None:
            path = f"{outer.path}/{directory.removeprefix(outer.directory).lstrip('/')}"
        else:
            path = _path(directory, name, paths)
    return SkillTree(directory, leaves, path, place, outer.directory if outer else None)


def is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and SKILL_NAME.fullmatch(name) is not None


def _path(directory: str, name: str, paths: Mapping[str, str]) -> str:
    if directory in paths:
        return paths[directory]
    above = parent(directory)
    for folder in [above, *reversed(prefixes(above))] if paths else ():
        if folder and folder in paths:
            rest = above[len(folder) :]
            return "/".join([*filter(None, [paths[folder]]), *_segments(rest), name])
    return "/".join([*_segments(above), name])


@functools.lru_cache
def _segments(directory: str) -> tuple[str, ...]:
    return tuple(
        part
        for part in directory.split("/")
        if part and part not in _DROPPED_SEGMENTS and not part.startswith(".")
    )


def _judge(skills: Sequence[SkillTree]) -> defaultdict[str, tuple[Finding, ...]]:
    """What is wrong with the paths: by themselves, and between two skills."""
    found: defaultdict[str, tuple[Finding, ...]] = defaultdict(tuple)
    by_key: dict[str, list[SkillTree]] = defaultdict(list)
    for skill in skills:
        if skill.path is not None:
            if faults := tuple(_path_faults(skill, skill.path)):
                found[skill.directory] = faults
            by_key[collision_key(skill.path)].append(skill)
    above: dict[str, list[SkillTree]] = {}
    for key, same in by_key.items():
        folder = key[: key.rfind("/") + 1]
        if folder not in above:
            parts = prefixes(folder)
            above[folder] = [one for part in parts for one in by_key.get(part, ())]
        if len(same) > 1 or above[folder]:
            _judge_clashes(same, above[folder], found)
    return found


def _judge_clashes(
    same: Sequence[SkillTree],
    above: Sequence[SkillTree],
    found: defaultdict[str, tuple[Finding, ...]],
) -> None:
    """Refuse skills with one path, and those whose path leads through one that holds no others."""
    for skill in same:
        other_same = same[:1] if skill is not same[0] else same[1:2]
        apart = [one for one in above if not _is_within(skill, one)]
        for other in [*other_same, *apart[:1]]:
            found[skill.directory] += (_collision(skill, other),)
        for other in apart:
            if not any(item.rule is rules.SKILL_PATH_COLLISION for item in found[other.directory]):
                found[other.directory] += (_collision(other, skill),)


def _judge_flat_names(
    skills: Sequence[SkillTree],
    flat: Mapping[str, str],
    found: defaultdict[str, tuple[Finding, ...]],
    formats: Collection[str],
) -> None:
    """Name the skills that formats without paths leave out, unless their path is wrong anyway."""
    for skill in skills:
        if not skill.path or skill.directory in found:
            continue
        if skill.path not in flat:
            joined = skill.path.replace("/", "-")
            message = f"another skill has the same name, and {joined} is taken or no valid name"
            rule, hint = rules.FLAT_NAME, _map_hint(skill)
        elif flat[skill.path] != skill.path.rpartition("/")[2] and "discovery" in formats:
            message = "another skill has the same name: left out of discovery v0.1.0 (OpenCode)"
            rule, hint = rules.DISCOVERY_OMITTED, "rename the skill where that matters"
        else:
            continue
        remark = finding(rule, skill.skill_file, skill.name_place, message, hint)
        found[skill.directory] += (remark,)


def _is_within(inner: SkillTree, outer: SkillTree) -> bool:
    above = f"{outer.directory}/" if outer.directory else ""
    return inner.outer is not None and inner.directory.startswith(above)


def _collision(skill: SkillTree, other: SkillTree) -> Finding:
    return finding(
        rules.SKILL_PATH_COLLISION,
        skill.skill_file,
        skill.name_place,
        f"skill path {skill.path} clashes with {other.path} of {other.skill_file}",
        _map_hint(skill),
    )


def _map_hint(skill: SkillTree) -> str:
    name = (skill.path or "").rpartition("/")[2]
    return f'set another path in skillbuild.toml: [paths] "{skill.directory}" = "other/{name}"'


@functools.lru_cache(1024)
def path_segment_fault(segment: str) -> str | None:
    """Why a segment can be in no skill path, or None."""
    if segment in _RESERVED_SEGMENTS:
        return f"the segment {segment}, which the catalog needs for itself"
    if is_git_alias(segment):
        return f"{segment!r}, which is taken for .git"
    return segment_fault(segment)


def _path_faults(skill: SkillTree, path: str) -> Iterable[Finding]:
    def say(rule: Rule, message: str) -> Finding:
        return finding(rule, skill.skill_file, skill.name_place, message, _map_hint(skill))

    segments = path.split("/")
    for segment in segments:
        if fault := path_segment_fault(segment):
            yield say(rules.SKILL_PATH_SEGMENT, f"skill path {path} contains {fault}")
    if not AUTHORITY.fullmatch(segments[0]):
        yield say(
            rules.SKILL_PATH_AUTHORITY,
            f"{segments[0]!r} cannot stand first in a URI; clients that list skills stop there",
        )
    if len(skill_uri(path).encode(errors="replace")) > LONGEST_URI:
        yield say(rules.URI_TOO_LONG, f"the URI of the skill is over {LONGEST_URI:,} bytes")
