"""The states of the skills of a build along its first-parent line, by its settings."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from skillbuild.compile.request import Request
from skillbuild.config import Config, moved_to
from skillbuild.paths import SKILL_FILE, inside, parent
from skillbuild.setting_lines import SettingError
from skillbuild.source import git
from skillbuild.source.first_parent import Step, steps
from skillbuild.source.lineage import Lineage, ended_skills, follow
from skillbuild.source.outline import Outline
from skillbuild.source.placement import own_path
from skillbuild.source.skill_md import read_skill_md
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
