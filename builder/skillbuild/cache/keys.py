"""Cache keys: all that one skill depends on besides the inputs of the whole build."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple, Protocol

from skillbuild.config import Config
from skillbuild.diagnostics import Finding
from skillbuild.model import Change
from skillbuild.source.lineage import State
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree


class Learnt(Protocol):
    """What a compilation of a skill has shown of it; as in `SkillResult`."""

    @property
    def lookups(self) -> Sequence[str]:
        """Paths outside of it that its texts name."""

    @property
    def pictures(self) -> Sequence[str]:
        """Paths outside of it that it names as its icons."""

    @property
    def codes(self) -> Sequence[str]:
        """The rules that it meets."""

    @property
    def version_codes(self) -> Sequence[str]:
        """The rules that its older versions meet."""


class Past(NamedTuple):
    """What the history says of a skill."""

    change: Change | None
    """Its last change."""
    states: Sequence[State]
    """Those of its directory, if versions are published."""


class Answers:
    """What skills can learn from an outline about paths outside of them; many ask for the same."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._answers: dict[str, tuple[object, ...]] = {}

    @cached_property
    def paths(self) -> str:
        """32 hex digits over all that any answer depends on: which skills have which paths."""
        outline = self.outline
        digest = blake2b(digest_size=16)
        for tree in outline.skills:
            names = "\0".join(
                [f"{tree.directory}\0{tree.path!r}", *[leaf.path for leaf in tree.leaves]]
            )
            digest.update(names.encode(errors="surrogatepass") + b"\0\0")
        rest = repr((sorted(outline.originals.items()), sorted(outline.beside)))
        digest.update(rest.encode(errors="surrogatepass"))
        return digest.hexdigest()

    def key(self, learnt: Learnt) -> str:
        """32 hex digits over the answers that one skill gets."""
        answers = [self._about(path) for path in learnt.lookups]
        return _digest(repr(answers))

    def _about(self, path: str) -> tuple[object, ...]:
        answer = self._answers.get(path)
        if answer is None:
            answer = self._answers[path] = _answer(self.outline, path)
        return answer


def skill_key(
    tree: SkillTree,
    outline: Outline,
    config: Config,
    past: Past,
    learnt: Learnt,
    silenced: Sequence[Finding],
) -> str:
    """32 hex digits over everything that checking and publishing this skill reads.

    What it learns of paths outside of it has a key of its own (`Answers.key`). Other skills, other
    pictures and the levels of other rules than those in `learnt` do not matter. `silenced` are the
    findings that `[[ignore]]` silences now; it does not matter by which entry. Older states are
    judged by all the settings.
    """
    parts = (
        tree.directory,
        tree.path,
        tree.name_place,
        tree.flat_name,
        tree.free_name,
        tree.copies,
        past.change,
        outline.findings.get(tree.directory, ()),
        [(path, outline.image_at(path)) for path in learnt.pictures],
        [(code, config.rules.get(code)) for code in learnt.codes],
        config.paths.get(tree.directory),
        _deprecation(tree, outline, config),
        sorted((item.rule.code, item.path, item.fingerprint) for item in silenced),
        tuple(past.states),
        *(_judging(config, learnt) if len(past.states) > 1 or not tree.leaves else ()),
    )
    leaves = [f"{leaf.kind} {leaf.object_id} {leaf.path}" for leaf in tree.leaves]
    return _digest("\0".join([*leaves, repr(parts)]))


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _judging(config: Config, learnt: Learnt) -> Iterator[object]:
    """The settings that decide which older versions are published."""
    codes = learnt.version_codes
    yield config.roots, config.exclude, config.versions
    yield sorted(config.paths.items()), sorted(config.yanked.items())
    yield [(code, config.rules.get(code)) for code in codes]
    yield [entry for entry in config.ignore if entry.rule in codes]


def _deprecation(tree: SkillTree, outline: Outline, config: Config) -> object:
    """What the settings say of a deprecated skill, and whether there is the one to use instead."""
    deprecation = config.deprecated.get(tree.path or "")
    return deprecation and (deprecation, deprecation.use in outline.successors)


def _answer(outline: Outline, path: str) -> tuple[object, ...]:
    """What a skill can learn from the outline about a path outside of it."""
    other = outline.skill_at(path)
    if other is None:
        return path, outline.is_beside(path)
    original = outline.original(path)
    paths = "\0".join(["", *[leaf.path for leaf in other.leaves], ""])
    is_file, is_folder = f"\0{original}\0" in paths, f"\0{original}/" in paths
    return path, original, other.directory, other.path, is_file, is_folder
