"""Names for skills that have a title: what hints suggest, and no other skill has or is told."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from skillbuild.paths import LONGEST_NAME, base_name, is_skill_name

RESERVED_WORD = re.compile("claude|anthropic")
"""What no name may hold, says the validator of Claude."""
_COLLECTION = "skills"
"""A directory whose name tells nothing of what is in it."""


class Taken(NamedTuple):
    """A name that would be better, and the directory of the skill that has it or is told it."""

    name: str
    by: str


@dataclass(frozen=True, slots=True)
class FreeName:
    """What a skill with a title may be called instead; each is None if nothing is free."""

    of_place: str | None
    """The last segment of where it is put."""
    for_both: str | None
    """A name for the skill and its directory."""
    taken: Taken | None


def suggest_name(text: str) -> str:
    """A valid name made of the letters and digits of a text; empty if it has none."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", folded).strip("-")[:LONGEST_NAME].strip("-")


def free_names(names: Mapping[str, str | None], paths: Mapping[str, str]) -> dict[str, FreeName]:
    """What each skill with a title may be called; all is by directory.

    `names` has every skill, with None for one whose name cannot be read; `paths` is `[paths]` of
    the settings. A name is free if no other skill has it, lies in a directory of that name, or
    would get it by another hint.
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
    joined = {each: _joined(each) for each in made if each not in of_place | for_both}
    claims.add(joined)
    for_both |= claims.unshared(joined)
    lost = {each: name for each, name in (made | good).items() if each not in of_place}
    return {
        each: FreeName(of_place.get(each), for_both.get(each), claims.taken(each, lost.get(each)))
        for each in titles
    }


class _Claims:
    """The directories of the skills that have a name in some way, or could be told to take it."""

    def __init__(self) -> None:
        self._by_name: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def add(self, names: Mapping[str, str | None]) -> None:
        """More names, by directory."""
        for directory, name in names.items():
            if name:
                self._by_name[name][directory] = None

    def unshared(self, names: Mapping[str, str]) -> dict[str, str]:
        """Those of the names that no other skill claims."""
        return {each: name for each, name in names.items() if len(self._by_name.get(name, ())) == 1}

    def taken(self, directory: str, name: str | None) -> Taken | None:
        """The first other skill that claims a name; None if there is none."""
        others = (other for other in self._by_name.get(name or "", ()) if other != directory)
        return next((Taken(name or "", other) for other in others), None)


def _is_good(name: str) -> bool:
    return is_skill_name(name) and RESERVED_WORD.search(name) is None


def _joined(directory: str) -> str:
    """The last two segments of a path as a name, or one that says more than `skills`."""
    segments = [each for each in directory.split("/") if each != _COLLECTION]
    return _without_reserved("/".join(segments[-2:]))


def _without_reserved(text: str) -> str:
    return suggest_name(RESERVED_WORD.sub("", text.lower()))
