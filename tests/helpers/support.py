"""A source in memory and a check of it: the rules without a disk and without git."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from skillbuild import build
from skillbuild.compile.skills import check_source
from skillbuild.config import Config
from skillbuild.source.discovery import read_names, survey
from skillbuild.source.git import Commit
from skillbuild.source.outline import Outline, plan
from skillbuild.source.tree import Kind, Leaf, Reader


@dataclass(frozen=True)
class MemorySource:
    """A `source.tree.Source`: files by path; links lead nowhere unless `targets` says where."""

    files: Mapping[str, bytes]
    executable: Collection[str] = ()
    links: Collection[str] = ()
    targets: Mapping[str, str] = field(default_factory=dict)
    submodules: Collection[str] = ()
    special: Collection[str] = ()
    missing: Collection[str] = ()
    """Files that are listed, but whose objects are not there, as in a partial clone."""
    damaged: Collection[str] = ()
    """Files that have a size, but whose bytes do not match their object id."""

    @property
    def prefix(self) -> str:
        return ""

    @property
    def commit(self) -> Commit | None:
        return None

    def leaves(self) -> list[Leaf]:
        leaves = [Leaf(path, self._kind(path)) for path in self.files]
        leaves += [Leaf(path, Kind.LINK) for path in self.links]
        leaves += [Leaf(path, Kind.SUBMODULE) for path in self.submodules]
        return leaves + [Leaf(path, Kind.SPECIAL) for path in self.special]

    def _kind(self, path: str) -> Kind:
        return Kind.EXECUTABLE if path in self.executable else Kind.FILE

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        yield _MemoryReader(self)

    def blobs_at(self, revision: str) -> Mapping[str, str]:
        return {}


@dataclass(frozen=True)
class _MemoryReader:
    source: MemorySource

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        missing = self.source.missing
        return [None if leaf.path in missing else len(self._content(leaf)) for leaf in leaves]

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        lost = {*self.source.missing, *self.source.damaged}
        return (None if leaf.path in lost else self._content(leaf) for leaf in leaves)

    def below(self, tree: str, directory: str, most: int) -> list[Leaf] | None:
        return None

    def _content(self, leaf: Leaf) -> bytes:
        if leaf.kind is Kind.LINK:
            return self.source.targets.get(leaf.path, "").encode()
        return self.source.files[leaf.path]


def outline_in(
    source: MemorySource, config: Config | None = None, leaves: Sequence[Leaf] | None = None
) -> Outline:
    """The outline of a source; `leaves`, if given, replace its own."""
    settings = config or Config()
    with source.reader() as reader:
        read = partial(read_names, reader=reader, config=settings)
        listing = source.leaves() if leaves is None else leaves
        return plan(survey(listing, settings, read, reader), settings, reader)


def check(
    files: Mapping[str, bytes] | MemorySource, config: Config | None = None, **options: bool
) -> build.Report:
    """What `skillbuild check` finds in these files; `options` as in `build.Options`."""
    source = files if isinstance(files, MemorySource) else MemorySource(files)
    chosen = build.Options(jobs=1, **options)
    return check_source(build.Request(source, source.leaves(), config or Config(), chosen))


def skill_md(name: str, *fields: str, body: str = "Do it.\n") -> bytes:
    """A SKILL.md without a fault, and with further lines of frontmatter."""
    lines = ["---", f"name: {name}", "description: Does one thing.", *fields, "---", body]
    return "\n".join(lines).encode()
