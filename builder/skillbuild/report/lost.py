"""Formats lines about lost skills, with the reasons. A lost skill was in the last release and is
gone from this one, or is no longer in the MCP list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from skillbuild.diagnostics import escape
from skillbuild.model import LostSkill
from skillbuild.report.unlisted import reasons
from skillbuild.text.wording import plural, some

FIRST_NAMED = 3
"""Number of skills that are named without `-v`."""
_WORDS = {
    "dot-directory": "below dot-directories",
    "excluded": "excluded",
    "internal": "internal",
    "invalid": "invalid",
    "junk": "in folders that are never searched",
    "link": "replaced by links",
    "moved": "moved without [moved]",
    "output": "in outputs",
    "outside roots": "outside roots",
    "removed": "no longer in the source",
    "special": "replaced by special files",
    "submodule": "replaced by submodules",
}
"""For each reason, the words for one skill and for several skills."""


def reason_words(reason: str) -> str:
    """Return the text shown for the code of a reason, such as `in outputs` for `output`."""
    return _WORDS.get(reason, reason)


def gone_head(gone: Sequence[LostSkill]) -> str:
    """Return the heading for lost skills, such as `165 skills from the last release are gone`."""
    return f"{_of_last(len(gone))} gone"


def gone_reasons(gone: Sequence[LostSkill]) -> str:
    """Return the reasons with their counts, the most frequent first: `below dot-directories 160,
    invalid 5`.
    """
    counts = Counter(reason_words(each.reason) for each in gone)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if len(ordered) == 1:
        return ordered[0][0]
    return ", ".join(f"{reason} {number:,}" for reason, number in ordered)


def why(lost: LostSkill) -> str:
    """Return why one skill is gone, with its new path or the rules that it breaks."""
    details = f" to {lost.to}" if lost.to else f": {', '.join(lost.rules)}" if lost.rules else ""
    return reason_words(lost.reason) + details


def delisted_head(delisted: Sequence[str]) -> str:
    """Return the heading for skills that left the MCP list, such as `92 skills from the last
    release are no longer in the MCP list`.
    """
    return f"{_of_last(len(delisted))} no longer in the MCP list"


def lost_lines(
    gone: Sequence[LostSkill],
    delisted: Sequence[str],
    unlisted: Mapping[str, Sequence[str]],
    *,
    everything: bool = False,
    how: str = "",
    utf8: bool = False,
) -> Iterator[str]:
    """Yield a line about the skills that are gone, and one about skills that left the MCP list.

    `unlisted` maps the path of a skill to the codes of the rules that keep it out of the MCP list.
    Only the first skills are named, and `how` says how to see the others. With `everything`, each
    skill that is gone has a line with its reason.
    """
    if delisted:
        codes = {path: unlisted.get(path, ()) for path in delisted}
        named = some([escape(path, utf8=utf8) for path in delisted], FIRST_NAMED, how)
        yield f"{delisted_head(delisted)}: {named}; reasons: {reasons(codes)}"
    if gone and everything:
        yield f"{gone_head(gone)}:"
        for each in gone:
            yield f"    {escape(each.path, utf8=utf8)}: {escape(why(each), utf8=utf8)}"
    elif gone:
        named = some([escape(each.path, utf8=utf8) for each in gone], FIRST_NAMED, how)
        yield f"{gone_head(gone)}: {named}; {escape(gone_reasons(gone), utf8=utf8)}"


def _of_last(number: int) -> str:
    return f"{plural(number, 'skill')} from the last release {'is' if number == 1 else 'are'}"
