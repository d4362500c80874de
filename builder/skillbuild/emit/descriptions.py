"""The description of a skill in the formats that limit its length."""

from __future__ import annotations

from skillbuild.model import Entry
from skillbuild.release.frontmatter import LONGEST_DESCRIPTION
from skillbuild.text.utf16 import utf16_start


def short_description(entry: Entry) -> str:
    """As much of the description as clients take; they drop an entry with more, or refuse it."""
    return utf16_start(entry.text("description"), LONGEST_DESCRIPTION)
