"""The globs of the settings: what `roots`, `exclude` and `[[ignore]]` cover."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache

from skillbuild.config import Config
from skillbuild.paths import SKILL_FILE, inside, parent
from skillbuild.setting_lines import SettingError, within
from skillbuild.source.skill_tree import innermost
from skillbuild.source.tree import Leaf


@lru_cache(maxsize=1024)
def matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """A test whether a path is covered by one of these globs, in the syntax of .gitignore."""
    if not patterns:
        return lambda path: False
    # Slow to load, and most sources have no patterns.
    from pathspec import GitIgnoreSpec

    try:
        spec = GitIgnoreSpec.from_lines(patterns)
    except (ValueError, re.error) as error:
        raise SettingError(
            f"a bad glob in roots, exclude, plugins, trust or [[ignore]]: {error}"
        ) from error
    return spec.match_file


def require_good_globs(config: Config) -> None:
    """Raise `SettingError` for a glob that cannot be read."""
    with within("roots"):
        matcher(config.roots)
    with within("exclude"):
        matcher(config.exclude)
    with within("plugins"):
        with within("groups"):
            for glob in config.plugins.groups:
                with within(glob):
                    matcher((glob,))
        with within("exclude"):
            matcher(config.plugins.exclude)
    with within("trust"), within("verdicts"):
        matcher(config.trust.verdicts)
    for index, entry in enumerate(config.ignore):
        with within("ignore"), within(index), within("paths"):
            matcher(entry.paths)


def excluder(config: Config) -> Callable[[Leaf], bool]:
    """A test whether `exclude` covers a leaf; a link or submodule, also if it covers what is in it.

    As links and submodules are not followed, a SKILL.md stands for what would be there.
    """
    if not config.exclude:
        return lambda leaf: False
    is_covered = matcher(config.exclude)
    return lambda leaf: any(map(is_covered, _paths([leaf])))


def _paths(leaves: Iterable[Leaf]) -> Iterator[str]:
    for leaf in leaves:
        yield leaf.path
        if not leaf.is_file:
            yield inside(leaf.path, SKILL_FILE)


def excluded_leaves(leaves: Iterable[Leaf], config: Config) -> list[Leaf]:
    """The leaves that `exclude` covers, in their order."""
    return list(filter(excluder(config), leaves)) if config.exclude else []


def excluded_files(
    excluded: Iterable[Leaf], directories: Container[str], ignored: Container[str]
) -> tuple[str, ...]:
    """Paths of those excluded leaves that are in skills, sorted; without the `ignored` ones.

    `directories` are those of all skills, copies included.
    """
    paths = (leaf.path for leaf in excluded if leaf.path not in ignored)
    return tuple(sorted(path for path in paths if innermost(directories, parent(path)) is not None))


def anchored(folder: str) -> str:
    """The glob of one folder of the source and all below it."""
    return f"/{literal(folder)}/"


def literal(path: str) -> str:
    """A path as a glob that matches nothing else."""
    return _SPECIAL.sub(r"\\\1", path)


_SPECIAL = re.compile(r"([\\*?\[\]])")
"""Characters that do not stand for themselves in a glob."""


def unused_patterns(leaves: Sequence[Leaf], config: Config) -> Iterator[tuple[str, str]]:
    """Pairs of key and glob: those of `exclude` that cover no leaf, of the others no SKILL.md."""
    of_skills = {
        "roots": config.roots,
        "plugins.groups": tuple(config.plugins.groups),
        "plugins.exclude": config.plugins.exclude,
    }
    is_asked = any(of_skills.values())
    paths = [leaf.path for leaf in leaves if leaf.path.endswith(SKILL_FILE) and is_asked]
    for key, patterns in of_skills.items():
        yield from ((key, pattern) for pattern in _unused(patterns, paths))
    yield from (("exclude", pattern) for pattern in _unused(config.exclude, _paths(leaves)))


def _unused(patterns: Sequence[str], paths: Iterable[str]) -> Iterable[str]:
    """The patterns that cover none of the paths; each is tried until it covers one."""
    pending = dict.fromkeys(patterns)
    tests = {pattern: matcher((pattern,)) for pattern in pending}
    for path in paths if pending else ():
        for pattern in [pattern for pattern in pending if tests[pattern](path)]:
            del pending[pattern]
        if not pending:
            break
    return pending
