"""The settings about versions, and about skills that go: what they are, and their readers.

`[versions]`, `[moved]`, `[deprecated]` and `[yanked]` of `skillbuild.toml`. Whether a path names a
skill, and a digest a version, is known later (`source/lifecycle.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from skillbuild.model import Deprecation, Digest
from skillbuild.paths import path_segment_fault
from skillbuild.setting_errors import SettingError, within
from skillbuild.setting_values import number_of, refuse_unknown, text_of, wrong_value

FIRST = "first"
"""In place of a commit id: where the history begins."""
EVERY = "all"
"""In place of a number of versions."""
_MOST_VERSIONS = 1_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class VersionSettings:
    """Which older versions of skills are published."""

    since: str = ""
    """The commit with the oldest one: a full id, `first`, or empty for where this table began."""
    keep: int = 0
    """How many of each skill, the newest; 0 for all."""


def versions_of(key: str, value: object) -> VersionSettings:
    """The table `[versions]`."""
    if not isinstance(value, dict):
        raise wrong_value(key, "a table")
    refuse_unknown(value, [item.name for item in fields(VersionSettings)], f"key of [{key}]")
    with within("since"):
        since = _since(f"{key}.since", value.get("since", ""))
    with within("keep"):
        return VersionSettings(since, _kept(f"{key}.keep", value.get("keep", EVERY)))


def _since(key: str, value: object) -> str:
    if not isinstance(value, str) or not (value in ("", FIRST) or _COMMIT.fullmatch(value)):
        raise wrong_value(key, f'the full id of a commit, or "{FIRST}"')
    return value


def _kept(key: str, value: object) -> int:
    if value == EVERY:
        return 0
    if isinstance(value, str):
        raise wrong_value(key, f'a whole number, or "{EVERY}"')
    return number_of(key, value, most=_MOST_VERSIONS)


def moved_of(key: str, value: object) -> dict[str, str]:
    """The table `[moved]`: by the path that a skill had, the one that it has now."""
    if not isinstance(value, dict):
        raise wrong_value(key, 'a table of "old/path" = "new/path"')
    moved = {}
    for old, new in value.items():
        with within(old):
            where = f"{key}.{old}"
            _path_of(f"the key {old!r} of [{key}]", old)
            moved[old] = _path_of(where, text_of(where, new))
            if _BLANK.search(old + moved[old]):
                raise wrong_value(where, "between paths without blanks")
    _refuse_circles(key, moved)
    return moved


def _refuse_circles(key: str, moved: Mapping[str, str]) -> None:
    passed = set[str]()
    for start in moved:
        path, way = start, dict[str, None]()
        while path in moved and path not in passed:
            if path in way:
                circle = [*way, path][list(way).index(path) :]
                raise SettingError(f"{key} goes round in a circle: {', '.join(circle)}", path)
            way[path] = None
            path = moved[path]
        passed.update(way)


def deprecated_of(key: str, value: object) -> dict[str, Deprecation]:
    """The table `[deprecated]`: by skill path, why a skill should not be used, and what instead."""
    if not isinstance(value, dict):
        raise wrong_value(key, 'a table of "skill/path" = { reason = "...", use = "..." }')
    deprecated = {}
    for path, item in value.items():
        with within(path):
            _path_of(f"the key {path!r} of [{key}]", path)
            deprecated[path] = _deprecation(f"{key}.{path}", path, item)
    return deprecated


def _deprecation(key: str, path: str, value: object) -> Deprecation:
    if not isinstance(value, dict):
        raise wrong_value(key, 'a table with reason = "..."')
    refuse_unknown(value, [item.name for item in fields(Deprecation)], f"key of {key}")
    with within("reason"):
        reason = _reason(f"{key}.reason", value.get("reason"))
    with within("use"):
        use = text_of(f"{key}.use", value.get("use", ""))
        if use and _path_of(f"{key}.use", use) == path:
            raise wrong_value(f"{key}.use", "another skill")
    return Deprecation(reason, use)


def yanked_of(key: str, value: object) -> dict[str, str]:
    """The table `[yanked]`: by skill digest, as hex digits, why a version is published no more."""
    if not isinstance(value, dict):
        raise wrong_value(key, 'a table of "sha256:..." = "reason"')
    yanked = {}
    for digest, reason in value.items():
        with within(digest):
            try:
                hexadecimal = Digest.parse(digest).hex
            except ValueError:
                wanted = "the digest of a skill, sha256: and 64 hex digits in lower case"
                raise wrong_value(f"the key {digest!r} of [{key}]", wanted) from None
            yanked[hexadecimal] = _reason(f"{key}.{digest}", reason)
    return yanked


def _reason(key: str, value: object) -> str:
    reason = text_of(key, value)
    if not reason.strip():
        raise wrong_value(key, "a text that says why")
    return reason


def _path_of(where: str, path: str) -> str:
    """A skill path; `where` says what it is in an error."""
    for segment in path.split("/"):
        if fault := path_segment_fault(segment):
            raise SettingError(f"{where} must be a skill path; it contains {fault}")
    return path


def moved_to(path: str, moved: Mapping[str, str]) -> str:
    """Where a chain of moves ends that begins at a path; the path itself where none does."""
    while (new := moved.get(path)) is not None:
        path = new
    return path
