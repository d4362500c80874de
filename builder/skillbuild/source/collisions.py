"""What is wrong between two skills: one place for both, or one name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from skillbuild.diagnostics import Finding, finding
from skillbuild.model import Place
from skillbuild.paths import SKILL_FILE, base_name, collision_key, prefixes
from skillbuild.rules import source as rules
from skillbuild.source.skill_paths import mapping_hint
from skillbuild.source.skill_tree import SkillTree

_Findings = defaultdict[str, tuple[Finding, ...]]
"""By the directory of the skill that they are about."""


def path_collisions(trees: Sequence[SkillTree]) -> Mapping[str, tuple[Finding, ...]]:
    """Findings by the directory of each skill whose path clashes with that of another.

    Paths clash if some file system takes them for one. `a/b/c` and `a/b` clash too, unless the
    first skill is nested in the second in the source.
    """
    by_key: dict[str, list[SkillTree]] = defaultdict(list)
    for tree in trees:
        if tree.path is not None:
            by_key[collision_key(tree.path)].append(tree)
    findings: _Findings = defaultdict(tuple)
    above: dict[str, list[SkillTree]] = {}
    for key, same in by_key.items():
        folder = key[: key.rfind("/") + 1]
        if folder not in above:
            above[folder] = [tree for part in prefixes(folder) for tree in by_key.get(part, ())]
        if len(same) > 1 or above[folder]:
            _add_collisions(same, above[folder], findings)
    return findings


def _add_collisions(
    same: Sequence[SkillTree], above: Sequence[SkillTree], findings: _Findings
) -> None:
    """Refuse the skills `same` of one path, if they are several or lead through one `above`.

    Each names one other skill of its path and one that it leads through. A skill above is refused
    once, however many lead through it.
    """
    for tree in same:
        others = same[:1] if tree is not same[0] else same[1:2]
        crossed = [outer for outer in above if not _is_nested(tree, outer)]
        for other in [*others, *crossed[:1]]:
            findings[tree.directory] += (_collision(tree, other),)
        for outer in crossed:
            if outer.directory not in findings:
                findings[outer.directory] += (_collision(outer, tree),)


def _is_nested(inner: SkillTree, outer: SkillTree) -> bool:
    above = f"{outer.directory}/" if outer.directory else ""
    return inner.outer is not None and inner.directory.startswith(above)


def _collision(tree: SkillTree, other: SkillTree) -> Finding:
    message = f"skill path {tree.path} clashes with {other.path} of {other.skill_file}"
    rule = rules.SKILL_PATH_COLLISION
    return finding(rule, tree.skill_file, tree.name_place, message, mapping_hint(tree))


def flat_name_remark(tree: SkillTree, flat_names: Mapping[str, str]) -> Finding | None:
    """What a skill loses in formats that know names and no paths; None if it loses nothing.

    `flat_names` are the names that are given there, by skill path.
    """
    if not tree.path:
        return None
    if tree.path not in flat_names:
        joined = tree.path.replace("/", "-")
        message = f"another skill has the same name, and {joined} is taken or no valid name"
        rule, hint = rules.FLAT_NAME, mapping_hint(tree)
    elif flat_names[tree.path] != base_name(tree.path):
        message = "another skill has the same name: left out of discovery v0.1.0 (OpenCode)"
        rule, hint = rules.DISCOVERY_OMITTED, "rename the skill where that matters"
    else:
        return None
    return finding(rule, tree.skill_file, tree.name_place, message, hint)


def skill_at_root(others: int) -> Finding:
    """The finding about a skill at the top of the source, when there are so many other skills."""
    message = f"a skill at the root would contain the other ones ({others})"
    hint = f'exclude one side in skillbuild.toml: exclude = ["/{SKILL_FILE}"], or the others'
    return finding(rules.SKILL_AT_ROOT, SKILL_FILE, Place(1, 1), message, hint)
