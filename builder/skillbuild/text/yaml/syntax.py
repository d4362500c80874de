"""The parser's events for a YAML text, and what to say when it has a syntax error.

No loader of PyYAML is used: they build aliases, guess types by YAML 1.1 and raise more than
`YAMLError`. Events keep the place of every value, and the reader bounds their depth and number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import yaml
from yaml._yaml import Mark as CMark

from skillbuild.errors import SkillbuildError
from skillbuild.model import Place
from skillbuild.text.faults import FaultKind, TextFaultError
from skillbuild.text.positions import place_at
from skillbuild.text.yaml.remedies import Remedy, general_hint, remedies

Mark = yaml.Mark | CMark

_MOST_REMEDIES = 4
"""To try one is to parse the whole text once more."""


def events(text: str) -> Iterator[yaml.Event]:
    """The events of libyaml's parser (YAML 1.2, 3.1.2); raises `yaml.YAMLError` on its way."""
    if not yaml.__with_libyaml__:
        raise SkillbuildError(
            "PyYAML has no C parser here; install the PyYAML wheel, or libyaml before building it"
        )
    parsed: Iterator[yaml.Event] = yaml.parse(text, Loader=yaml.CSafeLoader)
    return parsed


def place_of(mark: Mark | None, first_line: int) -> Place:
    """The place of a mark, which counts from 0; the begin of the text when there is none."""
    if mark is None:
        return Place(first_line, 1)
    return Place(mark.line + first_line, mark.column + 1)


def syntax_fault(error: yaml.YAMLError, text: str, first_line: int) -> TextFaultError:
    """The fault for what libyaml could not parse, with the line as it should be, if one works."""
    mark: Mark | None = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    if mark is None:
        return _character_fault(error, problem, text, first_line)
    opened: Mark | None = getattr(error, "context_mark", None)
    is_open = opened is not None and "end of stream" in problem
    place, lines = place_of(opened if is_open else mark, first_line), text.split("\n")
    remedy = working_remedy(lines, mark.line)
    if problem != "mapping values are not allowed in this context":
        context = getattr(error, "context", None)
        message = f"invalid YAML: {problem}" + (f" {context}" if context else "")
        hint = f"write {remedy.line}" if remedy else general_hint(problem, lines, mark.line)
        return TextFaultError(FaultKind.SYNTAX, place, message, hint)
    if remedy is None:
        message = "invalid YAML: a key is not allowed here"
        hint = "indent the line like its neighbors, or quote the value above it"
        return TextFaultError(FaultKind.SYNTAX, place, message, hint)
    message = f"the value of {remedy.key} contains a colon and a blank, so it must be quoted"
    return TextFaultError(FaultKind.UNQUOTED_COLON, place, message, f"write {remedy.line}")


def _character_fault(
    error: yaml.YAMLError, problem: str, text: str, first_line: int
) -> TextFaultError:
    """The fault for a character that YAML forbids; libyaml gives its position in bytes."""
    position = getattr(error, "position", None)
    before = text.encode()[: position if isinstance(position, int) else 0]
    place = place_at(text, len(before.decode(errors="ignore")), first_line)
    message = f"invalid YAML: {problem}"
    return TextFaultError(FaultKind.SYNTAX, place, message, "remove the character")


def working_remedy(
    lines: Sequence[str], index: int, *, is_comment_text: bool = False
) -> Remedy | None:
    """The first of a few remedies for a line that makes the text parse, or None."""
    candidates = islice(remedies(lines, index, is_comment_text=is_comment_text), _MOST_REMEDIES)
    return next((remedy for remedy in candidates if _works(remedy, lines)), None)


def _works(remedy: Remedy, lines: Sequence[str]) -> bool:
    """True when the text with the remedy parses, at least beyond the line that was fixed."""
    try:
        for _ in events("\n".join([*lines[: remedy.start], remedy.line, *lines[remedy.end :]])):
            pass
    except yaml.YAMLError as error:
        mark: Mark | None = getattr(error, "problem_mark", None)
        return mark is not None and mark.line > remedy.start
    return True
