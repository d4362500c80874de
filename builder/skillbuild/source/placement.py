"""Gives every skill its skill path, and finds copies of skills.

A skill path is the directory of the skill without `skills`, `plugins` and dot-directories, and ends
in the name of the skill: `plugins/git/skills/commit` becomes `git/commit`. The skill path is part
of the skill's URI and of the address of its page (SEP-2640). In the settings, `[paths]` can set the
path of a skill, or the start of the path for all skills below a directory.

These rules apply in order. A path that `[paths]` gives to a skill never changes. A nested skill is
below the path of its outer skill. Directories with the same path and the same files are one skill.
If paths clash, each skill whose path was shortened gets a path with all segments of its directory.
Paths are lengthened only once, and nested skills move with their outer skill. Invalid skills are
treated like valid ones, so that fixing a skill does not move another skill.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from skillbuild.paths import (
    collision_key,
    inside,
    is_skill_name,
    parent,
)
from skillbuild.source.discovery import Survey, bytes_of_path
from skillbuild.source.skill_tree import innermost
from skillbuild.source.tree import Leaf, Reader

_AFTER_SLASH = b"0"
"""The byte after `/`: all paths below `a` sort between `a/` and `a0`."""
_DROPPED_SEGMENTS = frozenset(["skills", "plugins"])

OutersOf = Callable[[int], Collection[int]]
"""A function that returns the skills that contain a skill."""
LeavesOf = Callable[[str], Sequence[Leaf]]
"""A function that returns the files and links below a directory, sorted by the bytes of their
paths.
"""


@dataclass(frozen=True, slots=True)
class Placed:
    """One skill and its path."""

    directories: tuple[str, ...]
    """The directory that is published, which has the fewest segments, followed by its copies."""
    path: str
    moved_from: str | None = None
    """The path that the skill would have if it did not clash with another skill."""
    clashes_with: str | None = None
    """The directory of the skill that this one clashes with."""
    taken_by: str | None = None
    """The directory of another skill that has the path of this one."""
    ambiguous: str | None = None
    """A file or directory of an outer skill that would have the same URI as this skill."""

    @property
    def directory(self) -> str:
        return self.directories[0]


class Directories:
    """The files and links of a source by directory, and the directories that are skills."""

    def __init__(self, surveyed: Survey) -> None:
        self.leaves = surveyed.leaves
        self.names = surveyed.names
        self._keys = [bytes_of_path(leaf) for leaf in surveyed.leaves]
        directories = surveyed.discovered.directories
        # A skill at the root is refused if there are others, so it does not affect their paths.
        self.skills = directories if len(directories) == 1 else tuple(filter(None, directories))
        """The directories of the skills, sorted, so that a skill comes before the skills nested in
        it.
        """

    @cached_property
    def outers(self) -> Mapping[str, str | None]:
        """The directory of the innermost skill around each skill; None if there is none."""
        skills = frozenset(self.skills)
        return {each: innermost(skills, parent(each)) if each else None for each in self.skills}

    def outers_of(self, directory: str) -> Iterator[str]:
        """Yield the directories of the skills that a skill is nested in, innermost first."""
        outer = self.outers[directory]
        while outer is not None:
            yield outer
            outer = self.outers[outer]

    def name(self, directory: str) -> str | None:
        """Return the declared name of a skill; None if it cannot be read."""
        declared = self.names.get(directory)
        return declared.name if declared else None

    def below(self, directory: str) -> Sequence[Leaf]:
        """Return the files and links in a directory, at any depth."""
        if not directory:
            return self.leaves
        start = directory.encode(errors="surrogateescape")
        first = bisect_left(self._keys, start + b"/")
        return self.leaves[first : bisect_left(self._keys, start + _AFTER_SLASH, first)]

    def holds(self, path: str) -> bool:
        """Return whether there is a file or a directory at a path."""
        key = path.encode(errors="surrogateescape")
        number = bisect_left(self._keys, key)
        is_file = number < len(self._keys) and self._keys[number] == key
        return is_file or bool(self.below(path))


def place(folders: Directories, paths: Mapping[str, str], reader: Reader) -> list[Placed]:
    """Return every skill that has a path, with its copies; sorted by directory.

    `paths` is `[paths]` of the settings, which maps directories to skill paths.
    """
    tops = _tops(folders, paths, reader)
    numbers = {folder: number for number, top in enumerate(tops) for folder in top.directories}
    firsts = [top.directories[0] for top in tops]

    def outers_of(number: int) -> set[int]:
        outers = folders.outers_of(firsts[number])
        return {numbers[outer] for outer in outers if outer in numbers}

    wanted = [top.own.path for top in tops]
    leaving = giving_way(wanted, [top.own.is_shortened for top in tops], outers_of)
    placed = [Placed(top.directories, top.own.path) for top in tops]
    for number, other in leaving.items():
        name = folders.name(firsts[number])
        path = whole_path(firsts[number], name, paths)
        left = placed[number]
        placed[number] = Placed(left.directories, path, left.path, firsts[other])
    order = sorted(range(len(tops)), key=lambda number: tops[number].rank(moves=number in leaving))
    ranks = {number: rank for rank, number in enumerate(order)}
    for nested in _nested(folders, numbers):
        placed.append(_placed_in(placed[nested.outer], nested, folders))
        firsts.append(placed[-1].directory)
        ranks[nested.number] = ranks[nested.outer]
    order += sorted(range(len(tops), len(placed)), key=lambda number: (ranks[number], number))
    refused = refusals({number: placed[number].path for number in order}, outers_of)
    taken_by = {number: placed[other].directory for number, other in refused.items()}
    judged = [
        _judged(each, taken_by.get(number), _ambiguous(each, folders, numbers, placed))
        for number, each in enumerate(placed)
    ]
    return sorted(judged, key=lambda each: each.directory)


def _judged(skill: Placed, taken_by: str | None, ambiguous: str | None) -> Placed:
    is_good = taken_by is None and ambiguous is None
    return skill if is_good else replace(skill, taken_by=taken_by, ambiguous=ambiguous)


class _Top(NamedTuple):
    """A skill that is not nested in another one, or has a path in the settings."""

    directories: tuple[str, ...]
    own: OwnPath

    def rank(self, *, moves: bool) -> tuple[object, ...]:
        """Return a sort key for skills that want the same path; the skill that sorts first keeps
        the path.

        `moves` says whether the skill gave up its shortened path because of a clash.
        """
        return self.own.origin, moves, *_by_length(self.directories[0])


def _by_length(directory: str) -> tuple[int, bytes]:
    return directory.count("/"), directory.encode(errors="surrogateescape")


def _tops(folders: Directories, paths: Mapping[str, str], reader: Reader) -> list[_Top]:
    own: dict[str, OwnPath] = {}
    by_path: defaultdict[str, list[str]] = defaultdict(list)
    for directory in folders.skills:
        name = folders.name(directory)
        is_top = folders.outers[directory] is None
        has_path = directory != "" or (name is not None and is_skill_name(name))
        if directory in paths or (is_top and has_path):
            own[directory] = own_path(directory, name, paths)
            by_path[own[directory].path].append(directory)
    return [
        _top(same, [own[directory] for directory in same])
        for directories in by_path.values()
        for same in with_same_files(sorted(directories, key=_by_length), folders.below, reader)
    ]


def _top(directories: Sequence[str], own: Sequence[OwnPath]) -> _Top:
    """Return the skill in these directories; the directory with the strongest claim decides."""
    if len(own) == 1:
        return _Top(tuple(directories), own[0])
    origin = min(each.origin for each in own)
    is_shortened = all(each.is_shortened for each in own)
    return _Top(tuple(directories), OwnPath(own[0].path, origin, is_shortened))


@dataclass(frozen=True, slots=True)
class _Nested:
    """A skill inside another one."""

    number: int
    outer: int
    """The number of the innermost skill around it."""
    relative: str
    """Its directory, relative to the directory of the outer skill."""
    directories: list[str]


def _nested(folders: Directories, numbers: dict[str, int]) -> list[_Nested]:
    """Return the nested skills, outer ones first, and add their numbers to `numbers`.

    A skill nested in a copy is a copy of the skill nested at the same place in the original.
    """
    groups: dict[tuple[int, str], _Nested] = {}
    count = max(numbers.values(), default=-1) + 1
    for directory in folders.skills:
        outer = folders.outers[directory]
        if outer is None or directory in numbers:
            continue
        key = numbers[outer], directory[len(outer) + 1 :]
        if key not in groups:
            groups[key] = _Nested(count + len(groups), *key, [])
        groups[key].directories.append(directory)
        numbers[directory] = groups[key].number
    return list(groups.values())


def _placed_in(outer: Placed, nested: _Nested, folders: Directories) -> Placed:
    """Return a nested skill with its path: the path of its outer skill and the rest of its
    directory.
    """
    positions = {folder: number for number, folder in enumerate(outer.directories)}
    length = len(nested.relative) + 1
    directories = sorted(nested.directories, key=lambda each: positions[each[:-length]])
    *above, last = nested.relative.split("/")
    parts = [outer.path, *above, *ending(last, folders.name(directories[0]))]
    return Placed(tuple(directories), "/".join(parts))


def _ambiguous(
    skill: Placed, folders: Directories, numbers: Mapping[str, int], placed: Sequence[Placed]
) -> str | None:
    """Return a file or directory of an outer skill that has the same URI as this skill; None if
    there is none.

    An outer skill also publishes the files of its nested skills, below its own path.
    """
    for outer in folders.outers_of(skill.directory):
        above = placed[numbers[outer]].path + "/"
        place = inside(outer, skill.path.removeprefix(above))
        if skill.path.startswith(above) and place != skill.directory and folders.holds(place):
            return place
    return None


# The path of a skill if there were no other skills.


class Origin(IntEnum):
    """Where a path comes from. If two skills want the same path, the origin with the lower number
    wins.
    """

    MAPPED = 0
    """`[paths]` has the directory of the skill."""
    MAPPED_FOLDER = 1
    """`[paths]` has a directory above the directory of the skill."""
    DIRECTORY = 2


class OwnPath(NamedTuple):
    """The path that a skill gets if no other skill wants it."""

    path: str
    origin: Origin
    is_shortened: bool
    """Whether segments of the directory were dropped."""


def own_path(directory: str, name: str | None, paths: Mapping[str, str]) -> OwnPath:
    """Return the path that a skill gets if no other skill wants it.

    The skill must not be nested, unless its directory is a key of `paths`. `name` is the declared
    name, or None if it cannot be read. A valid name that differs from the directory is appended to
    the path. If `directory` is empty and not a key of `paths`, `name` must be valid.
    """
    if directory in paths:
        return OwnPath(paths[directory], Origin.MAPPED, is_shortened=False)
    if not directory:
        return OwnPath(name or "", Origin.DIRECTORY, is_shortened=False)
    *above, last = directory.split("/")
    start, rest, origin = _mapped(above, paths)
    kept = [segment for segment in rest if not _is_housekeeping(segment)]
    path = "/".join([*start, *kept, *ending(last, name)])
    return OwnPath(path, origin, is_shortened=len(kept) < len(rest))


def whole_path(directory: str, name: str | None, paths: Mapping[str, str]) -> str:
    """Return the path with all segments of the directory, for a skill whose short path clashes."""
    *above, last = directory.split("/")
    start, rest, _ = _mapped(above, paths)
    whole = [_without_dots(segment) for segment in rest]
    return "/".join([*start, *whole, *ending(_without_dots(last), name)])


def ending(last: str, name: str | None) -> list[str]:
    """Return the end of a skill path: the last segment of the directory and, if the name of the
    skill is different, also the name.

    A path must end in the name of its skill (SEP-2640); an invalid name is not appended.
    """
    return [last] if name is None or name == last or not is_skill_name(name) else [last, name]


def _mapped(
    above: Sequence[str], paths: Mapping[str, str]
) -> tuple[list[str], Sequence[str], Origin]:
    """Return the start of a path from the nearest directory in `paths`, and the segments below
    it.
    """
    for cut in range(len(above), 0, -1) if paths else ():
        folder = "/".join(above[:cut])
        if folder in paths:
            start = [paths[folder]] if paths[folder] else []
            return start, above[cut:], Origin.MAPPED_FOLDER
    return [], above, Origin.DIRECTORY


def _is_housekeeping(segment: str) -> bool:
    return segment in _DROPPED_SEGMENTS or segment.startswith(".")


def _without_dots(segment: str) -> str:
    return segment.lstrip(".") or segment


# Skills that want the same path: which give way, and which are refused. Skills are identified by
# their index in a list of paths; the work grows with the segments of all paths.


def giving_way(
    paths: Sequence[str], movable: Sequence[bool], outers_of: OutersOf
) -> dict[int, int]:
    """Return the skills that must give way, each mapped to a skill with a clashing path.

    A skill that gives way does not get its path in `paths`. Skills are identified by their index in
    `paths`, and only `movable` skills can give way. If several skills want the same path, all
    movable ones give way. If one path is inside another, the skill with the longer path gives way.
    If that skill is not movable, the skill with the shorter path gives way instead. A nested skill
    may have a path inside the path of its outer skill.
    """
    by_path: defaultdict[str, list[int]] = defaultdict(list)
    for number, path in enumerate(paths):
        by_path[path].append(number)
    leaving = {
        number: same[0] if number != same[0] else same[1]
        for same in by_path.values()
        if len(same) > 1
        for number in same
        if movable[number]
    }
    for path, same in by_path.items():
        for shorter in [by_path[part] for part in _above(path) if part in by_path]:
            for number in same:
                # Several skills with one path give way anyway, so only single ones matter here.
                if len(shorter) == 1 and shorter[0] in outers_of(number):
                    continue
                if movable[number]:
                    leaving.setdefault(number, shorter[0])
                elif movable[shorter[0]]:
                    leaving.setdefault(shorter[0], number)
    return leaving


def refusals(paths: Mapping[int, str], outers_of: OutersOf) -> dict[int, int]:
    """Return the refused skills, each mapped to the skill that it conflicts with.

    `paths` is in order of precedence: if two skills conflict, the later one is refused. Two skills
    conflict if some file system treats their paths as equal, or if one path is inside the other. A
    nested skill may have a path inside the path of its outer skill.
    """
    keys = {number: collision_key(path) for number, path in paths.items()}
    wanted = set(keys.values())
    taken: dict[str, int] = {}
    below: defaultdict[str, list[int]] = defaultdict(list)
    refused: dict[int, int] = {}
    for number, key in keys.items():
        folders = [part for part in _above(key) if part in wanted]
        outers = outers_of(number)
        around = (taken[part] for part in folders if part in taken and taken[part] not in outers)
        inside = (other for other in below[key] if number not in outers_of(other))
        other = taken.get(key, next(around, next(inside, None)))
        if other is not None:
            refused[number] = other
            continue
        taken[key] = number
        for folder in folders:
            below[folder].append(number)
    return refused


def _above(path: str) -> Iterator[str]:
    """Yield the directories above a path, outermost first."""
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)


# Directories with the same files: many repositories have a copy of a skill for each client.


def with_same_files(
    directories: Sequence[str], leaves_of: LeavesOf, reader: Reader
) -> list[list[str]]:
    """Group directories whose files have the same paths, kinds and contents.

    Directories and groups keep their order. Files without an object id, such as files on disk, are
    read only if everything else is equal.
    """
    if len(directories) == 1:
        return [[*directories]]
    return [
        same
        for alike in _grouped(directories, lambda each: _listing(each, leaves_of(each)))
        for same in _grouped_by_content(alike, leaves_of, reader)
    ]


def _grouped_by_content(
    directories: Sequence[str], leaves_of: LeavesOf, reader: Reader
) -> list[list[str]]:
    """Group directories that differ at most in files without an object id."""
    if len(directories) == 1 or not _unidentified(leaves_of(directories[0])):
        return [[*directories]]
    return [
        same
        for alike in _grouped(
            directories, lambda each: tuple(reader.sizes(_unidentified(leaves_of(each))))
        )
        for same in _grouped(alike, lambda each: _digests(_unidentified(leaves_of(each)), reader))
    ]


def _grouped(
    directories: Iterable[str], key_of: Callable[[str], tuple[object, ...]]
) -> list[list[str]]:
    groups: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for directory in directories:
        groups[key_of(directory)].append(directory)
    return list(groups.values())


def _listing(directory: str, leaves: Sequence[Leaf]) -> tuple[object, ...]:
    """Return relative path, kind and object id of each file and link."""
    start = len(directory)
    return tuple((leaf.path[start:], leaf.kind, leaf.object_id) for leaf in leaves)


def _unidentified(leaves: Sequence[Leaf]) -> list[Leaf]:
    return [leaf for leaf in leaves if leaf.is_file and not leaf.object_id]


def _digests(leaves: Sequence[Leaf], reader: Reader) -> tuple[object, ...]:
    """Return a digest of each file; None for a file that cannot be read."""
    return tuple(
        None if data is None else hashlib.blake2b(data, digest_size=16).digest()
        for data in reader.read(leaves)
    )
