"""Which listings leave out a skill, by the rules that it meets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skillbuild.diagnostics import Rule
from skillbuild.model import INTERNAL, Listing, Unlisted
from skillbuild.rules.registry import RULES


def unlisted_by(rules: Iterable[Rule], written: Sequence[Listing], *, internal: bool) -> Unlisted:
    """The reasons of one skill by listing; `written` are the listings of the build, in order."""
    unlisted = {}
    met = sorted(rules, key=lambda rule: rule.code)
    for listing in written:
        codes = [rule.code for rule in met if listing in rule.unlists]
        if reasons := sorted({*codes, INTERNAL} if internal else {*codes}):
            unlisted[str(listing)] = tuple(reasons)
    return unlisted


def without_protection(unlisted: Unlisted) -> Unlisted:
    """The reasons that are left where no other skill has to be protected."""
    left = {
        listing: tuple(code for code in reasons if not protects(code))
        for listing, reasons in unlisted.items()
    }
    return {listing: reasons for listing, reasons in left.items() if reasons}


def protects(reason: str) -> bool:
    """Whether a skill is left out for this reason for the sake of other skills."""
    return reason in RULES and RULES[reason].protects
