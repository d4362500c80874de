"""Words about the changes between two releases that text and Markdown share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from skillbuild.release.compare import FileChange, SkillChange
from skillbuild.report.listing_changes import ListingGroup
from skillbuild.text.wording import plural

MOST_SKILLS = 20
"""Skills that are named where many are listed otherwise."""
WHOLE = ("added", "removed")
"""Kinds of change that concern all files of a skill, so that people need no list of them."""
_RELISTED = "listed otherwise"


def changes_summary(changes: Iterable[SkillChange]) -> str:
    """`2 added, 1 changed, 5 listed otherwise`, or `no changes`."""
    kinds = ("added", "changed", "renamed", "deprecated", "removed", _RELISTED)
    numbers = Counter(_RELISTED if each.is_of_listing else each.what for each in changes)
    return ", ".join(f"{numbers[kind]} {kind}" for kind in kinds if numbers[kind]) or "no changes"


def own_changes(changes: Iterable[SkillChange]) -> Iterator[SkillChange]:
    """The changes of skills themselves; those of their listing alone are shown in groups."""
    return (change for change in changes if not change.is_of_listing)


def group_head(group: ListingGroup) -> str:
    verb = "has" if len(group.paths) == 1 else "have"
    return f"{plural(len(group.paths), 'skill')} that {verb} not changed"


def token_words(change: SkillChange) -> str:
    """By how much the text of SKILL.md grew or shrank."""
    noun = "token" if abs(change.tokens) == 1 else "tokens"
    return f", {change.tokens:+,} {noun}" if change.tokens and change.kind != "removed" else ""


def deprecation_words(change: SkillChange) -> Iterator[str]:
    """What is new about whether the skill should be used."""
    if change.kind == "removed" or change.new_deprecated == change.old_deprecated:
        return
    now = change.new_deprecated
    yield "no longer deprecated" if now is None else f"deprecated: {now.words}"


def file_sign(file: FileChange) -> str:
    """`+`, `-` or `~`: whether a file is new, gone or changed."""
    if file.old is None:
        return "+"
    return "-" if file.new is None else "~"


def digest_words(file: FileChange) -> str:
    return " -> ".join(digest.short if digest else "none" for digest in (file.old, file.new))
