"""The versions of one skill as formats see them, one by one and all together.

The page and the index of a version are made of what is here and of nothing that comes later, so
they stay as they are while newer versions are published.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from skillbuild.emit.site import facts
from skillbuild.emit.site.facts import Facts
from skillbuild.model import Change, Entry, Skill, Version


@dataclass(frozen=True)
class VersionContent:
    """One version with its files.

    The path of the skill is `-/versions/<16 hex digits>/<name>`, its directory the one that it had
    in the source when this was its newest version.
    """

    version: Version
    skill: Skill
    entry: Entry
    """With a zip, or with none where the settings want none; without icons and findings."""

    @cached_property
    def facts(self) -> Facts:
        return facts.gather(self.skill, self.entry)


@dataclass(frozen=True)
class EmittedVersion:
    """A version, and the nearest older one that is published, None for the first."""

    content: VersionContent
    older: VersionContent | None


@dataclass(frozen=True, slots=True)
class Difference:
    """What is different in a version from the nearest older one that is published."""

    added: tuple[str, ...]
    """Paths of files, sorted, as in the next two."""
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    lines_added: int
    """Of SKILL.md."""
    lines_removed: int
    tools_added: tuple[str, ...]
    tools_removed: tuple[str, ...]
    hosts_added: tuple[str, ...]
    hosts_removed: tuple[str, ...]
    programs_added: tuple[str, ...]
    """Scripts and executables."""
    programs_removed: tuple[str, ...]
    tokens: int
    """How many more of all text files, an estimate; negative for fewer."""


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """One line of the list of all versions of a skill."""

    version: Version
    path: str
    """The skill path that it had then."""
    difference: Difference | None
    """None for the first version."""
    order: int
    """Of its commit on the first-parent line, counted from where versions begin."""
    again: Change | None = None
    """Since when it is the current one again, after another one was."""
