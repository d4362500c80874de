"""All rules of the project: code, severity, summary, and an explanation that says how to fix a
finding.

The codes are a public interface: `[rules]`, `explain`, SARIF and users' `[[ignore]]` entries refer
to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skillbuild.diagnostics import Rule
from skillbuild.model import INTERNAL, Listing, Unlisted
from skillbuild.rules import fields, files, frontmatter, plugins, source, trust

RULES: dict[str, Rule] = {
    rule.code: rule
    for group in (source, frontmatter, fields, files, plugins, trust)
    for rule in vars(group).values()
    if isinstance(rule, Rule)
}


def unlisted_by(codes: Iterable[str], written: Sequence[Listing], *, internal: bool) -> Unlisted:
    """Return the listings that leave a skill out, each with the reasons.

    `codes` are the rules that the skill breaks. `written` are the listings of the build, in order.
    """
    unlisted = {}
    for listing in written:
        met = {code for code in codes if listing in RULES[code].unlists}
        if reasons := sorted({*met, INTERNAL} if internal else met):
            unlisted[str(listing)] = tuple(reasons)
    return unlisted


def without_protection(unlisted: Unlisted) -> Unlisted:
    """Return `unlisted` without the reasons for which `protects` is true. A listing that has no
    other reasons is removed.
    """
    left = {
        listing: tuple(code for code in reasons if not protects(code))
        for listing, reasons in unlisted.items()
    }
    return {listing: reasons for listing, reasons in left.items() if reasons}


def protects(reason: str) -> bool:
    """Return whether a skill is omitted for this reason only because clients would otherwise reject
    the other skills, too.
    """
    return reason in RULES and RULES[reason].protects
