"""Cache keys: all that one skill depends on besides the inputs of the whole build."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Protocol

from skillbuild.compile.compiler import SkillCompiler
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree


def skill_key(tree: SkillTree, outline: Outline, step: SkillCompiler) -> bytes:
    """32 hex digits over everything that checking and publishing this skill reads.

    Only what it learns of paths outside of it has a key of its own (`Outside`).
    """
    deprecation = step.config.deprecated.get(tree.path or "")
    parts = (
        tree.directory,
        tree.path,
        tree.name_place,
        tree.flat_name,
        tree.free_name,
        tree.copies,
        step.changes.get(tree.directory),
        step.ends.get(tree.directory),
        outline.findings.get(tree.directory, ()),
        deprecation is not None and deprecation.use in outline.successors,
        tuple(step.states.get(tree.directory, ())),
    )
    leaves = [f"{leaf.kind} {leaf.object_id} {leaf.path}" for leaf in tree.leaves]
    return key_of("\0".join([*leaves, repr(parts)])).encode()


class Learned(Protocol):
    """What is known of a skill that was compiled; as in `SkillResult`."""

    @property
    def lookups(self) -> Sequence[str]:
        """Paths outside of it that its texts name."""

    @property
    def pictures(self) -> Sequence[str]:
        """Paths outside of it that it names as its icons."""


class Outside:
    """What skills can learn from an outline about paths outside of them; many ask for the same."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._answers: dict[str, tuple[object, ...]] = {}

    def key(self, result: Learned) -> str:
        """32 hex digits over the answers that one skill gets."""
        answers = [self._about(path) for path in result.lookups]
        return key_of(repr((answers, [self.outline.image_at(path) for path in result.pictures])))

    def _about(self, path: str) -> tuple[object, ...]:
        answer = self._answers.get(path)
        if answer is None:
            answer = self._answers[path] = _answer(self.outline, path)
        return answer


def _answer(outline: Outline, path: str) -> tuple[object, ...]:
    """What a skill can learn from the outline about a path outside of it."""
    other = outline.skill_at(path)
    if other is None:
        return path, outline.is_beside(path)
    original = outline.original(path)
    paths = "\0".join(["", *[leaf.path for leaf in other.leaves], ""])
    is_file, is_folder = f"\0{original}\0" in paths, f"\0{original}/" in paths
    return path, original, other.directory, other.path, is_file, is_folder


def key_of(text: str) -> str:
    """32 hex digits that stand for a text."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
