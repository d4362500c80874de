"""The pages that list changes in the catalog by week, and the feeds.

The newest events have a page of their own. In addition, all events are on numbered pages. Page 1
has the oldest events, so a full page never changes. If no versions are published, a single page
says when the current skills were added and last changed, according to the git log.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType

from skillbuild.config import Config
from skillbuild.emit import feeds
from skillbuild.emit.emitter import EmittedGone, EmittedSkill, Emitter, SkillOutput
from skillbuild.emit.events import (
    Event,
    EventKind,
    SkillEvents,
    decode,
    encode,
    in_order,
    yanked_paths,
)
from skillbuild.emit.site.addresses import between, href, root_of, skill_page
from skillbuild.emit.site.skill_pages import commit_link
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Catalog, Change, Digest, Listing, OutputFile
from skillbuild.paths import SKILL_FILE, collision_key, is_skill_path
from skillbuild.release.entries import EntryLines
from skillbuild.release.search.encoding import encode as encode_part
from skillbuild.text.json import valid_text
from skillbuild.text.wording import joined, plural

FRONT_PAGE = "changes/index.html"
EVENTS_ON_PAGE = 100
MOST_FROM_LOG = 300
"""Maximum number of rows on the page for a catalog without versions."""
_NO_TITLES: Mapping[str, str] = MappingProxyType({})
_FEWEST_FOLDED = 3
"""Minimum number of skills added to a folder on one day that share one row."""
_MOST_FILES_NAMED = 3
"""Maximum number of files that a row names."""
_WEIGHTIEST = {EventKind.REMOVED: 0, EventKind.MOVED: 1, EventKind.ADDED: 2}
"""The rank of each kind of event. If several happened to a skill on one day, the lowest rank names
the row.
"""
MOST_NAMED = 100
"""Maximum number of deprecated skills, and of yanked versions, that the page names."""


@dataclass(frozen=True, slots=True)
class ChangeDetail:
    """What changed in a new version, with the label and the address of the version.

    `changed` is the address of the page that shows all differences; it is empty if there is no such
    page.
    """

    label: str
    version: str
    difference: str
    changed: str
    is_numbered: bool = True
    """False for a version that is named by the start of its digest."""
    is_reused: bool = False
    """Whether an older version with other files has the same label."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """The events of a skill on one day. An address is empty if there is no such page."""

    kind: EventKind
    date: str
    path: str
    skill: str
    """The address of the skill."""
    former: str = ""
    """The path before a move."""
    former_skill: str = ""
    details: Sequence[ChangeDetail] = ()
    """The new versions, newest first; empty without versions."""
    brief: str = ""
    """The current description of a new skill, shortened; empty on pages that never change."""
    files: str = ""
    """The files that the change touched; empty if there are versions, because their details say
    more.
    """
    source: str = ""
    """The address of the commit on a forge; empty if there are versions, or no forge is known."""
    others: Sequence[tuple[str, str]] = ()
    """Paths and addresses of other skills with the same event on the same day."""
    folder: str = ""
    """The folder, with a final `/`, if the row is about several skills that were added to it."""


@dataclass(frozen=True, slots=True)
class ChangeWeek:
    """The events of one week. Weeks begin on Monday (ISO 8601)."""

    monday: str
    rows: Sequence[ChangeRow]

    @property
    def summary(self) -> str:
        """The number of events of each kind, such as `2 added, 26 changed`."""
        counts = Counter[EventKind]()
        for row in self.rows:
            counts[row.kind] += 1 + len(row.others)
        return ", ".join(f"{counts[kind]} {kind}" for kind in EventKind if counts[kind])


@dataclass(frozen=True, slots=True)
class DeprecatedSkill:
    """A skill that should no longer be used, and the reason."""

    path: str
    address: str
    words: str


@dataclass(frozen=True, slots=True)
class YankedVersion:
    """A version that must not be used, the reason, and the path of its skill. The path is empty if
    it is not known.
    """

    digest: Digest
    reason: str
    path: str
    skill: str
    """The address of the skill; empty if it has no page."""


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """One page about changes in the catalog."""

    number: int
    """The number of the page, from 1 for the oldest; the page with the newest events has 0."""
    count: int
    """The number of numbered pages. If it is 1, that page is not published."""
    weeks: Sequence[ChangeWeek]
    """The weeks, newest first."""
    deprecated: Sequence[DeprecatedSkill] = ()
    yanked: Sequence[YankedVersion] = ()

    @property
    def path(self) -> str:
        return page_path(self.number)

    @property
    def has_unnumbered(self) -> bool:
        """Whether the page names any version by the start of its digest."""
        rows = (row for week in self.weeks for row in week.rows)
        return any(not one.is_numbered for row in rows for one in row.details)

    @property
    def newer(self) -> str:
        """The address of the page with newer events; empty if there are none."""
        following = (self.number + 1) % (self.count + 1)
        return between(self.path, page_path(following)) if self.number else ""

    @property
    def older(self) -> str:
        """The address of the page with older events; empty if there are none."""
        before = (self.number or self.count) - 1
        return between(self.path, page_path(before)) if before > 0 else ""


def _weeks(rows: Iterable[ChangeRow]) -> Sequence[ChangeWeek]:
    """Group rows, which are sorted newest first, by week."""
    weeks = groupby(_folded(rows), lambda row: _monday(row.date))
    return [ChangeWeek(monday, [*each]) for monday, each in weeks]


def _folded(rows: Iterable[ChangeRow]) -> Iterator[ChangeRow]:
    """Yield the rows; if several skills were added to a folder on one day, they become one row."""

    def place(row: ChangeRow) -> tuple[str, str]:
        folder, slash, _ = row.path.partition("/")
        is_simple = row.kind is EventKind.ADDED and len(row.details) < 2
        return row.date, folder + slash if is_simple else ""

    for (_, folder), group in groupby(rows, place):
        same = [*group]
        if folder and len(same) >= _FEWEST_FOLDED:
            others = [(row.path, row.skill) for row in same[1:]]
            yield replace(same[0], others=others, folder=folder, details=(), brief="")
        else:
            yield from same


def _monday(date: str) -> str:
    """Return the Monday of the week of a date; a commit may be dated before the first valid
    Monday.
    """
    day = datetime.date.fromisoformat(date)
    return (day - datetime.timedelta(min(day.weekday(), day.toordinal() - 1))).isoformat()


def _rows(
    events: Sequence[Event],
    paths: frozenset[str],
    briefs: Mapping[str, str],
    reused: Set[tuple[str, Digest]],
    root: str,
) -> Iterator[ChangeRow]:
    """Yield what happened to each skill on each day, newest first; `events` are oldest first.

    `paths` are the paths of skills that have a page. `reused` are the versions whose label an older
    version already has. `root` is the relative path to the top of the output.
    """
    for date, group in groupby(reversed(events), lambda event: event.change.date):
        by_path: dict[str, list[Event]] = defaultdict(list)
        for event in group:
            by_path[event.path].append(event)
        for path, every in by_path.items():
            first = min(every, key=lambda event: _WEIGHTIEST.get(event.kind, len(_WEIGHTIEST)))
            yield ChangeRow(
                first.kind,
                date,
                path,
                _address(path, paths, root),
                first.former,
                _address(first.former, paths, root),
                [
                    ChangeDetail(
                        event.label,
                        f"{root}{event.address}/index.html",
                        event.difference,
                        root + href(event.page) if event.page else "",
                        event.digest.short[:8] not in event.label,
                        (event.path, event.digest) in reused,
                    )
                    for event in every
                ],
                briefs.get(path, "") if first.kind is EventKind.ADDED else "",
            )


def _reused(events: Sequence[Event]) -> Set[tuple[str, Digest]]:
    """Return the path and digest of each version whose label an older version with other files
    has; `events` are oldest first.
    """
    labels: dict[tuple[str, str], dict[Digest, None]] = defaultdict(dict)
    for event in events:
        labels[event.path, event.label].setdefault(event.digest)
    return {(path, digest) for (path, _), every in labels.items() for digest in [*every][1:]}


def _address(path: str, paths: frozenset[str], root: str) -> str:
    return root + href(skill_page(path)) if path in paths else ""


def page_path(number: int) -> str:
    """Return the output path of the page with this number."""
    return f"changes/{number}/index.html" if number else FRONT_PAGE


def changes_pages(
    theme: Theme,
    skills: Sequence[SkillEvents],
    events: Sequence[Event],
    paths: frozenset[str],
    titles: Mapping[str, str] = _NO_TITLES,
) -> Iterator[OutputFile]:
    """Yield all pages of changes.

    `events` must be sorted, oldest first. `paths` are the paths of the skills that have a page.
    `titles` maps the name of a group to its title. Only the page with the newest events shows these
    titles, because full numbered pages never change.
    """
    briefs = {skill.path: skill.brief for skill in skills if not skill.directory}
    reused = _reused(events)
    count = -(-len(events) // EVENTS_ON_PAGE)
    for number in range(1, count + 1) if count > 1 else ():
        start = (number - 1) * EVENTS_ON_PAGE
        own = events[start : start + EVENTS_ON_PAGE]
        rows = _rows(own, paths, {}, reused, root_of(page_path(number)))
        yield _rendered(theme, ChangesPage(number, count, _weeks(rows)))
    rows = _rows(events[-EVENTS_ON_PAGE:], paths, briefs, reused, root_of(FRONT_PAGE))
    weeks = _weeks(rows)
    notes = (_deprecated(skills), _yanked(theme.config, skills, paths))
    yield _rendered(theme, ChangesPage(0, count, weeks, *notes), titles)


def page_from_log(
    theme: Theme,
    skills: Sequence[SkillEvents],
    changes: Mapping[str, Change],
    firsts: Mapping[str, Change],
    files: Mapping[str, str],
    titles: Mapping[str, str] = _NO_TITLES,
) -> OutputFile:
    """Return the changes page of a catalog without versions. The page says when skills were added
    and last changed.

    `changes` maps the path of a skill to its last change, and `firsts` maps it to the commit that
    added the skill. `files` is the result of `touched_files`. `titles` maps the name of a group to
    its title.
    """
    happened = [(changes[each.path], each.path) for each in skills if each.path in changes]
    happened += [
        (firsts[each.path], each.path)
        for each in skills
        if firsts.get(each.path, changes.get(each.path)) != changes.get(each.path)
    ]
    briefs = {each.path: each.brief for each in skills}
    ordered = sorted(happened, key=lambda each: (-each[0].seconds, each[1]))
    rows = []
    for change, path in ordered[:MOST_FROM_LOG]:
        page = between(FRONT_PAGE, skill_page(path))
        if firsts.get(path) == change:
            row = ChangeRow(EventKind.ADDED, change.date, path, page, brief=briefs[path])
        else:
            named = files.get(path, "")
            source = commit_link(theme, change) or ""
            row = ChangeRow(EventKind.CHANGED, change.date, path, page, files=named, source=source)
        rows.append(row)
    weeks = _weeks(_joined(rows))
    return _rendered(theme, ChangesPage(0, 1, weeks, _deprecated(skills)), titles)


def _joined(rows: Sequence[ChangeRow]) -> Iterator[ChangeRow]:
    """Yield the rows of each day, new skills first; the same files and commit share a row."""
    for _, day in groupby(rows, lambda row: row.date):
        by_files: dict[tuple[str, str], list[ChangeRow]] = {}
        for row in day:
            if row.kind is EventKind.ADDED:
                yield row
            else:
                by_files.setdefault((row.files, row.source), []).append(row)
        for first, *others in by_files.values():
            yield replace(first, others=[(row.path, row.skill) for row in others])


def touched_files(catalog: Catalog) -> Mapping[str, str]:
    """Map the path of each skill to a phrase, such as `all 12 files`, that names the published
    files touched by the skill's last change.
    """
    words = {}
    for entry in catalog.entries if catalog.touched else ():
        names = catalog.touched.get(entry.path)
        if names is not None:
            published = {item.path for item in entry.resources}
            left = sorted(
                published.intersection(names), key=lambda name: (name != SKILL_FILE, name)
            )
            words[entry.path] = _files_words(left, len(published))
    return words


def _files_words(names: Sequence[str], count: int) -> str:
    if not names:
        return "files removed"
    if len(names) == count > _MOST_FILES_NAMED:
        return f"all {count:,} files"
    more = len(names) - _MOST_FILES_NAMED
    if more < 2:
        return joined(names)
    return f"{', '.join(names[:_MOST_FILES_NAMED])} and {plural(more, 'more file')}"


def _rendered(
    theme: Theme, page: ChangesPage, titles: Mapping[str, str] = _NO_TITLES
) -> OutputFile:
    return render(theme, "changes.html", page.path, page=page, most=MOST_NAMED, titles=titles)


def _deprecated(skills: Sequence[SkillEvents]) -> list[DeprecatedSkill]:
    return [
        DeprecatedSkill(skill.path, between(FRONT_PAGE, skill_page(skill.path)), skill.deprecated)
        for skill in skills
        if skill.deprecated
    ]


def _yanked(
    config: Config, skills: Sequence[SkillEvents], pages: frozenset[str]
) -> list[YankedVersion]:
    paths = yanked_paths(skills)
    rows = []
    for digest, reason in config.yanked.items():
        path = paths.get(digest, "")
        address = between(FRONT_PAGE, skill_page(path)) if path in pages else ""
        rows.append(YankedVersion(Digest(digest), reason, path, address))
    return sorted(rows, key=lambda row: (row.path, row.digest))


@dataclass(frozen=True)
class ChangesEmitter(Emitter):
    """Writes the pages in `changes/`, and the feeds if there are versions and a base URL."""

    path = FRONT_PAGE
    listing = Listing.SITE

    theme: Theme

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        entry = emitted.entry
        words = entry.deprecated.words if entry.deprecated else ""
        history = emitted.history
        brief = emitted.card.brief
        skill = SkillEvents(entry.path, "", words, history.yanked, history.events, brief)
        return SkillOutput(self._feed(skill, entry.path), encode(skill))

    def emit_gone(self, emitted: EmittedGone) -> SkillOutput:
        """Return the line of a removed skill. `emit_catalog` writes the skill's feed, because
        another skill may now have the same path.
        """
        gone = emitted.gone
        directory = valid_text(gone.directory)
        history = emitted.history
        skill = SkillEvents(gone.path, directory, "", history.yanked, history.events)
        return SkillOutput(line=encode(skill))

    def emit_catalog(self, catalog: Catalog, lines: Sequence[bytes]) -> Iterator[OutputFile]:
        """Yield the pages, the feed of the catalog, and the feeds of skills that were moved or
        removed.
        """
        skills = [*map(decode, lines)]
        titles = {group.name: group.title for group in catalog.groups if group.title}
        if self.theme.config.versions is None:
            files = touched_files(catalog)
            known = (catalog.changes, catalog.firsts, files, titles)
            yield page_from_log(self.theme, skills, *known)
            return
        events = in_order(skills)
        former = _former(catalog, skills)
        listed = {skill.path for skill in skills if not skill.directory}
        yield from changes_pages(self.theme, skills, events, frozenset(listed | {*former}), titles)
        base = catalog.base_url
        if base is not None:
            since = catalog.versions.since if catalog.versions else ""
            newest_first = events[: -feeds.MOST_ENTRIES - 1 : -1]
            yield feeds.encode_feed(feeds.catalog_feed(catalog.title, since, newest_first), base)
        yield from places_of_versions(skills)
        for path, skill in former.items():
            for file in self._feed(skill, skill.path):
                yield OutputFile(feeds.skill_feed_path(path), file.data)

    def _feed(self, skill: SkillEvents, path: str) -> Iterator[OutputFile]:
        """Yield the feed of a skill; none without a base URL, because its addresses must be
        absolute.
        """
        config = self.theme.config
        if config.base_url is not None and skill.events:
            feed = feeds.skill_feed(config.title, path, skill.events)
            yield feeds.encode_feed(feed, config.base_url)


def places_of_versions(skills: Sequence[SkillEvents]) -> Iterator[OutputFile]:
    """Yield files that map each version to its skill and to the skill's current version.

    The page of a version never changes, so a script adds this data to the page. Each file contains
    the versions whose digests share the first two hex digits.

    The script reads the fields by position. The first three are the skill path, the day of the
    version, and the number of later versions. The others describe the current version: its label,
    its day, what changed, and the address of the details.
    """
    files: dict[str, dict[str, object]] = {}
    for skill in skills:
        for event in skill.events:  # The page of a removed skill's version also loads its file.
            files.setdefault(event.digest.short[:2], {})
        if skill.directory or not skill.events:
            continue
        days = {event.digest: event.change.date for event in reversed(skill.events)}
        labels = {event.digest: event.label for event in reversed(skill.events)}
        now = skill.events[-1]
        for later, (digest, label) in enumerate(labels.items()):
            is_same = later and label == now.label
            shown = f"{now.label} ({now.digest.short[:8]})" if is_same else now.label
            row = (skill.path, days[digest], later, shown, now.change.date)
            place = (*row, now.difference, href(now.page))
            files[digest.short[:2]].setdefault(digest.short, place)
    for start, places in sorted(files.items()):
        yield OutputFile(f"changes/versions/{start}.js", encode_part(places))


def _former(catalog: Catalog, skills: Sequence[SkillEvents]) -> Mapping[str, SkillEvents]:
    """Map each path from which a skill was moved or removed to the skill whose feed is published
    there.

    Subscribers to that feed then see the move, and everything after it.
    """
    gone = {valid_text(each.directory): each for each in catalog.gone}
    if not gone and not catalog.moved:
        return {}
    live = {skill.path: skill for skill in skills if not skill.directory}
    ended = {
        skill.path: skill
        for skill in skills
        if skill.directory in gone and gone[skill.directory].path == skill.path
    }
    every = {**ended, **live}
    ended |= {old: every[path] for old, path in catalog.moved.items() if path in every}
    taken = set(map(collision_key, EntryLines.of(catalog.entries).paths_by_directory().values()))
    free: dict[str, SkillEvents] = {}
    for path, skill in sorted(ended.items(), key=lambda item: item[0]):
        if is_skill_path(path) and collision_key(path) not in taken:
            taken.add(collision_key(path))
            free[path] = skill
    return free
