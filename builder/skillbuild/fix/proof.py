"""Proves that an edited SKILL.md differs from the original only by the planned edits."""

from __future__ import annotations

import copy
import json

from skillbuild.check.secrets import blanked
from skillbuild.fix.edits import Draft
from skillbuild.fix.skill_text import SkillText
from skillbuild.model import Json
from skillbuild.report.json_reports import ReportedFix
from skillbuild.text.positions import place_at
from skillbuild.text.yaml.reader import KeyPath

HIDDEN = "(not shown: the file contains a secret)"
_EMPTY = '""'
"""The string that replaces an edited value if the original text cannot be parsed otherwise."""


def fault_of(draft: Draft) -> str:
    """Return why a draft must not be written; empty if the draft is proven correct.

    The frontmatter must be readable, and each edited value must be the planned value. All other
    fields, their order, and the body must be unchanged. If the original is not valid YAML, it is
    parsed with empty strings in place of the edited values.
    """
    before, after = SkillText(draft.original), SkillText(draft.text)
    if after.fields is None or after.split is None:
        return "the frontmatter would still be invalid"
    if before.split is not None and before.split.body != after.split.body:
        return "the body would change"
    fields = before.fields
    if fields is None:
        fields = SkillText(_with_gaps(draft)).fields
    expected: Json = copy.deepcopy(fields)
    for keys, value in _values(draft, after):
        if not keys or expected is None:
            return "the new value would be in the wrong place"
        expected = _replaced(expected, keys, value)
    if json.dumps(expected) != json.dumps(after.fields):
        return "another field would change"
    return ""


def _values(draft: Draft, after: SkillText) -> list[tuple[KeyPath, Json]]:
    """Return the key path of each new value in the text, and the value."""
    starts = zip(draft.edits, draft.starts(), strict=True)
    return [
        (after.keys_at.get(place_at(after.text, start), ()), edit.value)
        for edit, start in starts
        if edit.value is not None
    ]


def _with_gaps(draft: Draft) -> str:
    """Return the original text with an empty string in place of each new value."""
    parts, end = [], 0
    for edit in draft.edits:
        new = edit.new if edit.value is None else edit.new[: edit.value_at] + _EMPTY
        tail = edit.new[len(edit.new.rstrip()) :] if edit.value is not None else ""
        parts += [draft.original[end : edit.start], new, tail]
        end = edit.end
    return "".join([*parts, draft.original[end:]])


def _replaced(old: Json, keys: KeyPath, value: Json) -> Json:
    """Return `old` with another value at one key path; a new key comes first."""
    if not keys:
        return value
    key, *rest = keys
    match old:
        case dict() if key in old:
            old[str(key)] = _replaced(old[str(key)], tuple(rest), value)
        case dict() if not rest:
            return {str(key): value, **old}
        case list() if isinstance(key, int) and key < len(old):
            old[key] = _replaced(old[key], tuple(rest), value)
    return old


def declared(draft: Draft, path: str) -> list[ReportedFix]:
    """Return the changes for the report, in file order. If the file contains a secret, the values
    are omitted.
    """
    after = SkillText(draft.text)
    is_secret = any(
        blanked(text) != text for text in (draft.original.encode(), after.text.encode())
    )
    fixes = []
    for edit, start in zip(draft.edits, draft.starts(), strict=True):
        has_value = edit.value is not None
        keys = after.keys_at.get(place_at(after.text, start), ()) if has_value else ()
        line = place_at(draft.original, edit.start).line
        old = draft.original[edit.start : edit.end]
        if is_secret:
            fixes.append(ReportedFix(edit.code, path, line, (), HIDDEN, HIDDEN, None))
        else:
            fixes.append(ReportedFix(edit.code, path, line, keys, old, edit.new, edit.value))
    return fixes
