"""How a rule is written down: its explanation is one paragraph, whatever its line breaks.

A rule with `formats` matters only where one of them is written.
"""

from __future__ import annotations

from skillbuild.diagnostics import Rule, Severity


def error(code: str, summary: str, why: str) -> Rule:
    """A rule whose findings keep the skill from being published."""
    return Rule(code, Severity.ERROR, summary, " ".join(why.split()))


def note(code: str, summary: str, why: str, *, formats: tuple[str, ...] = ()) -> Rule:
    """A rule whose findings tell what single clients make of a skill that is as it should be."""
    return Rule(code, Severity.NOTE, summary, " ".join(why.split()), formats=formats)


def warning(
    code: str, summary: str, why: str, *, unlists: bool = False, formats: tuple[str, ...] = ()
) -> Rule:
    """A rule whose findings are published with the skill; with `unlists` in no listing."""
    return Rule(code, Severity.WARNING, summary, " ".join(why.split()), unlists, formats)
