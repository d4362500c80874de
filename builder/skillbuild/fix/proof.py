"""Proof that an edited SKILL.md says what it said before, but for the declared edits."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

from skillbuild.check.secrets import blanked
from skillbuild.fix.edits import Draft, Fix
from skillbuild.fix.skill_text import SkillText
from skillbuild.model import Json
from skillbuild.text.positions import place_at
from skillbuild.text.yaml.reader import KeyPath

HIDDEN = "(not shown: the file holds a secret)"
_EMPTY = '""'
"""Stands for an edited value where the text before cannot be read otherwise."""


def fault_of(draft: Draft) -> str:
    """Why a draft may not be written; empty if it is proved.

    The frontmatter can be read, each edited value is the one that is declared, and every other
    field, the order of all, and the body are as before. What was no YAML is compared without the
    edited values.
    """
    before, after = SkillText(draft.original), SkillText(draft.text)
    if after.fields is None or after.split is None:
        return "the frontmatter would still not be readable"
    if before.split is not None and before.split.body != after.split.body:
        return "the body would change"
    fields = before.fields
    if fields is None:
        fields = SkillText(_with_gaps(draft)).fields
    expected: Json = copy.deepcopy(fields)
    for keys, value in _values(draft, after):
        if not keys or expected is None:
            return "the new value is not where it should be"
        expected = _replaced(expected, keys, value)
    if json.dumps(expected) != json.dumps(after.fields):
        return "another field would change"
    return ""


def _values(draft: Draft, after: SkillText) -> list[tuple[KeyPath, Json]]:
    """The keys that lead to each new value in the text, and the value."""
    starts = zip(draft.edits, draft.starts(), strict=True)
    return [
        (after.keys_at.get(place_at(after.text, start), ()), edit.value)
        for edit, start in starts
        if edit.value is not None
    ]


def _with_gaps(draft: Draft) -> str:
    """The text with an empty text in the place of each new value, all else as it was."""
    parts, end = [], 0
    for edit in draft.edits:
        new = edit.new if edit.value is None else edit.new[: edit.value_at] + _EMPTY
        tail = edit.new[len(edit.new.rstrip()) :] if edit.value is not None else ""
        parts += [draft.original[end : edit.start], new, tail]
        end = edit.end
    return "".join([*parts, draft.original[end:]])


def _replaced(old: Json, keys: KeyPath, value: Json) -> Json:
    """`old` with another value at one place, changed where it is; a key that is new comes first."""
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


def declared(draft: Draft, path: str) -> list[Fix]:
    """What is declared of each edit, in the order of the file; no values if it holds a secret."""
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
        fix = Fix(edit.code, path, line, old, edit.new, keys, edit.value)
        hidden = replace(fix, old=HIDDEN, new=HIDDEN, field=(), value=None)
        fixes.append(hidden if is_secret else fix)
    return fixes
