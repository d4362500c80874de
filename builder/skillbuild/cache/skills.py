"""Reuses the results of the last build for skills that have not changed.

Unchanged skills are taken from the last build of the same output; all others are compiled. The
output is the same with and without the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from skillbuild.cache import stored
from skillbuild.cache.reports import encode
from skillbuild.cache.stored import Row, StoredRelease, StoredResult, read_rows, write_rows
from skillbuild.compile.inputs import BuildInputs
from skillbuild.compile.pool import Pool
from skillbuild.compile.request import Request
from skillbuild.compile.result import Lookups, SkillResult
from skillbuild.compile.skill import SkillCompiler
from skillbuild.compile.skills import Compiled
from skillbuild.compile.states import StateResults
from skillbuild.errors import GitError
from skillbuild.output.base import Base, Published
from skillbuild.output.directory import is_whole
from skillbuild.output.signature import signature
from skillbuild.output.stage import Publication
from skillbuild.paths import EVALS, inside
from skillbuild.source import git
from skillbuild.source.discovery import DeclaredName
from skillbuild.source.history import Walk, walk_log
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import CommitSource, Leaf, Reader

_RELEASE, _WALK, _KEYS, _NAMES = b"release", b"walk", b"keys", b"names"
"""Subjects of the lines that belong to no skill; these lines have no key."""
_MOST_LOOKUPS = 1000
"""Maximum number of paths outside a skill that its files may mention; the result is not stored if
there are more.
"""


class Cache:
    """The results of the last build of an output; empty if the output has since been replaced by
    another release.
    """

    def __init__(self, out: Path, base: Base, inputs: BuildInputs, request: Request) -> None:
        options = request.options
        self._out, self._inputs, self._request = out, inputs, request
        self._is_kept = options.cache
        is_used = options.cache and not options.recheck and isinstance(base, Published)
        self._rows: Mapping[bytes, Row] = read_rows(out) if is_used else {}
        self._walk: Walk | None = None
        self.base = base
        """The base of the build; its `intact` flag is set if the stored results belong to it."""
        self._size = 0
        release = stored.decode(self._rows.get(_RELEASE), stored.RELEASE)
        if release and isinstance(base, Published) and _belongs(release, inputs, out, base):
            self.base = replace(base, intact=True)
            self._size = release.size
        else:
            self._rows = {_WALK: self._rows[_WALK]} if _WALK in self._rows else {}
        self._names: dict[str, DeclaredName] = {}
        """The declared name of each SKILL.md, by object id."""
        self._unchanged: dict[str, Row] = {}
        """The stored lines of unchanged skills, by directory."""
        self._keys: dict[str, tuple[bytes, str]] = {}
        """For each compiled skill, by directory: its own key, and the key of the outside paths that
        it depends on.
        """

    def read_log(self) -> Walk | None:
        """Return the first and the last change of each skill, as the git log records them.

        Returns None if the changes are unknown, or if this build writes no format that shows them.
        """
        if not any(emitter.needs_history for emitter in self._inputs.emitters):
            return None
        is_continued = self._is_kept and can_be_continued(self._request)
        earlier = stored.decode(self._rows.get(_WALK), stored.WALK) if is_continued else None
        walk = walked(self._request, earlier)
        self._walk = walk if is_continued else None
        return walk

    def read_names(
        self, skill_files: Sequence[Leaf], reader: Reader
    ) -> Iterator[tuple[str, DeclaredName]]:
        """Yield the same as `Pool.read_names`, but read only SKILL.md files that have changed."""
        known = stored.decode(self._rows.get(_NAMES), stored.NAMES) or {}
        missing = [leaf for leaf in skill_files if leaf.object_id not in known]
        read = dict(Pool(self._request).read_names(missing, reader))
        for leaf in skill_files:
            name = known.get(leaf.object_id) or read.get(leaf.path)
            if name is not None:
                self._names[leaf.object_id] = name
                yield leaf.path, name

    def file_keys(self) -> Mapping[str, str]:
        """Return the stored key of each `KeyedFile`, by the path of the file.

        The mapping is empty if the stored results do not belong to the release in the output.
        """
        return stored.decode(self._rows.get(_KEYS), stored.KEYS) or {}

    def run(
        self, step: SkillCompiler, skills: Sequence[SkillTree], outline: Outline, reader: Reader
    ) -> Iterator[SkillResult]:
        """Yield the same results as `Pool.run`, but compile only skills that have changed."""
        outside = Outside(outline)
        keys = {tree.directory: skill_key(tree, outline, step) for tree in skills}
        found = {each: self._find(each, key, outside) for each, key in keys.items()}
        missing = [tree for tree in skills if found[tree.directory] is None]
        step = replace(step, earlier=self._earlier(missing))
        compiled = Pool(self._request).run(step, missing, outline, reader)
        for directory, row in found.items():
            if row is not None:
                self._unchanged[directory] = row
                yield stored.RESULT.decode(row.json).result()
                continue
            result = next(compiled)
            self._unchanged.pop(directory, None)
            self._keys[directory] = keys[directory], outside.key(result.lookups)
            yield result

    def _find(self, directory: str, key: bytes, outside: Outside) -> Row | None:
        """Return the stored line of a skill if nothing that it depends on has changed."""
        row = self._rows.get(_subject(directory))
        if row is None or row.key != key:
            return None
        seen = stored.LOOKUPS.decode(row.json)
        return row if seen.outside == outside.key(seen.lookups) else None

    def _earlier(self, skills: Sequence[SkillTree]) -> Mapping[str, StateResults]:
        rows = {tree.directory: self._rows.get(_subject(tree.directory)) for tree in skills}
        return {
            directory: stored.STATES.decode(row.json).states or StateResults()
            for directory, row in rows.items()
            if row is not None
        }

    def size_after(self, publication: Publication) -> int | None:
        """Return the size in bytes of the whole output after publishing; None if the size is
        unknown.

        If the size is unknown, the caller must measure the output.
        """
        return None if publication.growth is None else self._size + publication.growth

    def save(
        self, publication: Publication, compiled: Compiled, keys: Mapping[str, str], size: int
    ) -> None:
        """Store the results of the release that was just published, and the keys of its files."""
        if self._is_kept:
            write_rows(self._out, self._lines(publication, compiled, keys, size))

    def _lines(
        self, publication: Publication, compiled: Compiled, keys: Mapping[str, str], size: int
    ) -> Iterator[tuple[bytes, bytes, bytes]]:
        release = StoredRelease(
            self._inputs.key,
            publication.record_digest.hex,
            publication.checksums_digest.hex,
            signature(self._out),
            size,
        )
        yield _RELEASE, b"", encode(release)
        yield _KEYS, b"", encode(keys)
        with suppress(UnicodeEncodeError):  # Nothing is stored if a name is not UTF-8.
            yield _NAMES, b"", encode(self._names)
        with suppress(UnicodeEncodeError):
            if self._walk is not None:
                yield _WALK, b"", encode(self._walk)
        for result in (*compiled.results, *compiled.gone):
            directory = result.directory
            if row := self._unchanged.get(directory):
                yield _subject(directory), row.key, row.json
            elif len(result.lookups.paths) + len(result.lookups.sought) <= _MOST_LOOKUPS:
                key, outside = self._keys[directory]
                with suppress(UnicodeEncodeError):
                    line = encode(StoredResult.of(result, outside))
                    yield _subject(directory), key, line


def _belongs(release: StoredRelease, inputs: BuildInputs, out: Path, base: Published) -> bool:
    """Return whether results belong to this release, and all its files are still there."""
    now = (inputs.key, base.record_digest.hex, base.checksums_digest.hex)
    if base.signature is None or now != (release.inputs, release.record, release.checksums):
        return False
    return release.signature == base.signature or is_whole(out, base.checksums)


def _subject(directory: str) -> bytes:
    return key_of(directory).encode()


def skill_key(tree: SkillTree, outline: Outline, step: SkillCompiler) -> bytes:
    """Return a hash (32 hex digits) of all data about one skill that affects the result for this
    skill.

    The hash does not cover paths outside the skill (see `Outside`) or inputs that all skills share
    (see `BuildInputs.key`).
    """
    deprecation = step.config.deprecated.get(tree.path or "")
    parts = (
        tree.directory,
        tree.path,
        tree.name_place,
        tree.flat_name,
        tree.free_name,
        tree.copies,
        tree.group,
        outline.grouped.title(tree.group),
        tree.plugin,
        tree.licenses,
        step.changes.get(tree.directory),
        step.changes.get(inside(tree.directory, EVALS)),
        step.ends.get(tree.directory),
        outline.findings.get(tree.directory, ()),
        deprecation is not None and deprecation.use in outline.successors,
        tuple(step.states.get(tree.directory, ())),
        tuple(step.clashes),
        step.evidence.about(tree.leaves),
    )
    leaves = [f"{leaf.kind} {leaf.object_id} {leaf.path}" for leaf in tree.leaves]
    return key_of("\0".join([*leaves, repr(parts)])).encode()


class Outside:
    """Looks up files and folders outside a skill that can affect how the skill is compiled. The
    answers are cached.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._answers: dict[str, tuple[object, ...]] = {}

    def key(self, lookups: Lookups) -> str:
        """Return a hash (32 hex digits) of the answers to all `lookups`."""
        answers = [self._about(path) for path in lookups.paths]
        pictures = [self.outline.image_at(path) for path in lookups.pictures]
        owners = [self.outline.skills_with(path) for path in lookups.sought]
        return key_of(repr((answers, pictures, owners)))

    def _about(self, path: str) -> tuple[object, ...]:
        answer = self._answers.get(path)
        if answer is None:
            answer = self._answers[path] = _answer(self.outline, path)
        return answer


def _answer(outline: Outline, path: str) -> tuple[object, ...]:
    """Return everything that the outline can tell a skill about a path outside of it."""
    other = outline.skill_at(path)
    if other is None:
        return path, outline.is_beside(path)
    original = outline.original(path)
    paths = "\0".join(["", *[leaf.path for leaf in other.leaves], ""])
    is_file, is_folder = f"\0{original}\0" in paths, f"\0{original}/" in paths
    return path, original, other.directory, other.path, is_file, is_folder


def key_of(text: str) -> str:
    """Return a hash of a text as 32 hex digits."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def walked(request: Request, earlier: Walk | None) -> Walk | None:
    """Return the first and the last change of each skill in the git log; None if they are unknown.

    The changes are unknown if the source is not a commit or has too many files, or if the history
    is incomplete or too long. If an `earlier` walk is given, only commits after that walk are read.
    """
    source, directories = request.source, request.dated_directories()
    if not isinstance(source, CommitSource) or not directories:
        return None
    if len(request.leaves) > git.MOST_ENTRIES:
        return None
    return walk_log(source.repository, source.commit.commit, directories, earlier)


def can_be_continued(request: Request) -> bool:
    """Return whether a later build can resume the walk of the git log where this build stops.

    This requires a complete log. In a shallow or partial clone, the log may be incomplete.
    """
    source = request.source
    try:
        return isinstance(source, CommitSource) and git.is_plain(source.repository)
    except GitError:
        return False
