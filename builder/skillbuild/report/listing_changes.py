"""How the listings of two releases differ, in words: for one skill, and for many at once.

One skill more can take a hundred others out of the MCP listing, though none of these has changed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.model import OVER_MCP, Listing, Unlisted, is_internal
from skillbuild.release.compare import SkillChange
from skillbuild.report.listings import LIST_ALL, labels
from skillbuild.rules.listing import protects

_MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class ListingGroup:
    """Skills that have not changed, and that the same listings leave out now, or have again."""

    words: str
    """What happened to all of them, in one or two sentences."""
    paths: tuple[str, ...]


def listing_words(change: SkillChange) -> Iterator[str]:
    """How the place of one skill in the listings changed, with the reasons."""
    old, new = change.old_unlisted, change.new_unlisted
    if change.kind == "removed" or old == new:
        return
    was_out = change.kind == "added" or is_internal(old)
    if is_internal(new):
        if not is_internal(old):
            yield "internal, so in no listing"
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
    """The listings with the same reasons, and these reasons."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for listing, reasons in unlisted.items():
        groups[tuple(reasons)].append(listing)
    for reasons, listings in groups.items():
        yield listings, reasons


def listing_groups(changes: Sequence[SkillChange]) -> Iterator[ListingGroup]:
    """The skills that are listed otherwise without a change of their own, by what happened."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[SkillChange]] = defaultdict(list)
    for change in changes:
        if change.is_of_listing:
            old, new = change.old_unlisted, change.new_unlisted
            lost = tuple(listing for listing in new if new[listing] != old.get(listing))
            groups[lost, tuple(listing for listing in old if listing not in new)].append(change)
    for (lost, gained), members in groups.items():
        paths = tuple(change.path for change in members)
        if lost:
            yield ListingGroup(_loss(lost, members, _arrivals(changes)), paths)
        if gained:
            yield ListingGroup(_gain(gained, members), paths)


def _loss(lost: Sequence[str], members: Sequence[SkillChange], arrivals: Sequence[str]) -> str:
    unlisted = [change.new_unlisted for change in members]
    words = f"no longer in {labels(lost)} ({_reasons(unlisted, lost)})"
    if not _is_protection(unlisted, lost):
        return words
    examples = f", such as {', '.join(arrivals[:_MOST_EXAMPLES])}" if arrivals else ""
    return (
        f"{words}. A client that cannot read them would drop every skill there, and there are now"
        f" skills that it can read{examples}. To list all of them, {LIST_ALL}"
    )


def _gain(gained: Sequence[str], members: Sequence[SkillChange]) -> str:
    unlisted = [change.old_unlisted for change in members]
    words = f"now in {labels(gained)}"
    if not _is_protection(unlisted, gained):
        return words
    return (
        f"{words}, which left them out before ({_reasons(unlisted, gained)}): no other skill is"
        ' there to be protected any more, or listing = "all" is set now'
    )


def _is_protection(unlisted: Sequence[Unlisted], listings: Sequence[str]) -> bool:
    """Whether skills were left out for the sake of others alone."""
    return {*listings} == {*OVER_MCP} and all(
        protects(reason) for each in unlisted for key in listings for reason in each[key]
    )


def _reasons(unlisted: Sequence[Unlisted], listings: Sequence[str]) -> str:
    """Each reason with the number of skills that have it, the most frequent first."""
    counts = Counter(
        reason for each in unlisted for reason in {code for key in listings for code in each[key]}
    )
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} {number:,}" for reason, number in ordered)


def _arrivals(changes: Sequence[SkillChange]) -> list[str]:
    """Skills that the MCP listing has now and did not have, because they are new or fixed."""
    return [
        change.path
        for change in changes
        if change.kind != "removed" and Listing.MCP not in change.new_unlisted
        if change.kind == "added" or Listing.MCP in change.old_unlisted
    ]
