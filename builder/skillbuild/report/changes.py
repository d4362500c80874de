"""A comparison of two releases as text, Markdown or JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from skillbuild.diagnostics import escape
from skillbuild.release.compare import FileChange, SkillChange
from skillbuild.report.json_reports import changes_json
from skillbuild.report.listing_changes import ListingGroup, listing_groups, listing_words
from skillbuild.text.wording import plural

_MOST_FILES = 20
"""Files of one skill that Markdown lists."""
_MOST_SKILLS = 20
"""Skills that are named where many are listed otherwise."""
_RELISTED = "listed otherwise"
_WHOLE = ("added", "removed")
"""Kinds of change that concern all files of a skill, so that people need no list of them."""


def render_changes(changes: Sequence[SkillChange], form: str, *, utf8: bool = False) -> str:
    """The comparison as `text`, `markdown` or `json`, without a final newline.

    Markdown and JSON are ASCII; so is text without `utf8`.
    """
    match form:
        case "json":
            return changes_json(changes)
        case "markdown":
            return "\n".join(_markdown(changes))
        case _:
            return "\n".join(_text(changes, partial(escape, utf8=utf8)))


def changes_summary(changes: Iterable[SkillChange]) -> str:
    """`2 added, 1 changed, 5 listed otherwise`, or `no changes`."""
    kinds = ("added", "changed", "renamed", "removed", _RELISTED)
    numbers = Counter(_RELISTED if each.is_of_listing else each.kind for each in changes)
    return ", ".join(f"{numbers[kind]} {kind}" for kind in kinds if numbers[kind]) or "no changes"


def _text(changes: Sequence[SkillChange], shown: Callable[[str], str]) -> Iterator[str]:
    for change in _own(changes):
        moved = f" (was {shown(change.old_path or '')})" if change.kind == "renamed" else ""
        yield f"{change.kind:8} {shown(change.path)}{moved}{_tokens(change)}"
        yield from (f"    {shown(words)}" for words in listing_words(change))
        for file in change.files if change.kind not in _WHOLE else ():
            yield f"    {_sign(file)} {shown(file.path)} {_digests(file)}"
        for signal in change.signals:
            yield f"    ! {shown(signal)}"
    for group in listing_groups(changes):
        yield f"{_head(group)}: {shown(group.words)}"
        yield from (f"    {shown(path)}" for path in group.paths[:_MOST_SKILLS])
        if len(group.paths) > _MOST_SKILLS:
            yield f"    and {len(group.paths) - _MOST_SKILLS:,} more"
    yield changes_summary(changes)


def _markdown(changes: Sequence[SkillChange]) -> Iterator[str]:
    yield f"**{changes_summary(changes)}**"
    for change in _own(changes):
        yield ""
        moved = f", was {code_span(change.old_path or '')}" if change.kind == "renamed" else ""
        yield f"- {change.kind} {code_span(change.path)}{moved}{_tokens(change)}"
        yield from (f"  - {code_span(words)}" for words in listing_words(change))
        for file in change.files[:_MOST_FILES] if change.kind not in _WHOLE else ():
            yield f"  - {_sign(file)} {code_span(file.path)} {_digests(file)}"
        if len(change.files) > _MOST_FILES and change.kind not in _WHOLE:
            yield f"  - and {plural(len(change.files) - _MOST_FILES, 'more file')}"
        for signal in change.signals:
            yield f"  - look twice: {code_span(signal)}"
    for group in listing_groups(changes):
        yield ""
        yield f"- {_head(group)}: {code_span(group.words)}"
        yield f"  - {', '.join(map(code_span, group.paths[:_MOST_SKILLS]))}"
        if len(group.paths) > _MOST_SKILLS:
            yield f"  - and {len(group.paths) - _MOST_SKILLS:,} more"


def _own(changes: Iterable[SkillChange]) -> Iterator[SkillChange]:
    """The changes of skills themselves; those of their listing alone are shown in groups."""
    return (change for change in changes if not change.is_of_listing)


def _head(group: ListingGroup) -> str:
    verb = "has" if len(group.paths) == 1 else "have"
    return f"{plural(len(group.paths), 'skill')} that {verb} not changed"


def code_span(text: str, most: int | None = None) -> str:
    """Untrusted text as a code span of Markdown that it cannot break out of.

    Of an escaped text of more than `most` characters, so many are shown.
    """
    safe = escape(text)
    if most is not None and len(safe) > most:
        safe = f"{safe[:most]}..."
    return f"`{safe.replace('`', chr(39)) or ' '}`"


def _tokens(change: SkillChange) -> str:
    """By how much the text of SKILL.md grew or shrank."""
    noun = "token" if abs(change.tokens) == 1 else "tokens"
    return f", {change.tokens:+,} {noun}" if change.tokens and change.kind != "removed" else ""


def _sign(file: FileChange) -> str:
    """`+`, `-` or `~`: whether a file is new, gone or changed."""
    if file.old is None:
        return "+"
    return "-" if file.new is None else "~"


def _digests(file: FileChange) -> str:
    return " -> ".join(digest.short if digest else "none" for digest in (file.old, file.new))
