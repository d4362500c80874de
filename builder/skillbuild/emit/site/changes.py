"""What is new in the catalog, by day: the newest on a page of its own, and all on numbered pages.

Numbered pages count from the oldest event, so one that is full stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from skillbuild.config import Config
from skillbuild.emit.emitter import Unchanged
from skillbuild.emit.events import Event, PackedEvent, SkillEvents, yanked_paths
from skillbuild.emit.site.addresses import between, href, root_of, skill_page
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Digest, OutputFile, UnchangedFile

FRONT_PAGE = "changes/index.html"
EVENTS_ON_PAGE = 100
MOST_NAMED = 100
"""Skills that are deprecated, and versions that are yanked, that the page names."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """An event, and the addresses of the skill and of its path before a move; some are empty."""

    event: Event
    skill: str
    former: str


@dataclass(frozen=True, slots=True)
class ChangeDay:
    """Events whose commits are next to each other, all of one day."""

    date: str
    rows: Sequence[ChangeRow]


@dataclass(frozen=True, slots=True)
class DeprecatedSkill:
    """A skill that should not be used any more, and why."""

    path: str
    address: str
    words: str


@dataclass(frozen=True, slots=True)
class YankedVersion:
    """A version that must not be used, why, and the path of the skill if that is in the catalog."""

    digest: Digest
    reason: str
    path: str


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """One page."""

    number: int
    """From the oldest, which is 1; the page with the newest events has 0."""
    count: int
    """How many pages with a number there would be, even if a single one is not published."""
    events: Sequence[PackedEvent]
    """The oldest first."""
    paths: frozenset[str]
    """The paths at which a skill has a page."""
    deprecated: Sequence[DeprecatedSkill] = ()
    yanked: Sequence[YankedVersion] = ()

    @property
    def path(self) -> str:
        return page_path(self.number)

    @property
    def newer(self) -> str:
        """The address of the page with the next events; empty on that with the newest."""
        following = (self.number + 1) % (self.count + 1)
        return between(self.path, page_path(following)) if self.number else ""

    @property
    def older(self) -> str:
        """The address of the page with the events before; empty on the one with the first."""
        before = (self.number or self.count) - 1
        return between(self.path, page_path(before)) if before > 0 else ""

    @property
    def days(self) -> Sequence[ChangeDay]:
        """The events, the newest first."""
        rows = (self._row(each.unpacked()) for each in reversed(self.events))
        days = groupby(rows, lambda row: row.event.change.date)
        return [ChangeDay(date, [*group]) for date, group in days]

    def _row(self, event: Event) -> ChangeRow:
        return ChangeRow(event, self._address(event.path), self._address(event.former))

    def _address(self, path: str) -> str:
        return root_of(self.path) + href(skill_page(path)) if path in self.paths else ""


def page_path(number: int) -> str:
    """Where a page is published."""
    return f"changes/{number}/index.html" if number else FRONT_PAGE


def emit(
    theme: Theme,
    skills: Sequence[SkillEvents],
    events: Sequence[PackedEvent],
    paths: frozenset[str],
    unchanged: Unchanged,
) -> Iterator[OutputFile | UnchangedFile]:
    """All pages; `events` are the oldest first, and `paths` those at which a skill has a page."""
    count = -(-len(events) // EVENTS_ON_PAGE)
    for number in range(1, count + 1) if count > 1 else ():
        start = (number - 1) * EVENTS_ON_PAGE
        own = events[start : start + EVENTS_ON_PAGE]
        page = ChangesPage(number, count, own, paths)
        links = [(each.path in paths, each.former in paths) for each in own]
        content = (number == count, [tuple(each) for each in own], links)
        if unchanged(page.path, content, ()) and not theme.templates:
            yield UnchangedFile(page.path)
        else:
            yield _rendered(theme, page)
    newest = events[-EVENTS_ON_PAGE:]
    notes = (_deprecated(skills), _yanked(theme.config, skills))
    yield _rendered(theme, ChangesPage(0, count, newest, paths, *notes))


def _rendered(theme: Theme, page: ChangesPage) -> OutputFile:
    return render(theme, "changes.html", page.path, page=page, most=MOST_NAMED)


def _deprecated(skills: Sequence[SkillEvents]) -> list[DeprecatedSkill]:
    return [
        DeprecatedSkill(skill.path, between(FRONT_PAGE, skill_page(skill.path)), skill.deprecated)
        for skill in skills
        if skill.deprecated
    ]


def _yanked(config: Config, skills: Sequence[SkillEvents]) -> list[YankedVersion]:
    paths = yanked_paths(skills)
    rows = [
        YankedVersion(Digest(digest), reason, paths.get(digest, ""))
        for digest, reason in config.yanked.items()
    ]
    return sorted(rows, key=lambda row: (row.path, row.digest))
