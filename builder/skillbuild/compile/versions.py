"""The versions of one skill: each state of its directory judged by today's settings, and published.

A state that today's checks refuse is left out with its reason, and with it nothing of its bytes is
published. The newest state is the skill itself, whose files are published already. What happened to
the skill is read from the states that are published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skillbuild.compile.pack import Packed, pack_skill, pack_version
from skillbuild.compile.result import VersionTally
from skillbuild.compile.states import (
    Judged,
    Made,
    Place,
    StateResults,
    judge,
    judging_key,
    making_key,
)
from skillbuild.config import Config
from skillbuild.emit.emitter import Emitter
from skillbuild.emit.events import Event, EventKind
from skillbuild.emit.versions import (
    CROWDED,
    MISSING,
    YANKED,
    EmittedVersion,
    VersionContent,
    VersionSummary,
    in_one_line,
)
from skillbuild.model import Change, Digest, Entry, Skill, Version
from skillbuild.output.stage_writer import StageWriter
from skillbuild.release import checksums
from skillbuild.release.layout import blob_path
from skillbuild.release.record import markdown_path
from skillbuild.release.versions import VersionRecord, encode_version, label, name_for_address
from skillbuild.source.lineage import FIRST, End, State
from skillbuild.source.placement import own_path
from skillbuild.source.tree import Reader


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
    results: StateResults = field(default_factory=StateResults)
    """What the next build may take over."""

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
    earlier: Mapping[str, StateResults] = field(default_factory=dict)
    """What the last build came to, by directory."""

    def run(self, skill: Skill, packed: Packed, reader: Reader) -> Versions:
        """The versions of a published skill, its newest among them."""
        states = self.states.get(skill.directory, ())
        if not states or packed.entry.is_internal:
            return Versions()
        newest = _Newest(skill, packed, states[0].tree)
        versions = self._run(skill.directory, newest, reader)
        return replace(versions, first=self._first(states[-1]))

    def _first(self, oldest: State) -> Change | None:
        """The commit that brought a skill; its oldest state may be where versions begin."""
        since = self.config.versions.since if self.config.versions else ""
        return oldest.change if oldest.order or since == FIRST else None

    def run_gone(self, directory: str, reader: Reader) -> Versions:
        """The versions of a skill that is no longer in the source."""
        return self._run(directory, None, reader)

    def _run(self, directory: str, newest: _Newest | None, reader: Reader) -> Versions:
        states = self.states.get(directory, ())
        firsts, ended = _kept(states, self.config)
        for earlier in (self.earlier.get(directory, StateResults()), StateResults()):
            run = _Run(self, newest, earlier, reader)
            try:
                for state in firsts:
                    run.take(state)
            except _GoneError:  # What an earlier build had read is no longer there.
                continue
            break
        return run.ended(states, ended)

    def publish(self, emitted: EmittedVersion, files: Mapping[str, bytes]) -> list[bytes]:
        """Stage the files of a version; returns the checksum lines of those without a digest."""
        self.writer.add(files)
        lines = self.writer.write([encode_version(_record_of(emitted.content))])
        for emitter in self.emitters:
            lines += self.writer.write(emitter.emit_version(emitted))
        return lines


@dataclass(frozen=True, slots=True)
class _Newest:
    """The skill as it is published now."""

    skill: Skill
    packed: Packed
    tree: str
    """The git tree of its directory."""


class _GoneError(Exception):
    """Files of a version are wanted that can no longer be read."""


@dataclass(frozen=True, slots=True)
class _Older:
    """The version that was published last; its files are read if somebody wants them."""

    version: Version
    path: str
    tree: str
    read: Callable[[], Skill]

    def content(self) -> VersionContent:
        """What newer versions are compared with; without archives."""
        skill = at_address(self.read(), self.version, self.path)
        entry = pack_skill(skill, {}, Config(formats=())).entry
        return VersionContent(self.version, skill, entry, self.path, self.tree)


def _kept(states: Sequence[State], config: Config) -> tuple[list[State], int]:
    """The first state with each tree, the oldest first, and how many `keep` does not allow.

    The same tree at another place is a state of its own, as settings may judge it otherwise.
    """
    by_tree: dict[str, list[State]] = {}
    for each in {each.place: each for each in states}.values():
        by_tree.setdefault(each.tree, []).append(each)
    groups = sorted(by_tree.values(), key=lambda group: min(each.order for each in group))
    most = config.versions.most if config.versions else 0
    ended = groups[:-most] if most else []
    newest = [group for group in ended if group[0].tree == states[0].tree] if states else []
    kept = [*newest, *(groups[-most:] if most else groups)]
    firsts = sorted((each for group in kept for each in group), key=lambda state: state.order)
    return firsts, len(groups) - len(kept)


class _Run:
    """One skill whose states are published in turn; only two of them are in memory at a time."""

    def __init__(
        self,
        compiler: VersionCompiler,
        newest: _Newest | None,
        earlier: StateResults,
        reader: Reader,
    ) -> None:
        self._compiler = compiler
        self._newest = newest
        self._earlier = earlier
        self._reader = reader
        self._path = newest.skill.path if newest else ""
        self._older: _Older | None = None
        self._summaries: list[VersionSummary] = []
        self._left_out: list[Judged] = []
        self._checksums: list[bytes] = []
        self._trees: dict[Place, Digest | None] = {}
        """The skill digest of each state that is published; None for one that is no skill."""
        self._names: dict[Place, str] = {}
        """What the frontmatter of each of them calls the skill."""
        self._own = _addressed(newest.packed.entry) if newest else set[str]()
        """Paths of addressed files that are counted already."""
        self._size = 0
        self._owned: dict[str, str] = {}
        self._shared: dict[str, str] = {}
        self._judged: dict[Place, tuple[str, Judged]] = {}
        self._made: dict[str, Made] = {}

    def take(self, state: State) -> None:
        """Publish a state, unless it is refused, is no skill, or has the files of an older one."""
        if state.is_crowded:
            self._left_out.append(Judged(reason=CROWDED))
            return
        newest = self._newest
        is_newest = newest is not None and state.tree == newest.tree
        if newest and is_newest and state.directory == newest.skill.directory:
            self._publish_newest(state, newest)
            return
        judged, skill = self._judge(state)
        if judged.reason:
            if newest and is_newest:  # Only at its old place it would be refused.
                self._publish_newest(state, newest)
            else:
                self._left_out.append(judged)
        elif judged.digest is None:
            self._trees[state.place] = None
        else:
            stayed = newest is not None and state.directory == newest.skill.directory
            path = self._path if stayed else judged.path

            def read() -> Skill:
                return skill or self._read(state)

            self._publish(state, judged.digest, judged.title, path, read)

    def _judge(self, state: State) -> tuple[Judged, Skill | None]:
        """What the settings say of a state, and its skill if it had to be read for that."""
        config = self._compiler.config
        skill = None
        key, judged = self._earlier.judged.get(state.place, ("", Judged()))
        if not key or key != judging_key(state, judged.codes, config):
            judged, skill = judge(state, config, self._reader)
            key = judging_key(state, judged.codes, config)
        if judged.reason != MISSING:  # It may be there the next time.
            self._judged[state.place] = key, judged
        return judged, skill

    def _read(self, state: State) -> Skill:
        _, skill = judge(state, self._compiler.config, self._reader)
        if skill is None:
            raise _GoneError
        return skill

    def _publish_newest(self, state: State, newest: _Newest) -> None:
        skill, digest = newest.skill, newest.packed.entry.skill_digest
        title = skill.frontmatter.text("name")
        self._publish(state, digest, title, skill.path, lambda: skill)

    def _publish(
        self, state: State, digest: Digest, title: str, path: str, read: Callable[[], Skill]
    ) -> None:
        self._trees[state.place] = digest
        self._names[state.place] = title
        if any(each.version.digest == digest for each in self._summaries):
            return
        older = self._older
        before = (older.version, older.path) if older else None
        key = making_key(state, digest, path, before)
        made = self._earlier.made.get(key) or self._make(state, digest, path, read())
        self._made[key] = made
        version = Version.of(digest, state.change, made.label)
        (self._shared if state.is_shared else self._owned)[digest.hex] = state.tree
        self._count(made, state)
        self._summaries.append(VersionSummary(version, path, made.difference, state.order))
        self._older = _Older(version, path, state.tree, read)

    def _make(self, state: State, digest: Digest, path: str, skill: Skill) -> Made:
        """Stage the files of a version, unless another skill publishes it."""
        newest = self._newest.packed if self._newest else None
        same = newest if newest and newest.entry.skill_digest == digest else None
        name = label(skill.frontmatter.value, state.change.date, digest)
        version = Version.of(digest, state.change, name)
        placed = at_address(skill, version, path)
        packed = pack_version(placed, self._compiler.config, same)
        content = VersionContent(version, placed, packed.entry, path, state.tree)
        emitted = EmittedVersion(content, self._older.content() if self._older else None)
        if state.is_shared:
            return Made(name, emitted.difference)
        files, own = packed.files(), same.files() if same else {}
        new = {path: data for path, data in files.items() if path not in own}
        addressed = [
            (checksums.line(path, Digest.of(data)), len(data)) for path, data in files.items()
        ]
        pages = self._compiler.publish(emitted, new)
        return Made(name, emitted.difference, tuple(addressed), tuple(pages))

    def _count(self, made: Made, state: State) -> None:
        """Add the files of a version to those of the skill, of the newest what the skill lacks."""
        is_newest = self._newest is not None and state.tree == self._newest.tree
        for line, size in made.addressed:
            path = checksums.path_of(line)
            if is_newest and path in self._own:
                continue
            self._checksums.append(line)
            if path not in self._own and not is_newest:
                self._own.add(path)
                self._size += size
        self._checksums += made.pages

    def ended(self, states: Sequence[State], ended: int) -> Versions:
        """All that became of the states."""
        newest, summaries = self._newest, list(self._summaries)
        digests = {each.version.digest for each in summaries}
        left_out = [each for each in self._left_out if each.digest not in digests]
        events = events_of(states, self._trees, summaries, self._path_in)
        former = {each.path for each in summaries} | {each.path for each in events}
        for number, each in enumerate(summaries):
            if newest and each.version.digest == newest.packed.entry.skill_digest:
                summaries[number] = replace(each, again=_again(states))
        tally = VersionTally(
            published=len(summaries),
            ended=ended,
            left_out=dict(sorted(Counter(each.reason for each in left_out).items())),
            withheld=sorted({each.digest.hex for each in left_out if each.digest}),
            size=self._size,
            own=self._owned,
            shared=self._shared,
            former=sorted(former - {self._path}),
        )
        yanked = [each.digest for each in left_out if each.reason == YANKED and each.digest]
        withdrawn = tuple(sorted({digest.hex for digest in yanked}))
        versions, checksums = tuple(reversed(summaries)), tuple(self._checksums)
        results = StateResults(self._judged, self._made)
        return Versions(versions, tally, checksums, events, withdrawn, results=results)

    def _path_in(self, state: State) -> str:
        """The skill path in a published state."""
        if self._newest and state.directory == self._newest.skill.directory:
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


def at_address(skill: Skill, version: Version, path: str) -> Skill:
    name = name_for_address(skill.frontmatter.text("name"), path)
    where = f"-/{version.address}/{name}"
    return replace(skill, path=where, flat_name=name, copies=())


def _record_of(content: VersionContent) -> VersionRecord:
    return VersionRecord(
        path=content.path,
        directory=content.skill.directory,
        tree=content.tree,
        digest=content.version.digest,
        commit=content.version.commit,
        seconds=content.version.seconds,
        label=content.version.label,
        frontmatter=content.entry.frontmatter,
        resources=content.entry.resources,
        archives=content.entry.archives,
    )


PathOf = Callable[[State], str]
"""The skill path that a skill had in a published state."""


@dataclass(frozen=True, slots=True)
class _Stand:
    """What the catalog had of a skill at some commit."""

    digest: Digest
    path: str


def events_of(
    states: Sequence[State],
    trees: Mapping[tuple[str, str], Digest | None],
    summaries: Sequence[VersionSummary],
    path_of: PathOf,
) -> tuple[Event, ...]:
    """The events of a skill, the oldest first.

    `states` are the newest first, `trees` has the skill digest by the place of each that is
    published, and None for what is no skill; `summaries` are the versions with these digests.
    """
    labels = {each.version.digest: each.version.label for each in summaries}
    differences = {each.version.digest: _difference(each) for each in summaries}
    events: list[Event] = []
    last: _Stand | None = None

    def add(kind: EventKind, when: State | End, stand: _Stand, former: str = "") -> None:
        is_new = all(each.digest != stand.digest for each in events)
        text = differences[stand.digest] if is_new else ""
        label = labels[stand.digest]
        what = (stand.path, former, stand.digest, label, text)
        events.append(Event(kind, when.change, when.order, *what))

    for state in reversed(states):
        digest = trees.get(state.place)
        if digest is not None:
            now = _Stand(digest, path_of(state))
            kind = _kind(last, now, events)
            if kind is not None:
                add(kind, state, now, last.path if last and kind is EventKind.MOVED else "")
            last = now
        end = state if digest is None and state.place in trees else state.end
        if end is not None and last is not None:
            add(EventKind.WITHDRAWN, end, last)
            last = None
    return tuple(events)


def _kind(last: _Stand | None, now: _Stand, events: Sequence[Event]) -> EventKind | None:
    """What happened between two states; None if nothing that a catalog shows."""
    if last is None:
        return EventKind.ADDED
    if last.path != now.path:
        return EventKind.MOVED
    if last.digest == now.digest:
        return None
    is_back = any(each.digest == now.digest for each in events)
    return EventKind.RESTORED if is_back else EventKind.CHANGED


def _difference(summary: VersionSummary) -> str:
    return in_one_line(summary.difference) if summary.difference else ""
