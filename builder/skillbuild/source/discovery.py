"""Which SKILL.md of the source are skills, and why the others are not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Finding, finding, in_command
from skillbuild.errors import ConfigError
from skillbuild.paths import SKILL_FILE, base_name, inside, parent
from skillbuild.rules import source as rules
from skillbuild.source.tree import Leaf

JUNK_DIRECTORIES = frozenset(["__pycache__", "node_modules"])
"""Directories of caches: nothing in them belongs to a skill."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The skills of the source, and every file that looks like the SKILL.md of one but is not."""

    directories: tuple[str, ...]
    """Directories of the skills, sorted; empty for one at the top of the source."""
    ignored: Mapping[str, str]
    """By the path of each SKILL.md that is passed over, the reason."""
    misspelt: tuple[Finding, ...]
    """One for each file that would make a skill if its name were spelled `SKILL.md`."""


def find(leaves: Sequence[Leaf], config: Config) -> Discovered:
    """Apply `roots` and `exclude` of the settings to the leaves of the source.

    Without `roots`, skills in dot-directories (`.claude/skills/`) count if there are no others.
    """
    finder = _Finder(config)
    endings = [leaf for leaf in leaves if leaf.path[-8:].lower() == "skill.md"]
    candidates = [leaf for leaf in endings if base_name(leaf.path).lower() == "skill.md"]
    directories = tuple(sorted(finder.skill_directories(candidates)))
    return Discovered(directories, finder.ignored, tuple(finder.misspelt(candidates)))


def without_outputs(leaves: Sequence[Leaf]) -> tuple[Sequence[Leaf], dict[str, str]]:
    """Leaves that no earlier build wrote into the source, and the SKILL.md that one did write.

    The second are paths with the reason `output`. A directory is an output if it holds
    `catalog.json` and `blobs/sha256/`.
    """
    records = {parent(leaf.path) for leaf in leaves if leaf.path.endswith("/catalog.json")}
    outputs = {
        folder
        for folder in records
        if folder and any(leaf.path.startswith(f"{folder}/blobs/sha256/") for leaf in leaves)
    }
    if not outputs:
        return leaves, {}
    starts = tuple(f"{folder}/" for folder in outputs)
    written = [leaf.path for leaf in leaves if leaf.path.startswith(starts)]
    ignored = {path: "output" for path in written if base_name(path) == SKILL_FILE}
    return [leaf for leaf in leaves if not leaf.path.startswith(starts)], ignored


class _Finder:
    """Applies the settings to leaves named SKILL.md in any spelling.

    `ignored` is filled by `skill_directories`, which also decides whether dot-directories count;
    so it is called first.
    """

    def __init__(self, config: Config) -> None:
        self._is_root = _matcher(config.roots) if config.roots else None
        self._is_excluded = _matcher(config.exclude)
        self._with_dot_directories = False
        self.ignored: dict[str, str] = {}

    def skill_directories(self, candidates: Sequence[Leaf]) -> set[str]:
        """Directories of the files that are skills; every other SKILL.md goes to `ignored`."""
        spelled = [leaf for leaf in candidates if leaf.path.endswith(SKILL_FILE)]
        paths = [leaf.path for leaf in spelled if leaf.is_file]
        reasons = [(path, self._reason(path)) for path in paths]
        if self._is_root is None and all(reason for _, reason in reasons):
            self._with_dot_directories = True
            reasons = [(path, self._reason(path)) for path in paths]
        self.ignored = {leaf.path: str(leaf.kind) for leaf in spelled if not leaf.is_file}
        self.ignored |= {path: reason for path, reason in reasons if reason}
        return {parent(path) for path, reason in reasons if reason is None}

    def misspelt(self, candidates: Sequence[Leaf]) -> list[Finding]:
        """A finding for each other spelling of SKILL.md in a directory that has no right one."""
        wrong = [
            leaf.path for leaf in candidates if not leaf.path.endswith(SKILL_FILE) and leaf.is_file
        ]
        if not wrong:
            return []
        right = {parent(leaf.path) for leaf in candidates if leaf.path.endswith(SKILL_FILE)}
        alone = [path for path in wrong if parent(path) not in right]
        return [_misspelt(path) for path in alone if self._reason(path) is None]

    def _reason(self, path: str) -> str | None:
        """Why the file at `path` makes no skill of this source, or None if it makes one."""
        segments = path.split("/")[:-1]
        if self._is_excluded(path):
            return "excluded"
        if not JUNK_DIRECTORIES.isdisjoint(segments):
            return "junk"
        if self._is_root is not None:
            return None if self._is_root(path) else "outside roots"
        if not path.startswith(".") and "/." not in path:
            return None
        inside_skills = "skills" in segments and not segments[-1].startswith(".")
        return None if self._with_dot_directories and inside_skills else "dot-directory"


def _misspelt(path: str) -> Finding:
    hint = f"git mv {in_command([path, inside(parent(path), SKILL_FILE)])}"
    message = f"{base_name(path)} is not named {SKILL_FILE}, so clients do not find the skill"
    return finding(rules.SKILL_FILE_CASE, path, None, message, hint)


def _matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """A test whether a path is covered by one of these globs, in the syntax of .gitignore."""
    if not patterns:
        return lambda path: False
    # Slow to load, and most sources have no patterns.
    from pathspec import GitIgnoreSpec

    try:
        spec = GitIgnoreSpec.from_lines(patterns)
    except (ValueError, re.error) as error:
        raise ConfigError(f"{CONFIG_FILE}: roots or exclude has a bad glob: {error}") from error
    return spec.match_file
