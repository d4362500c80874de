"""Whether `[moved]` and `[deprecated]` name skills of the source."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

from skillbuild.config import Config, moved_to
from skillbuild.diagnostics import has_errors
from skillbuild.paths import parent
from skillbuild.setting_lines import Key, SettingError
from skillbuild.source.outline import Outline


def refuse_unnamed(outline: Outline, config: Config) -> None:
    """Raise a `SettingError` for a skill path that no skill has, and for one that should be gone.

    A skill whose SKILL.md cannot be read, or has another spelling, may get any name once that is
    fixed. So nothing is said of what it might be.
    """
    if not (config.moved or config.deprecated) or not outline.by_directory:
        return
    live = {tree.path for tree in outline.skills if tree.path is not None}
    for old in config.moved:
        if old in live:
            message = f"[moved] {old!r} is still the path of a skill; remove the line"
            raise SettingError(message, "moved", old)
    if has_errors(outline.general):
        return
    unread = {tree.path for tree in outline.skills if tree.name_place is None}
    for path, message, keys in _named(config):
        if path not in live and parent(path) not in unread:
            raise SettingError(f"{message}; {_remedy(path, live, config)}", *keys)


def _named(config: Config) -> Iterator[tuple[str, str, tuple[Key, ...]]]:
    """Each path that must be one of a skill, what is wrong if it is none, and the keys of it."""
    for old, new in config.moved.items():
        if new not in config.moved:
            yield new, f"[moved] {old!r} leads to {new!r}, which is no skill", ("moved", old)
    for path, deprecation in config.deprecated.items():
        yield path, f"[deprecated] {path!r} is no skill", ("deprecated", path)
        if use := deprecation.use:
            message = f"[deprecated] {path!r} names {use!r} to use instead, which is no skill"
            yield use, message, ("deprecated", path, "use")


def _remedy(path: str, live: Collection[str], config: Config) -> str:
    successor = moved_to(path, config.moved)
    if successor in live:
        return f"did you mean {successor}?"
    close = difflib.get_close_matches(path, sorted(live), n=1)
    return f"did you mean {close[0]}?" if close else "name a skill path as the catalog has it"
