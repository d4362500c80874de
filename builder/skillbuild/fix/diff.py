"""Prints a plan as a unified diff that `git apply` can read."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator

from skillbuild.check.secrets import blanked
from skillbuild.fix.edits import Draft
from skillbuild.fix.plan import NewBit, NewText, Plan
from skillbuild.fix.proof import HIDDEN

_CONTEXT = 3
"""Number of unchanged lines around a change, as in git."""
_NO_LINE_END = "\\ No newline at end of file"


def diff_lines(plan: Plan, prefix: str) -> Iterator[str]:
    """Yield the lines of the diff, without line endings.

    `prefix` is the path from the repository to the source. If a file contains a secret, the content
    of the file is not shown.
    """
    drafts = {step.path: step.draft for step in plan.steps if isinstance(step, NewText)}
    bits = {step.path: step.executable for step in plan.steps if isinstance(step, NewBit)}
    for path in sorted({*drafts, *bits}):
        name = prefix + path
        yield f"diff --git {_quoted('a/' + name)} {_quoted('b/' + name)}"
        yield from _mode_lines(bits.get(path))
        if path in drafts:
            yield from _text_lines(drafts[path], name)


def _mode_lines(executable: bool | None) -> list[str]:
    match executable:
        case None:
            return []
        case True:
            return ["old mode 100644", "new mode 100755"]
        case False:
            return ["old mode 100755", "new mode 100644"]


def _text_lines(draft: Draft, path: str) -> Iterator[str]:
    """Yield the hunks; the text after the last edit is equal and not compared."""
    before, after = draft.original, draft.text
    if any(blanked(text.encode()) != text.encode() for text in (before, after)):
        yield HIDDEN
        return
    rest = before[max(edit.end for edit in draft.edits) :].split("\n", _CONTEXT + 1)
    same = len(rest[-1]) if len(rest) > _CONTEXT + 1 else 0
    olds, news = _lines(before[: len(before) - same]), _lines(after[: len(after) - same])
    for number, line in enumerate(difflib.unified_diff(olds, news, n=_CONTEXT)):
        if number < 2:
            name = f"a/{path}" if number == 0 else f"b/{path}"
            yield f"{line[:3]} {_quoted(name)}" + ("\t" if " " in name else "")
        else:
            text = line.removesuffix("\n")
            yield text
            if text == line:
                yield _NO_LINE_END


def _lines(text: str) -> list[str]:
    """Split a text into lines that keep their line endings; unlike in `str.splitlines`, only LF
    ends a line.
    """
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], lines[-1][:-1]] if lines[-1] != "\n" else lines[:-1]


def _quoted(path: str) -> str:
    """Quote a path as git does if it is not plain ASCII."""
    raw = os.fsencode(path)
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return path
    plain = (chr(b) if 0x20 <= b < 0x7F and b not in b'"\\' else f"\\{b:03o}" for b in raw)
    return f'"{"".join(plain)}"'
