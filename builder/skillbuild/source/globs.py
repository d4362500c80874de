"""Matches paths with the globs in the settings, such as `roots` and `exclude`."""

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
    """Return a function that tells whether a path matches one of these globs (.gitignore
    syntax).
    """
    if not patterns:
        return lambda path: False
    # Imported here because it loads slowly and most sources have no patterns.
    from pathspec import GitIgnoreSpec

    try:
        spec = GitIgnoreSpec.from_lines(patterns)
    except (ValueError, re.error) as error:
        raise SettingError(
            f"invalid glob in roots, exclude, plugins, trust or [[ignore]]: {error}"
        ) from error
    return spec.match_file


def require_good_globs(config: Config) -> None:
    """Raise `SettingError` for a glob that cannot be parsed."""
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
    """Return a function that tells whether `exclude` matches a file or link.

    A link or submodule also matches if a SKILL.md in it would match, because skillbuild does not
    look inside links and submodules.
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
    """Return the files and links that `exclude` matches, in order."""
    return list(filter(excluder(config), leaves)) if config.exclude else []


def excluded_files(
    excluded: Iterable[Leaf], directories: Container[str], ignored: Container[str]
) -> tuple[str, ...]:
    """Return the sorted paths of those `excluded` files and links that are in skills and not in
    `ignored`.

    `directories` are the directories of all skills, including copies.
    """
    paths = (leaf.path for leaf in excluded if leaf.path not in ignored)
    return tuple(sorted(path for path in paths if innermost(directories, parent(path)) is not None))


def anchored(folder: str) -> str:
    """Return the glob that matches one folder of the source and everything in it."""
    return f"/{literal(folder)}/"


def literal(path: str) -> str:
    """Return a path with its special characters escaped, for use in a glob."""
    return _SPECIAL.sub(r"\\\1", path)


_SPECIAL = re.compile(r"([\\*?\[\]])")
"""Characters with a special meaning in a glob."""


def unused_patterns(leaves: Sequence[Leaf], config: Config) -> Iterator[tuple[str, str]]:
    """Yield the globs in the settings that match nothing, each with the key of its setting.

    A glob of `exclude` must match a file or link; any other glob must match a SKILL.md.
    """
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
    """Return the patterns that match none of the paths; each is tried until it matches one."""
    pending = dict.fromkeys(patterns)
    tests = {pattern: matcher((pattern,)) for pattern in pending}
    for path in paths if pending else ():
        for pattern in [pattern for pattern in pending if tests[pattern](path)]:
            del pending[pattern]
        if not pending:
            break
    return pending
