"""Findings about the source: what is wrong, where, and what to do about it.

A fault in somebody's skill is a value, never an exception; all of them are reported at once.
"""

from __future__ import annotations

import codecs
import re
import shlex
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TextIO

from skillbuild.model import EntryFinding, EntryNote, Listing, Place

LONGEST_MESSAGE = 2000
"""Characters of a message or hint that are printed; the rest is counted."""

_COMMAND_PATH = re.compile(r"""(?<= )(?:\./[\w@%+=:,./-]+|'\./(?:[^']|'"'"')*')""", re.ASCII)
"""A path as `in_command` writes it: of plain characters, or in the quotes of a shell."""

_UNSEEN = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"])
"""Categories of characters that do not show themselves; of blanks, ASCII has the only plain one."""
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Fillers, joiners and variants of other categories. U+FE0F, which makes an emoji, is none."""


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
class FoundAt:
    """A file with a finding, the place in it, and the path or address that its text names there.

    `place` is None when the finding is about the whole file.
    """

    path: str
    place: Place | None = None
    target: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong in the source; `path` is relative to the source.

    `path`, `place` and `target` are the first place of the finding, `others` has the rest. `place`
    is None when it is about the whole file. `hint` says what to do about the finding.
    """

    rule: Rule
    path: str
    place: Place | None
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR
    others: tuple[FoundAt, ...] = ()
    """Further places, in order."""
    fingerprint: str = ""
    """16 hex digits that stand for what was met here, where its value must not be repeated."""
    target: str = ""
    """The path or address that the text names, of a finding about one."""
    cause: str = ""
    """What findings of one rule about one skill have in common that have one remedy.

    A check tells them as one (`check/causes.py`). A finding without a cause stands alone.
    """
    hint_for_all: str = field(default="", compare=False)
    """The hint if several places turn out to have the cause; empty: `hint` serves them, too."""

    content: str = field(default="", compare=False)
    """16 hex digits that stand for the bytes of its files; empty where they were not read."""
    copies: tuple[str, ...] = ()
    """Paths of other files with the bytes of `path`, of which the same is to be said.

    A report fills it in (`report/folding.py`).
    """

    @property
    def places(self) -> tuple[FoundAt, ...]:
        """Every place of the finding, the first one first."""
        return (FoundAt(self.path, self.place, self.target), *self.others)

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    @property
    def is_note(self) -> bool:
        return self.severity is Severity.NOTE

    def for_entry(self) -> EntryFinding:
        """The finding as the record of a release holds it."""
        kind = EntryNote if self.is_note else EntryFinding
        line, column = (self.place.line, self.place.column) if self.place else (None, None)
        return kind(self.rule.code, self.path, line, column, self.message, self.hint)


@dataclass(frozen=True, slots=True)
class Silenced:
    """A finding that the settings silence, and the reason that they give."""

    finding: Finding
    reason: str


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


def takes_utf8(stream: TextIO) -> bool:
    """Whether a stream writes text as UTF-8, so that every character can be shown on it."""
    try:
        return codecs.lookup(stream.encoding or "ascii").name == "utf-8"
    except LookupError:
        return False


def escape(text: str, *, utf8: bool = False) -> str:
    """Untrusted text for a terminal or a log: printable ASCII, no workflow commands, cut.

    With `utf8` other characters that can be seen stay, too: what is a control, a format or a bidi
    character, a blank, unassigned, private or invisible is escaped. GitHub's runner parses
    `##[command]` anywhere in a line and `::command::` at its start, on stderr too, so both are
    broken up.
    """
    cut = text[:LONGEST_MESSAGE]
    shown = "".join(char if utf8 and _is_visible(char) else _printable(char) for char in cut)
    safe = shown.replace("::", ":\\x3a").replace("##[", "##\\x5b")
    rest = len(text) - len(cut)
    more = f"{rest} more character" if rest == 1 else f"{rest} more characters"
    return f"{safe}... ({more})" if rest else safe


def _is_visible(char: str) -> bool:
    return unicodedata.category(char) not in _UNSEEN and not _INVISIBLE.fullmatch(char)


def _printable(char: str) -> str:
    if " " <= char <= "~":
        return char
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char) or _code(ord(char))


def _code(point: int) -> str:
    """An escape that YAML reads back in double quotes, so that a hint can be pasted."""
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
