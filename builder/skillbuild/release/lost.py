"""Finds the skills that were in the previous release and are not in this one, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from skillbuild.model import INTERNAL, Catalog, Listing, LostSkill, is_internal
from skillbuild.paths import SKILL_FILE, base_name, inside, parent, prefixes
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import EntrySummary

REMOVED, MOVED, INVALID = "removed", "moved", "invalid"


@dataclass(frozen=True, slots=True)
class Losses:
    """The skills that the next release no longer publishes or no longer lists."""

    gone: tuple[LostSkill, ...] = ()
    """The skills that are gone, sorted by path."""
    delisted: tuple[str, ...] = ()
    """Paths of published skills that are no longer in the MCP list; sorted."""


def losses(
    old: Catalog,
    new: Catalog,
    moved: Iterable[str] = (),
    rules: Mapping[str, tuple[str, ...]] | None = None,
) -> Losses:
    """Compare two releases and return which skills the new one lost.

    Skills at the paths in `moved`, or at paths that the new catalog lists as moved, do not count as
    lost. `rules` maps each path that the new catalog skipped to the codes of the broken rules.
    """
    earlier, later = EntryLines.of(old.entries), EntryLines.of(new.entries)
    before = list(earlier.without(later).summaries())
    if not before:
        return Losses()
    now = {each.path: each for each in later.without(earlier).summaries()}
    places = _NewPlaces(now, before)
    excused, absences = {*moved, *new.moved}, Absences(new)
    codes = _by_directory(rules or {})
    gone, delisted = [], []
    for was in before:
        found = now.get(was.path)
        if found is None:
            if was.path not in excused:
                gone.append(_why(was, places.of(was), absences, codes))
        elif is_internal(found.unlisted):
            if not is_internal(was.unlisted):
                gone.append(LostSkill(was.path, INTERNAL))
        elif Listing.MCP in found.unlisted and Listing.MCP not in was.unlisted:
            delisted.append(was.path)
    return Losses(tuple(gone), tuple(delisted))


class _NewPlaces:
    """Finds the new paths of skills that moved."""

    def __init__(self, now: Mapping[str, EntrySummary], before: Iterable[EntrySummary]) -> None:
        """Index the skills; `now` has the changed entries of the new release by path, `before` has
        the old entries.
        """
        former = {each.path for each in before}
        new = [each for each in now.values() if each.path not in former]
        self._by_directory = {each.directory: each.path for each in new}
        self._by_digest = defaultdict[str, list[str]](list)
        for each in new:
            self._by_digest[each.skill_digest.hex].append(each.path)

    def of(self, was: EntrySummary) -> str:
        """Return the new path of a skill; empty if it is gone."""
        same = self._by_digest.get(was.skill_digest.hex, [])
        return self._by_directory.get(was.directory) or (same[0] if len(same) == 1 else "")


def _why(
    was: EntrySummary, to: str, absences: Absences, codes: Mapping[str, tuple[str, ...]]
) -> LostSkill:
    """Explain why a path has no skill; `codes` maps directories to rule codes."""
    if to:
        return LostSkill(was.path, MOVED, to)
    reason = absences.reason(was.directory)
    return LostSkill(was.path, reason, rules=codes.get(was.directory, ()))


def _by_directory(rules: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """Map the directory of each skipped path to its rule codes."""
    return {_directory_of(path) or path: codes for path, codes in rules.items()}


class Absences:
    """Explains why the skill in a directory is missing from a catalog."""

    def __init__(self, new: Catalog) -> None:
        self._ignored = new.ignored
        skipped = {_directory_of(path) for path in new.skipped}
        self._skipped = frozenset(new.skipped).union(filter(None, skipped))
        self._by_name = {
            base_name(parent(path)): reason
            for path, reason in new.ignored.items()
            if base_name(path) == SKILL_FILE
        }

    def reason(self, directory: str) -> str:
        """Return why the skill in a directory is no longer in the catalog.

        If the new catalog does not mention the directory, but ignores a skill in another directory
        of the same name, returns the reason for that skill.
        """
        if directory in self._skipped:
            return INVALID
        for each in (inside(directory, SKILL_FILE), directory, *prefixes(directory)):
            if each in self._ignored:
                return self._ignored[each]
        return self._by_name.get(base_name(directory), REMOVED)


def _directory_of(skipped: str) -> str | None:
    """Return the directory of a misspelled SKILL.md; None if the path is a directory."""
    is_file = base_name(skipped).lower() == SKILL_FILE.lower()
    return parent(skipped) if is_file else None
