"""Which SKILL.md of the source are skills, and why the others are not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, finding, in_command
from skillbuild.paths import SKILL_FILE, base_name, inside, parent
from skillbuild.rules import source as rules
from skillbuild.source.globs import matcher
from skillbuild.source.tree import Leaf

JUNK_DIRECTORIES = frozenset(["__pycache__", "node_modules"])
"""Directories of caches: nothing in them belongs to a skill."""
_JUNK = re.compile(
    r"\.gitignore|\.gitattributes|\.gitkeep|\.gitmodules|\.DS_Store|.*\.pyc", re.DOTALL
)
"""Names of files that belong to a repository or a cache, and to no skill."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The skills of the source, and every file that looks like the SKILL.md of one but is not."""

    directories: tuple[str, ...]
    """Directories of the skills, sorted; empty for one at the top of the source."""
    ignored: Mapping[str, str]
    """By the path of each SKILL.md that is passed over, the reason; with `links`, of others too."""
    misspelled: tuple[Finding, ...]
    """One for each file that would make a skill if its name were spelled `SKILL.md`."""


def find(leaves: Sequence[Leaf], config: Config) -> Discovered:
    """Apply `roots` and `exclude` of the settings to the leaves of the source.

    Without `roots`, skills in dot-directories (`.claude/skills/`) count if there are no others.
    """
    endings = [leaf for leaf in leaves if leaf.path[-8:].lower() == "skill.md"]
    candidates = [leaf for leaf in endings if base_name(leaf.path).lower() == "skill.md"]
    spelled = [leaf for leaf in candidates if leaf.path.endswith(SKILL_FILE)]
    selection = _Selection(matcher(config.roots) if config.roots else None, matcher(config.exclude))
    reasons = selection.reasons_against(spelled)
    if not config.roots and all(reason for _, reason in reasons):
        selection = replace(selection, with_dot_directories=True)
        reasons = selection.reasons_against(spelled)
    directories = {parent(path) for path, reason in reasons if reason is None}
    ignored = {leaf.path: str(leaf.kind) for leaf in spelled if not leaf.is_file}
    ignored |= {path: reason for path, reason in reasons if reason}
    misspelled = tuple(map(_misspelled, _alone(candidates, selection)))
    return Discovered(tuple(sorted(directories)), ignored, misspelled)


def _alone(candidates: Sequence[Leaf], selection: _Selection) -> list[str]:
    """Paths of misspelled SKILL.md that no right one stands beside, where skills are selected."""
    wrong = [
        leaf.path for leaf in candidates if leaf.is_file and not leaf.path.endswith(SKILL_FILE)
    ]
    if not wrong:
        return []
    right = {parent(leaf.path) for leaf in candidates if leaf.path.endswith(SKILL_FILE)}
    alone = [path for path in wrong if parent(path) not in right]
    return [path for path in alone if selection.reason_against(path) is None]


def is_junk(path: str) -> bool:
    """Whether a file does not belong to the skill that it lies in; the path is relative to that."""
    segments = path.split("/")
    return not JUNK_DIRECTORIES.isdisjoint(segments) or bool(_JUNK.fullmatch(segments[-1]))


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


@dataclass(frozen=True, slots=True)
class _Selection:
    """What the settings say of where skills are; `is_root` is None without `roots`."""

    is_root: Callable[[str], bool] | None
    is_excluded: Callable[[str], bool]
    with_dot_directories: bool = False

    def reasons_against(self, leaves: Sequence[Leaf]) -> list[tuple[str, str | None]]:
        """Path, and `reason_against` it, of the leaves that are files."""
        paths = [leaf.path for leaf in leaves if leaf.is_file]
        return [(path, self.reason_against(path)) for path in paths]

    def reason_against(self, path: str) -> str | None:
        """Why a SKILL.md at `path` makes no skill of this source, or None if it makes one."""
        segments = path.split("/")[:-1]
        if self.is_excluded(path):
            return "excluded"
        if not JUNK_DIRECTORIES.isdisjoint(segments):
            return "junk"
        if self.is_root is not None:
            return None if self.is_root(path) else "outside roots"
        if not path.startswith(".") and "/." not in path:
            return None
        inside_skills = "skills" in segments and not segments[-1].startswith(".")
        return None if self.with_dot_directories and inside_skills else "dot-directory"


def _misspelled(path: str) -> Finding:
    paths = in_command([path, inside(parent(path), SKILL_FILE)])
    hint = f"git mv {paths} || mv {paths}"
    message = f"{base_name(path)} is not named {SKILL_FILE}, so clients do not find the skill"
    return finding(rules.SKILL_FILE_CASE, path, None, message, hint)
