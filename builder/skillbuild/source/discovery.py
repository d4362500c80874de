"""Which SKILL.md of a listing are skills, and why the others are not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Finding, finding, in_command
from skillbuild.errors import ConfigError
from skillbuild.rules import source as rules
from skillbuild.source.tree import Leaf

SKILL_FILE = "SKILL.md"
JUNK_DIRECTORIES = frozenset(["__pycache__", "node_modules"])


@dataclass(frozen=True, slots=True)
class Found:
    """Directories of skills, sorted; each SKILL.md passed over with its reason; misspelt ones."""

    directories: tuple[str, ...]
    ignored: Mapping[str, str]
    misspelt: tuple[Finding, ...]


def find(leaves: Sequence[Leaf], config: Config) -> Found:
    """Apply `roots` and `exclude`; without roots, dot-directories count if all else is empty."""
    finder = _Finder(config)
    ends = [leaf for leaf in leaves if leaf.path[-8:].lower() == "skill.md"]
    spelt = [leaf for leaf in ends if _base(leaf.path).lower() == "skill.md"]
    directories = tuple(sorted(finder.skill_directories(spelt)))
    return Found(directories, finder.ignored, tuple(finder.misspelt(spelt)))


def without_outputs(leaves: Sequence[Leaf]) -> tuple[Sequence[Leaf], dict[str, str]]:
    """Leave out what an earlier build wrote into the source; its SKILL.md, with the reason."""
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
        found = [leaf for leaf in leaves if leaf.path.endswith(SKILL_FILE)]
        plain = [leaf for leaf in found if leaf.is_file]
        self._hidden_too = self._rooted is None and not any(
            self._reason(leaf.path) is None for leaf in plain
        )
        reasons = [(leaf.path, self._reason(leaf.path)) for leaf in plain]
        self.ignored = {leaf.path: str(leaf.kind) for leaf in found if not leaf.is_file}
        self.ignored |= {path: reason for path, reason in reasons if reason}
        return {parent(path) for path, reason in reasons if reason is None}

    def misspelt(self, leaves: Sequence[Leaf]) -> list[Finding]:
        wrong = [
            leaf.path for leaf in leaves if not leaf.path.endswith(SKILL_FILE) and leaf.is_file
        ]
        if not wrong:
            return []
        exact = {parent(leaf.path) for leaf in leaves if leaf.path.endswith(SKILL_FILE)}
        alone = [path for path in wrong if parent(path) not in exact]
        return [_misspelt(path) for path in alone if self._reason(path) is None]

    def _reason(self, path: str) -> str | None:
        """Why a SKILL.md is no skill of this source, None when it is one."""
        segments = path.split("/")[:-1]
        if self._excluded(path):
            return "excluded"
        if not JUNK_DIRECTORIES.isdisjoint(segments):
            return "junk"
        if self._rooted is not None:
            return None if self._rooted(path) else "outside roots"
        if not path.startswith(".") and "/." not in path:
            return None
        inside_skills = "skills" in segments and not segments[-1].startswith(".")
        return None if self._hidden_too and inside_skills else "dot-directory"


def _misspelt(path: str) -> Finding:
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
