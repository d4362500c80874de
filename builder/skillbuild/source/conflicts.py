"""Finds skill paths that cannot be used, and skills that conflict with each other.

Two skills cannot share a path. If two skills have the same name, clients that know only names see
only one of them. If two descriptions say the same thing, an agent cannot choose between the skills.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from skillbuild.config import CONFIG_FILE
from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import Place
from skillbuild.paths import (
    AUTHORITY,
    SKILL_FILE,
    base_name,
    path_segment_fault,
    prefixes,
)
from skillbuild.rules import fields, source
from skillbuild.rules.define import SPOILS
from skillbuild.source.discovery import DeclaredName
from skillbuild.source.placement import Placed
from skillbuild.source.skill_tree import SkillTree
from skillbuild.text.wording import plural
from skillbuild.uris import LONGEST_LISTED_URI, skill_uri

SHARED_NAME_HINT = "rename one of the skills named"
"""The start of the hint about different skills with the same name; the name follows."""
Groups = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""A function that groups directories with the same files."""
_PLAIN = re.compile(r"[\w./@%+=:, -]+", re.ASCII)
"""Paths that need no escaping as a glob and can be put in quotes."""
_WORD = re.compile(r"[^\W_]+")
_LIMIT = re.compile(r"\b(not|never|instead|rather)\b|n['\u2019]t\b|[\u4e0d\u975e]")
"""Words such as "not" and "instead", which say what a skill is not for. Comparing the words of two
descriptions would miss such a limit.
"""
_FEWEST = 3
"""Minimum number of words in a description; shorter ones are placeholders."""
_MOST_ALIKE = 200
"""Maximum number of skills that may share a word; a word in more skills comes from a template and
is ignored.
"""


def path_faults(tree: SkillTree) -> Iterator[Finding]:
    """Yield the faults in a skill's path that do not involve other skills."""
    if tree.path is None:
        return
    segments = tree.path.split("/")
    for segment in segments:
        if fault := path_segment_fault(segment):
            message = f"the skill path {tree.path} contains {fault}"
            yield _at_name(source.SKILL_PATH_SEGMENT, tree, message, _mapping_hint(tree))
    if not AUTHORITY.fullmatch(segments[0]):
        first = f"{segments[0]!r} cannot be the first segment of a URI"
        message = f"{first}: {SPOILS}"
        # Renaming changes the first segment only if there is no directory before it.
        rename = "" if len(segments) > 1 else "rename the skill; to keep its name, "
        hint = rename + _mapping_hint(tree)
        yield _at_name(source.SKILL_PATH_AUTHORITY, tree, message, hint)
    if len(skill_uri(tree.path).encode(errors="replace")) > LONGEST_LISTED_URI:
        message = f"the skill's URI is longer than {LONGEST_LISTED_URI:,} bytes: {SPOILS}"
        yield _at_name(source.URI_TOO_LONG, tree, message, _mapping_hint(tree))


def _at_name(rule: Rule, tree: SkillTree, message: str, hint: str) -> Finding:
    return finding(rule, tree.skill_file, tree.name_place, message, hint)


def _mapping_hint(tree: SkillTree) -> str:
    """Return the hint that sets a different path for a skill."""
    name = base_name(tree.path or "")
    return f'set another path in skillbuild.toml: [paths] "{tree.directory}" = "other/{name}"'


def place_findings(
    tree: SkillTree, skill: Placed, trees: Mapping[str, SkillTree]
) -> Iterator[Finding]:
    """Yield the conflicts between the path of a skill and other skills.

    `tree` and `skill` describe the same skill. `trees` maps the directories of all skills to their
    trees.
    """
    if skill.taken_by is not None:
        other = trees[skill.taken_by]
        message = (
            f"the skill path {tree.path} clashes with the path {other.path} of {other.skill_file}"
        )
        yield _at_name(source.SKILL_PATH_COLLISION, tree, message, _mapping_hint(tree))
    elif skill.clashes_with is not None:
        other = trees[skill.clashes_with]
        message = (
            f"the skill path is {tree.path}, because {skill.moved_from} clashes with"
            f" {other.skill_file}"
        )
        yield _at_name(source.SKILL_PATH_MOVED, tree, message, _mapping_hint(tree))
    if skill.ambiguous is not None:
        message = (
            f"{skill.ambiguous} of the outer skill has the same URI as the skill path {tree.path}"
        )
        yield _at_name(source.SKILL_PATH_COLLISION, tree, message, _mapping_hint(tree))


def name_findings(
    trees: Sequence[SkillTree], names: Mapping[str, DeclaredName], with_same_files: Groups
) -> Iterator[tuple[str, Finding]]:
    """Yield a finding for each skill that some client omits because another skill has the same
    name.

    Each finding comes with the directory of its skill. `names` maps directories to declared names.
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
        elif base_name(tree.path) == declared.name and tree is not _offered(alike):
            sharing.append(tree)
            if tree.directory not in equal:
                equal |= _equal(alike, with_same_files)
    gone = _Gone(trees, equal.values())
    for tree in sharing:
        alike = having[names[tree.directory].name]
        yield tree.directory, _shared_name(tree, alike, equal[tree.directory], gone)


def _equal(alike: Sequence[SkillTree], with_same_files: Groups) -> dict[str, list[SkillTree]]:
    """Map each directory to all skills with the same files, including its own, best first."""
    by_directory = {each.directory: each for each in alike}
    equal = {}
    for group in with_same_files(tuple(by_directory)):
        ranked = sorted([by_directory[each] for each in group], key=_rank)
        equal.update(dict.fromkeys(group, ranked))
    return equal


def _shared_name(
    tree: SkillTree, alike: Sequence[SkillTree], equal: Sequence[SkillTree], gone: _Gone
) -> Finding:
    """Return the finding about a skill that discovery v0.1.0 leaves out because another skill has
    its name.
    """
    if len(equal) > 1:
        other, copy = (equal[1], equal[1]) if tree is equal[0] else (equal[0], tree)
        message = (
            f"{other.skill_file} is the same skill, so this one is left out of discovery v0.1.0"
            " (OpenCode)"
        )
        folder = gone.outermost(copy.directory)
        glob = f"/{folder}/" if _PLAIN.fullmatch(folder) else "..."
        hint = f'exclude the copy: exclude = ["{glob}"] in {CONFIG_FILE}'
    else:
        name = base_name(tree.path or tree.directory)
        offered = _offered(alike).skill_file
        message = (
            f"{offered} has the same name, so this skill is left out of discovery v0.1.0 (OpenCode)"
        )
        hint = f"{SHARED_NAME_HINT} {name} so that OpenCode can load both, or exclude one"
    return _at_name(source.DISCOVERY_OMITTED, tree, message, hint)


class _Gone:
    """Decides which folders can be excluded because they contain only copies of skills."""

    def __init__(self, trees: Sequence[SkillTree], equal: Iterable[Sequence[SkillTree]]) -> None:
        gone = {each.directory for group in equal for each in group[1:]}
        stays = [tree.directory for tree in trees if tree.directory not in gone]
        self.kept = {"", *(part for path in stays for part in (*prefixes(path), path))}

    def outermost(self, directory: str) -> str:
        """Return the outermost directory in which all skills are copies; this is `directory` itself
        or a directory above it.
        """
        around = (*prefixes(directory), directory)
        return next((part for part in around if part not in self.kept), directory)


def _rank(tree: SkillTree) -> tuple[bool, int, str]:
    """Return the sort key of copies: the skill that is offered first, then the one nearest to the
    top.
    """
    is_offered = tree.path is not None and tree.flat_name == base_name(tree.path)
    return not is_offered, tree.directory.count("/"), tree.directory


def _offered(alike: Sequence[SkillTree]) -> SkillTree:
    """Return which of several skills with the same name is offered by clients that know only
    names.
    """
    return min(alike, key=_rank)


def _other(tree: SkillTree, alike: Sequence[SkillTree]) -> str:
    """Return the SKILL.md of the first other skill with the same name."""
    return next(each.skill_file for each in alike if each is not tree)


def _shared_title(tree: SkillTree, alike: Sequence[SkillTree]) -> Finding:
    more = f" and {len(alike) - 2} more" if alike[2:] else ""
    verb = "have" if alike[2:] else "has"
    message = (
        f"{_other(tree, alike)}{more} {verb} this name too: OpenCode and Gemini CLI keep only the"
        " last one"
    )
    return _at_name(fields.NAME_SHARED, tree, message, "give each skill its own name")


def skill_at_root(others: int) -> Finding:
    """Return the finding about a skill at the root of a source; `others` is the number of other
    skills.
    """
    message = f"a skill at the root would contain {plural(others, 'other skill')}"
    hint = f'set exclude = ["/{SKILL_FILE}"] in {CONFIG_FILE}, or exclude the other skills'
    return finding(source.SKILL_AT_ROOT, SKILL_FILE, Place(1, 1), message, hint)


# Skills that an agent cannot tell apart, because it sees only names and descriptions.


class Described(NamedTuple):
    """The texts of a skill that an agent reads before choosing it, and the position of the
    description.
    """

    name: str
    description: str
    place: Place | None


def confusions(skills: Mapping[str, Described]) -> Iterator[Finding]:
    """Yield a note for each skill that an agent cannot tell apart from another one.

    `skills` maps the path of each SKILL.md to the texts of its skill. Skill A gets a note if skill
    B has the same description, or if the name and description of B contain all words of A's name
    and description. If the same is true the other way around, only the first of the two skills gets
    a note. Skills with the same name are left to `name_findings`.
    """
    texts = {path: " ".join(each.description.split()).lower() for path, each in skills.items()}
    pairs: set[tuple[str, str]] = set()
    words_of = cache(lambda path: _words(texts[path]))
    for path, others in _candidates(skills, texts):
        words = words_of(path)
        if _LIMIT.search(texts[path]) or len(words) < _FEWEST:
            continue
        for other in others:
            if (other, path) in pairs or not words <= words_of(other):
                continue
            pairs.add((path, other))
            is_same = texts[path] == texts[other]
            yield _covered(path, skills[path].place, other, is_same=is_same)
            break


def _candidates(
    skills: Mapping[str, Described], texts: Mapping[str, str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each skill with the skills that may cover it: skills with the same text, or whose names
    contain all words of its name.

    Descriptions are not compared yet; in most sources there is no candidate.
    """
    names = {path: frozenset(_WORD.findall(each.name.lower())) for path, each in skills.items()}
    having: dict[str, list[str]] = defaultdict(list)
    for path in skills:
        for key in (texts[path], *names[path]):
            having[key].append(path)
    for path, each in skills.items():
        wider = min((having[word] for word in names[path]), key=len, default=[])[:_MOST_ALIKE]
        same = having[texts[path]][:_MOST_ALIKE]
        alike = dict.fromkeys([*(other for other in wider if names[path] <= names[other]), *same])
        if others := [other for other in alike if skills[other].name != each.name]:
            yield path, others


def _words(text: str) -> frozenset[str]:
    """Return the stems of the meaningful words in a description."""
    from skillbuild.text import terms  # Slow to import, so only when needed.

    return frozenset(
        terms.stem(word) for word in _WORD.findall(text) if word not in terms.STOP_WORDS
    )


def _covered(path: str, place: Place | None, other: str, *, is_same: bool) -> Finding:
    more = "uses every word of this skill's name and description"
    message = f"{other} {'has the same description' if is_same else more}"
    hint = "say when to use this skill instead of the other one"
    return finding(fields.DESCRIPTION_COVERED, path, place, message, hint)
