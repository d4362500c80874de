"""Reports skills in dot-directories that are left out because there are skills elsewhere.

As soon as one skill exists outside of `.github/` or `.claude/`, the skills in these directories are
no longer in the catalog. The finding shows the settings that bring them back.
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
from skillbuild.text.wording import plural, some

_MOST_GLOBS = 5
"""Maximum number of folders that the hint lists; for more, it uses wider globs."""
_NO_DOT_DIRECTORY = "/[!.]*/"
"""A glob for all top-level folders whose name does not begin with a dot."""
_IN_PLUGIN = re.compile(r"(?:^|/)(?:plugins|\.\w+-plugin)/")
"""Matches the directory of a skill that belongs to a plugin."""


def hidden_skills(
    folders: Directories, ignored: Mapping[str, str], config: Config, reader: Reader
) -> Iterator[Finding]:
    """Yield at most two findings about skills that are left out because they are in a
    dot-directory.

    `ignored` maps each ignored SKILL.md to the reason. Copies of published skills and files of
    other skills are not reported. Skills that an `[[ignore]]` entry covers get a finding of their
    own, so that the entry does not silence the finding about the others.
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
    """Return whether an entry of `[[ignore]]` accepts that a SKILL.md is hidden."""
    entries = [entry for entry in config.ignore if entry.rule == SKILLS_HIDDEN.code]
    return any(not entry.paths or matcher(entry.paths)(path) for entry in entries)


def _finding(hidden: Sequence[str], skills: Sequence[str]) -> Finding:
    """Return the finding about the directories of hidden skills; `skills` are the published ones.

    A few hidden skills among many usually help with work on the repository itself. That is only a
    note, unless the hidden skills belong to plugins, which are meant for others.
    """
    counts = Counter(map(_dot_directory, hidden))
    named = some([f"{folder}/ ({count:,})" for folder, count in counts.most_common()])
    verb, them = ("is", "it") if len(hidden) == 1 else ("are", "them")
    message = (
        f"{plural(len(hidden), 'skill')} in dot-directories {verb} left out because there are"
        f" skills elsewhere: {named}"
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
    """Yield the directories with the same files as a found skill with the same directory name."""
    found = defaultdict[str, list[str]](list)
    for skill in folders.skills if directories else ():
        found[base_name(skill)].append(skill)
    for directory in directories:
        skills = found.get(base_name(directory), [])
        same, *_ = with_same_files([directory, *skills], folders.below, reader)
        if len(same) > 1:
            yield directory


def _dot_directory(directory: str) -> str:
    """Return the path of the outermost dot-directory around a directory."""
    segments = directory.split("/")
    last = next(number for number, segment in enumerate(segments) if segment.startswith("."))
    return "/".join(segments[: last + 1])


def _globs_of_skills(tops: Sequence[str]) -> list[str]:
    """Return globs for the top-level folders with skills; none if a skill is at the root, because
    it is then the only one.
    """
    return [anchored(top) for top in tops] if len(tops) <= _MOST_GLOBS else [_NO_DOT_DIRECTORY]


def _globs_of_hidden(dot_directories: Sequence[str]) -> list[str]:
    if len(dot_directories) <= _MOST_GLOBS:
        return list(map(anchored, dot_directories))
    return sorted({f"{literal(base_name(path))}/" for path in dot_directories})
