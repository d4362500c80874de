"""Findings about the source: what is wrong, where, and what to do about it.

A fault in somebody's skill is a value, never an exception; all of them are reported at once.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from skillbuild.model import EntryFinding, Place

LONGEST_MESSAGE = 2000
"""Characters of a message or hint that are printed; the rest is counted."""


_WORD = re.compile(r"""(?<= )(?:\./[\w@%+=:,./-]+|'\./(?:[^']|'"'"')*')""", re.ASCII)
"""A path as `in_command` writes it: with the quotes of a shell, or of plain characters."""


class Severity(StrEnum):
    """`error`: cannot be published safely anywhere. `warning`: published, but not for everyone.
    `note`: as it should be, but one client does without it; told to those who ask.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding. With `unlists`, the skill is kept out of every listing."""

    code: str
    severity: Severity
    summary: str
    explanation: str
    unlists: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding; `path` is relative to the source, `hint` is in the imperative."""

    rule: Rule
    path: str
    place: Place | None
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    @property
    def is_note(self) -> bool:
        return self.severity is Severity.NOTE

    def note(self) -> EntryFinding:
        warns = not self.is_note
        return EntryFinding(self.rule.code, self.path, self.place, self.message, self.hint, warns)


def finding(rule: Rule, path: str, place: Place | None, message: str, hint: str = "") -> Finding:
    """A diagnostic with the severity its rule has by default, saying so where it unlists."""
    if rule.unlists and "not listed" not in message:
        message += ", so the skill is not listed"
    return Finding(rule, path, place, message, hint, rule.severity)


def in_command(paths: Iterable[str]) -> str:
    """Files of the source as words of a command in a hint, which `hint_from` finds again."""
    return " ".join(shlex.quote(f"./{path}") for path in paths)


def hint_from(start: str, diagnostic: Finding) -> Finding:
    """The same finding for somebody to whom the source is at `start`: empty, or ends in `/`."""
    hint = diagnostic.hint
    if start and hint.startswith("git mv "):
        hint = f"git -C {shlex.quote(start)} {hint.removeprefix('git ')}"
    elif start and hint.startswith("chmod "):
        hint = _WORD.sub(lambda word: _moved(word[0], start), hint)
    return replace(diagnostic, hint=hint)


def _moved(word: str, start: str) -> str:
    path = start + shlex.split(word)[0].removeprefix("./")
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def apply_levels(
    found: Iterable[Finding], levels: Mapping[str, str], *, strict: bool = False
) -> list[Finding]:
    """Silence or raise warnings and notes as `[rules]` asks; `--strict` raises warnings.

    Errors stay errors.
    """
    kept = []
    for diagnostic in found:
        level = levels.get(diagnostic.rule.code)
        if diagnostic.is_error or level != "off":
            kept.append(replace(diagnostic, severity=_severity(diagnostic, level, strict=strict)))
    return kept


def _severity(diagnostic: Finding, level: str | None, *, strict: bool) -> Severity:
    given = Severity(level) if level in ("warning", "error") else diagnostic.severity
    if diagnostic.is_error or (strict and given is Severity.WARNING):
        return Severity.ERROR
    return given


def in_order(found: Iterable[Finding]) -> list[Finding]:
    """Sorted by path, line, column, code and message, without repetitions."""
    return sorted(dict.fromkeys(found), key=_key)


def _key(diagnostic: Finding) -> tuple[str, int, int, str, str]:
    place = diagnostic.place
    line, column = (place.line, place.column) if place else (0, 0)
    return diagnostic.path, line, column, diagnostic.rule.code, diagnostic.message


def has_errors(found: Iterable[Finding]) -> bool:
    return any(diagnostic.is_error for diagnostic in found)


def escape(text: str) -> str:
    """Untrusted text for a terminal or a log: printable ASCII, no workflow commands, cut.

    GitHub's runner parses `##[command]` anywhere in a line and `::command::` at its start, on
    stderr too, so both are broken up.
    """
    cut = text[:LONGEST_MESSAGE]
    safe = "".join(map(_printable, cut)).replace("::", ":\\x3a").replace("##[", "##\\x5b")
    rest = len(text) - len(cut)
    return f"{safe}... ({rest} more characters)" if rest else safe


def _printable(char: str) -> str:
    if " " <= char <= "~":
        return char
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char) or _code(ord(char))


def _code(point: int) -> str:
    """An escape that YAML reads back in double quotes, so that a hint can be pasted."""
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
