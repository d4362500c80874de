"""What is read of every skill before any is checked: the listing of the source and the names.

Both are read once, however many skills are left out later.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from skillbuild.config import Config
from skillbuild.model import Place
from skillbuild.paths import SKILL_FILE, inside, is_skill_name, parent, prefixes
from skillbuild.setting_lines import SettingError
from skillbuild.source import discovery, links
from skillbuild.source.discovery import Discovered
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.globs import excluded_files, excluded_leaves, require_good_globs
from skillbuild.source.skill_md import read_skill_md
from skillbuild.source.tree import Leaf, Reader, locating

_BYTES_AT_ONCE = 64 * 1024 * 1024
"""Contents that are held in memory together while names are read."""


class DeclaredName(NamedTuple):
    """The name that a SKILL.md declares, and where it stands in the file."""

    name: str
    place: Place | None

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
    leaves, written = discovery.without_outputs(leaves)
    leaves = sorted(leaves, key=bytes_of_path)
    discovered = discovery.find(leaves, config)
    aliases = links.in_place_of_skills(leaves, discovered, config, reader)
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
            yield leaf.path, DeclaredName(name, frontmatter.place("name"))


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
