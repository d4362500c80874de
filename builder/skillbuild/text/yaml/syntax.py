"""Parses YAML into events, and explains syntax errors with a corrected line where possible.

The loaders of PyYAML are not used, because they expand aliases, resolve types by the rules of YAML
1.1, and raise errors other than `YAMLError`. Events contain the position of every value, and the
reader can limit the nesting depth and the number of values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import yaml

from skillbuild.errors import SkillbuildError
from skillbuild.model import Place
from skillbuild.text.faults import FaultKind, TextFaultError
from skillbuild.text.positions import place_at

DEEPEST_NESTING = 32
MOVE = "move the data to a file in the skill"

# What an author may have meant by YAML that does not parse: the line as it should be written.

_FIELD = re.compile(r"([ \t]*(?:- )?)([^\s#:'\"{\[&*!|>%@`-][^:]*):[ \t]+(\S(?:.*\S)?)[ \t]*")
_KEY = re.compile(r"\s+[a-z][a-z0-9_-]*:(\s.*)?")
_COMMENT = re.compile(r"[ \t]+#(?=[ \t]|$).*")
_BLOCK_TEXT = re.compile(r"[|>][-+0-9]*( +#.*)?")


@dataclass(frozen=True, slots=True)
class Remedy:
    """A possible fix for a syntax error: `line`, with the value of `key` in quotes, replaces
    `lines[start:end]`.

    The caller parses the fixed text before it recommends the fix.
    """

    key: str
    start: int
    end: int
    line: str
    column: int
    """The number of characters in `lines[start]` before the value."""
    value: str
    """The text that the author meant."""
    comment: str
    """What follows the value on its line and stays outside the quotes, white space included."""


_IN_SENTENCES = (
    *("agent", "alwaysApply", "argument-hint", "author", "category", "context", "description"),
    *("disable-model-invocation", "effort", "globs", "homepage", "hooks", "model", "name", "tags"),
    *("triggers", "user-invocable", "version", "when_to_use"),
)
"""Fields of skills that are also ordinary words, so they count as fields only after the end of a
sentence."""
_ANYWHERE = ("allowed-tools", "compatibility", "license", "metadata")
_LOST_BREAK = re.compile(
    r"(?:(?<=[.!?\"')\]\u3002\uff01\uff1f])[ \t]*(?=[a-z])|[ \t]+(?=" + "|".join(_ANYWHERE) + r"))"
    rf"({'|'.join(_IN_SENTENCES + _ANYWHERE)}):(?=[ \t]|$)"
)
_BEGINNING = re.compile(rf"({'|'.join(_IN_SENTENCES + _ANYWHERE)}):(?=[ \t]|$)")
_GIVEN = re.compile(r"[ \t]*(?:- )?([\w-]+):")


@dataclass(frozen=True, slots=True)
class LostBreak:
    """A field that begins inside the value of another one, as if a line break were missing."""

    field: str
    line: int
    """The index of the line."""
    column: int
    """The number of characters before the field on the line."""


def lost_break(lines: Sequence[str], remedy: Remedy) -> LostBreak | None:
    """Return the first field name that a remedy would put inside a quoted value; None if there is
    none.

    `description: Does one thing.license: MIT` is more likely two lines than one value. A name that
    is also a field elsewhere is treated as an ordinary word, unless it begins the value or directly
    follows a period.
    """
    if match := _BEGINNING.match(lines[remedy.start], remedy.column):
        return LostBreak(match[1], remedy.start, remedy.column)
    given = {match[1] for line in lines if (match := _GIVEN.match(line))}
    for number in range(remedy.start, remedy.end):
        start = remedy.column - 1 if number == remedy.start else 0
        line = lines[number].rstrip().removesuffix(remedy.comment)
        for match in _LOST_BREAK.finditer(line, start):
            is_glued = match[0][0] not in " \t" and line[match.start() - 1] in ".\u3002"
            if is_glued or match[1] not in given:
                return LostBreak(match[1], number, match.start(1))
    return None


def remedies(
    lines: Sequence[str], index: int, *, is_comment_text: bool = False
) -> Iterator[Remedy]:
    """Yield remedies that each quote the value of one field. The line at `index` begins or
    continues each of these fields, and the innermost field comes first.

    If the line itself looks like a field, only the value of this field is quoted, because the line
    is probably indented too deeply and does not continue an outer field. A `#` after a space begins
    a comment, unless `is_comment_text` is true; then the `#` is part of the value.
    """
    depth = None
    index = min(index, len(lines) - 1)
    for start in range(index, -1, -1):
        indent = len(lines[start]) - len(lines[start].lstrip(" "))
        if not lines[start].strip() or (depth is not None and indent >= depth):
            continue
        depth = indent
        if start < index and _KEY.fullmatch(lines[index]):
            return
        if match := _FIELD.fullmatch(lines[start]):
            end = _end_of(lines, start, len(match[1]))
            has_comment = end == start + 1 and not is_comment_text
            written, comment = _at_comment(match[3]) if has_comment else (match[3], "")
            text = _intended(" ".join([written, *" ".join(lines[start + 1 : end]).split()]))
            if text is not None:
                quoted = json.dumps(text, ensure_ascii=False)
                line = f"{match[1]}{match[2]}: {quoted}{comment}"
                yield Remedy(match[2], start, end, line, match.start(3), text, comment)


def _at_comment(written: str) -> tuple[str, str]:
    """Return a value and the comment after it; quotes and brackets are not searched for a
    comment.
    """
    comment = None if written[0] in "'\"[{" else _COMMENT.search(written)
    return (written[: comment.start()], comment[0]) if comment else (written, "")


def _end_of(lines: Sequence[str], start: int, column: int) -> int:
    """Return the index after the last line that is indented deeper than a key in this column."""
    end = start + 1
    for number in range(start + 1, len(lines)):
        if lines[number].strip():
            if len(lines[number]) - len(lines[number].lstrip(" ")) <= column:
                break
            end = number + 1
    return end


def _intended(written: str) -> str | None:
    """Return the value that the author meant by the text after a key; None if that is unclear."""
    first = written[0]
    if first in "'\"":
        return _between_quotes(written, first)
    if _BLOCK_TEXT.match(written) or (first in "[{" and not _goes_on(written)):
        return None
    return written


def _goes_on(written: str) -> bool:
    """Whether text follows the bracket that closes the first one, so that the value is not a
    list.
    """
    depth = 0
    for number, char in enumerate(written, 1):
        depth += (char in "[{") - (char in "]}")
        if depth == 0:
            return number < len(written)
    return False


def _between_quotes(written: str, quote: str) -> str | None:
    r"""Return the text between quotes: `It's here` for `'It's here'`.

    Quotes in `"x" is a flag` belong to the text.
    """
    second = written.find(quote, 1)
    if second < 0 or second == len(written) - 1:
        return None
    inside = written[second + 1].isalnum() and written[-1] == quote
    return written[1:-1] if inside else written


_BY_PROBLEM = {
    "end of stream": "close the quotes or brackets that are open here",
    "expected ','": "close the quotes or brackets that are open here",
    "unknown escape": "double the backslash, or put the value in single quotes",
    "escape": "write the character itself",
    "hexdecimal": "write the character itself",
}
_HEADING = re.compile(r"#{1,6} \S")
_ESCAPED_BRACKET = re.compile(r"[:,\[{]\s*\\[\[{]")
_CONFLICT = re.compile(r"<{7} |>{7} ")
_NOT_CONTENT = ("%", "...")


def general_hint(problem: str, lines: Sequence[str], index: int) -> str:
    """Return a hint for a problem that libyaml reports and that no `Remedy` fixes."""
    line = lines[index] if index < len(lines) else ""
    if any(map(_CONFLICT.match, lines)):
        return (
            "keep one side of the merge conflict, and remove the lines <<<<<<<, ======= and >>>>>>>"
        )
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "indent with spaces, not with tabs"
    if "<document start>" in problem and any(
        before.startswith(_NOT_CONTENT) for before in lines[:index]
    ):
        return "remove the preceding line that begins with % or ..."
    if any(map(_begins_body, lines[:index], lines[1 : index + 1])):
        return "add a line with --- after the last field"
    if _ESCAPED_BRACKET.search(line):
        return "remove the backslash before the bracket"
    hints = (hint for words, hint in _BY_PROBLEM.items() if words in problem)
    return next(hints, "fix the quotes or the indentation of this line or the line above")


def _begins_body(before: str, line: str) -> bool:
    """Whether a Markdown heading follows an empty line, as after the frontmatter."""
    return not before.strip() and _HEADING.match(line) is not None


class Mark(Protocol):
    """A position in a text, with the attributes that the types of PyYAML and libyaml share."""

    @property
    def index(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


_MOST_REMEDIES = 4
"""Maximum number of remedies to try; each one parses the whole text again."""


def events(text: str) -> Iterator[yaml.Event]:
    """Yield the events of libyaml's parser (YAML 1.2, 3.1.2); raises `yaml.YAMLError` on bad
    syntax.
    """
    if not yaml.__with_libyaml__:
        raise SkillbuildError(
            "PyYAML was built without its C parser; install the PyYAML wheel, or install libyaml"
            " and then rebuild PyYAML"
        )
    parsed: Iterator[yaml.Event] = yaml.parse(text, Loader=yaml.CSafeLoader)
    return parsed


def place_of(mark: Mark | None, first_line: int) -> Place:
    """Return the position of a mark in the file, or the start of the text if there is no mark.

    Marks count lines and columns from 0. The text begins on line `first_line` of the file.
    """
    if mark is None:
        return Place(first_line, 1)
    return Place(mark.line + first_line, mark.column + 1)


def syntax_fault(error: yaml.YAMLError, text: str, first_line: int) -> TextFaultError:
    """Return the fault for a syntax error that libyaml reports. The hint is a corrected line if one
    is found.
    """
    mark: Mark | None = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    if mark is None:
        return _character_fault(error, problem, text, first_line)
    if problem == "exceeded maximum nesting depth":  # 1,000 levels, since libyaml 0.2.6.
        return too_deep(place_of(mark, first_line))
    opened: Mark | None = getattr(error, "context_mark", None)
    is_open = opened is not None and "end of stream" in problem
    place, lines = place_of(opened if is_open else mark, first_line), text.split("\n")
    remedy = working_remedy(lines, mark.line)
    if problem != "mapping values are not allowed in this context":
        context = getattr(error, "context", None)
        message = f"invalid YAML: {problem}" + (f" {context}" if context else "")
        hint = _hint(lines, remedy) if remedy else general_hint(problem, lines, mark.line)
        return TextFaultError(FaultKind.SYNTAX, place, message, hint)
    if remedy is None:
        message = "invalid YAML: a key is not allowed here"
        hint = "indent the line like its neighbors, or quote the value above it"
        return TextFaultError(FaultKind.SYNTAX, place, message, hint)
    message = f"the value of {remedy.key} contains a colon and a space, so it must be quoted"
    return TextFaultError(FaultKind.UNQUOTED_COLON, place, message, _hint(lines, remedy))


def too_deep(place: Place) -> TextFaultError:
    """Return the fault for a value at `place` that is nested too deeply."""
    return TextFaultError(FaultKind.TOO_LARGE, place, f"over {DEEPEST_NESTING} levels", MOVE)


def _hint(lines: Sequence[str], remedy: Remedy) -> str:
    """Return a hint: the corrected line, or where the line should end."""
    lost = lost_break(lines, remedy)
    if lost is None:
        return f"write {remedy.line}"
    if (lost.line, lost.column) == (remedy.start, remedy.column):
        return f"remove {lost.field}: from the value of {remedy.key}, or write {remedy.line}"
    return f"put {lost.field} on a line of its own"


def _character_fault(
    error: yaml.YAMLError, problem: str, text: str, first_line: int
) -> TextFaultError:
    """Return the fault for a character that YAML forbids; libyaml gives its position in bytes."""
    position = getattr(error, "position", None)
    before = text.encode()[: position if isinstance(position, int) else 0]
    place = place_at(text, len(before.decode(errors="ignore")), first_line)
    message = f"invalid YAML: {problem}"
    return TextFaultError(FaultKind.SYNTAX, place, message, "remove the character")


def working_remedy(
    lines: Sequence[str], index: int, *, is_comment_text: bool = False
) -> Remedy | None:
    """Return the first remedy that makes the text parse; None if none of the first few remedies for
    `lines[index]` does.
    """
    candidates = islice(remedies(lines, index, is_comment_text=is_comment_text), _MOST_REMEDIES)
    return next((remedy for remedy in candidates if _works(remedy, lines)), None)


def _works(remedy: Remedy, lines: Sequence[str]) -> bool:
    """Whether the text with the remedy parses, at least past the corrected line."""
    try:
        for _ in events("\n".join([*lines[: remedy.start], remedy.line, *lines[remedy.end :]])):
            pass
    except yaml.YAMLError as error:
        mark: Mark | None = getattr(error, "problem_mark", None)
        return mark is not None and mark.line > remedy.start
    return True
