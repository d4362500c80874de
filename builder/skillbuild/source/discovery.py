"""Which directories of a source are skills, and what is read of each before any is checked.

The listing of the source and the names of its skills are read once, however many skills are left
out later.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, finding, in_command
from skillbuild.model import Place
from skillbuild.paths import SKILL_FILE, base_name, inside, is_skill_name, parent, prefixes
from skillbuild.release.frontmatter import is_internal
from skillbuild.rules import source as rules
from skillbuild.setting_lines import SettingError
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.globs import (
    excluded_files,
    excluded_leaves,
    excluder,
    matcher,
    require_good_globs,
)
from skillbuild.source.skill_md import read_skill_md
from skillbuild.source.tree import Kind, Leaf, Reader, locating

JUNK_DIRECTORIES = frozenset(["__pycache__", "node_modules"])
"""Directories of caches: nothing in them belongs to a skill."""
_JUNK = re.compile(
    r"\.gitignore|\.gitattributes|\.gitkeep|\.gitmodules|\.DS_Store|.*\.pyc", re.DOTALL
)
"""Names of files that belong to a repository or a cache, and to no skill."""
_BYTES_AT_ONCE = 64 * 1024 * 1024
"""Contents that are held in memory together while names are read."""

_BLOBS = "/blobs/sha256/"
"""What is in the path of every addressed file of an output."""

_MOST_LINKS = 10_000
"""Links that are read; it is not asked where the rest lead."""
_LONGEST_TARGET = 4096
"""Bytes of what a link holds, as in Linux."""
_MOST_HOPS, _MOST_SEGMENTS = 8, 64
"""Links on the way from one link to its end, and segments still to walk; beyond is nowhere."""
_NAMES = frozenset(["skills", "plugins"])
"""Directories in which a submodule is meant to hold skills."""
DOT_DIRECTORY = "dot-directory"
"""Why a SKILL.md below a dot-directory is passed over."""
_NOWHERE = "/"
"""Stands for the target of a link that was not read: it leads out of the source."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The skills of the source, and every file that looks like the SKILL.md of one but is not."""

    directories: tuple[str, ...]
    """Directories of the skills, sorted; empty for one at the top of the source."""
    ignored: Mapping[str, str]
    """By the path of each SKILL.md that is passed over, the reason; with `links`, of others too."""
    misspelled: tuple[Finding, ...]
    """One for each file that would make a skill if its name were spelled `SKILL.md`."""


class DeclaredName(NamedTuple):
    """The name that a SKILL.md declares, and where it stands in the file."""

    name: str
    place: Place | None
    is_internal: bool = False

    @property
    def is_title(self) -> bool:
        """Whether the name is a text for people, which the specification allows no skill."""
        return not is_skill_name(self.name)


NameReader = Callable[[Sequence[Leaf]], Iterable[tuple[str, DeclaredName]]]
"""Reads the names in files SKILL.md, as `read_names` does."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The leaves of the source that `exclude` leaves in it, and the skills among them.

    The leaves are sorted by the bytes of their path.
    """

    leaves: Sequence[Leaf]
    discovered: Discovered
    names: Mapping[str, DeclaredName]
    """By the directory of each skill whose SKILL.md declares a text as its name."""
    excluded: tuple[str, ...] = ()
    """Paths of the files in skills that `exclude` takes out of them, sorted; no leaves."""


def survey(leaves: Sequence[Leaf], config: Config, read: NameReader, reader: Reader) -> Survey:
    """Find the skills among all leaves of the source, and their names.

    `reader` reads where links lead.

    Of a source with more than `MOST_ENTRIES` leaves nothing is read. Raises `ConfigError` for a
    bad glob, and for a key of `[paths]` that is no directory above a skill.
    """
    if len(leaves) > MOST_ENTRIES:
        return Survey(leaves, Discovered((), {}, ()), {})
    every = leaves
    with locating(every, reader):
        require_good_globs(config)
    leaves, written = without_outputs(leaves)
    leaves = sorted(leaves, key=bytes_of_path)
    discovered = find(leaves, config)
    aliases = _in_place_of_skills(leaves, discovered, config, reader)
    discovered = replace(discovered, ignored={**aliases, **discovered.ignored, **written})
    with locating(every, reader):
        _refuse_unused_paths(discovered, config)
    skills = frozenset(discovered.directories)
    covered = excluded_leaves(leaves, config)
    excluded = excluded_files(covered, skills, discovered.ignored)
    if covered:
        gone = {leaf.path for leaf in covered}
        leaves = [leaf for leaf in leaves if leaf.path not in gone]
    directories = {inside(folder, SKILL_FILE): folder for folder in discovered.directories}
    skill_files = [leaf for leaf in leaves if leaf.path in directories]
    names = {directories[path]: name for path, name in read(skill_files)}
    return Survey(leaves, discovered, names, excluded)


def bytes_of_path(leaf: Leaf) -> bytes:
    """The path of a leaf as git has it, by which leaves are sorted."""
    return leaf.path.encode(errors="surrogateescape")


def _refuse_unused_paths(discovered: Discovered, config: Config) -> None:
    """Raise for a misspelled key of [paths], which would change the paths of skills in silence."""
    if not config.paths:
        return
    skills = [*discovered.directories, *(parent(item.path) for item in discovered.misspelled)]
    directories = {part for path in skills for part in [path, *prefixes(path)]}
    for key in config.paths if skills else ():
        if key not in directories:
            close = difflib.get_close_matches(key, sorted(directories), n=1)
            remedy = f"did you mean {close[0]}?" if close else "name a directory with skills"
            raise SettingError(f"[paths] {key!r} holds no skill; {remedy}", "paths", key)


def read_names(
    skill_files: Sequence[Leaf], reader: Reader, config: Config
) -> Iterator[tuple[str, DeclaredName]]:
    """Path and name of every SKILL.md that declares a text as its name.

    Files that cannot be read, or are larger than a skill may be, are passed over: the check of
    the skill says so.
    """
    for leaf, data in _contents(skill_files, reader, config.limits.bytes):
        frontmatter = read_skill_md(data, leaf.path).frontmatter if data is not None else None
        name = frontmatter.value.get("name") if frontmatter else None
        if frontmatter is not None and isinstance(name, str):
            place = frontmatter.place("name")
            yield leaf.path, DeclaredName(name, place, is_internal(frontmatter.value))


def _contents(
    leaves: Sequence[Leaf], reader: Reader, limit: int
) -> Iterator[tuple[Leaf, bytes | None]]:
    """Contents of the files of at most `limit` bytes, read in groups that fit into memory."""
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


def find(leaves: Sequence[Leaf], config: Config) -> Discovered:
    """Apply `roots` and `exclude` of the settings to the leaves of the source.

    Without `roots`, skills in dot-directories (`.claude/skills/`) count if there are no others.
    """
    endings = [leaf for leaf in leaves if leaf.path[-8:].lower() == "skill.md"]
    candidates = [leaf for leaf in endings if base_name(leaf.path).lower() == "skill.md"]
    spelled = [leaf for leaf in candidates if leaf.path.endswith(SKILL_FILE)]
    selection = _selection(spelled, config)
    reasons = selection.reasons_against(spelled)
    directories = {parent(path) for path, reason in reasons if reason is None}
    ignored = {leaf.path: str(leaf.kind) for leaf in spelled if not leaf.is_file}
    ignored |= {path: reason for path, reason in reasons if reason}
    misspelled = tuple(map(_misspelled, _alone(candidates, selection)))
    return Discovered(tuple(sorted(directories)), ignored, misspelled)


def ignored_places(leaves: Sequence[Leaf], config: Config) -> Callable[[str], bool]:
    """A test whether a skill in a directory would be passed over, if there was one.

    `leaves` are all of the source. Directories of outputs are passed over, too.
    """
    left = without_outputs(leaves)[0]
    outputs = tuple(f"{folder}/" for folder in output_folders(leaf.path for leaf in leaves))
    spelled = [leaf for leaf in left if base_name(leaf.path) == SKILL_FILE]
    selection = _selection(spelled, config)

    def is_ignored(directory: str) -> bool:
        path = inside(directory, SKILL_FILE)
        return path.startswith(outputs) or selection.reason_against(path) is not None

    return is_ignored


def _selection(skill_files: Sequence[Leaf], config: Config) -> _Selection:
    """What the settings select, given every SKILL.md of the source that is in no output."""
    selection = _Selection(matcher(config.roots) if config.roots else None, matcher(config.exclude))
    if config.roots or not all(reason for _, reason in selection.reasons_against(skill_files)):
        return selection
    return replace(selection, with_dot_directories=True)


def _alone(candidates: Sequence[Leaf], selection: _Selection) -> list[str]:
    """Paths of misspelled SKILL.md that no right one stands beside, where skills are selected."""
    wrong = [
        leaf.path for leaf in candidates if leaf.is_file and not leaf.path.endswith(SKILL_FILE)
    ]
    if not wrong:
        return []
    right = {parent(leaf.path) for leaf in candidates if leaf.path.endswith(SKILL_FILE)}
    alone = [path for path in wrong if parent(path) not in right]
    return [path for path in alone if selection.reason_against(path) is None]


def is_junk(path: str) -> bool:
    """Whether a file does not belong to the skill that it lies in; the path is relative to that."""
    segments = path.split("/")
    return not JUNK_DIRECTORIES.isdisjoint(segments) or bool(_JUNK.fullmatch(segments[-1]))


def output_folders(paths: Iterable[str]) -> frozenset[str]:
    """The folders of the outputs among files: those with `catalog.json` and `blobs/sha256/`."""
    records, blobs = set[str](), set[str]()
    for path in paths:
        if path.endswith("/catalog.json"):
            records.add(parent(path))
        elif _BLOBS in path:
            blobs.add(path[: path.index(_BLOBS)])
    return frozenset(records & blobs)


def is_place_of_skills(path: str) -> bool:
    """Whether a SKILL.md below a dot-directory is meant as a skill: it has `skills` above it."""
    segments = path.split("/")[:-1]
    return "skills" in segments and not segments[-1].startswith(".")


def without_outputs(leaves: Sequence[Leaf]) -> tuple[Sequence[Leaf], dict[str, str]]:
    """Leaves that no earlier build wrote into the source, and the SKILL.md that one did write.

    The second are paths with the reason `output`.
    """
    outputs = output_folders(leaf.path for leaf in leaves)
    if not outputs:
        return leaves, {}
    starts = tuple(f"{folder}/" for folder in outputs)
    written = [leaf.path for leaf in leaves if leaf.path.startswith(starts)]
    ignored = {path: "output" for path in written if base_name(path) == SKILL_FILE}
    return [leaf for leaf in leaves if not leaf.path.startswith(starts)], ignored


@dataclass(frozen=True, slots=True)
class _Selection:
    """What the settings say of where skills are; `is_root` is None without `roots`."""

    is_root: Callable[[str], bool] | None
    is_excluded: Callable[[str], bool]
    with_dot_directories: bool = False

    def reasons_against(self, leaves: Sequence[Leaf]) -> list[tuple[str, str | None]]:
        """Path, and `reason_against` it, of the leaves that are files."""
        paths = [leaf.path for leaf in leaves if leaf.is_file]
        return [(path, self.reason_against(path)) for path in paths]

    def reason_against(self, path: str) -> str | None:
        """Why a SKILL.md at `path` makes no skill of this source, or None if it makes one."""
        segments = path.split("/")[:-1]
        if self.is_excluded(path):
            return "excluded"
        if not JUNK_DIRECTORIES.isdisjoint(segments):
            return "junk"
        if self.is_root is not None:
            return None if self.is_root(path) else "outside roots"
        if not path.startswith(".") and "/." not in path:
            return None
        is_used = self.with_dot_directories and is_place_of_skills(path)
        return None if is_used else DOT_DIRECTORY


def _misspelled(path: str) -> Finding:
    paths = in_command([path, inside(parent(path), SKILL_FILE)])
    hint = f"git mv {paths} || mv {paths}"
    message = f"{base_name(path)} is not named {SKILL_FILE}, so clients do not find the skill"
    return finding(rules.SKILL_FILE_CASE, path, None, message, hint)


# Links and submodules where skills are meant: they are not followed, so a build counts them. A link
# is resolved in the listing of the source and never on disk.


def _in_place_of_skills(
    leaves: Sequence[Leaf], discovered: Discovered, config: Config, reader: Reader
) -> dict[str, str]:
    """The links and submodules of a source that stand for skills: by path, why they are ignored.

    A link counts if it leads to a directory with a SKILL.md or above some, or if it leads nowhere
    and stands where skills do; a submodule counts by its place. Inside of a skill nothing counts:
    there it is an error of that skill.
    """
    candidates = [leaf for leaf in leaves if leaf.kind in (Kind.LINK, Kind.SUBMODULE)]
    if not candidates:
        return {}
    passed_over = {parent(path) for path in discovered.ignored} - {""}
    skills = passed_over.union(discovered.directories)
    around = _Surroundings.of(leaves, skills, _targets(candidates, reader))
    is_excluded = excluder(config)
    return {
        leaf.path: "excluded" if is_excluded(leaf) else str(leaf.kind)
        for leaf in candidates
        if around.stands_for_skills(leaf)
    }


def _targets(leaves: Iterable[Leaf], reader: Reader) -> dict[str, str]:
    """What each link holds, by its path."""
    links = [leaf for leaf in leaves if leaf.kind is Kind.LINK]
    targets = {leaf.path: _NOWHERE for leaf in links}
    sizes = zip(links, reader.sizes(links[:_MOST_LINKS]), strict=False)
    short = [leaf for leaf, size in sizes if size is not None and size <= _LONGEST_TARGET]
    for leaf, data in zip(short, reader.read(short), strict=True):
        if data:
            targets[leaf.path] = data.decode(errors="surrogateescape")
    return targets


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """Where skills stand, and where links lead."""

    paths: Sequence[str]
    """Every path of the source, sorted."""
    skill_files: Sequence[str]
    """Every path of a SKILL.md, sorted."""
    skills: Set[str]
    """The directories with a SKILL.md."""
    folders: Set[str]
    """The directories right above those of skills, without the top of the source."""
    targets: Mapping[str, str]

    @classmethod
    def of(
        cls, leaves: Sequence[Leaf], skills: Set[str], targets: Mapping[str, str]
    ) -> _Surroundings:
        return cls(
            sorted(leaf.path for leaf in leaves),
            sorted(inside(directory, SKILL_FILE) for directory in skills),
            skills,
            {parent(directory) for directory in skills} - {""},
            targets,
        )

    def stands_for_skills(self, leaf: Leaf) -> bool:
        """Whether somebody meant the skills of a link or submodule to be found at its place."""
        above, segments = ["", *prefixes(leaf.path)], leaf.path.split("/")
        is_inside = not self.skills.isdisjoint(above)
        if is_inside or segments[-1] == SKILL_FILE or not JUNK_DIRECTORIES.isdisjoint(segments):
            return False
        if leaf.kind is Kind.SUBMODULE:
            return parent(leaf.path) in self.folders or not _NAMES.isdisjoint(segments)
        target = self.resolve(leaf.path)
        if target is None or not _is_there(target, self.paths):
            return self._is_place_of_skill(leaf.path)
        return target not in above and _starts_any(f"{target}/", self.skill_files)

    def _is_place_of_skill(self, link: str) -> bool:
        """Whether a link that leads nowhere has the name and the place of a skill, or its target.

        At the top of a source most directories are no skills, so there only the target tells.
        """
        folder, name = parent(link), base_name(link)
        leads_from_skills = base_name(parent(self.targets[link].rstrip("/"))) == "skills"
        is_place = base_name(folder) == "skills" or folder in self.folders or name == "skills"
        return is_skill_name(name) and (is_place or leads_from_skills)

    def resolve(self, link: str) -> str | None:
        """The path that a link leads to, through other links; None if it is not in the source."""
        at: list[str] = []
        rest = link.split("/")[::-1]
        hops = 0
        while rest:
            segment = rest.pop()
            if segment == ".." and not at:
                return None
            if segment == "..":
                at.pop()
            elif segment not in ("", "."):
                at.append(segment)
                target = self.targets.get("/".join(at))
                if target is not None:
                    hops += 1
                    at.pop()
                    rest += target.split("/")[::-1]
                    if target.startswith("/") or hops > _MOST_HOPS or len(rest) > _MOST_SEGMENTS:
                        return None
        return "/".join(at)


def _is_there(path: str, paths: Sequence[str]) -> bool:
    """Whether a path is a leaf, a directory above one, or the source itself."""
    return not path or path in _at(path, paths) or _starts_any(f"{path}/", paths)


def _starts_any(start: str, paths: Sequence[str]) -> bool:
    return any(path.startswith(start) for path in _at(start, paths))


def _at(text: str, paths: Sequence[str]) -> Sequence[str]:
    """The first of the sorted paths that is not before a text, if there is one."""
    first = bisect_left(paths, text)
    return paths[first : first + 1]
