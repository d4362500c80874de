"""A few skills compiled together, in whatever process: their files are read in one go."""

from __future__ import annotations

from collections.abc import Sequence

from skillbuild.compile.garbage import collect_youngest
from skillbuild.compile.result import SkillResult, SkillStep
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader, ahead

CHUNK = 25
"""Skills that are read, and that a worker takes, at once."""


def run_chunk(
    step: SkillStep, skills: Sequence[SkillTree], outline: Outline, reader: Reader
) -> list[SkillResult]:
    """One result for each skill, in the order given."""
    files = [[leaf for leaf in tree.leaves if leaf.is_file] for tree in skills]
    at_hand = ahead(reader, files)
    results = []
    for tree in skills:
        results.append(step.run(tree, outline, at_hand))
        collect_youngest()
    return results
