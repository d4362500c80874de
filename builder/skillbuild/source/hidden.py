"""Skills below dot-directories that a source leaves out, because it has skills elsewhere too.

The first skill outside of `.github/` or `.claude/` takes all skills in there out of the catalog, so
their author is told, with the line of settings that brings them back.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Finding, FoundAt, Severity, finding
from skillbuild.paths import SKILL_FILE, base_name, inside, parent
from skillbuild.rules.source import SKILLS_HIDDEN
from skillbuild.source.discovery import DOT_DIRECTORY, is_place_of_skills
from skillbuild.source.globs import anchored, literal, matcher
from skillbuild.source.placement import Directories, with_same_files
from skillbuild.source.skill_tree import innermost
from skillbuild.source.tree import Reader
from skillbuild.text.wording import plural

_MOST_NAMED = 3
"""Folders that the message names."""
_MOST_GLOBS = 5
"""Folders that the hint lists one by one; more are covered by wider globs."""
_NO_DOT_DIRECTORY = "/[!.]*/"
"""The glob of every folder at the top whose name begins with no dot."""
_IN_PLUGIN = re.compile(r"(?:^|/)(?:plugins|\.\w+-plugin)/")
"""In the directory of a skill that belongs to a plugin."""


def hidden_skills(
    folders: Directories, ignored: Mapping[str, str], config: Config, reader: Reader
) -> Iterator[Finding]:
    """The finding about all skills that are left out for their dot-directory, if there are some.

    `ignored` has the reason by the path of each SKILL.md that is passed over. Nobody misses a copy
    of a skill that is found, nor what is published among the files of a skill. What `[[ignore]]`
    covers has a finding of its own, so that it silences nothing else.
    """
    skills = frozenset(folders.skills) - {""}
    directories = [
        parent(path)
        for path, reason in sorted(ignored.items())
        if reason == DOT_DIRECTORY and is_place_of_skills(path) and innermost(skills, path) is None
    ]
    copies = frozenset(_copies(directories, folders, reader))
    groups = defaultdict[bool, list[str]](list)
    for directory in directories:
        if innermost(copies, directory) is None:
            groups[_is_accepted(inside(directory, SKILL_FILE), config)].append(directory)
    for hidden in groups.values():
        yield _finding(hidden, folders.skills)


def _is_accepted(path: str, config: Config) -> bool:
    """Whether an entry of `[[ignore]]` accepts that a SKILL.md is hidden."""
    entries = [entry for entry in config.ignore if entry.rule == SKILLS_HIDDEN.code]
    return any(not entry.paths or matcher(entry.paths)(path) for entry in entries)


def _finding(hidden: Sequence[str], skills: Sequence[str]) -> Finding:
    """The finding about hidden skills, by their directories; `skills` are those that are found.

    A few skills beside many are mostly for work on the repository itself: that is a note, unless
    they are of plugins, which are there for others.
    """
    counts = Counter(map(_dot_directory, hidden))
    named = [f"{folder}/ ({count:,})" for folder, count in counts.most_common(_MOST_NAMED)]
    if more := len(counts) - len(named):
        named.append(plural(more, "more folder"))
    verb, them = ("is", "it") if len(hidden) == 1 else ("are", "them")
    message = (
        f"{plural(len(hidden), 'skill')} below dot-directories {verb} left out because there are"
        f" skills elsewhere: {', '.join(named)}"
    )
    tops = sorted({skill.partition("/")[0] for skill in skills} - {""})
    others = [folder for folder in sorted(counts) if folder.partition("/")[0] not in tops]
    globs = [*_globs_of_skills(tops), *_globs_of_hidden(others)]
    line = ", ".join(json.dumps(glob, ensure_ascii=False) for glob in globs)
    hint = f"to publish {them}, set roots = [{line}] in {CONFIG_FILE}; otherwise, exclude {them}"
    first, *others = (inside(directory, SKILL_FILE) for directory in hidden)
    about = finding(SKILLS_HIDDEN, first, None, message, hint)
    is_grave = len(hidden) >= len(skills) or any(map(_IN_PLUGIN.search, hidden))
    severity = about.severity if is_grave else Severity.NOTE
    return replace(about, severity=severity, others=tuple(map(FoundAt, others)))


def _copies(directories: Sequence[str], folders: Directories, reader: Reader) -> Iterator[str]:
    """Those of the directories with the same files as a skill whose directory has the same name."""
    found = defaultdict[str, list[str]](list)
    for skill in folders.skills if directories else ():
        found[base_name(skill)].append(skill)
    for directory in directories:
        skills = found.get(base_name(directory), [])
        same, *_ = with_same_files([directory, *skills], folders.below, reader)
        if len(same) > 1:
            yield directory


def _dot_directory(directory: str) -> str:
    """The path of the outermost dot-directory in which a directory lies."""
    segments = directory.split("/")
    last = next(number for number, segment in enumerate(segments) if segment.startswith("."))
    return "/".join(segments[: last + 1])


def _globs_of_skills(tops: Sequence[str]) -> list[str]:
    """Globs of the folders at the top in which skills are found.

    There is none for a skill at the top itself: no other can be beside it.
    """
    return [anchored(top) for top in tops] if len(tops) <= _MOST_GLOBS else [_NO_DOT_DIRECTORY]


def _globs_of_hidden(dot_directories: Sequence[str]) -> list[str]:
    if len(dot_directories) <= _MOST_GLOBS:
        return list(map(anchored, dot_directories))
    return sorted({f"{literal(base_name(path))}/" for path in dot_directories})
