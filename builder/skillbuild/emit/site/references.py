"""What the texts of a skill lead to: other skills, and its own files.

Texts are read by patterns, so this is a reading aid: what is told in other words is not seen.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from urllib.parse import unquote

from skillbuild.media.types import decode
from skillbuild.model import Skill
from skillbuild.source.outline import Outline

_LINK = re.compile(r"\]\(<?((?:\./)?\.\./[^)#?\s>]{1,300})")
_NAME = re.compile(r"`[/$@]?([a-z0-9]+(?:-[a-z0-9]+)+)`")
"""A name in code; one of a single word may be anything."""
_MOST = 50
_MOST_FILES = 400
"""A skill with more files is no longer looked through for those that nothing names."""
_LONGEST = 4 * 1024 * 1024
_SELF_EVIDENT = re.compile(
    r"(?:.*/)?(?:SKILL\.md|README[^/]*|LICEN[CS]E[^/]*|NOTICE[^/]*|CHANGELOG[^/]*|[._][^/]*|__init__\.py"
    r"|requirements[^/]*\.txt|package(-lock)?\.json|pyproject\.toml|Makefile|Dockerfile)"
    r"|(?:agents|tests?|evals?|\.[^/]*)/.*",
    re.IGNORECASE,
)
"""Files that people, tools and hosts find by their name or folder."""


def refers(skill: Skill, outline: Outline) -> tuple[str, ...]:
    """Paths of skills that its links lead to, and names in code with `?` before them.

    Which skill a name stands for is known when all are.
    """
    linked = dict.fromkeys(islice(_linked(skill, outline), _MOST))
    names = dict.fromkeys(islice(_NAME.findall(skill.body), _MOST))
    return (*linked, *(f"?{name}" for name in names))


def _linked(skill: Skill, outline: Outline) -> Iterator[str]:
    for file in skill.files:
        if not file.path.endswith(".md") or b"](" not in file.data:
            continue
        folder = posixpath.join(skill.directory, posixpath.dirname(file.path))
        for target in _LINK.findall(decode(file.data) or ""):
            path = posixpath.normpath(posixpath.join(folder, unquote(target)))
            if path.startswith(("..", f"{skill.directory}/")):
                continue
            other = outline.skill_at(path)
            if other is not None and other.path and other.path != skill.path:
                yield other.path


def unreached(skill: Skill) -> Sequence[str]:
    """Files that neither SKILL.md names nor any file that is reached from there.

    A file is named by its path, by its name with or without what follows the dot, or by a folder
    that it is in; so there may be more that nobody reads, but hardly fewer.
    """
    texts = {file.path: text for file in skill.files if (text := decode(file.data)) is not None}
    if len(skill.files) > _MOST_FILES or sum(map(len, texts.values())) > _LONGEST:
        return []
    missing = {file.path: _names(file.path) for file in skill.files if _is_asked(file.path)}
    waiting = [path for path in texts if path not in missing]
    while waiting and missing:
        text = texts.get(waiting.pop(), "")
        reached = [path for path, names in missing.items() if any(name in text for name in names)]
        for path in reached:
            del missing[path]
        waiting += reached
    return sorted(missing)


def _is_asked(path: str) -> bool:
    return not _SELF_EVIDENT.fullmatch(path)


def _names(path: str) -> Sequence[str]:
    """All by which a text may name a file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    above = [f"{part}/" for part in folder.split("/") if part]
    return [name, *([stem] if len(stem) > 2 else []), *above]


def resolved(refers: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """For each skill the paths of those that it refers to; names that several have are nobody's."""
    by_name: dict[str, str] = {}
    for path in refers:
        name = path.rpartition("/")[2]
        by_name[name] = "" if name in by_name else path
    return {path: _targets(path, each, refers, by_name) for path, each in refers.items()}


def _targets(
    own: str, refers: Sequence[str], paths: Mapping[str, Sequence[str]], by_name: Mapping[str, str]
) -> Sequence[str]:
    every = (by_name.get(each[1:], "") if each[0] == "?" else each for each in refers)
    return sorted({path for path in every if path in paths and path != own})
