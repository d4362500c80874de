"""Links and submodules where skills are meant: they are not followed, so a build counts them.

A link is resolved in the listing of the source and never on disk.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from skillbuild.config import Config
from skillbuild.paths import SKILL_FILE, base_name, inside, is_skill_name, parent, prefixes
from skillbuild.source.discovery import JUNK_DIRECTORIES, Discovered
from skillbuild.source.globs import excluder
from skillbuild.source.tree import Kind, Leaf, Reader

_MOST_LINKS = 10_000
"""Links that are read; it is not asked where the rest lead."""
_LONGEST_TARGET = 4096
"""Bytes of what a link holds, as in Linux."""
_MOST_HOPS, _MOST_SEGMENTS = 8, 64
"""Links on the way from one link to its end, and segments still to walk; beyond is nowhere."""
_NAMES = frozenset(["skills", "plugins"])
"""Directories in which a submodule is meant to hold skills."""
_NOWHERE = "/"
"""Stands for the target of a link that was not read: it leads out of the source."""


def in_place_of_skills(
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
