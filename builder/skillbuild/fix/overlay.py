"""A source as it would be with mends, read through the source that it really is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from skillbuild.paths import base_name, inside, prefixes
from skillbuild.source.git import Commit
from skillbuild.source.tree import Kind, Leaf, Reader, Source


@dataclass(frozen=True)
class Overlay:
    """What differs from a source: contents, bits and names, by the path there."""

    contents: Mapping[str, bytes]
    bits: Mapping[str, bool]
    names: Mapping[str, str]
    """The new last segment of each file and directory that has another one."""

    def new_path(self, path: str) -> str:
        """The path that something in the source has with the mends."""
        if not self.names:
            return path
        return "/".join(self.names.get(each, base_name(each)) for each in [*prefixes(path), path])

    def old_path(self, path: str) -> str:
        """The path that something with the mends has in the source."""
        old = new = ""
        for segment in path.split("/"):
            new = inside(new, segment)
            old = self._old_paths.get(new, inside(old, segment))
        return old

    @cached_property
    def _old_paths(self) -> dict[str, str]:
        """What is renamed, by its path with the mends."""
        return {self.new_path(path): path for path in self.names}

    def leaf(self, leaf: Leaf) -> Leaf:
        """A leaf of the source with the mends."""
        bit = self.bits.get(leaf.path)
        kind = leaf.kind if bit is None else Kind.EXECUTABLE if bit else Kind.FILE
        return Leaf(self.new_path(leaf.path), kind, leaf.object_id)


@dataclass(frozen=True, slots=True)
class MendedSource:
    """A `source.tree.Source` with mends that nobody has written yet."""

    source: Source
    overlay: Overlay

    @property
    def prefix(self) -> str:
        return self.source.prefix

    @property
    def commit(self) -> Commit | None:
        return self.source.commit

    def leaves(self) -> list[Leaf]:
        return [self.overlay.leaf(leaf) for leaf in self.source.leaves()]

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        with self.source.reader() as reader:
            yield _MendedReader(reader, self.overlay)


@dataclass(frozen=True, slots=True)
class _MendedReader:
    reader: Reader
    overlay: Overlay

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        olds = [leaf._replace(path=self.overlay.old_path(leaf.path)) for leaf in leaves]
        sizes = self.reader.sizes(olds)
        mended = [self.overlay.contents.get(leaf.path) for leaf in olds]
        return [
            size if data is None else len(data) for size, data in zip(sizes, mended, strict=True)
        ]

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        olds = [leaf._replace(path=self.overlay.old_path(leaf.path)) for leaf in leaves]
        contents = zip(olds, self.reader.read(olds), strict=True)
        return (self.overlay.contents.get(leaf.path, data) for leaf, data in contents)

    def below(self, tree: str, directory: str, most: int) -> list[Leaf] | None:
        return self.reader.below(tree, directory, most)
