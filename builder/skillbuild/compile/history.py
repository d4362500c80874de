"""Finds the past states of all skills in the first-parent history, and compiles their versions."""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import BinaryIO

from skillbuild.compile.request import Request
from skillbuild.compile.result import Compile, SkillResult, on_disk
from skillbuild.compile.skill import CLASH_HINT, SkillCompiler
from skillbuild.compile.skills import Compiled, ReadNames, compile_skills, plan_skills
from skillbuild.config import moved_to
from skillbuild.diagnostics import finding, has_errors
from skillbuild.model import Digest, version_address
from skillbuild.paths import SKILL_FILE, inside, parent, prefixes
from skillbuild.rules.source import VERSION_ADDRESS
from skillbuild.setting_lines import SettingError
from skillbuild.source import git
from skillbuild.source.discovery import ignored_places, output_folders
from skillbuild.source.first_parent import Step, steps
from skillbuild.source.lineage import Lineage, ended_skills, follow
from skillbuild.source.outline import Outline
from skillbuild.source.placement import own_path
from skillbuild.source.skill_md import read_skill_md
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import (
    CommitSource,
    Kind,
    Leaf,
    OutsideError,
    Reader,
    locating,
    read_outside,
)
from skillbuild.text.wording import joined


def lineage_of(request: Request, planned: Outline, reader: Reader) -> Lineage | None:
    """Return the past states of all skills. Returns None if `[versions]` is not set or the source
    is not a commit.

    Raises `GitError` if the history is missing or too long to walk. Raises `ConfigError` for a key
    of `[moved]` that was never a skill.
    """
    source, config = request.source, request.config
    if config.versions is None or not isinstance(source, CommitSource):
        return None
    directories = {tree.path: tree.directory for tree in planned.skills if tree.path is not None}
    past = _Past(request, directories, reader)
    walked = past.seen_in(steps(source.repository, source.commit.commit, _largest_folder(request)))
    folders = git.list_folders(source.repository, source.commit.tree)
    lineage = follow(walked, folders, directories.values(), config.versions.since, past)
    with locating(request.leaves, reader):
        past.require_seen(walked)
    return lineage


class _Past:
    """Applies the current settings to past commits: moves, and ignored directories.

    It records which keys of `[moved]` were skills, and which directories were outputs.
    """

    def __init__(self, request: Request, directories: Mapping[str, str], reader: Reader) -> None:
        """Apply the settings of a request; `directories` maps skill paths to directories."""
        self._config = request.config
        self._directories = directories
        self._reader = reader
        self._is_ignored = ignored_places(request.leaves, request.config)
        self._outputs: set[str] = set()
        self._unseen = set(request.config.moved)
        self._paths: set[str] = set()

    def read(self, object_id: str) -> bytes | None:
        """Return the blob with this id; None if it is missing, damaged or too large."""
        leaf = Leaf("", Kind.FILE, object_id)
        with suppress(OutsideError):
            return read_outside(leaf, self._reader, self._config.limits.bytes)
        return None

    def successors(self, directory: str, skill_file: str) -> Collection[str]:
        """Return the directories of the skills that replace a deleted skill, according to
        `[moved]`.
        """
        path = self._path(directory, skill_file) if self._config.moved else ""
        if path not in self._config.moved:
            return []
        path = moved_to(path, self._config.moved)
        return [self._directories[path]] if path in self._directories else []

    def is_ignored(self, directory: str) -> bool:
        """Return whether a SKILL.md in a directory is ignored: either it would be ignored in the
        current source, or the directory was in a skillbuild output that has since been deleted.
        """
        return self._is_ignored(directory) or not self._outputs.isdisjoint(prefixes(directory))

    def seen_in(self, walked: Iterable[Step]) -> Iterator[Step]:
        """Yield the commits unchanged. Record, as they pass, which outputs were deleted and which
        keys of `[moved]` were once the path of a skill.
        """
        for step in walked:
            deleted = (each.path for each in step.changed if each.file_before and not each.file)
            self._outputs |= output_folders(deleted)
            for directory, skill_file in ended_skills(step) if self._unseen else ():
                path = self._path(directory, skill_file)
                self._paths.add(path)
                self._unseen.discard(path)
            yield step

    def require_seen(self, rest: Iterable[Step]) -> None:
        """Raise `SettingError` if a key of `[moved]` was not a skill in any commit so far or in
        `rest`.
        """
        for _ in rest if self._unseen else ():
            if not self._unseen:
                return
        for key in sorted(self._unseen):
            close = difflib.get_close_matches(key, sorted(self._paths), n=1)
            remedy = f"did you mean {close[0]}?" if close else "remove it"
            message = f"[moved] {key!r} was never a skill; {remedy}"
            raise SettingError(message, "moved", key)

    def _path(self, directory: str, skill_file: str) -> str:
        head = read_skill_md(self.read(skill_file) or b"", inside(directory, SKILL_FILE))
        name = head.frontmatter.value.get("name") if head.frontmatter else None
        declared = name if isinstance(name, str) else None
        return own_path(directory, declared, self._config.paths).path


def _largest_folder(request: Request) -> int:
    """Return how many files and folders the largest folder of the source has."""
    entries, waiting = Counter[str](), {leaf.path for leaf in request.leaves}
    counted = set[str]()
    while waiting:
        counted |= waiting
        entries.update(map(parent, waiting))
        waiting = {folder for folder in map(parent, waiting) if folder} - counted
    return max(entries.values(), default=0)


Run = Callable[
    [SkillCompiler, Sequence[SkillTree], Outline, Reader],
    Iterator[SkillResult],
]
"""A function that runs a `SkillCompiler` on skills and yields one result for each, in the order
given.
"""


def plan_with_history(request: Request, read_names: ReadNames) -> tuple[Outline, Lineage | None]:
    """Return the outline of the source, and the past states if versions are published."""
    with request.source.reader() as reader:
        planned = plan_skills(request, read_names, reader)
        return planned, lineage_of(request, planned, reader)


def compile_with_history(
    request: Request,
    run: Run,
    step: SkillCompiler,
    planned: Outline,
    lineage: Lineage | None,
    scratch: BinaryIO,
) -> Compiled:
    """Compile every skill, and the versions of skills that are no longer in the source.

    Data that is needed only at the end is written to `scratch`. If two versions have the same
    address, this is an error; with `skip_invalid`, both versions are left out.
    """
    if lineage is not None:
        step = replace(step, states=lineage.all_states(), ends=lineage.ends())
    compiled = _compile(request, run, step, planned, scratch)
    clashes = _clashes(compiled)
    if not clashes:
        return compiled
    if request.options.skip_invalid:
        return _compile(request, run, replace(step, clashes=clashes), planned, scratch)
    found = [
        finding(VERSION_ADDRESS, ".", None, message, CLASH_HINT)
        for message in dict.fromkeys(clashes.values())
    ]
    return replace(compiled, general=(*compiled.general, *found))


def _compile(
    request: Request, run: Run, step: SkillCompiler, planned: Outline, scratch: BinaryIO
) -> Compiled:
    """Compile without looking for versions with the same address."""

    def compile_with(step: SkillCompiler) -> Compile:
        def compile_some(
            skills: Sequence[SkillTree], outline: Outline, reader: Reader
        ) -> Iterator[SkillResult]:
            return on_disk(run(step, skills, outline, reader), scratch)

        return compile_some

    compiled = compile_skills(request, compile_with(step), planned)
    if not step.states or has_errors(compiled.findings()):
        return compiled
    # A skipped skill keeps the addresses of its versions, like a removed one.
    skipped = [each for each in compiled.skipped if step.states.get(each)]
    step = replace(
        step, ends={**step.ends, **{each: step.states[each][0].change for each in skipped}}
    )
    gone = [SkillTree(directory, ()) for directory in step.ends]
    with request.source.reader() as reader:
        results = [*compile_with(step)(gone, compiled.outline, reader)]
    return replace(compiled, gone=tuple(results))


def _clashes(compiled: Compiled) -> Mapping[str, str]:
    """Map skill digests, in hex, to descriptions of clashes: versions with the same address."""
    paths = defaultdict[str, set[str]](set)
    for result in (*compiled.results, *compiled.gone):
        if result.published is not None:
            for digest in result.published.versions.published:
                paths[digest].add(result.published.path)
    by_address = defaultdict[str, list[str]](list)
    for digest in sorted(paths):
        by_address[version_address(Digest(digest))].append(digest)
    clashes: dict[str, str] = {}
    for address, digests in sorted(by_address.items()):
        if len(digests) > 1:
            named = [f"{Digest(each)} of {', '.join(sorted(paths[each]))}" for each in digests]
            message = f"{joined(named)} would be published at the same address, {address}/"
            clashes |= dict.fromkeys(digests, message)
    return clashes
