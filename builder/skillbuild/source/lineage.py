"""Follows each skill back through the first-parent history and lists the states of its directory.

A move is followed if `[moved]` declares it, or if a commit removes a tree in one place and adds
exactly the same tree in one other place. A copy is not a move. If a commit adds the same tree in
several places, none of these places continues the history of the skill.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from skillbuild.config import CONFIG_FILE, has_versions
from skillbuild.errors import GitError
from skillbuild.model import Change
from skillbuild.paths import SKILL_FILE, base_name, parent
from skillbuild.source.first_parent import PathChange, Step

FIRST = "first"
"""The value of `since` that starts versions at the first commit."""


class Past(Protocol):
    """Applies the current settings to past commits."""

    def read(self, object_id: str) -> bytes | None:
        """Return the blob with this id; None if it is missing, damaged or very large."""

    def successors(self, directory: str, skill_file: str) -> Collection[str]:
        """Return the directories of the skills that replace a deleted skill according to `[moved]`.

        `directory` is the directory of the deleted skill, and `skill_file` is the id of its
        SKILL.md.
        """

    def is_ignored(self, directory: str) -> bool:
        """Return whether past SKILL.md files in this directory are ignored."""


@dataclass(frozen=True, slots=True)
class End:
    """The commit that removed the SKILL.md of a directory."""

    change: Change
    order: int
    """The position of the commit in the history; see `State.order`."""


@dataclass(frozen=True, slots=True)
class State:
    """The content of a skill's directory, from a commit that changed it to the next such commit."""

    directory: str
    tree: str
    """The id of the directory's tree."""
    change: Change
    order: int
    """The position of the commit in the history; 0 is the commit where versions begin."""
    end: End | None = None
    """The commit that removed the skill during this state; it may have come back later."""

    @property
    def content(self) -> str:
        """The tree and the directory in one string; a check of the state depends only on these."""
        return f"{self.tree}:{self.directory}"


@dataclass(frozen=True, slots=True)
class GoneSkill:
    """A directory that no longer has a SKILL.md, and the commit that removed it."""

    directory: str
    change: Change
    states: tuple[State, ...]
    """The states, newest first."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The states of all skills since the commit where versions begin."""

    since: str
    """The commit where versions begin."""
    states: Mapping[str, tuple[State, ...]]
    """The states of each skill in the source by its directory, newest first."""
    gone: tuple[GoneSkill, ...]
    """Removed skills: most recently removed first, then sorted by directory."""

    def all_states(self) -> Mapping[str, tuple[State, ...]]:
        """Return the states of all skills, including removed skills, by directory."""
        return {**self.states, **{each.directory: each.states for each in self.gone}}

    def ends(self) -> dict[str, Change]:
        """Return the commits that removed skills, by the directory of the skill."""
        return {each.directory: each.change for each in self.gone}


@dataclass(slots=True, eq=False)
class _Line:
    """One skill while its history is followed backwards."""

    directory: str
    path: str
    """The directory of the skill before the last step taken."""
    tree: str
    """The tree of that directory; empty if there was none."""
    states: list[State] = field(default_factory=list)
    """The states, newest first; until the walk ends, `order` counts back from the built commit."""
    gone: Change | None = None
    end: End | None = None
    """The commit that removed the next older state."""

    def take(self, state: State) -> None:
        """Append the next older state. If a commit removed the skill in that state, record the
        commit as the state's `end`.
        """
        self.states.append(replace(state, end=self.end))
        self.end = None


def follow(
    steps: Iterable[Step],
    folders: Mapping[str, str],
    directories: Collection[str],
    since: str,
    past: Past,
) -> Lineage:
    """Follow skills from the built commit back to the commit where versions begin.

    `directories` are the skills of the built commit, and `folders` maps the folder paths of that
    commit to tree ids. `steps` is the history of the built commit, newest first. Versions begin at
    the commit `since`, or at the first commit if `since` is `first`. If `since` is empty, versions
    begin at the most recent commit that added `[versions]` to the settings. If a skill was moved
    out of an ignored directory, the history of the skill begins with that move. Raises `GitError`
    if `since` is not in the history.
    """
    walk = _Walk(past)
    for each in sorted(directories):
        walk.add(_Line(each, each, folders.get(each, "")))
    number, last = -1, None
    for number, last in enumerate(steps):
        walk.take(last, number)
        if _is_beginning(last, since, past):
            break
    else:
        if since not in ("", FIRST):
            message = f"[versions] since {since[:12]} is not in the first-parent history"
            raise GitError(f"{message}; name a commit that `git log --first-parent` shows")
    if last is None:
        raise GitError("the built commit has no history")
    return walk.ended(last, number)


def ended_skills(step: Step) -> Iterator[tuple[str, str]]:
    """Yield each directory that lost its SKILL.md, with the id of that file."""
    for each in step.changed:
        if base_name(each.path) == SKILL_FILE and each.file_before and not each.file:
            yield parent(each.path), each.file_before.rstrip("x")


def _is_beginning(step: Step, since: str, past: Past) -> bool:
    """Return whether versions begin with this commit."""
    if since:
        return step.change.commit == since
    settings = next((each for each in step.changed if each.path == CONFIG_FILE), None)
    if settings is None:
        return False
    before = past.read(settings.file_before.rstrip("x")) if settings.file_before else None
    return before is None or not has_versions(before)


class _Walk:
    """Follows all skills backwards from the built commit."""

    def __init__(self, past: Past) -> None:
        self._past = past
        self._lines: list[_Line] = []
        self._followed: dict[str, _Line] = {}
        """Skills by the directory that they had before the current step."""
        self._of_today: dict[str, _Line] = {}
        """Skills that still exist, by their current directory."""
        self._number = 0
        """The number of the current step."""
        self._changed: set[_Line] = set()
        """Skills that the last step changed; their `tree` is from before it, so it is not a state
        if versions begin with that step.
        """
        self._newer: tuple[Change, int] | None = None
        """The change and the number of the previous step."""

    def add(self, line: _Line) -> None:
        self._lines.append(line)
        self._followed[line.path] = line
        if line.gone is None:
            self._of_today[line.directory] = line

    def take(self, step: Step, number: int) -> None:
        """Go back by one commit; `number` counts commits from the built one."""
        self._number = number
        self._changed = set()
        folders = {each.path: each for each in step.changed if each.tree or each.tree_before}
        if "" not in folders:
            self._take_root(step)
        born: list[_Line] = []
        for path, change in folders.items():
            line = self._followed.get(path)
            if line is None:
                continue
            self._changed.add(line)
            line.tree = change.tree_before
            if not change.tree:
                line.end = End(step.change, number)
            else:
                line.take(State(path, change.tree, step.change, number))
                if not change.tree_before:
                    born.append(line)
        self._follow_moves(step, born, folders)
        self._newer = step.change, number

    def _take_root(self, step: Step) -> None:
        """Record a change of a skill at the root, whose tree is the tree of the whole commit."""
        line = self._followed.get("")
        if line is not None and line.tree != step.tree:
            if self._newer is not None:
                line.take(State("", line.tree, *self._newer))
            line.tree = step.tree

    def _follow_moves(
        self, step: Step, born: list[_Line], folders: Mapping[str, PathChange]
    ) -> None:
        """Continue each skill that began in this step at its earlier place; other removed skills
        are gone.
        """
        left = {
            path: skill_file
            for path, skill_file in sorted(ended_skills(step))
            if path in folders and path not in self._followed and not self._past.is_ignored(path)
        }
        vanished = {path for path in left if not folders[path].tree}
        for line, path in _moves(born, vanished, folders).items():
            self._go_on(line, path, folders[path].tree_before)
            del left[path]
        for path, skill_file in left.items():
            before = folders[path].tree_before
            if not self._follow_settings(path, before, skill_file):
                end = End(step.change, self._number)
                line = _Line(path, path, before, gone=step.change, end=end)
                self.add(line)
                self._changed.add(line)

    def _follow_settings(self, path: str, tree: str, skill_file: str) -> bool:
        """Follow a removed skill to its successor in `[moved]`, unless the successor is older."""
        for directory in sorted(self._past.successors(path, skill_file)):
            line = self._of_today.get(directory)
            if line is not None and not line.tree:
                self._go_on(line, path, tree)
                return True
        return False

    def _go_on(self, line: _Line, path: str, tree: str) -> None:
        del self._followed[line.path]
        line.path, line.tree = path, tree
        self._followed[path] = line
        self._changed.add(line)

    def ended(self, last: Step, number: int) -> Lineage:
        """Return the lineage of all skills. Versions begin at `last`, which is `number` commits
        before the built commit.
        """
        for line in self._lines:
            if line.tree and line not in self._changed:
                line.take(State(line.path, line.tree, last.change, number))
        states = {line.directory: list(line.states) for line in self._lines if line.gone is None}
        ends: dict[str, _Line] = {}
        for line in self._lines:
            if line.gone is None or not line.states:
                continue
            if line.directory in states:  # There is a skill in this directory again.
                states[line.directory] += line.states
            elif line.directory in ends:  # The skill came and went more than once.
                ends[line.directory].states.extend(line.states)
            else:
                ends[line.directory] = line
        gone = [
            GoneSkill(each.directory, each.gone, _counted(each.states, number))
            for each in ends.values()
            if each.gone is not None
        ]
        live = {directory: _counted(each, number) for directory, each in states.items()}
        return Lineage(last.change.commit, live, tuple(gone))


def _counted(states: Iterable[State], last: int) -> tuple[State, ...]:
    """Return the states in order, with commits counted from the first one."""
    newest_first = sorted(states, key=lambda state: state.order)
    counted = []
    for state in newest_first:
        end = state.end and replace(state.end, order=last - state.end.order)
        counted.append(replace(state, order=last - state.order, end=end))
    return tuple(counted)


def _moves(
    born: Iterable[_Line], vanished: Collection[str], folders: Mapping[str, PathChange]
) -> dict[_Line, str]:
    """Return the earlier place of each skill that began in a commit, if the commit moved its tree
    unchanged.

    `folders` are all directories that the commit changed; `vanished` are the directories that lost
    a skill.
    """
    before, after = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for path, each in folders.items():
        before[each.tree_before].append(path)
        after[each.tree].append(path)
    moves = {}
    for line in born:
        tree = folders[line.path].tree
        if len(after[tree]) == len(before[tree]) == 1 and before[tree][0] in vanished:
            moves[line] = before[tree][0]
    return moves
