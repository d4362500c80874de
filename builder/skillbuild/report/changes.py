"""A comparison of two releases as text, Markdown or JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from skillbuild.diagnostics import escape
from skillbuild.release.compare import FileChange, SkillChange
from skillbuild.report.json_reports import changes_json

_MOST_FILES = 20
"""Files of one skill that Markdown lists."""
_WHOLE = ("added", "removed")
"""Kinds of change that concern all files of a skill, so that people need no list of them."""


def render_changes(changes: Sequence[SkillChange], form: str) -> str:
    """The comparison as `text`, `markdown` or `json`, without a final newline."""
    match form:
        case "json":
            return changes_json(changes)
        case "markdown":
            return "\n".join(_markdown(changes))
        case _:
            return "\n".join(_text(changes))


def changes_summary(changes: Iterable[SkillChange]) -> str:
    """`2 added, 1 changed`, or `no changes`."""
    numbers = Counter(change.kind for change in changes)
    kinds = ("added", "changed", "renamed", "removed")
    return ", ".join(f"{numbers[kind]} {kind}" for kind in kinds if numbers[kind]) or "no changes"


def _text(changes: Sequence[SkillChange]) -> Iterator[str]:
    for change in changes:
        moved = f" (was {escape(change.old_path or '')})" if change.kind == "renamed" else ""
        yield f"{change.kind:8} {escape(change.path)}{moved}{_tokens(change)}"
        if listing := _listing(change):
            yield f"    {listing}"
        for file in change.files if change.kind not in _WHOLE else ():
            yield f"    {_sign(file)} {escape(file.path)} {_digests(file)}"
        for signal in change.signals:
            yield f"    ! {escape(signal)}"
    yield changes_summary(changes)


def _markdown(changes: Sequence[SkillChange]) -> Iterator[str]:
    yield f"**{changes_summary(changes)}**"
    for change in changes:
        yield ""
        moved = f", was {code_span(change.old_path or '')}" if change.kind == "renamed" else ""
        yield f"- {change.kind} {code_span(change.path)}{moved}{_tokens(change)}"
        if listing := _listing(change):
            yield f"  - {listing}"
        for file in change.files[:_MOST_FILES] if change.kind not in _WHOLE else ():
            yield f"  - {_sign(file)} {code_span(file.path)} {_digests(file)}"
        if len(change.files) > _MOST_FILES and change.kind not in _WHOLE:
            yield f"  - and {len(change.files) - _MOST_FILES} more files"
        for signal in change.signals:
            yield f"  - look twice: {code_span(signal)}"


def _listing(change: SkillChange) -> str:
    """How the place of a skill in the listings changed, with the reasons; empty if it did not."""
    if change.kind == "removed" or change.old_reasons == change.new_reasons:
        return ""
    if not change.new_reasons:
        return "listed again"
    reasons = ", ".join(change.new_reasons)
    was_listed = change.kind != "added" and not change.old_reasons
    return f"no longer listed: {reasons}" if was_listed else f"not listed: {reasons}"


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
    return f", {change.tokens:+,} tokens" if change.tokens and change.kind != "removed" else ""


def _sign(file: FileChange) -> str:
    """`+`, `-` or `~`: whether a file is new, gone or changed."""
    if file.old is None:
        return "+"
    return "-" if file.new is None else "~"


def _digests(file: FileChange) -> str:
    return " -> ".join(digest.short if digest else "none" for digest in (file.old, file.new))
