"""Skills that want one place: which of them give way, and which are refused.

Skills are known by their number in a list of paths. The work grows with the segments of all paths,
not with the number of skills that share one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from skillbuild.paths import collision_key

OutersOf = Callable[[int], Collection[int]]
"""The skills that a skill is nested in, in the source."""


def giving_way(
    paths: Sequence[str], movable: Sequence[bool], outers_of: OutersOf
) -> dict[int, int]:
    """The skills that leave the path that they want, each with one whose path it clashes with.

    Of several with one path, all that are movable do. Of two paths, one inside the other, the
    longer one does, or the shorter if the longer is not movable; unless its skill is nested in the
    other one.
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
                # Several skills of one path leave it anyway: only a single one is left to ask.
                if len(shorter) == 1 and shorter[0] in outers_of(number):
                    continue
                if movable[number]:
                    leaving.setdefault(number, shorter[0])
                elif movable[shorter[0]]:
                    leaving.setdefault(shorter[0], number)
    return leaving


def refusals(paths: Mapping[int, str], outers_of: OutersOf) -> dict[int, int]:
    """The skills that cannot stand at their path, each with the one that stands in its way.

    `paths` are in the order in which they are taken. A skill is in the way of a later one if some
    file system takes their paths for one, or the path of either lies inside that of the other;
    unless the inner one is nested in the outer one.
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
    """The directories above a path, outermost first."""
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)
