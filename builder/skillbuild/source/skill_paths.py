"""The path that a skill has by itself, and what is wrong with a path by itself.

A skill path is the directory of the skill without housekeeping (`skills`, `plugins` and
dot-directories), and ends in the name of the skill: `plugins/git/skills/commit` has the path
`git/commit`. It becomes the URI of the skill and the address of its page (SEP-2640). `[paths]` of
the settings overrides it, for a skill or for a directory above skills.

How the paths of several skills get along is in `placement`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.paths import AUTHORITY, base_name, is_skill_name, path_segment_fault
from skillbuild.rules import source as rules
from skillbuild.source.skill_tree import SkillTree
from skillbuild.uris import LONGEST_URI, skill_uri

_DROPPED_SEGMENTS = frozenset(["skills", "plugins"])


class Origin(IntEnum):
    """What gave a skill its path; of two skills with one path, the lower number keeps it."""

    MAPPED = 0
    """Its own directory is a key of `[paths]`."""
    MAPPED_FOLDER = 1
    """A directory above it is one."""
    DIRECTORY = 2


class OwnPath(NamedTuple):
    """The path that a skill has if no other skill is in its way."""

    path: str
    origin: Origin
    is_shortened: bool
    """Whether segments of the directory are left away."""


def own_path(directory: str, name: str | None, paths: Mapping[str, str]) -> OwnPath:
    """The path of a skill that is nested in no other, or mapped by itself.

    `name` is the declared one, if it can be read; a valid one is appended where the directory has
    another. `directory` is not empty, or a key of `paths`, or `name` is valid.
    """
    if directory in paths:
        return OwnPath(paths[directory], Origin.MAPPED, is_shortened=False)
    if not directory:
        return OwnPath(name or "", Origin.DIRECTORY, is_shortened=False)
    *above, last = directory.split("/")
    start, rest, origin = _mapped(above, paths)
    kept = [segment for segment in rest if not _is_housekeeping(segment)]
    path = "/".join([*start, *kept, *ending(last, name)])
    return OwnPath(path, origin, is_shortened=len(kept) < len(rest))


def whole_path(directory: str, name: str | None, paths: Mapping[str, str]) -> str:
    """The path with every segment of the directory, for a skill that another is in the way of."""
    *above, last = directory.split("/")
    start, rest, _ = _mapped(above, paths)
    whole = [_without_dots(segment) for segment in rest]
    return "/".join([*start, *whole, *ending(_without_dots(last), name)])


def ending(last: str, name: str | None) -> list[str]:
    """The last segments of a skill path, for the last one of the directory and the name.

    A path ends in the name of its skill (SEP-2640); a name that is none cannot stand in a path.
    """
    return [last] if name is None or name == last or not is_skill_name(name) else [last, name]


def _mapped(
    above: Sequence[str], paths: Mapping[str, str]
) -> tuple[list[str], Sequence[str], Origin]:
    """What the nearest mapped directory begins a path with, and the segments below that one."""
    for cut in range(len(above), 0, -1) if paths else ():
        folder = "/".join(above[:cut])
        if folder in paths:
            start = [paths[folder]] if paths[folder] else []
            return start, above[cut:], Origin.MAPPED_FOLDER
    return [], above, Origin.DIRECTORY


def _is_housekeeping(segment: str) -> bool:
    return segment in _DROPPED_SEGMENTS or segment.startswith(".")


def _without_dots(segment: str) -> str:
    return segment.lstrip(".") or segment


def is_skill_path(path: str) -> bool:
    """Whether every segment could stand in a skill path; False for such as `../outside`."""
    return all(path_segment_fault(segment) is None for segment in path.split("/"))


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
        # Another name is another path, unless a directory stands before it.
        rename = "" if len(segments) > 1 else "rename the skill; to keep its name, "
        hint = rename + mapping_hint(tree)
        yield finding(rules.SKILL_PATH_AUTHORITY, tree.skill_file, tree.name_place, message, hint)
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
