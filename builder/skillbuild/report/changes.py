"""A comparison of two releases as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from skillbuild.diagnostics import escape
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
from skillbuild.report.changes_markdown import changes_markdown
from skillbuild.report.json_reports import changes_json
from skillbuild.report.listing_changes import listing_groups, listing_words


def render_changes(changes: Sequence[SkillChange], form: str, *, utf8: bool = False) -> str:
    """The comparison as `text`, `markdown` or `json`, without a final newline.

    Markdown and JSON are ASCII; so is text without `utf8`.
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
        yield f"{change.what:8} {shown(change.path)}{moved}{token_words(change)}"
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
