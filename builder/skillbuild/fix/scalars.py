"""Mends of single values: quotes around what is read in several ways, or not at all."""

from __future__ import annotations

import json
import re
from itertools import takewhile

from skillbuild.fix.changes import Answer, Edit, Refusal
from skillbuild.fix.subject import SkillText, Subject
from skillbuild.model import Place
from skillbuild.release.frontmatter import LONGEST_DESCRIPTION
from skillbuild.text.frontmatter import FRONTMATTER_LINE
from skillbuild.text.utf16 import utf16_length
from skillbuild.text.yaml.remedies import Remedy
from skillbuild.text.yaml.syntax import working_remedy
from skillbuild.text.yaml.written import Style, Written

_WORD = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_NOT_TEXTS = frozenset(["metadata", "hooks"])
"""Fields that are mappings: a text with a colon in their place is not what was meant."""
_STRUCTURE = re.compile(r"\s*(?:- |#|[A-Za-z_][\w.-]*:(?:\s|$))", re.ASCII)
"""Begins a line that may be no continuation of the text above it."""
_BOOLEANS = {
    **dict.fromkeys(["true", "yes", "on", "y"], True),
    **dict.fromkeys(["false", "no", "off", "n"], False),
}
"""By what YAML 1.1 calls them, in lower case."""
_NULLS = frozenset(["", "~", "null"])
_SENTENCE_END = re.compile(r"(?<![0-9])(?<!e\.g)(?<!i\.e)[.!?][\"')\]]*(?=\s)|[\u3002\uff01\uff1f]")
"""No number of a list and no abbreviation; the last ones are those of Chinese and Japanese."""
_SHORTEST_CUT = LONGEST_DESCRIPTION // 4


def in_quotes(text: str) -> str:
    """A text in double quotes, as YAML and JSON both read it."""
    return json.dumps(text, ensure_ascii=False)


def quote_line(subject: Subject) -> Answer:
    """Quote the value that makes the frontmatter no YAML: it holds `: `, or begins like a list."""
    text, place = subject.skill_text, subject.finding.place
    if text is None or place is None or not text.lines:
        return None
    remedy = working_remedy(text.lines, place.line - FRONTMATTER_LINE)
    if remedy is None:
        return None
    if reason := _doubt(text.lines, remedy):
        return Refusal(reason)
    start = text.index(Place(remedy.start + FRONTMATTER_LINE, remedy.column + 1))
    last = text.lines[remedy.end - 1].rstrip().removesuffix(remedy.comment)
    end = text.index(Place(remedy.end - 1 + FRONTMATTER_LINE, len(last) + 1))
    return Edit(start, end, in_quotes(remedy.value), remedy.value)


def _doubt(lines: list[str], remedy: Remedy) -> str:
    """Why a remedy that works may not be what the author meant; empty for no reason."""
    first, *others = lines[remedy.start : remedy.end]
    indent = len(first) - len(first.lstrip())
    if not _WORD.fullmatch(remedy.key) or (indent == 0 and remedy.key in _NOT_TEXTS):
        return "it may be meant as a mapping"
    if first[remedy.column] in "'\"":
        return "it is not clear where the quotes end"
    if any(map(_STRUCTURE.match, others)):
        return "the lines below may be no continuation of the value"
    if remedy.comment and remedy.value.count('"') % 2:
        return "it is not clear where the value ends"
    if others and " # " in "\n".join([first, *others]):
        return "a comment stands in the value"
    return ""


def quote(subject: Subject) -> Answer:
    """Quote a plain value, or a key, as it is written."""
    text, place = subject.skill_text, subject.finding.place
    if text is None or place is None:
        return None
    if key := text.written.keys.get(place):
        return _quoted(text, key, None) if key.style is Style.PLAIN else None
    value = subject.value()
    return quoted_value(text, value) if value and value.style is Style.PLAIN else None


def _quoted(text: SkillText, written: Written, value: str | None) -> Edit:
    return text.edit(written, in_quotes(written.text), value)


def quoted_value(text: SkillText, value: Written) -> Edit | None:
    """Quote a plain value as it is written; None for one that says that there is no value."""
    if value.style is not Style.PLAIN or value.text.lower() in _NULLS:
        return None
    return _quoted(text, value, value.text)


def quote_number(subject: Subject) -> Answer:
    """Quote a number or a boolean where a text is wanted."""
    text, value = subject.skill_text, subject.value()
    return quoted_value(text, value) if text and value else None


def fit_client(subject: Subject) -> Answer:
    """Give a field the type that Copilot CLI wants: a text for `argument-hint`, else a boolean."""
    text, value = subject.skill_text, subject.value()
    if text is None or value is None:
        return None
    if subject.keys() != ("argument-hint",):
        truth = _BOOLEANS.get(value.text.lower())
        return None if truth is None else text.edit(value, str(truth).lower(), truth)
    if value.style is Style.PLAIN:
        return quoted_value(text, value)
    raw = text.raw(value)
    is_line = value.style is Style.LIST and raw.startswith("[") and "\n" not in raw
    return text.edit(value, in_quotes(raw), raw) if is_line else None


def _fits(description: str) -> bool:
    return utf16_length(description) <= LONGEST_DESCRIPTION


def cut_description(subject: Subject) -> Answer:
    """End the description with the last sentence that is within the limit."""
    text, value = subject.skill_text, subject.value()
    if text is None or value is None:
        return None
    raw = text.raw(value)
    if value.style in (Style.LITERAL, Style.FOLDED) and "#" in raw.partition("\n")[0]:
        return Refusal("a comment stands in the value")
    ends = (match.end() for match in _SENTENCE_END.finditer(value.text))
    fitting = list(takewhile(lambda end: _fits(value.text[:end]), ends))
    if not fitting or fitting[-1] < _SHORTEST_CUT:
        return Refusal("no sentence ends near the limit")
    short = value.text[: fitting[-1]]
    if raw == value.text:
        return text.edit(value, short, short, is_safe=False)
    mark = raw[0] if raw[1:-1] == value.text else ""
    new = f"{mark}{short}{mark}" if mark else in_quotes(short)
    return text.edit(value, new, short, is_safe=False)
