"""What is new in the catalog: pages by day, and feeds for those who want to be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.emit import feeds
from skillbuild.emit.emitter import EmittedGone, EmittedSkill, Emitter, SkillOutput, Unchanged
from skillbuild.emit.events import PackedEvent, SkillEvents, decode, encode, in_order
from skillbuild.emit.site import changes
from skillbuild.emit.site.theme import Theme
from skillbuild.model import Catalog, Listing, OutputFile, UnchangedFile
from skillbuild.paths import collision_key
from skillbuild.release.entries import EntryLines
from skillbuild.source.skill_paths import is_skill_path
from skillbuild.text.json import valid_text


@dataclass(frozen=True)
class ChangesEmitter(Emitter):
    """The pages below `changes/`, and with a base URL `feed.xml` and a feed for each skill."""

    path = changes.FRONT_PAGE
    listing = Listing.SITE

    theme: Theme

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        if not emitted.events:
            return SkillOutput()
        entry = emitted.entry
        words = entry.deprecated.words if entry.deprecated else ""
        events = [*map(PackedEvent.of, emitted.events)]
        skill = SkillEvents(entry.path, "", words, emitted.yanked, events)
        return SkillOutput(self._feed(skill, entry.path), encode(skill))

    def emit_gone(self, emitted: EmittedGone) -> SkillOutput:
        """The line; whether the path is free for a feed is seen when all skills are known."""
        gone = emitted.gone
        directory = valid_text(gone.directory)
        events = [*map(PackedEvent.of, emitted.events)]
        skill = SkillEvents(gone.path, directory, "", emitted.yanked, events)
        return SkillOutput(line=encode(skill))

    def emit_catalog(
        self, catalog: Catalog, lines: Sequence[bytes], unchanged: Unchanged
    ) -> Iterator[OutputFile | UnchangedFile]:
        """The pages, the feed of the catalog, and those of skills that moved or went."""
        skills = [*map(decode, lines)]
        events = in_order(skills)
        former = _former(catalog, skills)
        listed = {skill.path for skill in skills if not skill.directory}
        yield from changes.emit(
            self.theme, skills, events, frozenset(listed | {*former}), unchanged
        )
        base = catalog.base_url
        if base is not None:
            since = catalog.versions.since if catalog.versions else ""
            newest_first = [each.unpacked() for each in events[: -feeds.MOST_ENTRIES - 1 : -1]]
            yield feeds.encode_feed(feeds.catalog_feed(catalog.title, since, newest_first), base)
        for path, skill in former.items():
            for file in self._feed(skill, skill.path):
                yield OutputFile(feeds.skill_feed_path(path), file.data)

    def _feed(self, skill: SkillEvents, path: str) -> Iterator[OutputFile]:
        """The feed of a skill; none without a base URL, as its addresses must be absolute."""
        config = self.theme.config
        if config.base_url is not None and skill.events:
            events = [each.unpacked() for each in skill.events]
            feed = feeds.skill_feed(config.title, path, events)
            yield feeds.encode_feed(feed, config.base_url)


def _former(catalog: Catalog, skills: Sequence[SkillEvents]) -> Mapping[str, SkillEvents]:
    """By each path at which a page says where a skill went, the skill whose feed is there, too.

    So readers who follow that feed hear of a move, and of what comes after it.
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
