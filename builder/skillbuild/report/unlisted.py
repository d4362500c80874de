"""The skills that each listing omits, with the reasons and how to list them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from skillbuild.diagnostics import Severity, escape
from skillbuild.model import Listing, label
from skillbuild.report.run import UnlistedSkills
from skillbuild.rules import fields
from skillbuild.rules.registry import RULES, protects
from skillbuild.text.wording import are, plural, some

LIST_ALL = 'set listing = "all" in skillbuild.toml'
_FIXABLE = frozenset(
    rule.code
    for rule in (
        fields.METADATA_TYPE,
        fields.ALLOWED_TOOLS_TYPE,
        fields.COMPATIBILITY_TYPE,
        fields.DESCRIPTION_TOO_LONG,
    )
)
WHY = "FastMCP 4.1 or the TypeScript SDK rejects the whole list if one skill has such a problem"
FIRST_NAMED = 3
"""Number of skills of a listing that are named without -v."""


def unlisted_numbers(unlisted: UnlistedSkills, internal: Sequence[str]) -> Iterator[str]:
    """Yield text such as `3 not in discovery v0.1` for each listing that omits skills, and `1
    internal`.
    """
    for listing, skills in unlisted.items():
        yield f"{len(skills):,} not in {label(listing)}"
    if internal:
        yield f"{len(internal):,} internal"


def unlisted_lines(
    unlisted: UnlistedSkills, internal: Sequence[str], *, everything: bool, utf8: bool = False
) -> Iterator[str]:
    """Yield lines about each listing that omits skills: the omitted skills, the reasons, and how to
    list them.

    Only the first few skills of each listing are named. With `everything`, each omitted skill has
    its own line with its reasons, and a last line names the internal skills.
    """
    for listing, skills in unlisted.items():
        if everything:
            yield f"{head(listing, skills)}:"
            for path, codes in skills.items():
                yield f"    {escape(path, utf8=utf8)}: {', '.join(codes)}"
        else:
            shown = [escape(path, utf8=utf8) for path in skills]
            first = some(shown, FIRST_NAMED, " (list them with -v)")
            yield f"{head(listing, skills)}: {first}; reasons: {reasons(skills)}"
        if remedy := remedy_for(listing, skills):
            yield f"    hint: {remedy}"
    if everything and internal:
        names = ", ".join(escape(path, utf8=utf8) for path in internal)
        yield f"{are(len(internal))} internal and not in any list: {names}"


def head(listing: str, skills: Mapping[str, Sequence[str]]) -> str:
    """Return a heading such as `25 skills are left out of the MCP list`."""
    verb = "is" if len(skills) == 1 else "are"
    return f"{plural(len(skills), 'skill')} {verb} left out of {label(listing)}"


def reasons(skills: Mapping[str, Sequence[str]]) -> str:
    """Return the codes of rules, each with the number of skills that break it, most frequent
    first.
    """
    counts = Counter(code for codes in skills.values() for code in codes)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if len(skills) == 1:
        return ", ".join(code for code, _ in ordered)
    return ", ".join(f"{code} {number:,}" for code, number in ordered)


def remedy_for(listing: str, skills: Mapping[str, Sequence[str]]) -> str:
    """Return a hint about how to list the skills that a listing omits; empty if there is nothing to
    suggest.

    If all reasons are rules with the severity "note", the hint is to run `skillbuild explain`.
    """
    codes = {code for each in skills.values() for code in each}
    if all(code in RULES and RULES[code].severity == Severity.NOTE for code in codes):
        return f"run skillbuild explain {min(codes)}"
    if listing != Listing.MCP or not any(map(protects, codes)):
        return ""
    if codes.isdisjoint(_FIXABLE):
        return LIST_ALL
    unsafe = " --unsafe-fixes" if fields.DESCRIPTION_TOO_LONG.code in codes else ""
    return f"run skillbuild check --fix{unsafe}, or {LIST_ALL}"
