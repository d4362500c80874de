"""Finds the directories of a source that are skills, and reads the names of the skills.

Paths and names are read only once, even if some skills are left out later.
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
"""Cache directories, whose files do not belong to a skill."""
_JUNK = re.compile(
    r"\.gitignore|\.gitattributes|\.gitkeep|\.gitmodules|\.DS_Store|.*\.pyc", re.DOTALL
)
"""Names of files that belong to a repository or a cache and not to a skill."""
_BYTES_AT_ONCE = 64 * 1024 * 1024
"""Maximum bytes of files in memory at a time while names are read."""

_BLOBS = "/blobs/sha256/"
"""Part of the path of every blob in an output of skillbuild."""

_MOST_LINKS = 10_000
"""Maximum number of links that are read; the targets of further links stay unknown."""
_LONGEST_TARGET = 4096
"""Maximum bytes of a link target, as in Linux."""
_MOST_HOPS, _MOST_SEGMENTS = 8, 64
"""Limits for resolving a link: links followed, and path segments still to walk. The target of a
link that exceeds them counts as outside of the source.
"""
_NAMES = frozenset(["skills", "plugins"])
"""Directories in which a submodule is expected to hold skills."""
DOT_DIRECTORY = "dot-directory"
"""The reason for ignoring a SKILL.md below a dot-directory."""
_NOWHERE = "/"
"""The target of a link that was not read; it is outside of the source."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The skills of a source, and all other files that look like a SKILL.md."""

    directories: tuple[str, ...]
    """Directories of the skills, sorted; the root of the source is an empty string."""
    ignored: Mapping[str, str]
    """The reason why a SKILL.md, link or submodule is ignored, by path."""
    misspelled: tuple[Finding, ...]
    """One finding for each file that would be a skill if its name were `SKILL.md`."""


class DeclaredName(NamedTuple):
    """The name that a SKILL.md declares, and its position in the file."""

    name: str
    place: Place | None
    is_internal: bool = False

    @property
    def is_title(self) -> bool:
        """Whether the name is a title for people, which the specification does not allow."""
        return not is_skill_name(self.name)


NameReader = Callable[[Sequence[Leaf]], Iterable[tuple[str, DeclaredName]]]
"""A function that reads the names in SKILL.md files, like `read_names`."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The files and links of a source that `exclude` does not match, and the skills among them.

    `leaves` is sorted by the bytes of the paths.
    """

    leaves: Sequence[Leaf]
    discovered: Discovered
    names: Mapping[str, DeclaredName]
    """Declared names by skill directory; skills whose name is missing or not a string are
    absent.
    """
    excluded: tuple[str, ...] = ()
    """Paths of files in skills that `exclude` covers, sorted; they are not in `leaves`."""


def survey(leaves: Sequence[Leaf], config: Config, read: NameReader, reader: Reader) -> Survey:
    """Find the skills of a source and read their names.

    `leaves` are all files and links of the source; `reader` reads the targets of links. If there
    are more than `MOST_ENTRIES` files and links, nothing is read. Raises `ConfigError` for an
    invalid glob, and for a directory in `[paths]` that is not a skill and contains none.
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
    """Return the path of a file or link as the bytes that git stores, for sorting."""
    return leaf.path.encode(errors="surrogateescape")


def _refuse_unused_paths(discovered: Discovered, config: Config) -> None:
    """Raise `SettingError` for a directory in `[paths]` without skills, which is probably
    misspelled.
    """
    if not config.paths:
        return
    skills = [*discovered.directories, *(parent(item.path) for item in discovered.misspelled)]
    directories = {part for path in skills for part in [path, *prefixes(path)]}
    for key in config.paths if skills else ():
        if key not in directories:
            close = difflib.get_close_matches(key, sorted(directories), n=1)
            remedy = (
                f"did you mean {close[0]}?" if close else "name a directory that contains skills"
            )
            raise SettingError(f"[paths] {key!r} contains no skill; {remedy}", "paths", key)


def read_names(
    skill_files: Sequence[Leaf], reader: Reader, config: Config
) -> Iterator[tuple[str, DeclaredName]]:
    """Yield the path of each SKILL.md that declares a name, with this name.

    Names that are not strings do not count. Files that are unreadable or too large are skipped;
    checking the skill reports them.
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
    """Yield files with their contents, read in groups that fit into memory. Files above `limit`
    bytes are skipped.
    """
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
    """Find the skills of a source with the settings `roots` and `exclude`.

    `leaves` are the files and links of the source, except those in outputs of skillbuild. Without
    `roots`, skills in dot-directories such as `.claude/skills/` are published only if there are no
    other skills.
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
    """Return a function that tells whether a SKILL.md in a directory would be ignored.

    `leaves` are all files and links of the source. Directories in outputs of skillbuild are
    ignored, too.
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
    """Return the selection of the settings; `skill_files` are all SKILL.md files outside of
    outputs.
    """
    selection = _Selection(matcher(config.roots) if config.roots else None, matcher(config.exclude))
    if config.roots or not all(reason for _, reason in selection.reasons_against(skill_files)):
        return selection
    return replace(selection, with_dot_directories=True)


def _alone(candidates: Sequence[Leaf], selection: _Selection) -> list[str]:
    """Return the selected paths of misspelled SKILL.md files without a proper SKILL.md next to
    them.
    """
    wrong = [
        leaf.path for leaf in candidates if leaf.is_file and not leaf.path.endswith(SKILL_FILE)
    ]
    if not wrong:
        return []
    right = {parent(leaf.path) for leaf in candidates if leaf.path.endswith(SKILL_FILE)}
    alone = [path for path in wrong if parent(path) not in right]
    return [path for path in alone if selection.reason_against(path) is None]


def is_junk(path: str) -> bool:
    """Return whether a file belongs to a cache or to the repository, and not to its skill.

    `path` is relative to the skill.
    """
    segments = path.split("/")
    return not JUNK_DIRECTORIES.isdisjoint(segments) or bool(_JUNK.fullmatch(segments[-1]))


def output_folders(paths: Iterable[str]) -> frozenset[str]:
    """Return the folders that are outputs of skillbuild: they have `catalog.json` and
    `blobs/sha256/`.
    """
    records, blobs = set[str](), set[str]()
    for path in paths:
        if path.endswith("/catalog.json"):
            records.add(parent(path))
        elif _BLOBS in path:
            blobs.add(path[: path.index(_BLOBS)])
    return frozenset(records & blobs)


def is_place_of_skills(path: str) -> bool:
    """Return whether a SKILL.md in a dot-directory can be a skill: it must be inside a folder named
    `skills`.
    """
    segments = path.split("/")[:-1]
    return "skills" in segments and not segments[-1].startswith(".")


def without_outputs(leaves: Sequence[Leaf]) -> tuple[Sequence[Leaf], dict[str, str]]:
    """Return the files and links outside of skillbuild outputs, and the SKILL.md files in outputs.

    The second value maps the path of each SKILL.md to `output`, the reason why it is ignored.
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
    """The paths that the settings select as skills; `is_root` is None without `roots`."""

    is_root: Callable[[str], bool] | None
    is_excluded: Callable[[str], bool]
    with_dot_directories: bool = False

    def reasons_against(self, leaves: Sequence[Leaf]) -> list[tuple[str, str | None]]:
        """Return the path of each file with the result of `reason_against`."""
        paths = [leaf.path for leaf in leaves if leaf.is_file]
        return [(path, self.reason_against(path)) for path in paths]

    def reason_against(self, path: str) -> str | None:
        """Return why a SKILL.md at `path` is ignored; None if it is a skill."""
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


# Links and submodules in place of skills are not followed; a build reports them. The target of a
# link is resolved within the listing of the source, never on disk.


def _in_place_of_skills(
    leaves: Sequence[Leaf], discovered: Discovered, config: Config, reader: Reader
) -> dict[str, str]:
    """Return the links and submodules that were meant to provide skills, with the reason why they
    are ignored.

    These are links to a directory with a SKILL.md in it or below it, and broken links and
    submodules in a folder of skills. Links and submodules inside a skill are left out, because the
    check of that skill reports them.
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
    """Return the target of each link, by path."""
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
    """The places of skills in a source, and the targets of its links."""

    paths: Sequence[str]
    """All paths of the source, sorted."""
    skill_files: Sequence[str]
    """The paths of all SKILL.md files, sorted."""
    skills: Set[str]
    """All directories with a SKILL.md."""
    folders: Set[str]
    """The parent directories of skills, except the root of the source."""
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
        """Return whether a link or submodule was meant to be a skill or a folder of skills."""
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
        """Return whether a broken link, or its target, has the name and the place of a skill.

        At the root of a source most directories are not skills, so only the target counts there.
        """
        folder, name = parent(link), base_name(link)
        leads_from_skills = base_name(parent(self.targets[link].rstrip("/"))) == "skills"
        is_place = base_name(folder) == "skills" or folder in self.folders or name == "skills"
        return is_skill_name(name) and (is_place or leads_from_skills)

    def resolve(self, link: str) -> str | None:
        """Return the path that a link points to after all links are followed; None if the target is
        not in the source.
        """
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
    """Return whether a path is a file or link, a directory with files, or the source itself."""
    return not path or path in _at(path, paths) or _starts_any(f"{path}/", paths)


def _starts_any(start: str, paths: Sequence[str]) -> bool:
    return any(path.startswith(start) for path in _at(start, paths))


def _at(text: str, paths: Sequence[str]) -> Sequence[str]:
    """Return the first of the sorted paths that is not less than `text`; an empty sequence if all
    are less.
    """
    first = bisect_left(paths, text)
    return paths[first : first + 1]
