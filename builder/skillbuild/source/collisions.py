"""What is wrong between skills: one place for two, or one name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import Place
from skillbuild.paths import SKILL_FILE, base_name
from skillbuild.rules import fields, source
from skillbuild.source.placement import Placed
from skillbuild.source.skill_paths import mapping_hint
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName
from skillbuild.text.wording import plural


def place_findings(
    tree: SkillTree, skill: Placed, trees: Mapping[str, SkillTree]
) -> Iterator[Finding]:
    """What other skills do to the place of a skill; `trees` are all skills by directory."""
    if skill.taken_by is not None:
        other = trees[skill.taken_by]
        message = f"skill path {tree.path} clashes with {other.path} of {other.skill_file}"
        yield _at_name(source.SKILL_PATH_COLLISION, tree, message, mapping_hint(tree))
    elif skill.clashes_with is not None:
        other = trees[skill.clashes_with]
        message = f"moved to {tree.path}: {skill.moved_from} clashes with {other.skill_file}"
        yield _at_name(source.SKILL_PATH_MOVED, tree, message, mapping_hint(tree))
    if skill.ambiguous is not None:
        message = f"{skill.ambiguous} of the outer skill has the URI of the skill path {tree.path}"
        yield _at_name(source.SKILL_PATH_COLLISION, tree, message, mapping_hint(tree))


def name_findings(
    trees: Sequence[SkillTree], names: Mapping[str, DeclaredName]
) -> Iterator[tuple[str, Finding]]:
    """What skills lose that share a name, each finding with the directory of its skill.

    `names` are the declared ones by directory.
    """
    having: dict[str, list[SkillTree]] = defaultdict(list)
    for tree in trees:
        if tree.directory in names:
            having[names[tree.directory].name].append(tree)
    for tree in trees:
        declared = names.get(tree.directory)
        if declared is None or tree.path is None:
            continue
        alike = having[declared.name]
        if declared.is_title:
            if len(alike) > 1 and declared.name.strip():
                yield tree.directory, _shared_title(tree, alike)
        elif tree.flat_name != base_name(tree.path) == declared.name:
            other = _other(tree, alike) if len(alike) > 1 else "another skill"
            message = f"{other} has the same name: left out of discovery v0.1.0 (OpenCode)"
            hint = "rename the skill where that matters, or exclude one that is a copy"
            yield tree.directory, _at_name(source.DISCOVERY_OMITTED, tree, message, hint)


def _other(tree: SkillTree, alike: Sequence[SkillTree]) -> str:
    """The SKILL.md of the first other skill of some that have one name."""
    return next(each.skill_file for each in alike if each is not tree)


def _shared_title(tree: SkillTree, alike: Sequence[SkillTree]) -> Finding:
    more = f" and {len(alike) - 2} more" if alike[2:] else ""
    verb = "have" if alike[2:] else "has"
    message = (
        f"{_other(tree, alike)}{more} {verb} this name, too: OpenCode and Gemini CLI keep only the"
        " last of them"
    )
    return _at_name(fields.NAME_SHARED, tree, message, "give each a name of its own")


def _at_name(rule: Rule, tree: SkillTree, message: str, hint: str) -> Finding:
    return finding(rule, tree.skill_file, tree.name_place, message, hint)


def skill_at_root(others: int) -> Finding:
    """The finding about a skill at the top of the source, when there are so many other skills."""
    message = f"a skill at the root would contain {plural(others, 'other skill')}"
    hint = f'exclude one side in skillbuild.toml: exclude = ["/{SKILL_FILE}"], or the others'
    return finding(source.SKILL_AT_ROOT, SKILL_FILE, Place(1, 1), message, hint)
