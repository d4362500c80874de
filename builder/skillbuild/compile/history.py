"""The states of all skills along the first-parent line, and the versions that come of them.

The address of a version holds one page and one record, so one skill publishes it: the one that had
its tree first, as far as the history tells. Only after the checks it is known whether that one
publishes it at all, and whether two trees hold the same files; then some are compiled once more.
"""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO

from skillbuild.compile.request import Request
from skillbuild.compile.result import Compile, SkillResult, on_disk
from skillbuild.compile.skill import SkillCompiler
from skillbuild.compile.skills import Compiled, compile_skills, plan_skills
from skillbuild.config import Config, moved_to
from skillbuild.diagnostics import has_errors
from skillbuild.model import Digest, version_address
from skillbuild.paths import SKILL_FILE, inside, parent
from skillbuild.setting_lines import SettingError
from skillbuild.source import git
from skillbuild.source.first_parent import Step, steps
from skillbuild.source.lineage import Lineage, State, ended_skills, follow
from skillbuild.source.outline import Outline
from skillbuild.source.placement import own_path
from skillbuild.source.skill_md import read_skill_md
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import CommitSource, Kind, Leaf, Reader, locating


def lineage_of(request: Request, planned: Outline, reader: Reader) -> Lineage | None:
    """The states of all skills, if the settings have `[versions]` and the source is a commit.

    Raises `GitError` where the history is not at hand, or too long to be walked, and `ConfigError`
    for a key of `[moved]` that was no skill in the whole history.
    """
    source, config = request.source, request.config
    if config.versions is None or not isinstance(source, CommitSource):
        return None
    directories = {tree.path: tree.directory for tree in planned.skills if tree.path is not None}
    moves = _Moves(config, directories, reader)
    walked = moves.seen_in(steps(source.repository, source.commit.commit, _largest_folder(request)))
    folders = git.list_folders(source.repository, source.commit.tree)
    lineage = follow(
        walked, folders, directories.values(), config.versions.since, moves.read, moves.to
    )
    with locating(request.leaves, reader):
        moves.require_seen(walked)
    return lineage


class _Moves:
    """What `[moved]` says, and which of its keys were skills in the history."""

    def __init__(self, config: Config, directories: Mapping[str, str], reader: Reader) -> None:
        """`directories` are those of the skills by their path."""
        self._config = config
        self._directories = directories
        self._reader = reader
        self._unseen = set(config.moved)
        self._paths: set[str] = set()

    def read(self, object_id: str) -> bytes | None:
        """A blob by its id; None if it is missing or damaged."""
        return next(iter(self._reader.read([Leaf("", Kind.FILE, object_id)])))

    def to(self, directory: str, skill_file: str) -> Collection[str]:
        """The directories of the skills that `[moved]` says to have stood in a directory."""
        path = self._path(directory, skill_file) if self._config.moved else ""
        if path not in self._config.moved:
            return []
        path = moved_to(path, self._config.moved)
        return [self._directories[path]] if path in self._directories else []

    def seen_in(self, walked: Iterable[Step]) -> Iterator[Step]:
        """The same steps; while some key was not seen, each skill that ended is looked up."""
        for step in walked:
            for directory, skill_file in ended_skills(step) if self._unseen else ():
                path = self._path(directory, skill_file)
                self._paths.add(path)
                self._unseen.discard(path)
            yield step

    def require_seen(self, rest: Iterable[Step]) -> None:
        """Raise `SettingError` for a key that is no skill of the whole history."""
        for _ in rest if self._unseen else ():
            if not self._unseen:
                return
        for key in sorted(self._unseen):
            close = difflib.get_close_matches(key, sorted(self._paths), n=1)
            remedy = f"did you mean {close[0]}?" if close else "remove it"
            message = f"[moved] {key!r} was no skill in the history; {remedy}"
            raise SettingError(message, "moved", key)

    def _path(self, directory: str, skill_file: str) -> str:
        head = read_skill_md(self.read(skill_file) or b"", inside(directory, SKILL_FILE))
        name = head.frontmatter.value.get("name") if head.frontmatter else None
        declared = name if isinstance(name, str) else None
        return own_path(directory, declared, self._config.paths).path


def _largest_folder(request: Request) -> int:
    """How many entries the largest folder of the source has: files and folders."""
    entries, waiting = Counter[str](), {leaf.path for leaf in request.leaves}
    counted = set[str]()
    while waiting:
        counted |= waiting
        entries.update(map(parent, waiting))
        waiting = {folder for folder in map(parent, waiting) if folder} - counted
    return max(entries.values(), default=0)


Claims = Mapping[str, tuple[dict[str, str], dict[str, str]]]
States = Mapping[str, Sequence[State]]

Again = Callable[[States, Sequence[str]], Iterable[SkillResult]]
"""Compiles the skills of some directories once more, in this order, with other states."""

_MOST_ROUNDS = 5

Run = Callable[
    [SkillCompiler, Sequence[SkillTree], Outline, Reader],
    Iterator[SkillResult],
]
"""Works on skills by a step; one result for each, in the order given."""


def with_one_owner(compiled: Compiled, states: States, again: Again) -> Compiled:
    """The same with every version published by one skill, the first by directory that can."""
    for _ in range(_MOST_ROUNDS):
        claims = _claims(compiled)
        shared: dict[tuple[str, str], bool] = {}
        crowded, order = _crowded(claims, states)
        for digest in sorted(claims) if not crowded else ():
            owners, others = claims[digest]
            if len(owners) == 1 or not owners | others:
                continue
            winner, *rest = sorted(owners) or sorted(others)
            for directory in rest if owners else ():
                shared[directory, owners[directory]] = True
            shared[winner, (owners | others)[winner]] = False
            order += [*(rest if owners else ()), winner]
        if not order:
            return compiled
        states = {
            directory: [
                replace(
                    each,
                    is_shared=shared.get((directory, each.tree), each.is_shared),
                    is_crowded=each.is_crowded or (directory, each.tree) in crowded,
                )
                for each in every
            ]
            for directory, every in states.items()
        }
        # Whoever publishes a version comes last, so that what another one wrote is replaced.
        last_first = list(dict.fromkeys(reversed(order)))
        results = {each.directory: each for each in again(states, last_first[::-1])}
        compiled = replace(
            compiled,
            results=tuple(results.get(each.directory, each) for each in compiled.results),
            gone=tuple(results.get(each.directory, each) for each in compiled.gone),
        )
    return compiled


def _crowded(claims: Claims, states: States) -> tuple[set[tuple[str, str]], list[str]]:
    """The trees by directory whose version would have the address of an older one.

    Beside them the directories to compile again, those with the older version last.
    """

    def first(digest: str) -> tuple[int, str]:
        orders = [
            each.order
            for own in claims[digest]
            for directory, tree in own.items()
            for each in states[directory]
            if each.tree == tree
        ]
        return min(orders, default=0), digest

    by_address = defaultdict[str, list[str]](list)
    for digest in claims:
        by_address[version_address(Digest(digest))].append(digest)
    crowded: set[tuple[str, str]] = set()
    last: list[str] = []
    for digests in by_address.values():
        oldest, *rest = sorted(digests, key=first) if len(digests) > 1 else digests
        crowded |= {item for each in rest for own in claims[each] for item in own.items()}
        last += sorted(claims[oldest][0]) if rest else []
    again = sorted({directory for directory, _ in crowded}.difference(last))
    return crowded, [*again, *last]


def _claims(compiled: Compiled) -> Claims:
    """By skill digest, the trees by directory of who publishes it, and of who relies on others."""
    claims = defaultdict[str, tuple[dict[str, str], dict[str, str]]](lambda: ({}, {}))
    for result in (*compiled.results, *compiled.gone):
        if result.published is not None:
            for digest, tree in result.published.versions.own.items():
                claims[digest][0][result.directory] = tree
            for digest, tree in result.published.versions.shared.items():
                claims[digest][1][result.directory] = tree
    return claims


def plan_with_history(request: Request) -> tuple[Outline, Lineage | None]:
    """Where the skills of the source are, and their states if versions are published."""
    with request.source.reader() as reader:
        planned = plan_skills(request, reader)
        return planned, lineage_of(request, planned, reader)


def compile_with_history(
    request: Request,
    run: Run,
    step: SkillCompiler,
    planned: Outline,
    lineage: Lineage | None,
    scratch: BinaryIO,
) -> Compiled:
    """Compile every skill, and the versions of those that are no longer in the source.

    What waits until all skills are known is written to `scratch`.
    """
    states = lineage.all_states() if lineage else {}
    ends = lineage.ends() if lineage else {}

    def compile_with(states: States) -> Compile:
        def compile_some(
            skills: Sequence[SkillTree], outline: Outline, reader: Reader
        ) -> Iterator[SkillResult]:
            versioned = replace(step, states=states, ends=ends)
            return on_disk(run(versioned, skills, outline, reader), scratch)

        return compile_some

    compiled = compile_skills(request, compile_with(states), planned)
    if lineage is None or has_errors(compiled.findings()):
        return compiled
    # What is left out for now keeps the addresses of its versions, as what is gone does.
    ends |= {each: states[each][0].change for each in compiled.skipped if states.get(each)}
    gone = {directory: SkillTree(directory, ()) for directory in ends}
    trees = {**compiled.outline.by_directory, **gone}

    def again(states: States, directories: Sequence[str]) -> list[SkillResult]:
        wanted = [trees[directory] for directory in directories]
        with request.source.reader() as reader:
            return list(compile_with(states)(wanted, compiled.outline, reader))

    results = again(states, list(gone))
    published = tuple(each for each in results if each.published)
    rest = tuple(each for each in results if not each.published)
    compiled = replace(compiled, gone=published, gone_whole=rest)
    return with_one_owner(compiled, states, again)
