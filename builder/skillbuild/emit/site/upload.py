"""Reasons why claude.ai or the Skills API may reject a skill that is uploaded as a zip.

Most limits come from `quick_validate.py`, the check that Anthropic publishes with its skills. Two
limits come from Anthropic's documentation: a name must not contain a reserved word, and all files
of a skill together may have at most 30 MB.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbuild.model import Entry
from skillbuild.paths import is_skill_name
from skillbuild.release.frontmatter import LONGEST_DESCRIPTION, SPECIFIED_FIELDS
from skillbuild.source.names import RESERVED_WORD
from skillbuild.text.wording import human_size, joined, some

_LONGEST_COMPATIBILITY = 500
_LARGEST_UPLOAD = 30_000_000
"""Maximum bytes of all files that the Skills API accepts."""
_REPORTED_DESCRIPTION = 200
"""Length above which claude.ai refuses a description, according to reports of users."""
_MOST_NAMED = 5


def upload_faults(entry: Entry) -> Iterator[str]:
    """Yield the reasons why Anthropic's upload check rejects a skill, as phrases that follow
    `because of`.
    """
    name, description = entry.text("name"), entry.text("description")
    if not is_skill_name(name) or RESERVED_WORD.search(name):
        yield "its name"
    if len(description) > LONGEST_DESCRIPTION or set("<>") & set(description):
        yield "its description"
    if len(entry.text("compatibility")) > _LONGEST_COMPATIBILITY:
        yield "its compatibility"
    others = [key for key in entry.frontmatter if key not in SPECIFIED_FIELDS]
    if others:
        yield f"the {'field' if len(others) == 1 else 'fields'} {some(others, _MOST_NAMED)}"


def upload_remarks(entry: Entry) -> list[str]:
    """Return what people should know before they upload a skill, in whole sentences."""
    remarks = []
    if faults := list(upload_faults(entry)):
        remarks.append(f"Anthropic's upload check rejects this skill because of {joined(faults)}.")
    size = sum(item.size for item in entry.resources)
    if size > _LARGEST_UPLOAD:
        remarks.append(f"The Skills API accepts at most 30 MB; this skill is {human_size(size)}.")
    length = len(entry.text("description"))
    if length > _REPORTED_DESCRIPTION:
        remarks.append(
            f"claude.ai is reported to refuse descriptions of more than {_REPORTED_DESCRIPTION}"
            f" characters; this one has {length:,}."
        )
    return remarks
