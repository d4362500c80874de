"""The page that compares skills, and what it loads of each: a script with its facts.

The page itself names no skill, so it stays as it is whatever they say.
"""

from __future__ import annotations

from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.site import licenses
from skillbuild.emit.site.addresses import compared_row
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Entry, Listing, OutputFile
from skillbuild.release.frontmatter import declared_version
from skillbuild.text.json import json_line

PAGE = "compare/index.html"
_START = b"skillbuild.row="
_MOST_NAMES = 30
_LONGEST = 1_024


def emit(theme: Theme) -> OutputFile:
    """The page, which a script fills."""
    return render(theme, "compare.html", PAGE)


def row(theme: Theme, entry: Entry, emitted: EmittedSkill) -> OutputFile:
    """What is compared of one skill; the script names the fields."""
    facts, card = emitted.facts, emitted.card
    description = " ".join(entry.text("description").split())
    fields = {
        "path": entry.path,
        "title": entry.title,
        "description": description[:_LONGEST] + ("\u2026" * (len(description) > _LONGEST)),
        "license": licenses.label(entry),
        "tools": None if facts.tools is None else facts.tools[:_MOST_NAMES],
        "signals": card.signals,
        "programs": len(facts.programs),
        "codeHosts": [fact.label for fact in facts.hosts_in_code[:_MOST_NAMES]],
        "textHosts": [fact.label for fact in facts.hosts_in_text[:_MOST_NAMES]],
        "files": len(entry.resources),
        "listing": facts.listing_tokens,
        "body": facts.body_tokens,
        "all": facts.all_tokens,
        "version": declared_version(entry.frontmatter) or "",
        "versions": len(emitted.versions),
        "date": card.date,
        "npx": theme.discovery and entry.is_listed(Listing.DISCOVERY_02),
    }
    return OutputFile(compared_row(entry.path), _START + json_line(fields) + b"\n")
