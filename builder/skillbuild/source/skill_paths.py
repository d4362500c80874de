"""The path of each skill, and what is wrong with a path by itself.

A skill path is the directory of the skill without housekeeping (`skills`, `plugins` and
dot-directories), and ends in the name of the skill: `plugins/git/skills/commit` has the path
`git/commit`. It becomes the URI of the skill and the address of its page (SEP-2640). `[paths]` of
the settings overrides it, for a skill or for a directory above skills.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.paths import (
    AUTHORITY,
    base_name,
    is_git_alias,
    parent,
    prefixes,
    segment_fault,
)
from skillbuild.rules import source as rules
from skillbuild.source.skill_tree import SkillTree, innermost_skill
from skillbuild.source.survey import Survey, bytes_of_path
from skillbuild.uris import LONGEST_URI, skill_uri

_RESERVED_SEGMENTS = frozenset(["-", "index.html", ".well-known"])
_DROPPED_SEGMENTS = frozenset(["skills", "plugins"])
_AFTER_SLASH = b"0"
"""The byte after `/`: what lies below `a` is sorted from `a/` up to `a0`."""


def skill_trees(
    directories: Sequence[str], surveyed: Survey, paths: Mapping[str, str]
) -> dict[str, SkillTree]:
    """The skills in these directories, each with its leaves and its path.

    `directories` are sorted, so that a skill comes before the ones nested in it. `paths` is
    `[paths]` of the settings: paths by directory.
    """
    trees: dict[str, SkillTree] = {}
    keys = [bytes_of_path(leaf) for leaf in surveyed.leaves]
    for directory in directories:
        leaves = tuple(surveyed.leaves[_range_below(directory, keys)])
        outer = innermost_skill(trees, parent(directory)) if directory else None
        outer_directory = outer.directory if outer else None
        declared = surveyed.names.get(directory)
        if declared is None:
            trees[directory] = SkillTree(directory, leaves, outer=outer_directory)
        else:
            path = _path_of(directory, declared.name, outer, paths)
            trees[directory] = SkillTree(directory, leaves, path, declared.place, outer_directory)
    return trees


def _range_below(directory: str, keys: Sequence[bytes]) -> slice:
    """Which of the sorted paths `keys` lie in a directory, at any depth."""
    if not directory:
        return slice(None)
    start = directory.encode(errors="surrogateescape")
    first = bisect_left(keys, start + b"/")
    return slice(first, bisect_left(keys, start + _AFTER_SLASH, first))


def _path_of(directory: str, name: str, outer: SkillTree | None, paths: Mapping[str, str]) -> str:
    """A nested skill lies below the path of the outer one, the rest of its directory unaltered."""
    if outer is not None and outer.path is not None:
        return f"{outer.path}/{directory.removeprefix(outer.directory).lstrip('/')}"
    if directory in paths:
        return paths[directory]
    folder = parent(directory)
    for above in [folder, *reversed(prefixes(folder))] if paths else ():
        if above and above in paths:
            rest = folder[len(above) :]
            return "/".join([*filter(None, [paths[above]]), *_segments(rest), name])
    return "/".join([*_segments(folder), name])


@functools.lru_cache
def _segments(directory: str) -> tuple[str, ...]:
    """The segments of a directory that stay in a skill path."""
    return tuple(
        segment
        for segment in directory.split("/")
        if segment and segment not in _DROPPED_SEGMENTS and not segment.startswith(".")
    )


@functools.lru_cache(1024)
def path_segment_fault(segment: str) -> str | None:
    """Why a segment cannot stand in a skill path, or None if it can."""
    if segment in _RESERVED_SEGMENTS:
        return f"the segment {segment}, which the catalog needs for itself"
    if is_git_alias(segment):
        return f"{segment!r}, which is taken for .git"
    return segment_fault(segment)


def path_faults(tree: SkillTree) -> Iterator[Finding]:
    """What is wrong with the path of a skill, whatever other skills there are."""
    if tree.path is None:
        return
    segments = tree.path.split("/")
    for segment in segments:
        if fault := path_segment_fault(segment):
            message = f"skill path {tree.path} contains {fault}"
            yield _fault(tree, rules.SKILL_PATH_SEGMENT, message)
    if not AUTHORITY.fullmatch(segments[0]):
        first = f"{segments[0]!r} cannot stand first in a URI"
        message = f"{first}: strict clients drop the whole MCP listing for it"
        yield _fault(tree, rules.SKILL_PATH_AUTHORITY, message)
    if len(skill_uri(tree.path).encode(errors="replace")) > LONGEST_URI:
        message = (
            f"the URI of the skill is over {LONGEST_URI:,} bytes:"
            " strict clients drop the whole MCP listing for it"
        )
        yield _fault(tree, rules.URI_TOO_LONG, message)


def _fault(tree: SkillTree, rule: Rule, message: str) -> Finding:
    return finding(rule, tree.skill_file, tree.name_place, message, mapping_hint(tree))


def mapping_hint(tree: SkillTree) -> str:
    """How to give a skill another path."""
    name = base_name(tree.path or "")
    return f'set another path in skillbuild.toml: [paths] "{tree.directory}" = "other/{name}"'
