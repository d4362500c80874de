"""Findings about the source: what is wrong, where, and what to do about it.

A fault in somebody's skill is a value, never an exception; all of them are reported at once.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from skillbuild.model import EntryFinding, Listing, Place

LONGEST_MESSAGE = 2000
"""Characters of a message or hint that are printed; the rest is counted."""

_COMMAND_PATH = re.compile(r"""(?<= )(?:\./[\w@%+=:,./-]+|'\./(?:[^']|'"'"')*')""", re.ASCII)
"""A path as `in_command` writes it: of plain characters, or in the quotes of a shell."""


class Severity(StrEnum):
    """How much a finding matters.

    `error`: the skill cannot be published safely. `warning`: it is published, but some client or
    agent is worse off, and the message or the rule's explanation says which. `note`: true, but an
    author need not act; shown only where notes are asked for.

    Only an error refuses a skill, unless the user asks for more with `--strict` or `[rules]`.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding, known by its code; the texts are what `skillbuild explain` prints."""

    code: str
    severity: Severity
    summary: str
    explanation: str
    unlists: tuple[Listing, ...] = ()
    """The listings that leave out a skill which meets the rule."""
    protects: bool = False
    """Whether they do so for the sake of other skills, which a client would drop too."""
    formats: tuple[str, ...] = ()
    """The rule matters only where one of these formats is written; empty: always."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong in the source; `path` is relative to the source.

    `place` is None when the finding is about the whole file, `hint` says what to do about it.
    """

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

    def for_entry(self) -> EntryFinding:
        """The finding as the record of a release holds it."""
        warns = not self.is_note
        return EntryFinding(self.rule.code, self.path, self.place, self.message, self.hint, warns)


def finding(rule: Rule, path: str, place: Place | None, message: str, hint: str = "") -> Finding:
    """A finding with the severity of its rule."""
    return Finding(rule, path, place, message, hint, rule.severity)


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(item.is_error for item in findings)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sorted by path, line, column, code and message, each finding once."""
    return sorted(dict.fromkeys(findings), key=_order)


def _order(item: Finding) -> tuple[str, int, int, str, str]:
    line, column = (item.place.line, item.place.column) if item.place else (0, 0)
    return item.path, line, column, item.rule.code, item.message


def in_command(paths: Iterable[str]) -> str:
    """Paths of the source as arguments of a shell command in a hint; `hint_from` finds them."""
    return " ".join(shlex.quote(f"./{path}") for path in paths)


def hint_from(start: str, item: Finding) -> Finding:
    """The same finding, its commands to be run from another directory than the source.

    `start` leads from that directory to the source: empty, or a path with a final `/`.
    """
    hint = item.hint
    if start and hint.startswith("git mv "):
        tracked, between, untracked = hint.removeprefix("git ").partition(" || ")
        untracked = _COMMAND_PATH.sub(lambda match: _below(start, match[0]), untracked)
        hint = f"git -C {shlex.quote(start)} {tracked}{between}{untracked}"
    elif start and hint.startswith("chmod "):
        hint = _COMMAND_PATH.sub(lambda match: _below(start, match[0]), hint)
    return replace(item, hint=hint)


def _below(start: str, quoted: str) -> str:
    path = start + shlex.split(quoted)[0].removeprefix("./")
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


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
