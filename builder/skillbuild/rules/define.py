"""Makes rules from their code, a one-line summary, and an explanation with a remedy.

The explanation becomes one paragraph, whatever line breaks it has in the source.

A rule with `formats` matters only where one of them is written.
"""

from __future__ import annotations

from skillbuild.diagnostics import Rule, Severity


def error(code: str, summary: str, why: str) -> Rule:
    """A rule whose findings keep the skill from being published."""
    return Rule(code, Severity.ERROR, summary, " ".join(why.split()))


def note(code: str, summary: str, why: str, *, formats: tuple[str, ...] = ()) -> Rule:
    """A rule about a skill that meets the specification, but that one client does not take."""
    return Rule(code, Severity.NOTE, summary, " ".join(why.split()), formats=formats)


def warning(
    code: str, summary: str, why: str, *, unlists: bool = False, formats: tuple[str, ...] = ()
) -> Rule:
    """A rule about a skill that is published all the same; with `unlists`, it is not listed."""
    return Rule(code, Severity.WARNING, summary, " ".join(why.split()), unlists, formats)
