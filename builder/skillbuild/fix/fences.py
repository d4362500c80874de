"""Mends of a SKILL.md whose frontmatter is not seen as such: byte order mark and fences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbuild.fix.changes import Answer, Edit, Refusal
from skillbuild.fix.subject import SkillText, Subject

_BLANKS = re.compile(r"[ \t]+(?=\r?(?:\n|\Z))")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_FIELD = re.compile(r"[A-Za-z_][\w-]*:(?:\s|\Z)", re.ASCII)
_DASHES = re.compile(r"-{4,}[ \t]*\Z")
_UNCLEAR = Refusal("it is not clear where the frontmatter ends")


def remove_mark(subject: Subject) -> Answer:
    """Remove the byte order mark that a file begins with."""
    text = subject.skill_text
    return Edit(0, 1, "") if text and text.text.startswith("\ufeff") else None


def trim_fence(subject: Subject) -> Answer:
    """Remove the blanks behind the dashes of a fence; nobody can tell what lone CRs mean."""
    text, place = subject.skill_text, subject.finding.place
    if text is None or place is None:
        return None
    blanks = _BLANKS.match(text.text, text.index(place))
    return Edit(blanks.start(), blanks.end(), "") if blanks else Refusal("it ends lines with CR")


def close_fence(subject: Subject) -> Answer:
    """Add the closing fence where the fields end.

    They end at a line of more dashes, at the end of the file, or where a heading follows, with or
    without a blank line before it; a name and a description must stand before. A heading right
    above a field is a comment of YAML, so what follows may be more fields.
    """
    if subject.skill_text is None:
        return None
    text = subject.skill_text.text
    start = text.find("\n") + 1
    if not start:
        return _UNCLEAR
    lines = text[start:].split("\n")
    number = next((number for number, line in enumerate(lines) if _ends_fields(line)), len(lines))
    dashes = lines[number].removesuffix("\r") if number < len(lines) else ""
    index = start + sum(len(line) + 1 for line in lines[:number])
    rest = next((line for line in lines[number:] if line.strip()), "")
    if _DASHES.match(dashes):
        edit = Edit(index, index + len(dashes), "---")
    elif not rest or (_HEADING.match(rest) and not _goes_on(lines[number:])):
        line_end = subject.skill_text.line_end
        is_open = index > len(text)
        index = min(index, len(text))
        edit = Edit(index, index, f"{line_end}---{line_end}" if is_open else f"---{line_end}")
    else:
        return _UNCLEAR
    mended = SkillText(text[: edit.start] + edit.new + text[edit.end :])
    texts = [(mended.fields or {}).get(key) for key in ("name", "description")]
    return edit if all(isinstance(value, str) for value in texts) else _UNCLEAR


def _goes_on(lines: Sequence[str]) -> bool:
    """Whether the first of these lines that is no heading and not blank is a field below one."""
    before = ""
    for line in lines:
        if line.strip() and not _HEADING.match(line):
            return bool(before.strip() and _FIELD.match(line))
        before = line
    return False


def _ends_fields(line: str) -> bool:
    """Whether no field goes on at this line."""
    bare = line.removesuffix("\r")
    return not bare.strip() or bool(_HEADING.match(bare) or _DASHES.match(bare))
