"""A comparison of two releases in Markdown, as a reviewer reads it: what to look at twice is first.

What a skill says stands in code spans alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbuild.diagnostics import escape
from skillbuild.model import Listing, label
from skillbuild.release.compare import SkillChange
from skillbuild.report.change_words import (
    MOST_SKILLS,
    WHOLE,
    changes_summary,
    deprecation_words,
    digest_words,
    file_sign,
    group_head,
    own_changes,
    token_words,
)
from skillbuild.report.listing_changes import listing_groups, listing_words
from skillbuild.text.wording import plural

_MOST_FILES = 20
"""Files of one skill that are listed."""
_SECTIONS = {
    "added": "New",
    "changed": "Changed",
    "renamed": "Moved",
    "deprecated": "Deprecated",
    "removed": "Removed",
}
"""Headings by what happened, in their order."""


def changes_markdown(changes: Sequence[SkillChange]) -> Iterator[str]:
    """Lines: numbers, signals, a section for each kind of change, and the listings."""
    yield f"**{changes_summary(changes)}**"
    if any(change.signals for change in changes):
        yield from ("", "#### Look twice", "")
        for change in changes:
            if change.signals:
                signals = ", ".join(map(code_span, change.signals))
                yield f"- {code_span(change.path)}: {signals}"
    for kind, heading in _SECTIONS.items():
        of_kind = [change for change in own_changes(changes) if change.what == kind]
        if of_kind:
            yield from ("", f"#### {heading}", "")
            for change in of_kind:
                yield from _skill(change)
    yield from _listings(changes)


def _skill(change: SkillChange) -> Iterator[str]:
    moved = f", was {code_span(change.old_path or '')}" if change.kind == "renamed" else ""
    yield f"- {code_span(change.path)}{moved}{token_words(change)}"
    yield from (f"  - {code_span(words)}" for words in deprecation_words(change))
    yield from (f"  - {code_span(words)}" for words in listing_words(change))
    if change.kind in WHOLE:
        return
    for file in change.files[:_MOST_FILES]:
        yield f"  - {file_sign(file)} {code_span(file.path)} {digest_words(file)}"
    if len(change.files) > _MOST_FILES:
        yield f"  - and {plural(len(change.files) - _MOST_FILES, 'more file')}"


def _listings(changes: Sequence[SkillChange]) -> Iterator[str]:
    """A table of numbers by listing, and the skills that are listed otherwise without a change."""
    rows = [row for listing in Listing if (row := _row(listing, changes))]
    groups = list(listing_groups(changes))
    if rows or groups:
        yield from ("", "#### Listings", "")
    if rows:
        yield "| listing | new, and not in it | no longer in it | now in it |"
        yield "|---|---:|---:|---:|"
        yield from (*rows, "")
    for group in groups:
        yield f"- {group_head(group)}: {code_span(group.words)}"
        yield f"  - {', '.join(map(code_span, group.paths[:MOST_SKILLS]))}"
        if len(group.paths) > MOST_SKILLS:
            yield f"  - and {len(group.paths) - MOST_SKILLS:,} more"


def _row(listing: Listing, changes: Sequence[SkillChange]) -> str:
    """The row of a listing; empty if nothing about it changed."""
    there = [change for change in changes if change.kind != "removed"]
    out = [change for change in there if listing in change.new_unlisted]
    new = sum(change.kind == "added" for change in out)
    lost = sum(change.kind != "added" and listing not in change.old_unlisted for change in out)
    gained = sum(
        listing in each.old_unlisted and listing not in each.new_unlisted for each in there
    )
    if not new + lost + gained:
        return ""
    return f"| {label(listing)} | {new:,} | {lost:,} | {gained:,} |"


def code_span(text: str, most: int | None = None) -> str:
    """Untrusted text as a code span of Markdown that it cannot break out of.

    Of an escaped text of more than `most` characters, so many are shown.
    """
    safe = escape(text)
    if most is not None and len(safe) > most:
        safe = f"{safe[:most]}..."
    return f"`{safe.replace('`', chr(39)) or ' '}`"
