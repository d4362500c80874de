"""Mends as lines for people, and as fields of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from skillbuild.diagnostics import escape
from skillbuild.fix.changes import Mend, Unmended
from skillbuild.fix.mending import NEEDS_UNSAFE
from skillbuild.fix.write import Fixed
from skillbuild.text.json import valid_text
from skillbuild.text.wording import plural


def lines(fixed: Fixed, prefix: str, *, utf8: bool) -> Iterator[str]:
    """`path:line: mended[code]: old -> new`, then `path:line: left[code]: reason`.

    What waits for `--unsafe-fixes` is counted at the end alone. `prefix` leads from the
    repository to the source; `utf8` is as for `escape`.
    """
    shown = partial(escape, utf8=utf8)
    for mend in fixed.mends:
        label = f"{'.'.join(map(str, mend.field))}: " if mend.field else ""
        old, new = shown(_bare(mend.old)), shown(_bare(mend.new))
        yield f"{shown(_where(mend, prefix))}: mended[{mend.code}]: {shown(label)}{old} -> {new}"
    for item in fixed.left:
        if item.reason != NEEDS_UNSAFE:
            yield f"{shown(_where(item, prefix))}: left[{item.code}]: {shown(item.reason)}"


def _bare(text: str) -> str:
    """A value as it is written; blanks alone are in quotes."""
    return text.strip() or (f'"{text}"' if text else "(nothing)")


def _where(item: Mend | Unmended, prefix: str) -> str:
    return prefix + item.path + (f":{item.line}" if item.line else "")


def numbers(fixed: Fixed, verb: str) -> str:
    """`3 mended in 2 files`, and how many more `--unsafe-fixes` would mend."""
    files = len({mend.path for mend in fixed.mends})
    text = f"{len(fixed.mends):,} {verb} in {plural(files, 'file')}"
    unsafe = sum(item.reason == NEEDS_UNSAFE for item in fixed.left)
    return f"{text}; {unsafe:,} more with --unsafe-fixes" if unsafe else text


def json_fields(fixed: Fixed, prefix: str) -> dict[str, object]:
    """`mends` and `left`, as `findings.schema.json` describes them."""
    return {
        "mends": [
            {
                **_place(mend, prefix),
                "field": list(mend.field),
                "old": valid_text(mend.old),
                "new": valid_text(mend.new),
                "value": mend.value,
            }
            for mend in fixed.mends
        ],
        "left": [{**_place(item, prefix), "reason": item.reason} for item in fixed.left],
    }


def _place(item: Mend | Unmended, prefix: str) -> dict[str, object]:
    return {"code": item.code, "path": valid_text(prefix + item.path), "line": item.line}
