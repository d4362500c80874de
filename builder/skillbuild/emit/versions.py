"""What emitters receive about the versions of a skill: the files of each version, and the
differences between versions.

The files at the permanent address of a version depend only on the files of the version
(`VersionContent`). Data that depends on the history (dates, order, changes) is published with the
skill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from skillbuild.emit.events import Event
from skillbuild.emit.site import facts
from skillbuild.emit.site.facts import PageFacts
from skillbuild.model import Change, Digest, Entry, Icon, Skill, Version, version_address
from skillbuild.paths import SKILL_FILE
from skillbuild.release.facts import deeds_of, has_script
from skillbuild.source.documents import Documents
from skillbuild.text.line_diff import LineDifference, compare_lines
from skillbuild.text.wording import joined, plural, some

MISSING = "missing"
YANKED = "yanked"
"""Reasons why a version is not published, besides the codes of rules and `model.INTERNAL`."""
_MOST_PARTS = 4
_LONGEST_NAME = 40
"""Maximum length of the name of a tool or a file in a one-line summary."""
_MOST_FILES = 2
"""Maximum number of files that a one-line summary names, if no more were added, removed or
changed.
"""
_MOST_TOOLS = 3
_MOST_DEEDS, _LONGEST_DEED = 2, 60


@dataclass(frozen=True)
class VersionContent:
    """The files of one version, and data derived from these files alone.

    The path of `skill` is `-/versions/<16 hex digits>/<name>`. The `directory` of `skill` is empty,
    because a version has no directory in the source.
    """

    digest: Digest
    label: str
    skill: Skill
    entry: Entry
    """The entry of the version: with a zip unless the settings disable zips, and without icons and
    findings."""
    documents: Documents
    """The text files of the version, parsed on first use."""
    icons: Mapping[Icon, bytes] = field(default_factory=dict)
    """The icons that are among its files, or the drawn one; the entry does not have them."""

    @property
    def address(self) -> str:
        """The output folder that contains only this version. Its content never changes."""
        return version_address(self.digest)

    @cached_property
    def facts(self) -> PageFacts:
        return facts.gather(self.skill, self.entry)


@dataclass(frozen=True)
class Comparison:
    """A version of a skill, and the nearest older published version."""

    version: Version
    older: Version
    content: VersionContent
    older_content: VersionContent

    @cached_property
    def lines(self) -> LineDifference:
        """The differences between the lines of the two SKILL.md files."""
        return compare_lines(_skill_md(self.older_content.skill), _skill_md(self.content.skill))

    @cached_property
    def difference(self) -> Difference:
        """All differences between the two versions."""
        return _difference(self.content, self.older_content, self.lines)


@dataclass(frozen=True, slots=True)
class Names:
    """The names that were added, removed or changed between two versions."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @staticmethod
    def of(then: Mapping[str, object], now: Mapping[str, object]) -> Names:
        """Return the names that differ between two mappings, sorted. A name is `changed` if both
        mappings have the name, but with different values.
        """
        both = then.keys() & now.keys()
        return Names(
            tuple(sorted(now.keys() - then.keys())),
            tuple(sorted(then.keys() - now.keys())),
            tuple(sorted(name for name in both if then[name] != now[name])),
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences between a version and the nearest older published version."""

    files: Names = Names()
    tools: Names = Names()
    does: Names = Names()
    """What the skill does, according to its facts, such as `reaches example.org`; most dangerous
    first.
    """
    lines_added: int = 0
    """Lines added to SKILL.md."""
    lines_removed: int = 0
    tokens: int = 0
    """Estimated change in the number of tokens of all text files; negative if there are fewer."""

    @property
    def in_one_line(self) -> str:
        """A one-line summary of at most four parts, the most important first."""
        return "; ".join([*_parts(self)][:_MOST_PARTS]) or "no file changed"


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """One version in the list of a skill's versions."""

    version: Version
    difference: Difference | None
    """The differences from the version before; None for the first version."""
    again: Change | None = None
    """The commit that made this version current again after another one; None if there is no such
    commit.
    """


@dataclass(frozen=True, slots=True)
class SkillHistory:
    """The published history of a skill; empty if versions are not published."""

    versions: tuple[ListedVersion, ...] = ()
    """All published versions, newest first, including the current one if the skill still exists."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many older versions are not published, by the code of a rule or another reason."""
    events: tuple[Event, ...] = ()
    """What happened to the skill, oldest event first."""
    yanked: tuple[str, ...] = ()
    """Skill digests, in hex, of its versions that the settings yank."""
    first: Change | None = None
    """The commit that added the skill, even if that version is not published; None if versions
    begin with a later commit."""


def _difference(
    content: VersionContent, older: VersionContent, lines: LineDifference
) -> Difference:
    """Compare two versions; `lines` is the comparison of their SKILL.md files."""
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
    yield from _tools("may now use", named.tools.added)
    changed = named.files.changed
    if named.lines_added or named.lines_removed:
        counts = (f"+{named.lines_added:,}", f"-{named.lines_removed:,}")
        shown = [text for text in counts if text[1:] != "0"]
        unit = "line" if shown[-1][1:] == "1" else "lines"
        yield f"{SKILL_FILE} {' '.join(shown)} {unit}"
        changed = tuple(path for path in changed if path != SKILL_FILE)
    yield from _part(named.files.added, "added")
    yield from _part(named.files.removed, "removed")
    yield from _part(changed, "changed")
    # A removed script is among the removed files.
    scripts = {has_script(path) for path in named.files.removed}
    left = tuple(deed for deed in named.does.removed if deed not in scripts)
    yield from _deeds("no longer", left)
    yield from _tools("may no longer use", named.tools.removed)
    if named.tokens:
        yield f"{named.tokens:+,} {'token' if abs(named.tokens) == 1 else 'tokens'}"


def _deeds(word: str, deeds: tuple[str, ...]) -> Iterator[str]:
    """Yield a phrase with the first few deeds and the number of the rest; nothing without deeds."""
    if deeds:
        yield f"{word} {some([deed[:_LONGEST_DEED] for deed in deeds], _MOST_DEEDS)}"


def _tools(verb: str, names: tuple[str, ...]) -> Iterator[str]:
    if names:
        yield f"{verb} {_named(names, 'tool', _MOST_TOOLS)} without asking"


def _part(names: tuple[str, ...], verb: str) -> Iterator[str]:
    if names:
        yield f"{_named(names, 'file', _MOST_FILES)} {verb}"


def _named(names: tuple[str, ...], noun: str, most: int) -> str:
    """Return the names if they are short and at most `most`, or else how many there are."""
    are_short = len(names) <= most and all(len(name) <= _LONGEST_NAME for name in names)
    return joined(names) if are_short else plural(len(names), noun)


def _files(content: VersionContent) -> dict[str, tuple[Digest, bool]]:
    return {item.path: (item.digest, item.executable) for item in content.entry.resources}


def _skill_md(skill: Skill) -> str:
    data = next(file.data for file in skill.files if file.path == SKILL_FILE)
    return data.decode(errors="replace")
