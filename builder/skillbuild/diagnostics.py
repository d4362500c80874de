"""Describes findings about the source: what is wrong, where, and how to fix it.

A problem in a skill is a value, never an exception, so that all problems are reported at once.
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
"""Maximum number of characters of a message or hint to print; if more are cut off, their number is
appended.
"""

_COMMAND_PATH = re.compile(r"""(?<= )(?:\./[\w@%+=:,./-]+|'\./(?:[^']|'"'"')*')""", re.ASCII)
"""A path as `in_command` writes it: only plain characters, or quoted for the shell."""

_UNSEEN = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"])
"""Unicode categories of invisible characters. Of all spaces, only the ASCII space counts as
visible.
"""
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Invisible fillers, joiners and variation selectors of other categories, except U+FE0F, which
turns a character into an emoji."""


class Severity(StrEnum):
    """How serious a finding is.

    `error`: the skill cannot be published safely. `warning`: the skill is published, but does not
    work well with some client or agent; the message or the explanation of the rule says which.
    `note`: informational, shown only on request.

    Only errors prevent a skill from being published, unless `--strict` or `[rules]` says otherwise.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding, identified by its code. `skillbuild explain` prints the summary and the
    explanation of a rule.
    """

    code: str
    severity: Severity
    summary: str
    explanation: str
    unlists: tuple[Listing, ...] = ()
    """Listings that omit a skill with this finding."""
    protects: bool = False
    """Whether listings omit such a skill only because clients would otherwise drop other skills,
    too.
    """
    formats: tuple[str, ...] = ()
    """Formats; the rule applies only if one of these is written, or always if there are none."""


@dataclass(frozen=True, slots=True)
class FoundAt:
    """A place where a finding applies: a file, a position in the file, and the path or URL at that
    position.

    `place` is None if the finding concerns the whole file.
    """

    path: str
    place: Place | None = None
    target: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem in the source. `path` is relative to the source, and `hint` says how to fix the
    problem.

    `path`, `place` and `target` describe the first place where the problem occurs, and `others`
    lists all other places. `place` is None if the finding concerns the whole file.
    """

    code: str
    """The code of its rule."""
    path: str
    place: Place | None
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR
    others: tuple[FoundAt, ...] = ()
    """Further places, in order."""
    fingerprint: str = ""
    """16 hex digits that identify a secret without revealing it."""
    target: str = ""
    """The path or URL in the text that the finding is about, if any."""
    cause: str = ""
    """A key shared by findings of one rule and one skill that have the same fix.

    `check/causes.py` merges them into one finding. A finding without a cause is not merged.
    """
    hint_for_all: str = field(default="", compare=False)
    """The hint if several findings are merged; if empty, `hint` is used."""

    content: str = field(default="", compare=False)
    """16 hex digits that identify the content of the files; empty if the files were not read."""
    copies: tuple[str, ...] = ()
    """Paths of other files with the same content as `path`, which have the same problem.

    `report/folding.py` fills it in.
    """

    @property
    def places(self) -> tuple[FoundAt, ...]:
        """All places of the finding, in order."""
        return (FoundAt(self.path, self.place, self.target), *self.others)

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    @property
    def is_note(self) -> bool:
        return self.severity is Severity.NOTE

    def for_entry(self) -> EntryFinding:
        """Return the finding in the form that the record of a release stores."""
        kind = EntryNote if self.is_note else EntryFinding
        line, column = (self.place.line, self.place.column) if self.place else (None, None)
        return kind(self.code, self.path, line, column, self.message, self.hint)


@dataclass(frozen=True, slots=True)
class Silenced:
    """A finding that `[[ignore]]` silences, with the reason given there."""

    finding: Finding
    reason: str


def finding(rule: Rule, path: str, place: Place | None, message: str, hint: str = "") -> Finding:
    """Create a finding with the severity of its rule."""
    return Finding(rule.code, path, place, message, hint, rule.severity)


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(item.is_error for item in findings)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Remove duplicates, and sort by path, line, column, code and message."""
    return sorted(dict.fromkeys(findings), key=_order)


def _order(item: Finding) -> tuple[str, int, int, str, str]:
    line, column = (item.place.line, item.place.column) if item.place else (0, 0)
    return item.path, line, column, item.code, item.message


def in_command(paths: Iterable[str]) -> str:
    """Quote paths for a shell command in a hint. The paths are relative to the source.

    `hint_from` can recognize these arguments.
    """
    return " ".join(shlex.quote(f"./{path}") for path in paths)


def hint_from(start: str, item: Finding) -> Finding:
    """Rewrite the commands in a finding's hint so that they also work outside of the source.

    `start` is the path from the working directory to the source. It is empty or ends with `/`.
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
    """Return whether a stream encodes text as UTF-8 and can therefore show every character."""
    try:
        return codecs.lookup(stream.encoding or "ascii").name == "utf-8"
    except LookupError:
        return False


def escape(text: str, *, utf8: bool = False) -> str:
    """Make untrusted text safe for terminals and logs: ASCII only, truncated, and without workflow
    commands.

    With `utf8`, other visible characters are kept too. Control, format, bidi, unassigned,
    private-use and invisible characters are still escaped, and so are all spaces except the ASCII
    space. GitHub's runner interprets `##[command]` anywhere in a line and `::command::` at the
    start of a line, even on stderr. Therefore, both are broken up.
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
    """Return an escape sequence that is valid in double-quoted YAML, so that hints can be
    pasted.
    """
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
