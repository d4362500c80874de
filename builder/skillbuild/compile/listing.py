"""Where the skills of a catalog are not listed; it is decided when all of them are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from skillbuild.compile.result import PublishedSkill
from skillbuild.config import Config
from skillbuild.model import Listing, Unlisted, is_internal
from skillbuild.release.entry import with_unlisted
from skillbuild.rules.listing import without_protection


def settled(own: Mapping[str, Unlisted], config: Config) -> Mapping[str, Unlisted]:
    """Where skills are not listed, by what each says of itself; the keys are those given.

    A skill that spoils a listing for others is left out of it. Where no other could be listed over
    MCP, all are; so they are with `listing = "all"`.
    """
    protected = any(Listing.MCP not in unlisted for unlisted in own.values())
    if protected and config.listing == "safe":
        return own
    return {key: without_protection(unlisted) for key, unlisted in own.items()}


def as_settled(skill: PublishedSkill, own: Unlisted, unlisted: Unlisted) -> PublishedSkill:
    """A skill whose line in the record says what was settled, and not what it says of itself."""
    if unlisted == own:
        return replace(skill, unlisted=unlisted)
    return replace(skill, unlisted=unlisted, entry=with_unlisted(skill.entry, unlisted))


def count_unlisted(every: Iterable[Unlisted]) -> tuple[Mapping[str, int], int]:
    """How many skills are left out of each listing, and beside them how many are internal."""
    counts, internal = Counter[str](), 0
    for unlisted in every:
        if is_internal(unlisted):
            internal += 1
        else:
            counts.update(unlisted.keys())
    return {listing: counts[listing] for listing in Listing if counts[listing]}, internal
