"""The versions of one skill: each state of its directory judged by today's settings, and published.

A state that today's checks refuse is left out with its reason, and with it nothing of its bytes is
published. The newest state is the skill itself, whose files are published already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from skillbuild.check.files import without_junk
from skillbuild.check.skill import check_skill
from skillbuild.compile.pack import Packed, pack_version
from skillbuild.compile.result import VersionTally
from skillbuild.compile.version_events import events_of
from skillbuild.config import Config
from skillbuild.emit.emitter import Emitter
from skillbuild.emit.events import Event
from skillbuild.emit.versions import (
    MISSING,
    YANKED,
    EmittedVersion,
    VersionContent,
    VersionSummary,
)
from skillbuild.model import INTERNAL, Change, Digest, Entry, File, Skill, Version
from skillbuild.output.stage_writer import StageWriter
from skillbuild.release.entry import digest_of_files
from skillbuild.release.frontmatter import is_internal
from skillbuild.release.layout import blob_path
from skillbuild.release.record import markdown_path
from skillbuild.release.versions import VersionRecord, encode_version, label, name_for_address
from skillbuild.rules.files import TOO_MANY_FILES
from skillbuild.source.lineage import FIRST, State
from skillbuild.source.outline import plan
from skillbuild.source.skill_paths import own_path
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import read_names, survey
from skillbuild.source.tree import Kind, Reader

_MOST_LEAVES = 20_000
"""Of a state that is read at all, caches and the like included."""


@dataclass(frozen=True, slots=True)
class RefusedState:
    """A state that is not published, and why: the code of a rule, or another reason."""

    reason: str
    digest: Digest | None
    """Its skill digest; None if its files cannot all be read."""
    codes: tuple[str, ...] = ()
    """Of all rules that it met."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A state that passed the checks."""

    skill: Skill
    digest: Digest
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """What became of the states of one skill."""

    summaries: tuple[VersionSummary, ...] = ()
    """Of the published versions, the newest first."""
    tally: VersionTally = field(default_factory=VersionTally)
    checksums: tuple[bytes, ...] = ()
    events: tuple[Event, ...] = ()
    """What happened to the skill, the oldest first."""
    yanked: tuple[str, ...] = ()
    """Skill digests, in hex, of states that the settings name as yanked."""
    first: Change | None = None
    """The commit that brought the skill, also where its version is not published; None where
    versions begin with a later one."""

    @property
    def published(self) -> tuple[Version, ...]:
        return tuple(each.version for each in self.summaries)

    @property
    def left_out(self) -> Mapping[str, int]:
        """How many states are not published, by reason."""
        return self.tally.left_out


@dataclass(frozen=True, slots=True)
class VersionCompiler:
    """Publishes the versions of one skill after another."""

    config: Config
    emitters: Sequence[Emitter]
    writer: StageWriter
    states: Mapping[str, Sequence[State]]
    """By the directory of each skill, the newest first; without the setting there are none."""

    def run(self, skill: Skill, entry: Entry, reader: Reader) -> Versions:
        """The versions of a published skill, its newest among them."""
        states = self.states.get(skill.directory, ())
        if not states or entry.is_internal:
            return Versions()
        firsts, ended = _kept(states, self.config)
        run = _Run(self, skill, entry, states[0].tree)
        for state in firsts:
            run.take(state, reader)
        return replace(run.ended(states, ended), first=self._first(states[-1]))

    def _first(self, oldest: State) -> Change | None:
        """The commit that brought a skill; its oldest state may be where versions begin."""
        since = self.config.versions.since if self.config.versions else ""
        return oldest.change if oldest.order or since == FIRST else None

    def run_gone(self, directory: str, reader: Reader) -> Versions:
        """The versions of a skill that is no longer in the source."""
        firsts, ended = _kept(self.states.get(directory, ()), self.config)
        run = _Run(self, None, None, "")
        for state in firsts:
            run.take(state, reader)
        return run.ended(self.states.get(directory, ()), ended)

    def publish(self, emitted: EmittedVersion, files: Mapping[str, bytes]) -> Sequence[bytes]:
        """Stage the files of a version; returns their checksum lines."""
        content = emitted.content
        lines = self.writer.add(files)
        lines += self.writer.write([encode_version(_record_of(content))])
        for emitter in self.emitters:
            lines += self.writer.write(emitter.emit_version(emitted))
        return lines


def _kept(states: Sequence[State], config: Config) -> tuple[list[State], int]:
    """The first state with each tree, the oldest first, and how many `keep` does not allow.

    The same tree at another place is a state of its own, as settings may judge it otherwise.
    """
    by_tree: dict[str, list[State]] = {}
    for each in {each.place: each for each in states}.values():
        by_tree.setdefault(each.tree, []).append(each)
    groups = sorted(by_tree.values(), key=lambda group: min(each.order for each in group))
    most = config.versions.keep if config.versions else 0
    ended = groups[:-most] if most else []
    newest = [group for group in ended if group[0].tree == states[0].tree] if states else []
    kept = [*newest, *(groups[-most:] if most else groups)]
    firsts = sorted((each for group in kept for each in group), key=lambda state: state.order)
    return firsts, len(groups) - len(kept)


class _Run:
    """One skill whose states are published in turn; only two of them are in memory at a time."""

    def __init__(
        self, compiler: VersionCompiler, skill: Skill | None, entry: Entry | None, tree: str
    ) -> None:
        """`skill` and `entry` are those that are published now, `tree` is that of the skill."""
        self._compiler = compiler
        self._skill = skill
        self._entry = entry
        self._tree = tree
        self._path = skill.path if skill else ""
        self._older: VersionContent | None = None
        self._summaries: list[VersionSummary] = []
        self._left_out: list[RefusedState] = []
        self._codes: set[str] = set()
        self._checksums: list[bytes] = []
        self._trees: dict[tuple[str, str], Digest | None] = {}
        """The skill digest of each state that is published; None for one that is no skill."""
        self._names: dict[tuple[str, str], str] = {}
        """What the frontmatter of each of them calls the skill."""
        self._own = _addressed(entry) if entry else set[str]()
        """Paths of addressed files that are counted already."""
        self._size = 0
        self._owned: dict[str, str] = {}
        self._shared: dict[str, str] = {}

    def take(self, state: State, reader: Reader) -> None:
        """Publish a state, unless it is refused, is no skill, or has the files of an older one."""
        skill, entry = self._skill, self._entry
        is_newest = state.tree == self._tree
        if skill and entry and is_newest and state.directory == skill.directory:
            self._publish(state, skill, skill.path, entry.skill_digest)
            return
        loaded = _load(state, self._compiler.config, reader)
        if loaded is None:
            self._trees[state.place] = None
            return
        self._codes.update(loaded.codes)
        if isinstance(loaded, RefusedState):
            if skill and entry and is_newest:  # Only at its old place it would be refused.
                self._publish(state, skill, skill.path, entry.skill_digest)
            else:
                self._left_out.append(loaded)
            return
        stayed = skill if skill and state.directory == skill.directory else loaded.skill
        self._publish(state, loaded.skill, stayed.path, loaded.digest)

    def _publish(self, state: State, skill: Skill, path: str, digest: Digest) -> None:
        frontmatter = skill.frontmatter.value
        self._trees[state.place] = digest
        self._names[state.place] = skill.frontmatter.text("name")
        if any(each.version.digest == digest for each in self._summaries):
            return
        version = Version(digest, state.change, label(frontmatter, state.change.date, digest))
        skill = _at_address(skill, version, path)
        packed = pack_version(skill, self._compiler.config)
        content = VersionContent(version, skill, packed.entry, path, state.tree)
        emitted = EmittedVersion(content, self._older)
        (self._shared if state.is_shared else self._owned)[digest.hex] = state.tree
        if not state.is_shared:
            self._checksums += self._compiler.publish(emitted, self._new_files(packed, state))
        self._summaries.append(VersionSummary(version, path, emitted.difference, state.order))
        self._older = content

    def _new_files(self, packed: Packed, state: State) -> Mapping[str, bytes]:
        """The addressed files of a version; of the newest one those that the skill lacks."""
        files = packed.files()
        if state.tree == self._tree:
            return {path: data for path, data in files.items() if path not in self._own}
        new = files.keys() - self._own
        self._size += sum(len(files[path]) for path in new)
        self._own |= new
        return files

    def ended(self, states: Sequence[State], ended: int) -> Versions:
        """All that became of the states."""
        summaries = list(self._summaries)
        digests = {each.version.digest for each in summaries}
        left_out = [each for each in self._left_out if each.digest not in digests]
        events = events_of(states, self._trees, summaries, self._path_in)
        former = {each.path for each in summaries} | {each.path for each in events}
        for number, each in enumerate(summaries):
            if self._entry and each.version.digest == self._entry.skill_digest:
                summaries[number] = replace(each, again=_again(states))
        tally = VersionTally(
            published=len(summaries),
            ended=ended,
            left_out=dict(sorted(Counter(each.reason for each in left_out).items())),
            withheld=sorted({each.digest.hex for each in left_out if each.digest}),
            codes=sorted(self._codes),
            size=self._size,
            own=self._owned,
            shared=self._shared,
            former=sorted(former - {self._path}),
        )
        yanked = [each.digest for each in left_out if each.reason == YANKED and each.digest]
        withdrawn = tuple(sorted({digest.hex for digest in yanked}))
        versions, checksums = tuple(reversed(summaries)), tuple(self._checksums)
        return Versions(versions, tally, checksums, events, withdrawn)

    def _path_in(self, state: State) -> str:
        """The skill path in a published state."""
        if self._skill and state.directory == self._skill.directory:
            return self._path
        paths = self._compiler.config.paths
        return own_path(state.directory, self._names[state.place], paths).path


def _again(states: Sequence[State]) -> Change | None:
    """Since when the newest state is back, if it was there before and another one was between."""
    back, *older = states
    while older and older[0].tree == back.tree:
        back, *older = older
    return back.change if any(each.tree == back.tree for each in older) else None


def _addressed(entry: Entry) -> set[str]:
    """The addressed files of a skill that is published."""
    files = {blob_path(item.digest) for item in entry.resources}
    files |= {f"archives/{item.file_name}" for item in entry.archives}
    return files | {path for path in [markdown_path(entry)] if path}


def _at_address(skill: Skill, version: Version, path: str) -> Skill:
    name = name_for_address(skill.frontmatter.text("name"), path)
    where = f"-/{version.address}/{name}"
    return replace(skill, path=where, flat_name=name, copies=())


def _record_of(content: VersionContent) -> VersionRecord:
    return VersionRecord(
        version=content.version,
        path=content.path,
        directory=content.skill.directory,
        tree=content.tree,
        frontmatter=content.entry.frontmatter,
        resources=content.entry.resources,
        archives=content.entry.archives,
    )


def _load(state: State, config: Config, reader: Reader) -> _Loaded | RefusedState | None:
    """A state with its files, if today's checks pass; None if its directory was no skill."""
    leaves = reader.below(state.tree, state.directory, _MOST_LEAVES)
    if leaves is None:
        return RefusedState(MISSING, None)
    if len(leaves) > _MOST_LEAVES:
        return RefusedState(TOO_MANY_FILES.code, None)
    own = replace(config, paths=_paths_above(state.directory, config))
    read = partial(read_names, reader=reader, config=own)
    outline = plan(survey(leaves, own, read, reader), own, reader)
    tree = outline.by_directory.get(state.directory)
    if tree is None:
        return None
    checked = check_skill(tree, outline, reader, own)
    skill = checked.skill
    digest = _digest(skill.files) if skill else _digest_of_refused(tree, reader)
    if digest is None:
        return RefusedState(MISSING, None, checked.codes)
    if digest.hex in config.yanked:
        return RefusedState(YANKED, digest, checked.codes)
    if skill is None:
        refusing = next(item for item in checked.findings if item.is_error)
        return RefusedState(refusing.rule.code, digest, checked.codes)
    if is_internal(skill.frontmatter.value):
        return RefusedState(INTERNAL, digest, checked.codes)
    return _Loaded(skill, digest, checked.codes)


def _paths_above(directory: str, config: Config) -> Mapping[str, str]:
    """The keys of `[paths]` that give this directory its path: others name nothing here."""
    return {
        key: path for key, path in config.paths.items() if f"{directory}/".startswith(f"{key}/")
    }


def _digest(files: Iterable[File]) -> Digest:
    """The skill digest of these files."""
    return digest_of_files(
        [(file.path, Digest.of(file.data), len(file.data), file.executable) for file in files]
    )


def _digest_of_refused(tree: SkillTree, reader: Reader) -> Digest | None:
    """The same of a skill whose check gave no files; None if not all can be read."""
    own = [leaf for leaf in without_junk(tree)[0] if leaf.is_file]
    lines = []
    for leaf, data in zip(own, reader.read(own), strict=True):
        if data is None:
            return None
        executable = leaf.kind is Kind.EXECUTABLE
        lines.append((tree.relative(leaf), Digest.of(data), len(data), executable))
    return digest_of_files(lines)
