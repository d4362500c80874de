"""What happened to the skills of a catalog, commit by commit.

Feeds and the pages about changes show these events. An event depends only on the history up to its
commit, and on the versions published from this history. Newer commits do not change it.
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
    """The skill has the files of an older version again."""
    MOVED = "moved"
    """The path of the skill changed; its files may have changed, too."""
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to one skill."""

    kind: EventKind
    change: Change
    order: int
    """Position of the commit on the first-parent line, counted from the commit where versions
    begin."""
    path: str
    """The path of the skill after the event, or the last path of a removed skill."""
    former: str
    """The path before a move; empty for other events."""
    digest: Digest
    """The skill digest of the version after the event, or of the last version of a removed
    skill.
    """
    label: str
    """The label of that version, for people."""
    difference: str
    """One line about the differences from the nearest older published version; empty if there are
    none.
    """
    page: str
    """Path of the page that shows the full difference; empty if there is none."""

    @property
    def address(self) -> str:
        """The folder in the output that holds the version."""
        return version_address(self.digest)


@dataclass(frozen=True, slots=True)
class SkillEvents:
    """Everything that happened to one skill, oldest event first. `encode` returns these events as
    one line.
    """

    path: str
    """The current path of the skill, or its last path."""
    directory: str
    """The last directory of a removed skill; empty for a skill in the catalog."""
    deprecated: str
    """Why the skill should not be used, and what to use instead; empty if it is not deprecated."""
    yanked: Sequence[str]
    """Skill digests of its yanked versions, in hex."""
    events: Sequence[Event]
    brief: str = ""
    """The beginning of the description, cut to the length that lists show; only for a skill in the
    catalog.
    """


def encode(skill: SkillEvents) -> bytes:
    """Write the events of a skill as one line of JSON."""
    events = [
        (
            *(event.kind, [event.change.commit, event.change.seconds], event.order, event.path),
            *(event.former, event.digest.hex, event.label, event.difference, event.page),
        )
        for event in skill.events
    ]
    return json_line(
        [skill.path, skill.directory, skill.deprecated, skill.yanked, events, skill.brief]
    )


def decode(line: bytes) -> SkillEvents:
    """Read a line that `encode` wrote."""
    skill_path, directory, deprecated, yanked, stored, brief = json.loads(line)
    events = [
        Event(EventKind(kind), Change(*change), order, path, former, Digest(digest), *texts)
        for kind, change, order, path, former, digest, *texts in stored
    ]
    return SkillEvents(skill_path, directory, deprecated, yanked, events, brief)


def in_order(skills: Iterable[SkillEvents]) -> list[Event]:
    """Return the events of all skills, oldest first. Events of the same commit are sorted by path
    in descending order.

    A caller that reverses the list gets the newest commit first, and the paths of each commit in
    ascending order.
    """

    def place(event: Event) -> tuple[str, str, str, str]:
        return event.path, event.former, event.kind, event.digest.hex

    events = sorted((each for skill in skills for each in skill.events), key=place, reverse=True)
    return sorted(events, key=attrgetter("order"))


def yanked_paths(skills: Iterable[SkillEvents]) -> Mapping[str, str]:
    """Map the digest of each withdrawn version, in hex, to the path of a skill that had this
    version.
    """
    return {digest: skill.path for skill in skills for digest in skill.yanked}
