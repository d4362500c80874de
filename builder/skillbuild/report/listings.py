"""Which skills are not listed where, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from skillbuild.diagnostics import Rule
from skillbuild.model import OVER_MCP, label
from skillbuild.text.wording import joined

LIST_ALL = 'set listing = "all" in skillbuild.toml'


def labels(listings: Collection[str]) -> str:
    """The names of several listings."""
    return joined([label(listing) for listing in listings])


def unlisted_numbers(unlisted: Mapping[str, int], internal: int) -> Iterator[str]:
    """`3 not in discovery v0.1` for each listing that leaves out skills, and `1 internal`.

    The listings over MCP leave out the same skills, so they are named together.
    """
    over_mcp = {unlisted.get(listing, 0) for listing in OVER_MCP}
    is_same = len(over_mcp) == 1 and over_mcp != {0}
    if is_same:
        yield f"{over_mcp.pop():,} not in {labels(OVER_MCP)}"
    for listing, number in unlisted.items():
        if not (is_same and listing in OVER_MCP):
            yield f"{number:,} not in {label(listing)}"
    if internal:
        yield f"{internal:,} internal"


def unlisting_words(rule: Rule) -> str:
    """Which listings leave out a skill that meets the rule, and what changes that."""
    if not rule.unlists:
        return ""
    where = labels(rule.unlists)
    if not rule.protects:
        return f"Skills with it are not in {where}, until that is fixed."
    return (
        f"Skills with it are left out of {where}, where a client that cannot read them would drop"
        " all others too; every other listing has them. They are listed there once that is fixed,"
        f" if there are no others to protect, or if you {LIST_ALL}."
    )
