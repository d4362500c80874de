"""What the page of a skill says first: that it is deprecated, and which listings leave it out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from skillbuild.config import Config
from skillbuild.emit.site.addresses import between, skill_page
from skillbuild.model import Entry, Listing, label
from skillbuild.rules.listing import protects, without_protection
from skillbuild.rules.registry import RULES
from skillbuild.source.outline import Outline
from skillbuild.text.wording import joined


def deprecation(entry: Entry, outline: Outline) -> Sequence[str]:
    """Why not to use a deprecated skill, and a link to the one to use, if that is published."""
    if entry.deprecated is None:
        return ()
    reason, use = entry.deprecated.reason.removesuffix("."), entry.deprecated.use
    if not use:
        return (f"Deprecated: {reason}.",)
    if use not in outline.successors:
        return (f"Deprecated: {reason}. Use {use} instead.",)
    address = between(skill_page(entry.path), skill_page(use))
    text = Markup('Deprecated: {}. Use <a href="{}">{}</a> instead.')
    return (text.format(reason, address, use),)


def notices(entry: Entry, config: Config) -> Sequence[str]:
    """One paragraph for all listings with the same reasons.

    A page is made before all skills are known. So of a skill that is left out for the sake of
    others it says when that is so.
    """
    if entry.is_internal:
        return ("Internal: no list, search or listing names it. It can be fetched by its address.",)
    unlisted = without_protection(entry.unlisted) if config.listing == "all" else entry.unlisted
    listings: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for listing, reasons in unlisted.items():
        listings[reasons].append(label(listing))
    return [_notice(joined(labels), reasons) for reasons, labels in listings.items()]


def _notice(where: str, reasons: Sequence[str]) -> str:
    if all(map(protects, reasons)):
        return (
            f"Some MCP clients cannot read this skill, as {_because(reasons)}, and would drop all"
            f" others with it. So {where} leave it out if they hold any that such a client can"
            " read. It can be fetched by its address."
        )
    final = [reason for reason in reasons if not protects(reason)]
    if where == label(Listing.DISCOVERY_01):
        return f"Installers that know only {where} do not see this skill, as {_because(final)}."
    return f"Not in {where}, as {_because(final)}."


def _because(reasons: Iterable[str]) -> str:
    return joined([RULES[reason].summary if reason in RULES else reason for reason in reasons])
