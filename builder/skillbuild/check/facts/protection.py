"""Finds settings and options that turn off a protection, in commands, programs and settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbuild.check.facts.found import Found, lines_with, marked_lines, shown
from skillbuild.model import RunKind

_NOT_OFF = r"(?!\w|\s*[=:]?\s*[\"']?(?:(?i:false)|0|no)\b)"
_OFF = RunKind.UNPROTECTS
_SIGNS = (
    *("remote-code", "StrictHostKey", "verify=False", "bypassPermissions", "deletion"),
    *("rejectUnauth", "InsecureSkip", "sslVerify", "verify_ssl", "_unverified_", "CERT_NONE"),
    *(
        "_INSECURE",
        "-tls-verify",
        "strict-ssl",
        "Unencrypted",
        "Cleartext",
        "-sandbox",
        "full-auto",
    ),
    *("full-access", "fullAuto"),
    re.compile("_(?:code(?:_exec|(?<=remote_code))|deserial|REJECT_|ADMIN|destroy|final_snap)"),
)
"""Each such line contains one of these."""
_UNPROTECTED = (
    r"\b(?:\w*deletion_protection|prevent_deletion_\w+|deletionProtection)[\"'`]?\s*[=:]\s*[\"'`]?false"
    r"\b|\b(?:force_destroy|skip_final_snapshot)[\"'`]?\s*=\s*[\"'`]?true\b"
)
"""A setting that lets resources be deleted with what they contain."""
_UNVERIFIED = (
    r"\brejectUnauthorized[\"']?\s*[:=]\s*false\b|\bInsecureSkipVerify\s*[:=]\s*true\b"
    r"|\bverify_ssl[\"']?\s*[:=]\s*(?i:false)\b|\bhttp\.sslVerify(?:\s+|=)[\"']?(?:false|0)\b"
    r"|\bssl\._create_unverified_context\b|=\s*ssl\.CERT_NONE\b|\bstrict-ssl[\s=]+false\b"
    r"|--insecure-skip-tls-verify(?!=false)"
)
"""A setting with which a program accepts any certificate."""
_SETTINGS = (
    (_OFF, "trust_remote_code", r"\btrust_remote_code[\"']?\s*[=:]\s*[Tt]rue\b"),
    (_OFF, "trust_remote_code", rf"--trust[_-]remote[_-]code{_NOT_OFF}"),
    (_OFF, "allow_dangerous_deserialization", r"\ballow_dangerous_deserialization\s*=\s*True\b"),
    (_OFF, "--allow_code_execution", rf"--allow_code_execution{_NOT_OFF}"),
    (_OFF, "StrictHostKeyChecking=no", r"\bStrictHostKeyChecking(?:\s*=\s*|\s+)no\b"),
    (_OFF, "NODE_TLS_REJECT_UNAUTHORIZED=0", r"\bNODE_TLS_\w+[\"']?\]?\s*[=:]\s*[\"']?0"),
    (_OFF, "deletion protection", _UNPROTECTED),
    (_OFF, "verify=False", r"\bverify=False\b"),
    (_OFF, "certificate checks", _UNVERIFIED),
    (
        _OFF,
        "{}",
        r"\b((?:[A-Z][A-Z0-9]*_)+INSECURE)[\"']?\]?\s*(?:=(?!=)|:)\s*[\"']?(?i:true|1|yes)\b",
    ),
    (_OFF, "encryption", r"\bAllowUnencrypted\W{1,6}true\b|\busesCleartextTraffic=[\"']true\b"),
    (_OFF, "the browser's sandbox", rf"[\"' ]--no-sandbox\b(?!-){_NOT_OFF}"),
    (RunKind.AGENT, "", r"[\"']?full-?[aA]uto[\"']?\s*[:=]\s*true\b"),
    (RunKind.AGENT, "", r"\bsandbox(?:_mode)?(?:[\"']?\s*[:=]\s*[\"']?|\s+)danger-full-access\b"),
    (
        RunKind.AGENT,
        "",
        r"(?:ermission_?[Mm]ode|aultMode)[\"']?\]?\s*[=:]\s*[\"']?bypassPermissions\b",
    ),
    (
        RunKind.ASKS,
        "NET_ADMIN",
        r"[\"']NET_ADMIN[\"']|^\s*-\s*NET_ADMIN\b|--cap-add[= ]NET_ADMIN\b",
    ),
)
"""The kind of fact, its words, and the pattern of the setting."""
_PATTERNS = tuple((kind, words, re.compile(pattern)) for kind, words, pattern in _SETTINGS)
_COMMENT = re.compile(r"\s*(?:#|//|--\s|\*|<!--|rem\b|print\()", re.IGNORECASE)


def may_turn_off(text: str) -> bool:
    """Return whether a text may turn off a protection; most texts do not."""
    return bool(lines_with(_SIGNS, text))


def turned_off(text: str, first: int) -> Iterator[Found]:
    """Yield the protections that the lines of a text turn off, except in comments.

    `first` is the number of the first line.
    """
    for start, line in marked_lines(_SIGNS, text):
        for kind, words, pattern in () if _COMMENT.match(line) else _PATTERNS:
            if match := pattern.search(line):
                number = first + text.count("\n", 0, start)
                yield Found(kind, words.format(*match.groups()), number, shown(line))
