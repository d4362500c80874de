"""Formats a comparison of two releases as text, Markdown or JSON, including how their listings
differ.

Markdown is for reviewers: it begins with what deserves a second look, and shows all text of a skill
in code spans. One new skill can cause the MCP list to omit a hundred others that have not changed,
so unchanged skills are shown in groups.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from skillbuild.diagnostics import escape
from skillbuild.model import Listing, Unlisted, is_internal, label
from skillbuild.release.compare import FileChange, SkillChange
from skillbuild.release.lost import REMOVED
from skillbuild.report.findings import labels
from skillbuild.report.json_reports import changes_json
from skillbuild.report.lost import reason_words
from skillbuild.report.unlisted import LIST_ALL
from skillbuild.rules.registry import protects
from skillbuild.text.wording import plural

MOST_SKILLS = 20
"""Maximum number of skills that a group of listing changes names."""
WHOLE = ("added", "removed")
"""Kinds of change that concern all files of a skill, so no list of files is shown to people."""
_RELISTED = "in different listings"
_MOST_FILES = 20
"""Maximum number of files listed for one skill."""
_SECTIONS = {
    "added": "New",
    "changed": "Changed",
    "renamed": "Moved",
    "deprecated": "Deprecated",
    "removed": "Removed",
}
"""Heading of each kind of change, in the order in which they are shown."""
_MOST_EXAMPLES = 3


def render_changes(changes: Sequence[SkillChange], form: str, *, utf8: bool = False) -> str:
    """Return the comparison as `text`, `markdown` or `json`, without a final newline.

    Markdown and JSON are ASCII, and so is text unless `utf8` is set.
    """
    match form:
        case "json":
            return changes_json(changes)
        case "markdown":
            return "\n".join(changes_markdown(changes))
        case _:
            return "\n".join(_text(changes, partial(escape, utf8=utf8)))


def _text(changes: Sequence[SkillChange], shown: Callable[[str], str]) -> Iterator[str]:
    for change in own_changes(changes):
        moved = f" (was {shown(change.old_path or '')})" if change.kind == "renamed" else ""
        reason = f" ({shown(reason_words(change.reason))})" if is_explained(change) else ""
        yield f"{change.what:8} {shown(change.path)}{moved}{reason}{token_words(change)}"
        yield from (f"    {shown(words)}" for words in deprecation_words(change))
        yield from (f"    {shown(words)}" for words in listing_words(change))
        for file in change.files if change.kind not in WHOLE else ():
            yield f"    {file_sign(file)} {shown(file.path)} {digest_words(file)}"
        for signal in change.signals:
            yield f"    ! {shown(signal)}"
    for group in listing_groups(changes):
        yield f"{group_head(group)}: {shown(group.words)}"
        yield from (f"    {shown(path)}" for path in group.paths[:MOST_SKILLS])
        if len(group.paths) > MOST_SKILLS:
            yield f"    and {len(group.paths) - MOST_SKILLS:,} more"
    yield changes_summary(changes)


# Words that text and Markdown share.


def changes_summary(changes: Iterable[SkillChange]) -> str:
    """Return a summary such as `2 added, 1 changed, 5 in different listings`, or `no changes`."""
    kinds = ("added", "changed", "renamed", "deprecated", "removed", _RELISTED)
    numbers = Counter(_RELISTED if each.is_of_listing else each.what for each in changes)
    return ", ".join(f"{numbers[kind]} {kind}" for kind in kinds if numbers[kind]) or "no changes"


def own_changes(changes: Iterable[SkillChange]) -> Iterator[SkillChange]:
    """Yield the changes to skills themselves. Changes that affect only listings are shown in groups
    instead.
    """
    return (change for change in changes if not change.is_of_listing)


def group_head(group: ListingGroup) -> str:
    verb = "has" if len(group.paths) == 1 else "have"
    return f"{plural(len(group.paths), 'skill')} that {verb} not changed"


def token_words(change: SkillChange) -> str:
    """Return how many tokens SKILL.md gained or lost, as a suffix; empty if the number is
    unchanged.
    """
    noun = "token" if abs(change.tokens) == 1 else "tokens"
    return f", {change.tokens:+,} {noun}" if change.tokens and change.kind != "removed" else ""


def is_explained(change: SkillChange) -> bool:
    """Whether the change gives a reason why the release leaves out a skill that the source still
    contains.
    """
    return change.reason not in ("", REMOVED)


def deprecation_words(change: SkillChange) -> Iterator[str]:
    """Yield a phrase if the skill became deprecated or is no longer deprecated."""
    if change.kind == "removed" or change.deprecated.new == change.deprecated.old:
        return
    now = change.deprecated.new
    yield "no longer deprecated" if now is None else f"deprecated: {now.words}"


def file_sign(file: FileChange) -> str:
    """Return `+` if a file is new, `-` if it is gone, or `~` if it changed."""
    if file.old is None:
        return "+"
    return "-" if file.new is None else "~"


def digest_words(file: FileChange) -> str:
    return " -> ".join(digest.short if digest else "none" for digest in (file.old, file.new))


# Markdown.


def changes_markdown(changes: Sequence[SkillChange]) -> Iterator[str]:
    """Yield the lines of the Markdown: counts, signals, a section for each kind of change, and
    listings.
    """
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
    reason = f", {code_span(reason_words(change.reason))}" if is_explained(change) else ""
    yield f"- {code_span(change.path)}{moved}{reason}{token_words(change)}"
    yield from (f"  - {code_span(words)}" for words in deprecation_words(change))
    yield from (f"  - {code_span(words)}" for words in listing_words(change))
    if change.kind in WHOLE:
        return
    for file in change.files[:_MOST_FILES]:
        yield f"  - {file_sign(file)} {code_span(file.path)} {digest_words(file)}"
    if len(change.files) > _MOST_FILES:
        yield f"  - and {plural(len(change.files) - _MOST_FILES, 'more file')}"


def _listings(changes: Sequence[SkillChange]) -> Iterator[str]:
    """Yield a table of counts by listing, and the unchanged skills that left or joined listings."""
    rows = [row for listing in Listing if (row := _row(listing, changes))]
    groups = list(listing_groups(changes))
    if rows or groups:
        yield from ("", "#### Listings", "")
    if rows:
        yield "| listing | new skills left out | skills removed | skills added |"
        yield "|---|---:|---:|---:|"
        yield from (*rows, "")
    for group in groups:
        yield f"- {group_head(group)}: {code_span(group.words)}"
        yield f"  - {', '.join(map(code_span, group.paths[:MOST_SKILLS]))}"
        if len(group.paths) > MOST_SKILLS:
            yield f"  - and {len(group.paths) - MOST_SKILLS:,} more"


def _row(listing: Listing, changes: Sequence[SkillChange]) -> str:
    """Return the row of a listing; empty if nothing about it changed."""
    there = [change for change in changes if change.kind != "removed"]
    out = [change for change in there if listing in change.unlisted.new]
    new = sum(change.kind == "added" for change in out)
    lost = sum(change.kind != "added" and listing not in change.unlisted.old for change in out)
    gained = sum(
        listing in each.unlisted.old and listing not in each.unlisted.new for each in there
    )
    if not new + lost + gained:
        return ""
    return f"| {label(listing)} | {new:,} | {lost:,} | {gained:,} |"


def code_span(text: str, most: int | None = None) -> str:
    """Return untrusted text as a Markdown code span. Nothing in the text can end the span.

    With `most`, only the first `most` characters of the escaped text are shown.
    """
    safe = escape(text)
    if most is not None and len(safe) > most:
        safe = f"{safe[:most]}..."
    return f"`{safe.replace('`', chr(39)) or ' '}`"


# What changed in the listings.


@dataclass(frozen=True, slots=True)
class ListingGroup:
    """Unchanged skills that left or joined the same listings."""

    words: str
    """What happened to these skills, in one or two sentences."""
    paths: tuple[str, ...]


def listing_words(change: SkillChange) -> Iterator[str]:
    """Yield phrases that say which listings a skill has joined or left, and why."""
    old, new = change.unlisted.old, change.unlisted.new
    if change.kind == "removed" or old == new:
        return
    was_out = change.kind == "added" or is_internal(old)
    if is_internal(new):
        if not is_internal(old):
            yield "internal, so not in any listing"
        return
    if is_internal(old):
        yield "no longer internal"
    differing = {key: new[key] for key in new if was_out or new[key] != old.get(key)}
    for listings, reasons in _by_reasons(differing):
        is_loss = not was_out and not any(listing in old for listing in listings)
        yield f"{'no longer' if is_loss else 'not'} in {labels(listings)}: {', '.join(reasons)}"
    gained = [listing for listing in old if listing not in new]
    if gained and not is_internal(old):
        yield f"now in {labels(gained)}"


def _by_reasons(unlisted: Unlisted) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield the listings in groups with the same reasons, each group with its reasons."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for listing, reasons in unlisted.items():
        groups[tuple(reasons)].append(listing)
    for reasons, listings in groups.items():
        yield listings, reasons


def listing_groups(changes: Sequence[SkillChange]) -> Iterator[ListingGroup]:
    """Yield the unchanged skills that left or joined listings, grouped by what happened."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[SkillChange]] = defaultdict(list)
    for change in changes:
        if change.is_of_listing:
            old, new = change.unlisted.old, change.unlisted.new
            lost = tuple(listing for listing in new if new[listing] != old.get(listing))
            groups[lost, tuple(listing for listing in old if listing not in new)].append(change)
    for (lost, gained), members in groups.items():
        paths = tuple(change.path for change in members)
        if lost:
            yield ListingGroup(_loss(lost, members, _arrivals(changes)), paths)
        if gained:
            yield ListingGroup(_gain(gained, members), paths)


def _loss(lost: Sequence[str], members: Sequence[SkillChange], arrivals: Sequence[str]) -> str:
    unlisted = [change.unlisted.new for change in members]
    words = f"no longer in {labels(lost)}: {_reasons(unlisted, lost)}"
    if not _is_protection(unlisted, lost):
        return words
    examples = f", such as {', '.join(arrivals[:_MOST_EXAMPLES])}" if arrivals else ""
    return (
        f"{words}. A client that cannot read these skills would reject the whole list,"
        f" including the skills that it can read{examples}. To list all skills, {LIST_ALL}"
    )


def _gain(gained: Sequence[str], members: Sequence[SkillChange]) -> str:
    unlisted = [change.unlisted.old for change in members]
    words = f"now in {labels(gained)}"
    if not _is_protection(unlisted, gained):
        return words
    return (
        f"{words}. They were left out before ({_reasons(unlisted, gained)}) because a client that"
        " cannot read them would have rejected the whole list, including the skills that it can"
        ' read. Now there are no skills that such a client can read, or listing = "all" is set'
    )


def _is_protection(unlisted: Sequence[Unlisted], listings: Sequence[str]) -> bool:
    """Whether skills were omitted only to protect other skills."""
    return {*listings} == {Listing.MCP} and all(
        protects(reason) for each in unlisted for key in listings for reason in each[key]
    )


def _reasons(unlisted: Sequence[Unlisted], listings: Sequence[str]) -> str:
    """Return the reasons, each with the number of skills it applies to, most frequent first."""
    counts = Counter(
        reason for each in unlisted for reason in {code for key in listings for code in each[key]}
    )
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} {number:,}" for reason, number in ordered)


def _arrivals(changes: Sequence[SkillChange]) -> list[str]:
    """Return skills that are now in the MCP list and were not before, because they are new or
    fixed.
    """
    return [
        change.path
        for change in changes
        if change.kind != "removed" and Listing.MCP not in change.unlisted.new
        if change.kind == "added" or Listing.MCP in change.unlisted.old
    ]
