"""Creates names for skills: flat names for formats without paths, and suggested names for skills
whose name is a title.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from skillbuild.paths import LONGEST_NAME, base_name, is_skill_name, segment_fault

_SEPARATORS = re.compile("[^a-z0-9]+")
_LONGEST_TITLE = 200
"""Maximum characters of a title that are used for a name."""
RESERVED_WORD = re.compile("claude|anthropic")
"""Words that Claude's validator does not allow in a name."""
_COLLECTION = "skills"
"""A directory name that says nothing about its content."""

_RESERVED_MARKETPLACES = frozenset(
    [
        *("agent-skills", "healthcare", "life-sciences", "financial-services-plugins"),
        *("first-party-plugins", "knowledge-work-plugins", "anthropic-agent-skills"),
        *("anthropic-marketplace", "anthropic-plugin-directory", "anthropic-plugins"),
        *("claude-code-marketplace", "claude-code-plugins", "claude-community"),
        *("claude-for-financial-services", "claude-for-legal", "claude-plugin-directory"),
        *("claude-plugins-community", "claude-plugins-official", "claude-tag-plugins"),
        *("builtin", "claude-plugin-test", "inline", "skills-dir", "synced"),
    ]
)
"""Marketplace names that are reserved by Claude Code."""
_IMPERSONATING = re.compile(
    "official-?(?:anthropic|claude)|(?:anthropic|claude)-?official"
    "|^(?:anthropic|claude)-?(?:marketplace|plugins|official|director(?:y|ies))"
)
"""Names that Claude Code rejects as an imitation of its own marketplaces."""
_SUFFIX = "-catalog"


def is_reserved_marketplace(name: str) -> bool:
    """Return whether Claude Code (2.1.330) refuses to add a marketplace with this name."""
    return name in _RESERVED_MARKETPLACES or _IMPERSONATING.search(name) is not None


def free_marketplace(name: str) -> str:
    """Return the name, or a similar one if it is reserved."""
    start = name[: LONGEST_NAME - len(_SUFFIX)]
    tried = (name, start + _SUFFIX, slug(RESERVED_WORD.sub("", start) + _SUFFIX))
    return next(each for each in tried if not is_reserved_marketplace(each))


def slug(text: str) -> str:
    """Return a valid name from the letters and digits of a text; empty if it has none.

    The name is the same in every Python version, and is never a Windows device name.
    """
    folded = unicodedata.ucd_3_2_0.normalize("NFKD", text[:_LONGEST_TITLE])
    plain = folded.encode("ascii", "ignore").decode().lower()
    name = _SEPARATORS.sub("-", plain).strip("-")[:LONGEST_NAME].strip("-")
    return f"{name}-skills" if name and segment_fault(name) else name


# Names for formats that identify skills by name and not by path: discovery and marketplaces.


def flat_names(names: Mapping[str, str | None], paths: Mapping[str, str]) -> dict[str, str]:
    """Return a valid, unique name for every skill, by directory.

    A skill keeps its declared name if that name is valid and unique. Otherwise, its name is the
    skill path with `-` instead of `/`. If the result is not valid and unique, it is cut and
    followed by a digest of the path.

    `names` maps every skill to its declared name, or to None if the name cannot be read. `paths`
    omits skills whose path is refused, so that refused paths do not influence any name.
    """
    uses = Counter(names.values())
    given = {
        directory: name
        for directory, name in names.items()
        if name is not None and uses[name] == 1 and is_skill_name(name)
    }
    taken = set(given.values())
    joined = {each: _joined_path(path) for each, path in paths.items() if each not in given}
    uses = Counter(joined.values())
    given |= {
        directory: name
        for directory, name in joined.items()
        if uses[name] == 1 and name not in taken and is_skill_name(name)
    }
    taken |= set(given.values())
    for directory in sorted(names.keys() - given.keys()):
        path = paths.get(directory, f"{directory}/")
        given[directory] = next(name for name in numbered(path) if name not in taken)
        taken.add(given[directory])
    return given


def _joined_path(path: str) -> str:
    """Join the segments of a path with `-`; drop the last one if it repeats the one before."""
    *above, last = path.split("/")
    segments = above if above and above[-1].endswith(last) else [*above, last]
    return _SEPARATORS.sub("-", "/".join(segments).lower()).strip("-")


def numbered(path: str) -> Iterator[str]:
    """Yield an endless series of names for a path, so that one of them is always free.

    Each name ends in a different digest of the path. The digest has 8 digits in the first name, and
    16 in all others.
    """
    raw = path.encode(errors="surrogateescape")
    digest = hashlib.sha256(raw).hexdigest()
    yield _with_digest(path, digest[:8])
    yield _with_digest(path, digest[:16])
    for number in count():
        yield _with_digest(path, hashlib.sha256(b"%b\0%d" % (raw, number)).hexdigest()[:16])


def _with_digest(path: str, digest: str) -> str:
    start = _joined_path(path)[: LONGEST_NAME - 1 - len(digest)].strip("-")
    return f"{start or 'skill'}-{digest}"


# Suggested names for skills whose name is a title. No two skills get the same suggestion.


class Taken(NamedTuple):
    """A name that would be suggested if it were free, and the directory of the skill that claims
    the name.
    """

    name: str
    by: str


@dataclass(frozen=True, slots=True)
class FreeName:
    """The names suggested for a skill whose name is a title, such as `PDF Tools`.

    A suggestion is None if no suitable name is free.
    """

    of_place: str | None
    """The suggestion from the last segment of the directory, or of its path in `[paths]`."""
    for_both: str | None
    """A name for both the skill and its directory."""
    taken: Taken | None


def free_names(names: Mapping[str, str | None], paths: Mapping[str, str]) -> dict[str, FreeName]:
    """Return the suggested names for each skill whose name is a title, by directory.

    `names` maps every skill to its name, or to None if the name cannot be read. `paths` is
    `[paths]` of the settings. A name is free if no other skill has it, no other skill is in a
    directory with that name, and it is not suggested for another skill.
    """
    titles = {each: name for each, name in names.items() if name and not is_skill_name(name)}
    if not titles:
        return {}
    places = {each: base_name(paths.get(each, each)) for each in names}
    claims = _Claims()
    claims.add(names)
    claims.add({each: base_name(each) for each in names})
    claims.add(places)
    good = {each: places[each] for each in titles if _is_good(places[each])}
    of_place = claims.unshared(good)
    made = {
        each: name
        for each, title in titles.items()
        if each not in of_place or title.endswith(f"/{of_place[each]}")
        if (name := _without_reserved(title)) != of_place.get(each)
    }
    claims.add(made)
    for_both = claims.unshared(made)
    joined = {each: _joined_segments(each) for each in made if each not in of_place | for_both}
    claims.add(joined)
    for_both |= claims.unshared(joined)
    lost = {each: name for each, name in (made | good).items() if each not in of_place}
    return {
        each: FreeName(of_place.get(each), for_both.get(each), claims.taken(each, lost.get(each)))
        for each in titles
    }


class _Claims:
    """Records which skills claim a name: a skill has it, is in a directory with this name, or got
    it as a suggestion.
    """

    def __init__(self) -> None:
        self._by_name: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def add(self, names: Mapping[str, str | None]) -> None:
        """Record that skills claim names; `names` maps each directory to one name."""
        for directory, name in names.items():
            if name:
                self._by_name[name][directory] = None

    def unshared(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return the names that no other skill claims."""
        return {each: name for each, name in names.items() if len(self._by_name.get(name, ())) == 1}

    def taken(self, directory: str, name: str | None) -> Taken | None:
        """Return the first other skill that claims a name; None if there is none."""
        others = (other for other in self._by_name.get(name or "", ()) if other != directory)
        return next((Taken(name or "", other) for other in others), None)


def _is_good(name: str) -> bool:
    return is_skill_name(name) and RESERVED_WORD.search(name) is None


def _joined_segments(directory: str) -> str:
    """Return a name from the last two segments of a path, ignoring `skills`."""
    segments = [each for each in directory.split("/") if each != _COLLECTION]
    return _without_reserved("/".join(segments[-2:]))


def _without_reserved(text: str) -> str:
    return slug(RESERVED_WORD.sub("", text.lower()))
