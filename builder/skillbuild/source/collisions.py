"""What is wrong between skills: one place for two, or one name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from skillbuild.config import CONFIG_FILE
from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import Place
from skillbuild.paths import SKILL_FILE, base_name, prefixes
from skillbuild.rules import fields, source
from skillbuild.source.placement import Placed
from skillbuild.source.skill_paths import mapping_hint
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName
from skillbuild.text.wording import plural

SHARED_NAME_HINT = "rename one of the skills named"
"""Begins the hint about different skills with one name; then comes that name."""
Groups = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""Puts directories in groups that have the same files."""
_PLAIN = re.compile(r"[\w./@%+=:, -]+", re.ASCII)
"""Paths that are globs of themselves, and can stand in quotes."""


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
    trees: Sequence[SkillTree], names: Mapping[str, DeclaredName], with_same_files: Groups
) -> Iterator[tuple[str, Finding]]:
    """What skills lose that share a name, each finding with the directory of its skill.

    `names` are the declared ones by directory.
    """
    having: dict[str, list[SkillTree]] = defaultdict(list)
    equal: dict[str, list[SkillTree]] = {}
    for tree in trees:
        if tree.directory in names:
            having[names[tree.directory].name].append(tree)
    sharing: list[SkillTree] = []
    for tree in trees:
        declared = names.get(tree.directory)
        if declared is None or tree.path is None:
            continue
        alike = having[declared.name]
        if declared.is_title:
            if len(alike) > 1 and declared.name.strip():
                yield tree.directory, _shared_title(tree, alike)
        elif tree.flat_name != base_name(tree.path) == declared.name:
            sharing.append(tree)
            if tree.directory not in equal:
                equal |= _equal(alike, with_same_files)
    gone = _Gone(trees, equal.values())
    for tree in sharing:
        alike = having[names[tree.directory].name]
        yield tree.directory, _shared_name(tree, alike, equal[tree.directory], gone)


def _equal(alike: Sequence[SkillTree], with_same_files: Groups) -> dict[str, list[SkillTree]]:
    """By directory, the skills with the same files as the one there, itself too, best first."""
    by_directory = {each.directory: each for each in alike}
    equal = {}
    for group in with_same_files(tuple(by_directory)):
        ranked = sorted([by_directory[each] for each in group], key=_rank)
        equal.update(dict.fromkeys(group, ranked))
    return equal


def _shared_name(
    tree: SkillTree, alike: Sequence[SkillTree], equal: Sequence[SkillTree], gone: _Gone
) -> Finding:
    """What is said of a skill that discovery v0.1.0 leaves out, as others have its name."""
    if len(equal) > 1:
        other, copy = (equal[1], equal[1]) if tree is equal[0] else (equal[0], tree)
        message = f"{other.skill_file} is the same skill: left out of discovery v0.1.0 (OpenCode)"
        folder = gone.outermost(copy.directory)
        glob = f"/{folder}/" if _PLAIN.fullmatch(folder) else "..."
        hint = f'exclude the copy: exclude = ["{glob}"] in {CONFIG_FILE}'
    else:
        name = base_name(tree.path or tree.directory)
        others = f" and {len(alike) - 2} more have" if alike[2:] else " has"
        which = "all" if alike[2:] else "both"
        who = f"{_other(tree, alike)}{others}" if len(alike) > 1 else "another skill has"
        message = f"{who} the same name: {which} are left out of discovery v0.1.0 (OpenCode)"
        hint = f"{SHARED_NAME_HINT} {name} where that matters, or exclude one that is a copy"
    return _at_name(source.DISCOVERY_OMITTED, tree, message, hint)


class _Gone:
    """The copies of skills: what can be excluded, and nothing else with them."""

    def __init__(self, trees: Sequence[SkillTree], equal: Iterable[Sequence[SkillTree]]) -> None:
        gone = {each.directory for group in equal for each in group[1:]}
        stays = [tree.directory for tree in trees if tree.directory not in gone]
        self.kept = {"", *(part for path in stays for part in (*prefixes(path), path))}

    def outermost(self, directory: str) -> str:
        """The outermost directory around a copy below which there are only copies."""
        around = (*prefixes(directory), directory)
        return next((part for part in around if part not in self.kept), directory)


def _rank(tree: SkillTree) -> tuple[bool, int, str]:
    """Before its copies is the one that is offered, or else the one nearest to the top."""
    is_offered = tree.path is not None and tree.flat_name == base_name(tree.path)
    return not is_offered, tree.directory.count("/"), tree.directory


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
