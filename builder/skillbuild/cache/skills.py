"""The results of the last build, in front of whatever compiles skills.

What did not change comes from the last build of the same output, and everything else is compiled.
With and without them a build gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from skillbuild.cache import stored
from skillbuild.cache.history import can_be_continued, walked
from skillbuild.cache.keys import Outside, key_of, skill_key
from skillbuild.cache.reports import encode
from skillbuild.cache.rows import Row, read_rows, write_rows
from skillbuild.cache.stored import StoredRelease, StoredResult
from skillbuild.compile.compiler import SkillCompiler
from skillbuild.compile.inputs import BuildInputs
from skillbuild.compile.pool import Pool
from skillbuild.compile.request import Request
from skillbuild.compile.result import SkillResult
from skillbuild.compile.skills import Compiled
from skillbuild.compile.states import StateResults
from skillbuild.model import Change
from skillbuild.output.base import Base, Published
from skillbuild.output.directory import is_whole
from skillbuild.output.signature import signature
from skillbuild.output.stage import Publication
from skillbuild.source.history import Walk
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader

_RELEASE, _WALK = b"release", b"walk"
"""What the lines are about that are about no skill; they have no key."""
_MOST_LOOKUPS = 1000
"""Paths outside of it that one skill may name and still be stored."""


class Cache:
    """What the last build of an output has left, if it belongs to the release that is there."""

    def __init__(self, out: Path, base: Base, inputs: BuildInputs, request: Request) -> None:
        options = request.options
        self._out, self._inputs, self._request = out, inputs, request
        self._is_kept = options.cache
        is_used = options.cache and not options.recheck and isinstance(base, Published)
        self._rows: Mapping[bytes, Row] = read_rows(out) if is_used else {}
        self._walk: Walk | None = None
        self.base = base
        """The base of the build: intact, if what is stored belongs to it."""
        self._size = 0
        release = stored.decode(self._rows.get(_RELEASE), stored.RELEASE)
        if release and isinstance(base, Published) and _belongs(release, inputs, out, base):
            self.base = replace(base, intact=True)
            self._size = release.size
        else:
            self._rows = {_WALK: self._rows[_WALK]} if _WALK in self._rows else {}
        self._unchanged: dict[str, Row] = {}
        """By directory, the lines that are as they were."""
        self._keys: dict[str, tuple[bytes, str]] = {}
        """The keys of what was compiled, by directory: its own, and that of what is outside."""

    def last_changes(self) -> Mapping[str, Change]:
        """The last change of each skill by directory; empty where no format shows it."""
        if not any(emitter.needs_history for emitter in self._inputs.emitters):
            return {}
        is_continued = self._is_kept and can_be_continued(self._request)
        earlier = stored.decode(self._rows.get(_WALK), stored.WALK) if is_continued else None
        walk = walked(self._request, earlier)
        self._walk = walk if is_continued else None
        return walk.last_changes() if walk else {}

    def run(
        self,
        pool: Pool,
        step: SkillCompiler,
        skills: Sequence[SkillTree],
        outline: Outline,
        reader: Reader,
    ) -> Iterator[SkillResult]:
        """As `pool.run`, which is asked for the skills that have changed."""
        outside = Outside(outline)
        keys = {tree.directory: skill_key(tree, outline, step) for tree in skills}
        found = {each: self._find(each, key, outside) for each, key in keys.items()}
        missing = [tree for tree in skills if found[tree.directory] is None]
        step = replace(step, earlier=self._earlier(missing))
        compiled = pool.run(step, missing, outline, reader)
        for directory, row in found.items():
            if row is not None:
                self._unchanged[directory] = row
                yield stored.RESULT.decode(row.json).result()
                continue
            result = next(compiled)
            self._unchanged.pop(directory, None)
            self._keys[directory] = keys[directory], outside.key(result)
            yield result

    def _find(self, directory: str, key: bytes, outside: Outside) -> Row | None:
        """The line of a skill, if nothing that it depends on has changed."""
        row = self._rows.get(_subject(directory))
        if row is None or row.key != key:
            return None
        lookups = stored.LOOKUPS.decode(row.json)
        return row if lookups.outside == outside.key(lookups) else None

    def _earlier(self, skills: Sequence[SkillTree]) -> Mapping[str, StateResults]:
        rows = {tree.directory: self._rows.get(_subject(tree.directory)) for tree in skills}
        return {
            directory: stored.STATES.decode(row.json).state_results()
            for directory, row in rows.items()
            if row is not None
        }

    def size_after(self, publication: Publication) -> int | None:
        """Bytes of the whole output after a publish; None if they have to be counted."""
        return None if publication.growth is None else self._size + publication.growth

    def save(self, publication: Publication, compiled: Compiled, size: int) -> None:
        """Store the results of a release that was just published."""
        if self._is_kept:
            write_rows(self._out, self._lines(publication, compiled, size))

    def _lines(
        self, publication: Publication, compiled: Compiled, size: int
    ) -> Iterator[tuple[bytes, bytes, bytes]]:
        release = StoredRelease(
            self._inputs.key,
            publication.record_digest.hex,
            publication.checksums_digest.hex,
            signature(self._out),
            size,
        )
        yield _RELEASE, b"", encode(release)
        with suppress(UnicodeEncodeError):  # Names that are not UTF-8 are not stored.
            if self._walk is not None:
                yield _WALK, b"", encode(self._walk)
        files = frozenset(publication.checksums.lines)
        for result in (*compiled.results, *compiled.gone, *compiled.gone_whole):
            directory = result.directory
            if row := self._unchanged.get(directory):
                yield _subject(directory), row.key, row.json
            elif len(result.lookups) <= _MOST_LOOKUPS:
                key, outside = self._keys[directory]
                with suppress(UnicodeEncodeError):
                    line = encode(StoredResult.of(result, outside, files))
                    yield _subject(directory), key, line


def _belongs(release: StoredRelease, inputs: BuildInputs, out: Path, base: Published) -> bool:
    """Whether results are those of this release, and all its files are there."""
    now = (inputs.key, base.record_digest.hex, base.checksums_digest.hex)
    if base.signature is None or now != (release.inputs, release.record, release.checksums):
        return False
    return release.signature == base.signature or is_whole(out, base.checksums)


def _subject(directory: str) -> bytes:
    return key_of(directory).encode()
