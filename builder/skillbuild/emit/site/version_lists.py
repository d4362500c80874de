"""The list of all versions of a skill, and what the page of the skill says of the newest one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.site.addresses import between, skill_page, version_page, versions_page
from skillbuild.emit.site.skills import Changed
from skillbuild.emit.site.theme import Theme, render
from skillbuild.emit.site.versions import is_installable
from skillbuild.emit.versions import CROWDED, MISSING, YANKED, VersionSummary, in_one_line
from skillbuild.model import INTERNAL, Change, Entry, OutputFile, Version
from skillbuild.rules.registry import RULES

MOST_SHOWN = 100
"""Versions that are seen before a reader asks for the rest."""
_REASONS = {
    INTERNAL: "not meant for lists at that time",
    MISSING: "not all of its files are in the repository",
    CROWDED: "an older version has the same 16 hex digits",
    YANKED: "the settings withdraw it",
}


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version in the list."""

    version: Version
    changed: str
    is_different: bool
    """Whether a version before it is published, so that its page shows what changed."""
    path: str
    """The skill path that it had then; empty if that is still the path."""
    is_current: bool
    again: Change | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many versions are not published for one reason; the summary may be empty."""

    code: str
    count: int
    summary: str


def emit(theme: Theme, emitted: EmittedSkill) -> OutputFile:
    """The page of a skill that has versions."""
    entry = emitted.entry
    return render(
        theme,
        "versions.html",
        versions_page(entry.path),
        entry=entry,
        rows=[_row(entry, summary) for summary in emitted.versions],
        most=MOST_SHOWN,
        left_out=_left_out(emitted.left_out),
        has_discovery=is_installable(theme, entry),
    )


def newest_change(emitted: EmittedSkill) -> Changed | None:
    """What the published version changed; None for the first one, and for one that came back."""
    for summary in emitted.versions:
        if summary.version.digest == emitted.entry.skill_digest:
            if summary.difference is None or summary.again is not None:
                return None
            page = version_page(summary.version.digest)
            address = between(skill_page(emitted.entry.path), page)
            return Changed(in_one_line(summary.difference), f"{address}#changes")
    return None


def _row(entry: Entry, summary: VersionSummary) -> VersionRow:
    different = summary.difference
    return VersionRow(
        summary.version,
        "first version" if different is None else in_one_line(different),
        different is not None,
        summary.path if summary.path != entry.path else "",
        summary.version.digest == entry.skill_digest,
        summary.again,
    )


def _left_out(counts: Mapping[str, int]) -> list[LeftOut]:
    """The reasons, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [LeftOut(code, count, _summary(code)) for code, count in ordered]


def _summary(code: str) -> str:
    return RULES[code].summary if code in RULES else _REASONS.get(code, "")
