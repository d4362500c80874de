"""Checks past states of a skill with the current rules.

The result depends only on the state and the settings, so the next build can reuse it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from skillbuild.check.files import leaves_of
from skillbuild.check.skill import check_skill
from skillbuild.check.trust.evidence import Evidence
from skillbuild.config import Config
from skillbuild.emit.versions import MISSING, YANKED, Difference
from skillbuild.model import INTERNAL, Digest, File, Skill
from skillbuild.release.entry import digest_of_files
from skillbuild.release.frontmatter import is_internal
from skillbuild.rules.files import TOO_MANY_FILES
from skillbuild.source.discovery import read_names, survey
from skillbuild.source.lineage import State
from skillbuild.source.outline import plan
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Kind, Reader

_MOST_LEAVES = 20_000
"""Maximum number of files in a state that is read, including caches and the like."""


@dataclass(frozen=True, slots=True)
class CheckedState:
    """The result of checking a state. The state is published, left out, or not a skill."""

    reason: str = ""
    """Why the state is left out: the code of a rule, or another reason; empty if it is not left
    out.
    """
    digest: Digest | None = None
    """The skill digest; None if the state is not a skill, or if some files cannot be read."""
    path: str = ""
    """The skill path that follows from the state's directory and name; empty unless the state is
    published.
    """


@dataclass(frozen=True, slots=True)
class VersionFiles:
    """The published content at the address of a version. It depends only on the files of the
    version.
    """

    declared: str
    """The version that its frontmatter declares; may be empty."""
    checksums: tuple[bytes, ...]
    sizes: Mapping[str, int]
    """The size of each of its content-addressed files in bytes, by path."""


@dataclass(frozen=True, slots=True)
class StateResults:
    """The results of checking and comparing the states of one skill. The next build may reuse
    them.
    """

    checked: dict[str, CheckedState] = field(default_factory=dict)
    """The result of each check, by `State.content`."""
    files: dict[str, VersionFiles] = field(default_factory=dict)
    """The files of each version by skill digest in hex, the oldest version first."""
    differences: dict[str, tuple[Difference, tuple[bytes, ...]]] = field(default_factory=dict)
    """The differences between versions, each with the checksum lines of its page, by a key that
    covers everything the page shows.
    """


def check_state(
    state: State, config: Config, reader: Reader, evidence: Evidence
) -> tuple[CheckedState, Skill | None]:
    """Check a state as if it were the whole source. Returns the result, and the skill if it is
    valid.
    """
    leaves = reader.below(state.tree, state.directory, _MOST_LEAVES)
    if leaves is None:
        return CheckedState(reason=MISSING), None
    if len(leaves) > _MOST_LEAVES:
        return CheckedState(reason=TOO_MANY_FILES.code), None
    own = config.but(paths=_paths_above(state.directory, config))
    read = partial(read_names, reader=reader, config=own)
    outline = plan(survey(leaves, own, read, reader), own, reader)
    tree = outline.by_directory.get(state.directory)
    if tree is None:
        return CheckedState(), None
    checked = check_skill(tree, outline, reader, own, evidence=evidence)
    skill = checked.skill
    digest = _digest(skill.files) if skill else _digest_of_refused(tree, reader)
    if digest is None:
        return CheckedState(reason=MISSING), None
    if digest.hex in config.yanked:
        return CheckedState(YANKED, digest), None
    if skill is None:
        refusing = next(item for item in checked.findings if item.is_error)
        return CheckedState(refusing.code, digest), None
    if is_internal(skill.frontmatter.value):
        return CheckedState(INTERNAL, digest), None
    return CheckedState("", digest, skill.path), skill


def _paths_above(directory: str, config: Config) -> Mapping[str, str]:
    """Return the entries of `[paths]` that apply to this directory."""
    return {
        key: path for key, path in config.paths.items() if f"{directory}/".startswith(f"{key}/")
    }


def _digest(files: Iterable[File]) -> Digest:
    """Return the skill digest of these files."""
    return digest_of_files(
        [(file.path, Digest.of(file.data), len(file.data), file.executable) for file in files]
    )


def _digest_of_refused(tree: SkillTree, reader: Reader) -> Digest | None:
    """Return the skill digest of a skill whose check returned no files; None if a file is
    unreadable.
    """
    own = [leaf for leaf in leaves_of(tree).own if leaf.is_file]
    lines = []
    for leaf, data in zip(own, reader.read(own), strict=True):
        if data is None:
            return None
        executable = leaf.kind is Kind.EXECUTABLE
        lines.append((tree.relative(leaf), Digest.of(data), len(data), executable))
    return digest_of_files(lines)
