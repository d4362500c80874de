"""Finds settings and options that turn off a protection, in commands, programs and settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbuild.check.facts.found import Found, lines_with, shown
from skillbuild.model import RunKind

_NOT_OFF = r"(?!\w|\s*[=:]?\s*[\"']?(?:(?i:false)|0|no)\b)"
_OFF = RunKind.UNPROTECTS
_SETTINGS = (
    (
        "trust_remote_code",
        rf"\btrust_remote_code[\"']?\s*[=:]\s*[Tt]rue\b|--trust_remote_code{_NOT_OFF}",
        (_OFF, "trust_remote_code"),
    ),
    ("trust-remote-code", rf"--trust-remote-code{_NOT_OFF}", (_OFF, "trust_remote_code")),
    (
        "allow_dangerous_deserialization",
        r"\ballow_dangerous_deserialization\s*=\s*True\b",
        (_OFF, "allow_dangerous_deserialization"),
    ),
    (
        "--allow_code_execution",
        rf"--allow_code_execution{_NOT_OFF}",
        (_OFF, "--allow_code_execution"),
    ),
    (
        "StrictHostKeyChecking",
        r"\bStrictHostKeyChecking(?:\s*=\s*|\s+)no\b",
        (_OFF, "StrictHostKeyChecking=no"),
    ),
    (
        "TLS_REJECT_UNAUTHORIZED",
        r"\bNODE_TLS_REJECT_UNAUTHORIZED[\"']?\]?\s*[=:]\s*[\"']?0",
        (_OFF, "NODE_TLS_REJECT_UNAUTHORIZED=0"),
    ),
    ("verify=False", r"\bverify=False\b", (_OFF, "verify=False")),
    (
        "bypassPermissions",
        r"(?:[Pp]ermission_?[Mm]ode|defaultMode)[\"']?\]?\s*[=:]\s*[\"']?bypassPermissions\b",
        (RunKind.AGENT, ""),
    ),
    (
        "NET_ADMIN",
        r"[\"'](?:--cap-add=)?NET_ADMIN[\"']|^\s*-\s*NET_ADMIN\b|--cap-add[= ]NET_ADMIN\b",
        (RunKind.ASKS, "NET_ADMIN"),
    ),
)
"""A word of the line, the pattern of the setting, and its kind of fact and name."""
_PATTERNS = tuple((sign, re.compile(pattern), fact) for sign, pattern, fact in _SETTINGS)
_COMMENT = re.compile(r"\s*(?:#|//|--\s|\*|<!--|rem\b|print\()", re.IGNORECASE)
_LONGEST_LINE = 2000


def turned_off(text: str, first: int) -> Iterator[Found]:
    """Yield the protections that the lines of a text turn off, except in comments.

    `first` is the number of the first line.
    """
    for sign, pattern, (kind, name) in _PATTERNS:
        for start in lines_with([sign], text):
            end = text.find("\n", start)
            line = text[start : end if end >= 0 else len(text)][:_LONGEST_LINE]
            if pattern.search(line) and not _COMMENT.match(line):
                yield Found(kind, name, first + text.count("\n", 0, start), shown(line))
