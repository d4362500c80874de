"""What happened to the skills of a catalog, commit by commit: what its pages and feeds tell.

An event follows from the history alone, and only from what is published of it. So it stays as it
is while newer ones come.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter

from skillbuild.model import Change, Digest, version_address
from skillbuild.text.json import json_line


class EventKind(StrEnum):
    """What a commit did to a skill."""

    ADDED = "added"
    CHANGED = "changed"
    RESTORED = "restored"
    """It has the files of an older version again."""
    MOVED = "moved"
    """Its path is another one; its files may have changed, too."""
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to one skill."""

    kind: EventKind
    change: Change
    order: int
    """Of the commit on the first-parent line, counted from where versions begin."""
    path: str
    """The skill path from then on, or until then."""
    former: str
    """The path before a move, else empty."""
    digest: Digest
    """Of the version that the skill had then; of one that is removed, the last."""
    label: str
    """What people call that version."""
    difference: str
    """From the nearest older version that is published, in one line; empty where it is the same."""
    page: str
    """Path of the page that shows all of the difference; empty if there is none."""

    @property
    def address(self) -> str:
        """The folder of the version in the output."""
        return version_address(self.digest)


@dataclass(frozen=True, slots=True)
class SkillEvents:
    """All that happened to one skill, the oldest first: its line on the way to the pages."""

    path: str
    """The skill path now, or the last one."""
    directory: str
    """Of a skill of which only versions are left; empty for one that is in the catalog."""
    deprecated: str
    """Why it should not be used, and what to use; empty if that is not said."""
    yanked: Sequence[str]
    """Skill digests, in hex, of its versions that are yanked."""
    events: Sequence[Event]


def encode(skill: SkillEvents) -> bytes:
    """The line of a skill."""
    events = [
        (
            *(event.kind, [event.change.commit, event.change.seconds], event.order, event.path),
            *(event.former, event.digest.hex, event.label, event.difference, event.page),
        )
        for event in skill.events
    ]
    return json_line([skill.path, skill.directory, skill.deprecated, skill.yanked, events])


def decode(line: bytes) -> SkillEvents:
    """Read what `encode` wrote."""
    skill_path, directory, deprecated, yanked, stored = json.loads(line)
    events = [
        Event(EventKind(kind), Change(*change), order, path, former, Digest(digest), *texts)
        for kind, change, order, path, former, digest, *texts in stored
    ]
    return SkillEvents(skill_path, directory, deprecated, yanked, events)


def in_order(skills: Iterable[SkillEvents]) -> list[Event]:
    """The events of all skills, the oldest first; within a commit by path, the last one first.

    So a list from the newest on has the paths of a commit in their order.
    """

    def place(event: Event) -> tuple[str, str, str, str]:
        return event.path, event.former, event.kind, event.digest.hex

    events = sorted((each for skill in skills for each in skill.events), key=place, reverse=True)
    return sorted(events, key=attrgetter("order"))


def yanked_paths(skills: Iterable[SkillEvents]) -> Mapping[str, str]:
    """The path of a skill that had each yanked version, by the digest in hex."""
    return {digest: skill.path for skill in skills for digest in skill.yanked}
