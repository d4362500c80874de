"""The results of earlier builds, in front of whatever compiles skills.

A cache has the interface of a compiler: what did not change comes from the last build of the same
output, and everything else from the compiler that it wraps. With and without it a build gives the
same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from skillbuild.cache.keys import Answers, Learnt, Past, skill_key
from skillbuild.cache.stored import (
    CachedSkill,
    StoredFinding,
    StoredRelease,
    StoredSkill,
    read_stored,
    write_stored,
)
from skillbuild.cache.versions import EarlierStates, write_versions
from skillbuild.check.levels import silenced_by
from skillbuild.compile.inputs import BuildInputs
from skillbuild.compile.request import Options
from skillbuild.compile.result import Compiler, PublishedSkill, SkillResult, VersionTally
from skillbuild.compile.skills import Compiled
from skillbuild.compile.states import Earlier, NothingEarlier
from skillbuild.diagnostics import Finding
from skillbuild.model import Change, Place
from skillbuild.output.base import Base, Published
from skillbuild.output.stage import Publication
from skillbuild.release.entry import summary_of, with_unlisted
from skillbuild.release.versions import decode_gone
from skillbuild.rules.registry import finding_of
from skillbuild.source.discovery import DeclaredName
from skillbuild.source.lineage import State
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Leaf, Reader
from skillbuild.text.json import valid_text

_GONE = "-/gone/"
"""Before the directory of a skill that is no longer in the source, in place of its path."""
_MOST_LOOKUPS = 1000
"""Paths outside of it that one skill may name and still be cached."""


@dataclass(frozen=True, slots=True)
class NoCache:
    """Nothing is remembered, and nothing will be."""

    base: Base

    def through(
        self, compiler: Compiler, states: Mapping[str, Sequence[State]] | None = None
    ) -> Compiler:
        return compiler

    def earlier(self) -> Earlier:
        return NothingEarlier()

    def size_after(self, publication: Publication) -> int | None:
        return publication.growth

    def save(self, publication: Publication, compiled: Compiled, size: int) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""


class SkillCache:
    """The results of the last build of one output, if they are still those of its release."""

    @staticmethod
    def open(
        out: Path,
        base: Base,
        inputs: BuildInputs,
        changes: Mapping[str, Change],
        options: Options,
    ) -> SkillCache | NoCache:
        """The cache of `out` as the options want it; `changes` are by directory of the skill."""
        if not options.cache:
            return NoCache(base)
        stored = None
        if isinstance(base, Published) and base.signature and not options.recheck:
            stored = read_stored(out, inputs.key, base)
        return SkillCache(out, base, inputs, changes, stored)

    def __init__(
        self,
        out: Path,
        base: Base,
        inputs: BuildInputs,
        changes: Mapping[str, Change],
        stored: StoredRelease | None,
    ) -> None:
        """`stored` belongs to the release that `base` is."""
        self._out = out
        self._config = inputs.config
        self._changes = changes
        self._inputs = inputs.key
        self._stored = stored or StoredRelease()
        self.base = replace(base, intact=True) if stored and isinstance(base, Published) else base
        """The base of the build: intact, if what is stored belongs to it."""
        self._valid_in: dict[str, Outline] = {}
        """By directory of what was stored, the last outline that its key agreed with."""
        self._answers = Answers(Outline({}))
        self._states: Mapping[str, Sequence[State]] = {}
        self._earlier = None
        if stored and isinstance(base, Published):
            self._earlier = EarlierStates(out, inputs.key, base.record_digest.hex)

    def through(
        self, compiler: Compiler, states: Mapping[str, Sequence[State]] | None = None
    ) -> Compiler:
        """A compiler that asks the given one only for what is not cached.

        `states` are the versions of each skill by its directory, as far as they are published.
        """
        self._states = states or {}
        return _CachedCompiler(self, compiler)

    def earlier(self) -> Earlier:
        """What the last build made of the older states of skills that are compiled again."""
        return self._earlier or NothingEarlier()

    def names(self) -> dict[str, DeclaredName]:
        """The names that SKILL.md files declare, by object id."""
        skills = (stored.skill for stored in self._stored.skills.values())
        return {
            each.skill_file_id: DeclaredName(each.name, _place(each.name_place)) for each in skills
        }

    def find(self, tree: SkillTree, outline: Outline) -> SkillResult | None:
        """What compiling a skill would give, if nothing that it depends on has changed."""
        stored = self._stored.skills.get(tree.directory)
        if stored is None:
            return None
        skill = stored.skill
        line = skill.gone.encode() if skill.gone else self._stored.entries[skill.path]
        findings = () if skill.gone else tuple(map(finding_of, summary_of(line).findings))
        silenced = tuple(each.finding() for each in skill.silenced)
        answers = self._answers_of(outline)
        is_placed = answers.paths == self._stored.paths or skill.answers == answers.key(skill)
        if not is_placed or skill.key != self._key(tree, outline, skill, (*findings, *silenced)):
            return None
        self._valid_in[tree.directory] = outline
        unlisted = {listing: tuple(reasons) for listing, reasons in skill.unlisted.items()}
        entry = line if skill.gone else with_unlisted(line, unlisted)
        tally = VersionTally(**skill.versions)
        published = PublishedSkill(
            path=_path_of(skill),
            name=skill.name,
            entry=entry,
            lines=stored.lines,
            checksums=stored.checksums,
            versions=tally,
            is_gone=bool(skill.gone),
        )
        return SkillResult(
            directory=tree.directory,
            findings=findings,
            silenced=silenced,
            files=skill.files,
            unlisted=unlisted,
            published=published,
            linked=tuple(skill.linked),
            lookups=tuple(skill.lookups),
            pictures=tuple(skill.pictures),
            codes=tuple(skill.codes),
        )

    def _key(
        self, tree: SkillTree, outline: Outline, learnt: Learnt, findings: Sequence[Finding]
    ) -> str:
        """The key by what was learnt of a skill; `findings` are all about it, silenced or not."""
        change = self._changes.get(tree.directory)
        config = self._config
        silenced = [item for item in findings if silenced_by(item, config)] if config.ignore else []
        past = Past(change, self._states.get(tree.directory, ()))
        return skill_key(tree, outline, config, past, learnt, silenced)

    def _answers_of(self, outline: Outline) -> Answers:
        if self._answers.outline is not outline:
            self._answers = Answers(outline)
        return self._answers

    def _store(self, tree: SkillTree, outline: Outline, result: SkillResult) -> StoredSkill | None:
        """A result as it is stored; None if it is not published, or the record changes its text."""
        if self._valid_in.get(tree.directory) is outline:
            return self._stored.skills[tree.directory]
        published = result.published
        if published is None or len(result.lookups) > _MOST_LOOKUPS or not _is_utf8(tree, result):
            return None
        key = self._key(tree, outline, result, _all_findings(result))
        answers = self._answers_of(outline).key(result)
        stored = self._stored.skills.get(tree.directory)
        if stored is not None and (stored.skill.key, stored.skill.answers) == (key, answers):
            return stored
        place = tree.name_place
        skill = CachedSkill(
            path=_GONE + tree.directory if published.is_gone else published.path,
            name=published.name,
            directory=tree.directory,
            key=key,
            answers=answers,
            skill_file_id=_skill_file_id(tree),
            name_place=(place.line, place.column) if place else None,
            linked=result.linked,
            lookups=result.lookups,
            pictures=result.pictures,
            codes=result.codes,
            files=result.files,
            unlisted=result.unlisted,
            silenced=[StoredFinding.of(item) for item in result.silenced],
            versions=asdict(published.versions),
            gone=published.entry.decode() if published.is_gone else "",
            checksum_count=len(published.checksums),
            line_lengths=published.lines.lengths,
        )
        return StoredSkill(skill, skill.row(), published.lines, published.checksums)

    def size_after(self, publication: Publication) -> int | None:
        """Bytes of the whole output after a publish; None if they have to be counted."""
        return None if publication.growth is None else self._stored.size + publication.growth

    def save(self, publication: Publication, compiled: Compiled, size: int) -> None:
        """Store the results for the next build."""
        outline = compiled.outline
        fresh = {
            result.directory: stored
            for result in (*compiled.results, *compiled.gone)
            if (stored := self._store(_tree_of(result, outline), outline, result))
        }
        release = StoredRelease(fresh, {}, size, self._answers_of(outline).paths)
        write_stored(self._out, self._inputs, publication, release)
        results = (*compiled.results, *compiled.gone, *compiled.gone_whole)
        write_versions(self._out, self._inputs, publication, results, self._earlier)

    def close(self) -> None:
        """What was found in the cache cannot be read any more."""
        self._stored.close()


@dataclass(frozen=True, slots=True)
class _CachedCompiler:
    cache: SkillCache
    compiler: Compiler

    def read_names(
        self, skill_files: Sequence[Leaf], reader: Reader
    ) -> Iterator[tuple[str, DeclaredName]]:
        names = self.cache.names()
        unread = []
        for leaf in skill_files:
            if leaf.object_id in names:
                yield leaf.path, names[leaf.object_id]
            else:
                unread.append(leaf)
        yield from self.compiler.read_names(unread, reader)

    def compile(
        self, skills: Sequence[SkillTree], outline: Outline, reader: Reader
    ) -> Iterator[SkillResult]:
        cached = [self.cache.find(tree, outline) for tree in skills]
        missing = [tree for tree, result in zip(skills, cached, strict=True) if result is None]
        compiled = iter(self.compiler.compile(missing, outline, reader))
        for result in cached:
            yield result if result is not None else next(compiled)


def _path_of(skill: CachedSkill) -> str:
    return decode_gone(skill.gone.encode()).path if skill.gone else skill.path


def _tree_of(result: SkillResult, outline: Outline) -> SkillTree:
    """The directory of a skill; empty for one that is no longer in the source."""
    return outline.by_directory.get(result.directory) or SkillTree(result.directory, ())


def _skill_file_id(tree: SkillTree) -> str:
    files = (leaf.object_id for leaf in tree.leaves if leaf.path == tree.skill_file)
    return next(files, "")


def _all_findings(result: SkillResult) -> tuple[Finding, ...]:
    return (*result.findings, *result.silenced)


def _is_utf8(tree: SkillTree, result: SkillResult) -> bool:
    """False for names that are not UTF-8: the record escapes them, so they cannot be read back."""
    texts = [f"{item.path}{item.message}{item.hint}" for item in _all_findings(result)]
    return all(valid_text(text) == text for text in (tree.directory, *texts))


def _place(place: Sequence[int] | None) -> Place | None:
    return Place(*place) if place else None
