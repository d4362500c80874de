"""Makes rules from their code, a one-line summary, and an explanation with a remedy.

The explanation becomes one paragraph, whatever line breaks it has in the source.

A rule with `formats` matters only where one of them is written; one with `unlists` keeps the skill
out of these listings, whatever becomes of its findings.
"""

from __future__ import annotations

from skillbuild.diagnostics import Rule, Severity
from skillbuild.model import Listing

SPOILS = "the TypeScript SDK and FastMCP reject the whole MCP list for it"
"""What a message says of a skill that keeps clients from reading the others."""


def error(code: str, summary: str, why: str) -> Rule:
    """A rule whose findings keep the skill from being published."""
    return Rule(code, Severity.ERROR, summary, " ".join(why.split()))


def note(
    code: str,
    summary: str,
    why: str,
    *,
    unlists: tuple[Listing, ...] = (),
    formats: tuple[str, ...] = (),
) -> Rule:
    """A rule about what no client minds, or one alone."""
    return Rule(code, Severity.NOTE, summary, " ".join(why.split()), unlists, formats=formats)


def warning(
    code: str,
    summary: str,
    why: str,
    *,
    unlists: tuple[Listing, ...] = (),
    formats: tuple[str, ...] = (),
) -> Rule:
    """A rule about a skill that is published all the same."""
    return Rule(code, Severity.WARNING, summary, " ".join(why.split()), unlists, formats=formats)


def spoils_listings(code: str, summary: str, why: str) -> Rule:
    """A warning about a skill for which some MCP clients refuse the whole of `skills/list`.

    It is left out there as long as there are skills to protect, and none is with `listing = "all"`.
    """
    unlists = (Listing.MCP,)
    return Rule(code, Severity.WARNING, summary, " ".join(why.split()), unlists, protects=True)
