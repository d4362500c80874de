"""A comparison as text, JSON or Markdown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from skillbuild.diagnostics import escape
from skillbuild.model import Digest
from skillbuild.release.compare import FileChange, SkillChange
from skillbuild.text.json_fields import Fields

FORMATS = ("text", "json", "markdown")
_MOST_FILES = 20
_WHOLE = ("added", "removed")
"""Where all files came or went, people need no list of them."""


def render_changes(changes: Sequence[SkillChange], form: str) -> str:
    """The comparison in one of `FORMATS`, without a final newline."""
    match form:
        case "json":
            return json.dumps({"changes": [_as_json(one) for one in changes]}, indent=2)
        case "markdown":
            return "\n".join(_markdown(changes))
        case _:
            return "\n".join(_text(changes))


def changes_summary(changes: Iterable[SkillChange]) -> str:
    """`2 added, 1 changed`, or that nothing changed."""
    counted = Counter(one.kind for one in changes)
    kinds = ("added", "changed", "renamed", "removed")
    return ", ".join(f"{counted[kind]} {kind}" for kind in kinds if counted[kind]) or "no changes"


def changes_from_json(top: Fields) -> tuple[SkillChange, ...]:
    """What `render` wrote as JSON; a `ValueError` names the field that is wrong."""
    return tuple(
        SkillChange(
            kind=item.text("kind"),
            path=item.text("path"),
            old_path=item.maybe_text("oldPath"),
            old_digest=_maybe_digest(item, "oldDigest"),
            new_digest=_maybe_digest(item, "newDigest"),
            files=tuple(map(_file_change, item.each("files"))),
            signals=item.texts("signals"),
            tokens=item.integer("tokens"),
        )
        for item in top.each("changes")
    )


def _file_change(item: Fields) -> FileChange:
    old, new = _maybe_digest(item, "oldDigest"), _maybe_digest(item, "newDigest")
    return FileChange(item.text("path"), old, new)


def _maybe_digest(item: Fields, key: str) -> Digest | None:
    return None if item.maybe_text(key) is None else item.digest(key)


def _text(changes: Sequence[SkillChange]) -> Iterator[str]:
    for one in changes:
        moved = f" (was {escape(one.old_path or '')})" if one.kind == "renamed" else ""
        yield f"{one.kind:8} {escape(one.path)}{moved}{_tokens(one)}"
        if listing := _listing(one):
            yield f"    {listing}"
        for file in one.files if one.kind not in _WHOLE else ():
            yield f"    {_verb(file)} {escape(file.path)} {_digests(file)}"
        for signal in one.signals:
            yield f"    ! {escape(signal)}"
    yield changes_summary(changes)


def _markdown(changes: Sequence[SkillChange]) -> Iterator[str]:
    yield f"**{changes_summary(changes)}**"
    for one in changes:
        yield ""
        moved = f", was {code_span(one.old_path or '')}" if one.kind == "renamed" else ""
        yield f"- {one.kind} {code_span(one.path)}{moved}{_tokens(one)}"
        if listing := _listing(one):
            yield f"  - {listing}"
        for file in one.files[:_MOST_FILES] if one.kind not in _WHOLE else ():
            yield f"  - {_verb(file)} {code_span(file.path)} {_digests(file)}"
        if len(one.files) > _MOST_FILES and one.kind not in _WHOLE:
            yield f"  - and {len(one.files) - _MOST_FILES} more files"
        for signal in one.signals:
            yield f"  - look twice: {code_span(signal)}"


def _listing(one: SkillChange) -> str:
    """Whether the skill is in the listings now, where that is new or has another reason."""
    if one.kind == "removed" or one.old_reasons == one.new_reasons:
        return ""
    if not one.new_reasons:
        return "listed again"
    why = ", ".join(one.new_reasons)
    was_listed = one.kind != "added" and not one.old_reasons
    return f"no longer listed: {why}" if was_listed else f"not listed: {why}"


def code_span(text: str) -> str:
    """A code span no text can break out of."""
    return f"`{escape(text).replace('`', chr(39)) or ' '}`"


def _tokens(one: SkillChange) -> str:
    return f", {one.tokens:+,} tokens" if one.tokens and one.kind != "removed" else ""


def _verb(file: FileChange) -> str:
    if file.old is None:
        return "+"
    return "-" if file.new is None else "~"


def _digests(file: FileChange) -> str:
    return " -> ".join(digest.short if digest else "none" for digest in (file.old, file.new))


def _as_json(one: SkillChange) -> dict[str, object]:
    return {
        "kind": one.kind,
        "path": one.path,
        "oldPath": one.old_path,
        "oldDigest": str(one.old_digest) if one.old_digest else None,
        "newDigest": str(one.new_digest) if one.new_digest else None,
        "files": [
            {
                "path": file.path,
                "oldDigest": str(file.old) if file.old else None,
                "newDigest": str(file.new) if file.new else None,
            }
            for file in one.files
        ],
        "signals": list(one.signals),
        "tokens": one.tokens,
        "unlisted": {"old": list(one.old_reasons), "new": list(one.new_reasons)},
    }
