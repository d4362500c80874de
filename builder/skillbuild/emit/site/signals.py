"""What stands out in a skill, in the few words that lists and filters show."""

from __future__ import annotations

from collections.abc import Iterator

from skillbuild.emit.site.facts import Facts
from skillbuild.text.wording import plural

DEPRECATED = "deprecated"
"""The signal that the settings give."""
LOUD = ("runs commands when loaded", "hooks", "invisible text", DEPRECATED)
"""Signals that ask for a look at the skill before it is installed."""
CONTENTS = (
    *LOUD,
    *("has scripts", "no scripts", "declares tools", "declares no tools"),
)
"""All values of the facet `contents`, in the order in which they are shown."""


def signals_of(facts: Facts) -> Iterator[str]:
    """The signals on the card of a skill, loud ones first."""
    if facts.expansions:
        yield "runs commands when loaded"
    if facts.hooks:
        yield "hooks"
    if facts.invisible:
        yield "invisible text"
    if facts.programs:
        yield plural(len(facts.programs), "script")
    binaries = sum(not fact.detail.startswith("image/") for fact in facts.binaries)
    if binaries:
        yield f"{binaries:,} binar" + ("y" if binaries == 1 else "ies")
    if facts.tools is not None:
        yield "declares tools"


def contents_of(facts: Facts) -> Iterator[str]:
    """The values that a skill has in the facet `contents`."""
    yield from (signal for signal in signals_of(facts) if signal in LOUD)
    yield "has scripts" if facts.programs else "no scripts"
    yield "declares no tools" if facts.tools is None else "declares tools"
