"""Publishes the versions of a skill: each past state of its directory that passes the current
checks.

A state that fails is left out with a reason, and none of its content is published. The newest state
is the skill itself, whose files are already published. The events in the skill's history are
derived from the published states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from skillbuild.check import icons
from skillbuild.check.facts.gather import gather
from skillbuild.check.trust.evidence import Evidence
from skillbuild.compile.pack import Packed, pack_version
from skillbuild.compile.result import VersionTally
from skillbuild.compile.states import CheckedState, StateResults, VersionFiles, check_state
from skillbuild.config import Config
from skillbuild.emit.emitter import Emitter
from skillbuild.emit.events import Event, EventKind
from skillbuild.emit.site.addresses import difference_page
from skillbuild.emit.versions import (
    MISSING,
    YANKED,
    Comparison,
    Difference,
    ListedVersion,
    SkillHistory,
    VersionContent,
)
from skillbuild.model import Change, Digest, Skill, Version, changed, version_address
from skillbuild.output.stage_writer import StageWriter
from skillbuild.release.record import files_of
from skillbuild.release.versions import (
    VersionRecord,
    declared_label,
    encode_version,
    label,
    version_name,
)
from skillbuild.rules.source import VERSION_ADDRESS
from skillbuild.source.documents import Documents
from skillbuild.source.lineage import FIRST, End, State
from skillbuild.source.tree import Reader


@dataclass(frozen=True, slots=True)
class Versions:
    """The result of publishing the past states of one skill."""

    path: str = ""
    """The skill path; for a removed skill, the last one."""
    history: SkillHistory = field(default_factory=SkillHistory)
    tally: VersionTally = field(default_factory=VersionTally)
    checksums: tuple[bytes, ...] = ()
    results: StateResults = field(default_factory=StateResults)
    """The results that the next build may reuse."""

    @property
    def published(self) -> tuple[Version, ...]:
        return tuple(each.version for each in self.history.versions)


@dataclass(frozen=True, slots=True)
class VersionCompiler:
    """Publishes the versions of skills, one skill at a time."""

    config: Config
    emitters: Sequence[Emitter]
    writer: StageWriter
    states: Mapping[str, Sequence[State]]
    """The states of each skill, by directory, newest first; empty if `[versions]` is not set."""
    earlier: Mapping[str, StateResults] = field(default_factory=dict)
    """The results of the last build, by directory."""
    clashes: Mapping[str, str] = field(default_factory=dict)
    """Versions that cannot be published because another version has the same address.

    Maps the skill digest in hex to a description of both versions.
    """
    evidence: Evidence = field(default_factory=Evidence)

    def run(self, skill: Skill, packed: Packed, documents: Documents, reader: Reader) -> Versions:
        """Publish the versions of a skill in the source, including the newest version."""
        states = self.states.get(skill.directory, ())
        if not states or packed.entry.is_internal:
            return Versions()
        newest = _Newest(skill, packed, documents, states[0].tree)
        versions = self._run(skill.directory, newest, reader)
        since = self.config.versions.since if self.config.versions else ""
        # The oldest state may be where versions begin, not where the skill began.
        first = states[-1].change if states[-1].order or since == FIRST else None
        return replace(versions, history=replace(versions.history, first=first))

    def run_gone(self, directory: str, reader: Reader) -> Versions:
        """Publish the versions of a skill that is no longer in the source."""
        return self._run(directory, None, reader)

    def _run(self, directory: str, newest: _Newest | None, reader: Reader) -> Versions:
        states = self.states.get(directory, ())
        most = self.config.versions.most if self.config.versions else 0
        kept, ended = _kept(states, most)
        try:
            run = _Run(self, newest, self.earlier.get(directory, StateResults()), reader)
            run.publish(kept)
        except _UnreadableError:  # The last build could read a file that this one cannot.
            run = _Run(self, newest, StateResults(), reader)
            run.publish(kept)
        return run.versions(states, ended)


@dataclass(frozen=True, slots=True)
class _Newest:
    """The skill as it is published now."""

    skill: Skill
    packed: Packed
    documents: Documents
    tree: str
    """The git tree of its directory."""

    @property
    def digest(self) -> Digest:
        return self.packed.entry.skill_digest


class _UnreadableError(Exception):
    """Files of a version are needed, but can no longer be read."""


def _kept(states: Sequence[State], most: int) -> tuple[list[State], int]:
    """Return the states to publish, oldest first, and how many trees exceed `most`; 0 means no
    limit.

    Each is the first state with its tree and directory, because in another directory settings may
    check the same tree differently. The current tree of the skill is always kept.
    """
    firsts = {each.content: each for each in states}
    oldest_first = sorted(firsts.values(), key=lambda state: state.order)
    trees = list(dict.fromkeys(each.tree for each in oldest_first))
    kept = {*trees[-most:], states[0].tree} if most else {*trees}
    return [each for each in oldest_first if each.tree in kept], len(trees) - len(kept)


class _Run:
    """Publishes the states of one skill in turn; only two of them are in memory at a time."""

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
        self._listed: list[ListedVersion] = []
        """Versions, oldest first."""
        self._older_content: Callable[[], VersionContent] | None = None
        """A function that returns the files of the last listed version."""
        self._published: dict[str, CheckedState] = {}
        """Results by `State.content`; a state that is not a skill has no digest."""
        self._left_out: list[CheckedState] = []
        self._checksums: list[bytes] = []
        self._results = StateResults()

    def publish(self, states: Sequence[State]) -> None:
        """Publish the states that are valid skills. If several states have the same files, only the
        oldest of them is published.

        `states` are sorted, oldest first.
        """
        for state in states:
            found, skill = self._find(state)
            if found.reason:
                self._left_out.append(found)
                continue
            self._published[state.content] = found
            if found.digest is not None and found.digest.hex not in self._results.files:
                self._publish(state, found.digest, found.path, skill)

    def _find(self, state: State) -> tuple[CheckedState, Skill | None]:
        """Return the result of checking a state, and its skill if it had to be read."""
        newest = self._newest
        stays = newest is not None and state.directory == newest.skill.directory
        if newest and stays and state.tree == newest.tree:
            return CheckedState(digest=newest.digest, path=self._path), newest.skill
        skill = None
        found = self._earlier.checked.get(state.content)
        if found is None:
            found, skill = check_state(
                state, self._compiler.config, self._reader, self._compiler.evidence.of_old_states
            )
        if found.reason != MISSING:  # It may be available the next time.
            self._results.checked[state.content] = found
        if found.digest is not None and found.digest.hex in self._compiler.clashes:
            found = replace(found, reason=found.reason or VERSION_ADDRESS.code)
        return (replace(found, path=self._path) if stays else found), skill

    def _publish(self, state: State, digest: Digest, path: str, skill: Skill | None) -> None:
        """List a state as a version, with its files and its differences."""
        read: Callable[[], VersionContent]
        files = self._earlier.files.get(digest.hex)
        if files is None:
            content, files = self._stage(digest, skill or self._read(state))
            read = cache(lambda: content)
        else:
            bare = Config(formats=())
            read = cache(lambda: _content(digest, skill or self._read(state), bare)[0])
        self._results.files[digest.hex] = files
        self._checksums += files.checksums
        name = label(files.declared, digest, state.change.date)
        version = Version.of(digest, state.change, name, path)
        self._listed.append(ListedVersion(version, self._compare(version, read)))
        self._older_content = read

    def _read(self, state: State) -> Skill:
        _, skill = check_state(state, self._compiler.config, self._reader, self._compiler.evidence)
        if skill is None:
            raise _UnreadableError
        return skill

    def _stage(self, digest: Digest, skill: Skill) -> tuple[VersionContent, VersionFiles]:
        """Stage the files at the address of a version."""
        newest, writer = self._newest, self._compiler.writer
        same = newest if newest and newest.digest == digest else None
        content, packed = _content(digest, skill, self._compiler.config, same)
        entry = content.entry
        record = VersionRecord(
            digest=digest,
            frontmatter=entry.frontmatter,
            resources=entry.resources,
            archives=entry.archives,
        )
        checksums = writer.add(packed.files())
        checksums += writer.write_once([encode_version(record)])
        for emitter in self._compiler.emitters:
            checksums += writer.write_once(emitter.emit_version(content))
        sizes = {path: len(data) for path, data in packed.files().items()}
        declared = declared_label(skill.frontmatter.value)
        return content, VersionFiles(declared, tuple(checksums), sizes)

    def _compare(self, version: Version, read: Callable[[], VersionContent]) -> Difference | None:
        """Return the differences from the version before; write a page about them if the skill is
        in the source.
        """
        if self._older_content is None:
            return None
        older = self._listed[-1].version
        key = Digest.of(repr((self._path, version, older)).encode(errors="surrogatepass")).hex
        if (known := self._earlier.differences.get(key)) is None:
            comparison = Comparison(version, older, read(), self._older_content())
            checksums: list[bytes] = []
            for emitter in self._compiler.emitters if self._newest else ():
                files = emitter.emit_comparison(self._path, comparison)
                checksums += self._compiler.writer.write(files)
            known = comparison.difference, tuple(checksums)
        self._results.differences[key] = known
        difference, lines = known
        self._checksums += lines
        return difference

    def versions(self, states: Sequence[State], ended: int) -> Versions:
        """Return the results for all states; `ended` is the number of versions beyond the limit."""
        results, listed = self._results, self._listed
        events = events_of(states, self._published, listed, self._path)
        path = self._path or (events[-1].path if events else "")
        left_out = [
            each
            for each in self._left_out
            if each.digest is None or each.digest.hex not in results.files
        ]
        yanked = {each.digest.hex for each in left_out if each.digest and each.reason == YANKED}
        former = {each.path for each in self._published.values() if each.digest}
        tally = VersionTally(
            published=_sizes(results.files, self._newest),
            ended=ended,
            left_out=dict(sorted(Counter(each.reason for each in left_out).items())),
            withheld=sorted({each.digest.hex for each in left_out if each.digest}),
            former=sorted(former - {path}),
        )
        history = SkillHistory(
            tuple(self._final(each, path, states) for each in reversed(listed)),
            tally.left_out,
            events,
            tuple(sorted(yanked)),
        )
        return Versions(path, history, tally, tuple(self._checksums), results)

    def _final(self, listed: ListedVersion, path: str, states: Sequence[State]) -> ListedVersion:
        """Return the list entry of a version, relative to the final path of the skill."""
        version = listed.version
        if version.path == path:
            version = changed(version, path="")
        is_newest = self._newest is not None and version.digest == self._newest.digest
        return replace(listed, version=version, again=_again(states) if is_newest else None)


def _content(
    digest: Digest, skill: Skill, config: Config, same: _Newest | None = None
) -> tuple[VersionContent, Packed]:
    """Return the content of a version, independent of its directory.

    `same` is the newest version, if it has the same files.
    """
    name = version_name(skill.frontmatter.text("name"))
    path = f"-/{version_address(digest)}/{name}"
    placed = replace(skill, path=path, directory="", flat_name=name, copies=())
    packed = pack_version(placed, config, same.packed if same else None)
    documents = same.documents if same else Documents(skill.files, skill.body, skill.body_line)
    shown = label(declared_label(skill.frontmatter.value), digest)
    entry = changed(packed.entry, facts=gather(placed, documents))
    return VersionContent(digest, shown, placed, entry, documents, icons.own(placed)), packed


def _sizes(files: Mapping[str, VersionFiles], newest: _Newest | None) -> dict[str, int]:
    """Return, for each version, the size of its files that neither the skill nor an older version
    has.
    """
    counted = {*files_of([newest.packed.entry])} if newest else set[str]()
    sizes = {}
    for digest, version in files.items():
        new = version.sizes.keys() - counted
        counted |= new
        is_newest = newest is not None and newest.digest.hex == digest
        sizes[digest] = 0 if is_newest else sum(version.sizes[path] for path in new)
    return sizes


def _again(states: Sequence[State]) -> Change | None:
    """Return the change that brought back the newest tree after another tree; None if there is
    none.
    """
    back, *older = states
    while older and older[0].tree == back.tree:
        back, *older = older
    return back.change if any(each.tree == back.tree for each in older) else None


def events_of(
    states: Sequence[State],
    published: Mapping[str, CheckedState],
    listed: Sequence[ListedVersion],
    path: str,
) -> tuple[Event, ...]:
    """Return the events of a skill, oldest first.

    `states` are sorted newest first. `published` maps `State.content` to the published states, and
    `listed` contains the versions of these states. `path` is the path of the skill, or empty if the
    skill was removed. The events of a removed skill have no links to the pages that show what
    changed.
    """
    versions = {each.version.digest: each for each in listed}
    events: list[Event] = []
    last: CheckedState | None = None

    def add(kind: EventKind, when: State | End, found: CheckedState, former: str = "") -> None:
        if found.digest is None:
            return
        version, words = versions[found.digest], ""
        if version.difference and all(each.digest != found.digest for each in events):
            words = version.difference.in_one_line
        page = difference_page(path, found.digest) if path and words else ""
        what = (found.path, former, found.digest, version.version.label, words, page)
        events.append(Event(kind, when.change, when.order, *what))

    for state in reversed(states):
        found = published.get(state.content)
        if found and found.digest:
            kind = _kind(last, found, events)
            if kind is not None:
                add(kind, state, found, last.path if last and kind is EventKind.MOVED else "")
            last = found
        end = state if found and not found.digest else state.end
        if end is not None and last is not None:
            add(EventKind.REMOVED, end, last)
            last = None
    return tuple(events)


def _kind(
    last: CheckedState | None, now: CheckedState, events: Sequence[Event]
) -> EventKind | None:
    """Return what happened between two states; None if a catalog does not show it."""
    if last is None:
        return EventKind.ADDED
    if last.path != now.path:
        return EventKind.MOVED
    if last.digest == now.digest:
        return None
    is_back = any(each.digest == now.digest for each in events)
    return EventKind.RESTORED if is_back else EventKind.CHANGED
