"""The versions of a skill as formats see them: the files of each, and how they differ.

What is published at the address of a version is made of its files alone (`VersionContent`). What
is about a skill, when it had which version and what changed then, is published with the skill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from skillbuild.emit.events import Event
from skillbuild.emit.site import facts
from skillbuild.emit.site.facts import PageFacts
from skillbuild.model import Change, Digest, Entry, Skill, Version, version_address
from skillbuild.paths import SKILL_FILE
from skillbuild.release.facts import deeds_of
from skillbuild.source.documents import Documents
from skillbuild.text.line_diff import LineDifference, compare_lines
from skillbuild.text.wording import joined, plural

MISSING = "missing"
YANKED = "yanked"
"""Why a version is not published, beside the codes of rules and `model.INTERNAL`."""
_MOST_PARTS = 4
_LONGEST_NAME = 40
"""Characters of a tool in a short line."""
_MOST_DEEDS, _LONGEST_DEED = 2, 60


@dataclass(frozen=True)
class VersionContent:
    """The files of one version, and nothing that does not follow from them.

    So the path of the skill is `-/versions/<16 hex digits>/<name>`, and its directory is empty.
    """

    digest: Digest
    label: str
    skill: Skill
    entry: Entry
    """With a zip, or with none where the settings want none; without icons and findings."""
    documents: Documents
    """Its texts, parsed when they are asked for."""

    @property
    def address(self) -> str:
        """The folder in the output that holds these files and no others, for ever."""
        return version_address(self.digest)

    @cached_property
    def facts(self) -> PageFacts:
        return facts.gather(self.skill, self.entry)


@dataclass(frozen=True)
class Comparison:
    """A version of a skill beside the nearest older one that is published."""

    version: Version
    older: Version
    content: VersionContent
    older_content: VersionContent

    @cached_property
    def lines(self) -> LineDifference:
        """What is different in the lines of SKILL.md."""
        return compare_lines(_skill_md(self.older_content.skill), _skill_md(self.content.skill))

    @cached_property
    def difference(self) -> Difference:
        """All that is different."""
        return _difference(self.content, self.older_content, self.lines)


@dataclass(frozen=True, slots=True)
class Names:
    """What came, went or changed of one kind of things, each in order."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @staticmethod
    def of(then: Mapping[str, object], now: Mapping[str, object]) -> Names:
        """What is different; a thing has changed if another value stands under its name."""
        both = then.keys() & now.keys()
        return Names(
            tuple(sorted(now.keys() - then.keys())),
            tuple(sorted(then.keys() - now.keys())),
            tuple(sorted(name for name in both if then[name] != now[name])),
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """What is different in a version from the nearest older one that is published."""

    files: Names = Names()
    tools: Names = Names()
    does: Names = Names()
    """What the skill does, by its facts, the most dangerous first: `reaches example.org`."""
    lines_added: int = 0
    """Of SKILL.md."""
    lines_removed: int = 0
    tokens: int = 0
    """How many more of all text files, an estimate; negative for fewer."""

    @property
    def in_one_line(self) -> str:
        """The same in few words, at most four parts: first what asks for a look."""
        return ", ".join([*_parts(self)][:_MOST_PARTS]) or "no file changed"


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """One version in the list of all versions of a skill."""

    version: Version
    difference: Difference | None
    """None for the first version."""
    again: Change | None = None
    """Since when it is the current one again, after another one was."""


@dataclass(frozen=True, slots=True)
class SkillHistory:
    """What a skill has been; empty where no versions are published."""

    versions: tuple[ListedVersion, ...] = ()
    """All that are published, the newest first; of a skill in the source, this one among them."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many older versions are not published, by the code of the rule or another reason."""
    events: tuple[Event, ...] = ()
    """What happened to the skill, the oldest first."""
    yanked: tuple[str, ...] = ()
    """Skill digests, in hex, of its versions that the settings name as yanked."""
    first: Change | None = None
    """The commit that brought the skill, also where its version is not published; None where
    versions begin with a later one."""


def _difference(
    content: VersionContent, older: VersionContent, lines: LineDifference
) -> Difference:
    """What is different in `content`, `lines` in its SKILL.md."""
    then, now = older.facts, content.facts
    before, after = deeds_of(older.entry.facts), deeds_of(content.entry.facts)
    return Difference(
        files=Names.of(_files(older), _files(content)),
        tools=Names.of(dict.fromkeys(then.tools or ()), dict.fromkeys(now.tools or ())),
        does=Names(
            tuple(deed for deed in after if deed not in before),
            tuple(deed for deed in before if deed not in after),
        ),
        lines_added=lines.added,
        lines_removed=lines.removed,
        tokens=now.all_tokens - then.all_tokens,
    )


def _parts(named: Difference) -> Iterator[str]:
    yield from _deeds("now", named.does.added)
    yield from _part(named.tools.added, "tool", "added")
    changed = len(named.files.changed)
    if named.lines_added or named.lines_removed:
        counts = (f"+{named.lines_added:,}", f"-{named.lines_removed:,}")
        yield f"{SKILL_FILE} {' '.join(text for text in counts if text[1:] != '0')}"
        changed -= 1
    for count, verb in (
        (len(named.files.added), "added"),
        (len(named.files.removed), "removed"),
        (changed, "changed"),
    ):
        if count:
            yield f"{plural(count, 'file')} {verb}"
    yield from _deeds("no longer", named.does.removed)
    yield from _part(named.tools.removed, "tool", "removed")
    if named.tokens:
        yield f"{named.tokens:+,} {'token' if abs(named.tokens) == 1 else 'tokens'}"


def _deeds(word: str, deeds: tuple[str, ...]) -> Iterator[str]:
    """Some of what a skill does now, or no longer, and how much more."""
    if deeds:
        shown = [deed[:_LONGEST_DEED] for deed in deeds[:_MOST_DEEDS]]
        more = [f"{len(deeds) - _MOST_DEEDS:,} more"] if len(deeds) > _MOST_DEEDS else []
        yield f"{word} {joined([*shown, *more])}"


def _part(names: tuple[str, ...], noun: str, verb: str) -> Iterator[str]:
    """A single name that is short, or how many there are."""
    if len(names) == 1 and len(names[0]) <= _LONGEST_NAME:
        yield f"{noun} {names[0]} {verb}"
    elif names:
        yield f"{plural(len(names), noun)} {verb}"


def _files(content: VersionContent) -> dict[str, tuple[Digest, bool]]:
    return {item.path: (item.digest, item.executable) for item in content.entry.resources}


def _skill_md(skill: Skill) -> str:
    data = next(file.data for file in skill.files if file.path == SKILL_FILE)
    return data.decode(errors="replace")
