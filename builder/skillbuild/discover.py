"""Which SKILL.md of a listing are skills, and why the others are not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Diagnostic, finding, in_command
from skillbuild.errors import ConfigError
from skillbuild.rules import source as rules
from skillbuild.source import Leaf

SKILL_FILE = "SKILL.md"
JUNK_DIRECTORIES = frozenset(["__pycache__", "node_modules"])


@dataclass(frozen=True, slots=True)
class Found:
    """Directories of skills, sorted; each SKILL.md passed over with its reason; misspelt ones."""

    directories: tuple[str, ...]
    ignored: Mapping[str, str]
    misspelt: tuple[Diagnostic, ...]


def find(leaves: Sequence[Leaf], config: Config) -> Found:
    """Apply `roots` and `exclude`; without roots, dot-directories count if all else is empty."""
    finder = _Finder(config)
    directories = tuple(sorted(finder.skill_directories(leaves)))
    return Found(directories, finder.ignored, tuple(finder.misspelt(leaves)))


def without_outputs(leaves: Sequence[Leaf]) -> tuple[Sequence[Leaf], dict[str, str]]:
    """Leave out what an earlier build wrote into the source; its SKILL.md, with the reason."""
    records = {parent(leaf.path) for leaf in leaves if _base(leaf.path) == "catalog.json"}
    outputs = {
        folder
        for folder in records
        if folder and any(leaf.path.startswith(f"{folder}/blobs/sha256/") for leaf in leaves)
    }
    if not outputs:
        return leaves, {}
    starts = tuple(f"{folder}/" for folder in outputs)
    written = [leaf.path for leaf in leaves if leaf.path.startswith(starts)]
    ignored = {path: "output" for path in written if _base(path) == SKILL_FILE}
    return [leaf for leaf in leaves if not leaf.path.startswith(starts)], ignored


def inside(directory: str, path: str) -> str:
    """A path below a directory, which may be the source itself."""
    return f"{directory}/{path}" if directory else path


class _Finder:
    """Decides which SKILL.md are skills, and remembers why the others are not."""

    def __init__(self, config: Config) -> None:
        self._rooted = _matcher(config.roots) if config.roots else None
        self._excluded = _matcher(config.exclude)
        self._hidden_too = False
        self.ignored: dict[str, str] = {}

    def skill_directories(self, leaves: Iterable[Leaf]) -> set[str]:
        found = [leaf for leaf in leaves if _base(leaf.path) == SKILL_FILE]
        plain = [leaf for leaf in found if leaf.is_file]
        self._hidden_too = self._rooted is None and not any(
            self._reason(leaf.path) is None for leaf in plain
        )
        reasons = [(leaf.path, self._reason(leaf.path)) for leaf in plain]
        self.ignored = {leaf.path: str(leaf.kind) for leaf in found if not leaf.is_file}
        self.ignored |= {path: reason for path, reason in reasons if reason}
        return {parent(path) for path, reason in reasons if reason is None}

    def misspelt(self, leaves: Sequence[Leaf]) -> list[Diagnostic]:
        exact = {parent(leaf.path) for leaf in leaves if _base(leaf.path) == SKILL_FILE}
        found = []
        for leaf in leaves:
            if len(leaf.path) >= 8 and leaf.path[-8:].lower() == "skill.md" and leaf.is_file:
                base = _base(leaf.path)
                wrong = base != SKILL_FILE and base.lower() == "skill.md"
                if wrong and parent(leaf.path) not in exact and self._reason(leaf.path) is None:
                    found.append(_misspelt(leaf.path))
        return found

    def _reason(self, path: str) -> str | None:
        """Why a SKILL.md is no skill of this source, None when it is one."""
        segments = path.split("/")[:-1]
        if self._excluded(path):
            return "excluded"
        if not JUNK_DIRECTORIES.isdisjoint(segments):
            return "junk"
        if self._rooted is not None:
            return None if self._rooted(path) else "outside roots"
        hidden = [index for index, name in enumerate(segments) if name.startswith(".")]
        inside_skills = "skills" in segments and not segments[-1].startswith(".")
        if not hidden or (self._hidden_too and inside_skills):
            return None
        return "dot-directory"


def _misspelt(path: str) -> Diagnostic:
    hint = f"git mv {in_command([path, inside(parent(path), SKILL_FILE)])}"
    message = f"{_base(path)} is not named {SKILL_FILE}, so clients do not find the skill"
    return finding(rules.SKILL_FILE_CASE, path, None, message, hint)


def _matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """True for paths that a list of globs covers, in the syntax of .gitignore."""
    if not patterns:
        return lambda path: False
    from pathspec import GitIgnoreSpec

    try:
        spec = GitIgnoreSpec.from_lines(patterns)
    except (ValueError, re.error) as error:
        raise ConfigError(f"{CONFIG_FILE}: roots or exclude has a bad glob: {error}") from error
    return spec.match_file


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def parent(path: str) -> str:
    """The directory a path lies in; empty for the source itself."""
    return path.rpartition("/")[0]
