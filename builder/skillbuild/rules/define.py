"""Creates rules from a code, a one-line summary, and an explanation that says how to fix a finding.

The explanation becomes one paragraph; line breaks in the source do not matter. A rule with
`formats` applies only if the build writes one of these formats. The listings in `unlists` leave out
a skill that breaks the rule, even if the finding is silenced.
"""

from __future__ import annotations

from skillbuild.diagnostics import Rule, Severity
from skillbuild.model import Listing

_WHOLE_LIST = "the whole MCP list if one skill has this problem"
SPOILS = f"FastMCP and the TypeScript SDK reject {_WHOLE_LIST}"
"""The end of messages about a skill that keeps clients from reading any other skill."""
SPOILS_BY_VALUE = f"FastMCP 4.1 and the TypeScript SDK reject {_WHOLE_LIST}"
"""The same for values of `metadata`; FastMCP 4.2 accepts any value."""
SPOILS_BY_TOOLS = f"FastMCP rejects {_WHOLE_LIST}"
"""The same for `allowed-tools`, which the TypeScript SDK ignores."""
SPOILS_BY_TOOL_LIST = f"FastMCP 4.1 rejects {_WHOLE_LIST}"
"""The same for a list of strings in `allowed-tools`, which FastMCP 4.2 accepts."""


def error(code: str, summary: str, why: str) -> Rule:
    """Create a rule whose findings keep the skill from being published."""
    return Rule(code, Severity.ERROR, summary, " ".join(why.split()))


def note(
    code: str,
    summary: str,
    why: str,
    *,
    unlists: tuple[Listing, ...] = (),
    formats: tuple[str, ...] = (),
) -> Rule:
    """Create a rule for notes: findings that affect at most one client."""
    return Rule(code, Severity.NOTE, summary, " ".join(why.split()), unlists, formats=formats)


def warning(
    code: str,
    summary: str,
    why: str,
    *,
    unlists: tuple[Listing, ...] = (),
    formats: tuple[str, ...] = (),
) -> Rule:
    """Create a rule whose findings do not keep the skill from being published."""
    return Rule(code, Severity.WARNING, summary, " ".join(why.split()), unlists, formats=formats)


def spoils_listings(code: str, summary: str, why: str) -> Rule:
    """Create a warning rule for a skill that makes some MCP clients reject the whole result of
    `skills/list`.

    The list omits such a skill, unless no other skill would be left in the list, or the settings
    have `listing = "all"`.
    """
    unlists = (Listing.MCP,)
    return Rule(code, Severity.WARNING, summary, " ".join(why.split()), unlists, protects=True)
