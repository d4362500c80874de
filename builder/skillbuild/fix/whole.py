"""What a mend may ask about all of the source: which names are taken, and who knows them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from skillbuild.config import Config
from skillbuild.paths import base_name, collision_key, prefixes
from skillbuild.source.globs import matcher
from skillbuild.source.links import destinations
from skillbuild.source.tree import Kind, Leaf, Source

_AFTER_SLASH = chr(ord("/") + 1)


@dataclass(frozen=True)
class Whole:
    """A source with what is planned so far, and its settings."""

    source: Source
    leaves: Sequence[Leaf]
    config: Config

    @cached_property
    def paths(self) -> Set[str]:
        """Every path, directories included."""
        paths = [leaf.path for leaf in self.leaves]
        return {*paths, *(folder for path in paths for folder in prefixes(path))}

    def namesakes(self, path: str) -> Set[str]:
        """The other paths that some file systems take for this one."""
        return self._by_key.get(collision_key(path), set()) - {path}

    @cached_property
    def _by_key(self) -> Mapping[str, Set[str]]:
        by_key: defaultdict[str, set[str]] = defaultdict(set)
        for path in self.paths:
            by_key[collision_key(path)].add(path)
        return by_key

    def reason_to_keep(self, old: str, new: str) -> str:
        """Why a file or directory may not get another path; empty if it may.

        Settings, links and git would not find it there.
        """
        if any(f"{key}/".startswith(f"{old}/") for key in self.config.paths):
            return "[paths] names the directory"
        if base_name(old) in self._lifecycle_segments:
            return "[moved] or [deprecated] names a path with it"
        leaves = self._below(old)
        if any(leaf.kind is Kind.SUBMODULE for leaf in leaves):
            return "a submodule is in it"
        if any(f"{path}/".startswith(f"{old}/") for path in self._destinations):
            return "a symbolic link leads to it"
        moves = ((leaf.path, new + leaf.path[len(old) :]) for leaf in leaves)
        if self._are_covered_otherwise(moves):
            return "a glob in skillbuild.toml would not cover the same files"
        return ""

    @cached_property
    def _lifecycle_segments(self) -> Set[str]:
        """The segments of all skill paths that the settings name as those of skills."""
        deprecated = self.config.deprecated
        uses = (item.use for item in deprecated.values())
        named = (*self.config.moved.values(), *deprecated, *uses)
        return {segment for path in named for segment in path.split("/")}

    def _below(self, path: str) -> Sequence[Leaf]:
        """What a path is or holds."""
        start = bisect_left(self._sorted, f"{path}/", key=_path)
        end = bisect_left(self._sorted, path + _AFTER_SLASH, key=_path)
        itself = bisect_left(self._sorted, path, key=_path)
        own = [leaf for leaf in self._sorted[itself : itself + 1] if leaf.path == path]
        return [*own, *self._sorted[start:end]]

    @cached_property
    def _sorted(self) -> Sequence[Leaf]:
        return sorted(self.leaves, key=_path)

    @cached_property
    def _destinations(self) -> Sequence[str]:
        with self.source.reader() as reader:
            return destinations(self.leaves, reader)

    def _are_covered_otherwise(self, moves: Iterable[tuple[str, str]]) -> bool:
        config = self.config
        globs = [config.roots, config.exclude, *(entry.paths for entry in config.ignore)]
        tests = [matcher(each) for each in globs if each]
        return any(test(old) != test(new) for old, new in moves for test in tests)


def _path(leaf: Leaf) -> str:
    return leaf.path
