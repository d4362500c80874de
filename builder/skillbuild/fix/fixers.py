"""Fixes the findings of each fixable rule, with one function for each rule.

A function returns an edit, or a reason why the finding is not fixed. It returns None if problems of
this kind are never fixed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from skillbuild.check.fields import any_patterns, has_blank_outside, holds_patterns, separator
from skillbuild.diagnostics import Rule
from skillbuild.fix.edits import Edit, Refusal
from skillbuild.fix.skill_text import Problem, SkillText
from skillbuild.model import Place
from skillbuild.release.frontmatter import LONGEST_DESCRIPTION
from skillbuild.rules import fields, files, frontmatter
from skillbuild.source.names import RESERVED_WORD, slug
from skillbuild.text.frontmatter import FRONTMATTER_LINE
from skillbuild.text.positions import utf16_length
from skillbuild.text.yaml.syntax import LostBreak, Remedy, lost_break, working_remedy
from skillbuild.text.yaml.written import Style, Written

Answer = Edit | Refusal | None

_BLANKS = re.compile(r"[ \t]+(?=\r?(?:\n|\Z))")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_FIELD = re.compile(r"[A-Za-z_][\w-]*:(?:\s|\Z)", re.ASCII)
_DASHES = re.compile(r"-{4,}[ \t]*\Z")
_UNCLEAR = Refusal("the end of the frontmatter is unclear")


def remove_mark(problem: Problem) -> Answer:
    """Remove the byte order mark at the start of the file."""
    return Edit(0, 1, "") if problem.text.text.startswith("\ufeff") else None


def trim_fence(problem: Problem) -> Answer:
    """Remove spaces after the dashes of a line that opens or closes the frontmatter."""
    text, place = problem.text, problem.finding.place
    blanks = _BLANKS.match(text.text, text.index(place)) if place else None
    return Edit(blanks.start(), blanks.end(), "") if blanks else None


def close_fence(problem: Problem) -> Answer:
    """Add the missing `---` line after the fields of the frontmatter.

    The fields end at a line of more than three dashes, before a heading, or at the end of the file.
    Name and description must be among the fields. A heading directly above a field is a YAML
    comment, so it does not end the fields.
    """
    text = problem.text.text
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
        line_end = problem.text.line_end
        is_open = index > len(text)
        index = min(index, len(text))
        edit = Edit(index, index, f"{line_end}---{line_end}" if is_open else f"---{line_end}")
    else:
        return _UNCLEAR
    closed = SkillText(text[: edit.start] + edit.new + text[edit.end :])
    texts = [(closed.fields or {}).get(key) for key in ("name", "description")]
    return edit if all(isinstance(value, str) for value in texts) else _UNCLEAR


def _goes_on(lines: Sequence[str]) -> bool:
    """Return whether the first line that is neither blank nor a heading is a field directly below a
    heading.
    """
    before = ""
    for line in lines:
        if line.strip() and not _HEADING.match(line):
            return bool(before.strip() and _FIELD.match(line))
        before = line
    return False


def _ends_fields(line: str) -> bool:
    """Return whether the fields cannot continue at this line."""
    bare = line.removesuffix("\r")
    return not bare.strip() or bool(_HEADING.match(bare) or _DASHES.match(bare))


_WORD = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_NOT_TEXTS = frozenset(["metadata", "hooks"])
"""Fields that are mappings, so a colon in them is not part of a string."""
_STRUCTURE = re.compile(r"\s*(?:- |#|[A-Za-z_][\w.-]*:(?:\s|$))", re.ASCII)
"""The start of a line that may not continue the text above it."""
_BOOLEANS = {
    **dict.fromkeys(["true", "yes", "on", "y"], True),
    **dict.fromkeys(["false", "no", "off", "n"], False),
}
"""YAML 1.1 names of booleans, in lower case."""
_NULLS = frozenset(["", "~", "null"])
_SENTENCE_END = re.compile(r"(?<![0-9])(?<!e\.g)(?<!i\.e)[.!?][\"')\]]*(?=\s)|[\u3002\uff01\uff1f]")
"""The end of a sentence, but not of a list number or an abbreviation; also in Chinese and
Japanese.
"""
_SHORTEST_CUT = LONGEST_DESCRIPTION // 4


def in_quotes(text: str) -> str:
    """Return a text in double quotes, valid in both YAML and JSON."""
    return json.dumps(text, ensure_ascii=False)


def quote_line(problem: Problem) -> Answer:
    """Quote a value that makes the frontmatter invalid YAML, because the value contains `: ` or
    looks like a list.

    If another field seems to follow on the same line, the line is split before that field. Such a
    split is a guess.
    """
    text, place = problem.text, problem.finding.place
    if place is None or not text.lines:
        return None
    remedy = working_remedy(text.lines, place.line - FRONTMATTER_LINE)
    if remedy is None:
        return None
    if reason := _doubt(text.lines, remedy):
        return Refusal(reason)
    start = text.index(Place(remedy.start + FRONTMATTER_LINE, remedy.column + 1))
    if lost := lost_break(text.lines, remedy):
        return _split(text, start, text.lines[remedy.start], lost)
    last = text.lines[remedy.end - 1].rstrip().removesuffix(remedy.comment)
    end = text.index(Place(remedy.end - 1 + FRONTMATTER_LINE, len(last) + 1))
    return Edit(start, end, in_quotes(remedy.value), remedy.value)


def _split(text: SkillText, start: int, first: str, lost: LostBreak) -> Answer:
    """End the value that begins at `start`, in the line `first`, before the next field."""
    end = text.index(Place(lost.line + FRONTMATTER_LINE, lost.column + 1))
    value = " ".join(line.strip() for line in text.text[start:end].splitlines()).strip()
    if not value:
        return Refusal(f"the value begins with another field, {lost.field}")
    indent = " " * (len(first) - len(first.lstrip(" -")))
    return Edit(start, end, f"{in_quotes(value)}{text.line_end}{indent}", value, is_safe=False)


def _doubt(lines: list[str], remedy: Remedy) -> str:
    """Return why a working remedy may not be what the author meant; empty if there is no doubt."""
    first, *others = lines[remedy.start : remedy.end]
    indent = len(first) - len(first.lstrip())
    if not _WORD.fullmatch(remedy.key) or (indent == 0 and remedy.key in _NOT_TEXTS):
        return "the value may be intended as a mapping"
    if first[remedy.column] in "'\"":
        return "it is unclear where the quoted text ends"
    if any(map(_STRUCTURE.match, others)):
        return "the lines below may not belong to the value"
    if remedy.comment and remedy.value.count('"') % 2:
        return "the end of the value is unclear"
    if others and " # " in "\n".join([first, *others]):
        return "the value contains a comment"
    return ""


def quote(problem: Problem) -> Answer:
    """Put a plain value or key in quotes, without changing its characters."""
    text, place = problem.text, problem.finding.place
    if place is not None and (key := text.written.keys.get(place)):
        return text.edit(key, in_quotes(key.text), None) if key.style is Style.PLAIN else None
    return _quoted_value(text, problem.value) if problem.value else None


def quote_value(problem: Problem) -> Answer:
    """Put a plain scalar in quotes.

    Only values are quoted. A finding about a mapping points to the first key of the mapping, and
    keys must stay unchanged.
    """
    return _quoted_value(problem.text, problem.value) if problem.value else None


def _quoted_value(text: SkillText, value: Written) -> Edit | None:
    """Return the edit that quotes a plain value as it is written; None if the value stands for
    null.
    """
    if value.style is not Style.PLAIN or value.text.lower() in _NULLS:
        return None
    return text.edit(value, in_quotes(value.text), value.text)


def fit_client(problem: Problem) -> Answer:
    """Give a field the type that Copilot CLI requires: a string for `argument-hint`, a boolean for
    any other field.
    """
    text, value = problem.text, problem.value
    if value is None:
        return None
    if problem.keys != ("argument-hint",):
        truth = _BOOLEANS.get(value.text.lower())
        return None if truth is None else text.edit(value, str(truth).lower(), truth)
    if value.style is Style.PLAIN:
        return _quoted_value(text, value)
    raw = text.raw(value)
    is_line = value.style is Style.LIST and raw.startswith("[") and "\n" not in raw
    return text.edit(value, in_quotes(raw), raw) if is_line else None


def _fits(description: str) -> bool:
    return utf16_length(description) <= LONGEST_DESCRIPTION


def cut_description(problem: Problem) -> Answer:
    """Cut the description after the last sentence that ends within the limit."""
    text, value = problem.text, problem.value
    if value is None:
        return None
    raw = text.raw(value)
    if value.style in (Style.LITERAL, Style.FOLDED) and "#" in raw.partition("\n")[0]:
        return Refusal("the value contains a comment")
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


_PLAIN_WORD = re.compile(r"[^\s,]+")
_BETWEEN = re.compile(r"[\s,\[\]-]*")
_SCALARS = frozenset([Style.PLAIN, Style.SINGLE, Style.DOUBLE])


def join_tools(problem: Problem) -> Answer:
    """Turn a list of tools into one space-separated string, as the Agent Skills specification
    requires.
    """
    value = problem.value
    if value is None or value.style is not Style.LIST:
        return None
    words = [item.text for item in value.items]
    if any(map(has_blank_outside, words)):
        return Refusal("the name of a tool contains a space")
    is_plain = all(map(_PLAIN_WORD.fullmatch, words))
    return _joined(problem.text, value, " ", is_safe=is_plain)


def fit_metadata(problem: Problem) -> Answer:
    """Turn a value in `metadata` into a string: quote a number or boolean, or join the items of a
    list with commas or semicolons.
    """
    text, value = problem.text, problem.value
    if value is None or len(problem.keys) != 2:
        return None
    if value.style is Style.LIST:
        metadata = (text.fields or {}).get("metadata")
        if holds_patterns([item.text for item in value.items]):
            return Refusal("the items are globs or regular expressions")
        if isinstance(metadata, dict) and any_patterns(metadata):
            return Refusal("another list in metadata contains globs or regular expressions")
        between = separator(item.text for item in value.items)
        return _joined(problem.text, value, between, is_safe=False)
    return _quoted_value(text, value)


def _joined(text: SkillText, value: Written, between: str, *, is_safe: bool) -> Answer:
    """Return the edit that writes the items as one string; it begins after the colon of the key."""
    if value.key_end is None or not value.items:
        return None
    if any(item.style not in _SCALARS or not item.text.strip() for item in value.items):
        return None
    start, end = text.index(value.key_end), text.index(value.end)
    places = [place for item in value.items for place in (item.start, item.end)]
    marks = [start, *map(text.index, places)]
    gaps = [text.text[a:b] for a, b in zip(marks[::2], [*marks[1::2], end], strict=True)]
    before = gaps[0].lstrip()
    if not before.startswith(":") or not all(
        map(_BETWEEN.fullmatch, [before.removeprefix(":"), *gaps[1:]])
    ):
        return Refusal("the list contains a comment")
    colon = start + len(gaps[0]) - len(before) + 1
    joined = between.join(item.text for item in value.items)
    return Edit(colon, end, f" {in_quotes(joined)}", joined, value_at=1, is_safe=is_safe)


def take_folder_name(problem: Problem) -> Answer:
    """Replace a name that is a title, such as `My Skill`, with the directory name `my-skill`."""
    text, value, folder = problem.text, problem.value, problem.folder
    if value is None or not folder or slug(value.text) != folder:
        return None
    if word := RESERVED_WORD.search(folder):
        return Refusal(f"{folder} contains {word[0]}, which Claude refuses")
    if problem.is_taken:
        return Refusal(f"{folder} is also the name or the directory of another skill")
    new = value.style.value + folder + value.style.value
    is_quoted = value.style in (Style.SINGLE, Style.DOUBLE)
    return text.edit(value, new if is_quoted else folder, folder, is_safe=False)


def add_name(problem: Problem) -> Answer:
    """Add the directory name as the name of the skill."""
    text, folder = problem.text, problem.folder
    if text.fields is None or "name" in text.fields or not folder:
        return None
    start = text.text.index("\n") + 1
    new = f"name: {folder}{text.line_end}"
    return Edit(start, start, new, folder, value_at=len("name: "), is_safe=False)


_NOT_PLAIN = "only plain values and keys can be quoted"

_BY_RULE: Sequence[tuple[Rule, Callable[[Problem], Answer], str]] = (
    (
        frontmatter.BYTE_ORDER_MARK,
        remove_mark,
        "the byte order mark is not the first character of the file",
    ),
    (frontmatter.FRONTMATTER_FENCE, trim_fence, _UNCLEAR.reason),
    (frontmatter.FRONTMATTER_UNCLOSED, close_fence, _UNCLEAR.reason),
    (frontmatter.YAML_UNQUOTED_COLON, quote_line, "quotes alone do not make it valid YAML"),
    (frontmatter.YAML_INVALID, quote_line, "quotes alone do not make it valid YAML"),
    (frontmatter.YAML_NUMBER, quote, _NOT_PLAIN),
    (frontmatter.YAML_KEY_TYPE, quote, _NOT_PLAIN),
    (
        fields.METADATA_TYPE,
        fit_metadata,
        "only a single value or a list of single values can become a string",
    ),
    (fields.FIELD_TYPE, fit_client, "it is unclear which value is intended"),
    (fields.ALLOWED_TOOLS_TYPE, join_tools, "only a list of names can become a string"),
    (fields.NAME_TYPE, quote_value, _NOT_PLAIN),
    (fields.DESCRIPTION_TYPE, quote_value, _NOT_PLAIN),
    (fields.COMPATIBILITY_TYPE, quote_value, _NOT_PLAIN),
    (frontmatter.YAML_AMBIGUOUS, quote, _NOT_PLAIN),
    (frontmatter.YAML_FLOAT, quote, _NOT_PLAIN),
    (frontmatter.YAML_INTEGER, quote, _NOT_PLAIN),
    (fields.DESCRIPTION_TOO_LONG, cut_description, "no sentence ends near the limit"),
    (fields.NAME_MISSING, add_name, "the directory name is not a valid skill name"),
    (
        fields.NAME_INVALID,
        take_folder_name,
        "the directory has a different name",
    ),
)
"""Each fixable rule, its fixer, and the reason reported if the fixer returns None.

If two findings are about one value, the rule that comes first here fixes it.
"""

FIXERS: Mapping[str, Callable[[Problem], Answer]] = {
    rule.code: fixer for rule, fixer, _ in _BY_RULE
}
NEVER_FIXED: Mapping[str, str] = {rule.code: reason for rule, _, reason in _BY_RULE}
"""The reason reported when the fixer returns None, by rule code."""

EXECUTABLE: Mapping[str, bool] = {
    files.EXEC_MARKDOWN.code: False,
    files.SCRIPT_NOT_EXECUTABLE.code: True,
    files.SCRIPT_MODE.code: True,
}
"""For each rule about executable bits, the value that the bit should have."""

FIXABLE = FIXERS.keys() | EXECUTABLE.keys()
