"""The place of every skill beside all others: its path, and the directories that hold it.

The order of the rules: a path that `[paths]` gives to the directory of a skill is never moved. A
nested skill stands below the path of its outer one. Directories with one path and the same files
are one skill. Of skills whose paths clash, some then take their whole directory as path, once, and
what is nested in them follows. Skills that are refused later count like all others, so that
fixing one moves no other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from skillbuild.paths import inside, is_skill_name, parent
from skillbuild.source.clashes import giving_way, refusals
from skillbuild.source.copies import with_same_files
from skillbuild.source.skill_paths import OwnPath, ending, own_path, whole_path
from skillbuild.source.skill_tree import innermost
from skillbuild.source.survey import Survey, bytes_of_path
from skillbuild.source.tree import Leaf, Reader

_AFTER_SLASH = b"0"
"""The byte after `/`: what lies below `a` is sorted from `a/` up to `a0`."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One skill and where it stands."""

    directories: tuple[str, ...]
    """The one that counts, which has the fewest segments; then its copies."""
    path: str
    moved_from: str | None = None
    """The path that it would have if it did not clash with that of another skill."""
    clashes_with: str | None = None
    """The directory of that skill."""
    taken_by: str | None = None
    """The directory of another skill, which keeps this one from its path."""
    ambiguous: str | None = None
    """A file or directory of an outer skill that would have the URI of this skill."""

    @property
    def directory(self) -> str:
        return self.directories[0]


class Directories:
    """The leaves of a source by directory, and the skills among its directories."""

    def __init__(self, surveyed: Survey) -> None:
        self.leaves = surveyed.leaves
        self.names = surveyed.names
        self._keys = [bytes_of_path(leaf) for leaf in surveyed.leaves]
        directories = surveyed.discovered.directories
        # A skill at the root is refused beside others, so it takes no part in where they are.
        self.skills = directories if len(directories) == 1 else tuple(filter(None, directories))
        """Directories, sorted, so that a skill comes before what is nested in it."""

    @cached_property
    def outers(self) -> Mapping[str, str | None]:
        """The directory of the innermost skill that each skill is nested in."""
        skills = frozenset(self.skills)
        return {each: innermost(skills, parent(each)) if each else None for each in self.skills}

    def outers_of(self, directory: str) -> Iterator[str]:
        """The skills around a skill, innermost first."""
        outer = self.outers[directory]
        while outer is not None:
            yield outer
            outer = self.outers[outer]

    def name(self, directory: str) -> str | None:
        """The declared name of a skill; None if it cannot be read."""
        declared = self.names.get(directory)
        return declared.name if declared else None

    def below(self, directory: str) -> Sequence[Leaf]:
        """The leaves in a directory, at any depth."""
        if not directory:
            return self.leaves
        start = directory.encode(errors="surrogateescape")
        first = bisect_left(self._keys, start + b"/")
        return self.leaves[first : bisect_left(self._keys, start + _AFTER_SLASH, first)]

    def holds(self, path: str) -> bool:
        """Whether there is a file or a directory at a path."""
        key = path.encode(errors="surrogateescape")
        number = bisect_left(self._keys, key)
        is_file = number < len(self._keys) and self._keys[number] == key
        return is_file or bool(self.below(path))


def place(folders: Directories, paths: Mapping[str, str], reader: Reader) -> list[Placed]:
    """Every skill that has a path, together with its copies; sorted by directory.

    `paths` is `[paths]` of the settings: paths by directory.
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
    """A skill that is nested in no other, or mapped by itself."""

    directories: tuple[str, ...]
    own: OwnPath

    def rank(self, *, moves: bool) -> tuple[object, ...]:
        """Of skills that want one path, the one with the lowest rank stays."""
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
    """The skill in these directories, which is as firm in its place as the firmest of them."""
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
    """Its directory relative to that one."""
    directories: list[str]


def _nested(folders: Directories, numbers: dict[str, int]) -> list[_Nested]:
    """The nested skills, outer ones first; `numbers` is continued with theirs.

    What is nested in a copy is a copy of what is nested in the same way in the skill itself.
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
    """A nested skill below the path of its outer one, the rest of its directory unaltered."""
    positions = {folder: number for number, folder in enumerate(outer.directories)}
    length = len(nested.relative) + 1
    directories = sorted(nested.directories, key=lambda each: positions[each[:-length]])
    *above, last = nested.relative.split("/")
    parts = [outer.path, *above, *ending(last, folders.name(directories[0]))]
    return Placed(tuple(directories), "/".join(parts))


def _ambiguous(
    skill: Placed, folders: Directories, numbers: Mapping[str, int], placed: Sequence[Placed]
) -> str | None:
    """A file or directory of an outer skill at the URI of this skill, where it does not stand.

    An outer skill has the files of this one too, below its own path.
    """
    for outer in folders.outers_of(skill.directory):
        above = placed[numbers[outer]].path + "/"
        place = inside(outer, skill.path.removeprefix(above))
        if skill.path.startswith(above) and place != skill.directory and folders.holds(place):
            return place
    return None
