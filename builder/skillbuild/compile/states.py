"""Old states of a skill: how today's settings judge them, and what was made of them before.

Both follow from a state and the settings alone, so what an earlier build came to need not be worked
out again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from skillbuild.check.files import without_junk
from skillbuild.check.skill import check_skill
from skillbuild.config import Config
from skillbuild.emit.versions import MISSING, YANKED, Difference
from skillbuild.model import INTERNAL, Digest, File, Skill, Version
from skillbuild.release.entry import digest_of_files
from skillbuild.release.frontmatter import is_internal
from skillbuild.rules.files import TOO_MANY_FILES
from skillbuild.source.discovery import read_names, survey
from skillbuild.source.lineage import State
from skillbuild.source.outline import plan
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Kind, Reader

_MOST_LEAVES = 20_000
"""Of a state that is read at all, caches and the like included."""

Place = tuple[str, str]
"""Tree and directory of a state, as `State.place` has them."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What today's settings say of a state: it is published, refused, or no skill."""

    codes: tuple[str, ...] = ()
    """Of all rules that it met."""
    reason: str = ""
    """Why it is not published: the code of a rule, or another word; empty for one that is."""
    digest: Digest | None = None
    """Its skill digest; None if it is no skill, or if its files cannot all be read."""
    path: str = ""
    """The skill path by its own directory and name; empty unless it is published."""
    title: str = ""
    """What its frontmatter calls the skill."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was published of one version, but for what follows from its state."""

    label: str
    difference: Difference | None
    addressed: tuple[tuple[bytes, int], ...] = ()
    """The checksum line and the size of each addressed file, those included that the skill has."""
    pages: tuple[bytes, ...] = ()
    """The checksum lines of all other files."""


@dataclass(frozen=True, slots=True)
class StateResults:
    """What became of the states of one skill, as far as the next build may take it over."""

    judged: Mapping[Place, tuple[str, Judged]] = field(default_factory=dict)
    """By place, with the key that `judging_key` gives."""
    made: Mapping[str, Made] = field(default_factory=dict)
    """By the key that `making_key` gives."""


def judging_key(state: State, codes: Sequence[str], config: Config) -> str:
    """32 hex digits over the settings by which a state that met these rules is judged."""
    return _hashed(
        state.place,
        config.roots,
        config.exclude,
        sorted(config.paths.items()),
        sorted(config.yanked.items()),
        [(code, config.rules.get(code)) for code in codes],
        [entry for entry in config.ignore if entry.rule in codes],
    )


def making_key(state: State, digest: Digest, path: str, older: tuple[Version, str] | None) -> str:
    """32 hex digits over what the files of a version depend on besides the whole build's inputs.

    `path` is the skill path that it had, `older` the version before it with that of its own.
    """
    return _hashed(state.place, state.change, state.is_shared, digest, path, older)


def _hashed(*parts: object) -> str:
    return hashlib.blake2b(repr(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()


def judge(state: State, config: Config, reader: Reader) -> tuple[Judged, Skill | None]:
    """What today's checks say of a state as if it were the whole source; its skill if they pass."""
    leaves = reader.below(state.tree, state.directory, _MOST_LEAVES)
    if leaves is None:
        return Judged(reason=MISSING), None
    if len(leaves) > _MOST_LEAVES:
        return Judged(reason=TOO_MANY_FILES.code), None
    own = config.but(paths=_paths_above(state.directory, config))
    read = partial(read_names, reader=reader, config=own)
    outline = plan(survey(leaves, own, read, reader), own, reader)
    tree = outline.by_directory.get(state.directory)
    if tree is None:
        return Judged(), None
    checked = check_skill(tree, outline, reader, own)
    skill = checked.skill
    digest = _digest(skill.files) if skill else _digest_of_refused(tree, reader)
    if digest is None:
        return Judged(checked.codes, MISSING), None
    if digest.hex in config.yanked:
        return Judged(checked.codes, YANKED, digest), None
    if skill is None:
        refusing = next(item for item in checked.findings if item.is_error)
        return Judged(checked.codes, refusing.rule.code, digest), None
    if is_internal(skill.frontmatter.value):
        return Judged(checked.codes, INTERNAL, digest), None
    title = skill.frontmatter.text("name")
    return Judged(checked.codes, "", digest, skill.path, title), skill


def _paths_above(directory: str, config: Config) -> Mapping[str, str]:
    """The keys of `[paths]` that give this directory its path: others name nothing here."""
    return {
        key: path for key, path in config.paths.items() if f"{directory}/".startswith(f"{key}/")
    }


def _digest(files: Iterable[File]) -> Digest:
    """The skill digest of these files."""
    return digest_of_files(
        [(file.path, Digest.of(file.data), len(file.data), file.executable) for file in files]
    )


def _digest_of_refused(tree: SkillTree, reader: Reader) -> Digest | None:
    """The same of a skill whose check gave no files; None if not all can be read."""
    own = [leaf for leaf in without_junk(tree)[0] if leaf.is_file]
    lines = []
    for leaf, data in zip(own, reader.read(own), strict=True):
        if data is None:
            return None
        executable = leaf.kind is Kind.EXECUTABLE
        lines.append((tree.relative(leaf), Digest.of(data), len(data), executable))
    return digest_of_files(lines)
