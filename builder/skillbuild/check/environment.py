"""Recognizes environment files (`.env`) by name, and finds out whether they contain real values."""

from __future__ import annotations

import re

from skillbuild.check.secrets import is_template, is_trivial
from skillbuild.paths import base_name

KIND = "an environment file"

_NAME = re.compile(r"\.env(\.[A-Za-z0-9_-]+)*")
_TEMPLATE_NAME = re.compile(r"example|sample|template|dist|defaults?|schema", re.IGNORECASE)
_ASSIGNMENT = re.compile(rb"(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*(.*)", re.DOTALL)
_QUOTED = re.compile(rb"\"([^\"]*)\"|'([^']*)'|`([^`]*)`")
_COMMENT = re.compile(rb"(?:^|[ \t])#")
_NAMES_SECRET = re.compile(
    rb"key|token|secret|pass|pwd|cred|auth|priv|cert|sign|salt|dsn|conn|hook|cookie|session|jwt"
    rb"|mnemonic|seed|pin(?:$|_)",
    re.IGNORECASE,
)
_NAMES_PASSWORD = re.compile(rb"pass|pwd|pin(?:$|_)|secret|seed", re.IGNORECASE)
_SWITCH = re.compile(rb"true|false|yes|no|on|off|none|null|nil|undefined", re.IGNORECASE)
_NUMBER = re.compile(rb"[0-9]{1,12}(?:\.[0-9]{1,6})?[a-z%]{0,3}", re.IGNORECASE)
_PATH = re.compile(rb"(?:[a-z+]{2,12}:/)?/|\.{1,2}/|~/", re.IGNORECASE)
_LOGIN = re.compile(rb"://[^/\s]*@")
_PIECES = re.compile(rb"[\W_]+")
_PLAIN_PIECE = re.compile(rb"(?:[A-Za-z]{0,24}|[0-9]{0,12}|[A-Za-z0-9]{0,8})")
_PREFIX = re.compile(rb"[A-Za-z0-9]{2,5}[-_]")
_LONGEST_PLAIN = 300


def is_environment_file(path: str) -> bool:
    """Return whether a path names an environment file: `.env`, or a variant such as `.env.local`.

    Templates such as `.env.example` are excluded, because they are meant to be committed.
    """
    name = base_name(path)
    return _NAME.fullmatch(name) is not None and not _TEMPLATE_NAME.search(name)


def holds_values(data: bytes) -> bool:
    """Return whether an environment file contains anything except comments, placeholders and
    harmless settings.

    A line that is not an assignment counts as a value, because its meaning is unknown.
    """
    return any(map(_is_secret_line, data.removeprefix(b"\xef\xbb\xbf").splitlines()))


def _is_secret_line(line: bytes) -> bool:
    line = line.strip()
    if not line or line.startswith(b"#"):
        return False
    assignment = _ASSIGNMENT.fullmatch(line)
    return assignment is None or _is_secret_value(assignment[1], _unquoted(assignment[2]))


def _unquoted(value: bytes) -> bytes:
    """Return a value without its quotes and without a comment after it."""
    quoted = _QUOTED.match(value)
    if quoted and value[quoted.end() :].lstrip()[:1] in (b"", b"#"):
        return quoted[quoted.lastindex or 0].strip()
    return _COMMENT.split(value, maxsplit=1)[0].strip()


def _is_secret_value(name: bytes, value: bytes) -> bool:
    """Return whether a value is neither a placeholder nor a harmless setting.

    With a name like `API_KEY`, only switches, paths, addresses and numbers are harmless.
    """
    if not value or _is_placeholder(value) or _SWITCH.fullmatch(value):
        return False
    if _NAMES_SECRET.search(name):
        if _NUMBER.fullmatch(value):
            return _NAMES_PASSWORD.search(name) is not None
        return not (_PATH.match(value) and _is_plain(value))
    return not _is_plain(value)


def _is_placeholder(value: bytes) -> bool:
    """Return whether a value is like `your-key`, `<key>`, `${KEY}`, `sk-xxxx` or
    `sk-ant-your-key`.
    """
    rest = value[:_LONGEST_PLAIN]
    for _ in range(4):
        if is_template(rest) or is_trivial(rest):
            return len(value) <= _LONGEST_PLAIN
        prefix = _PREFIX.match(rest)
        if prefix is None:
            return False
        rest = rest[prefix.end() :]
    return False


def _is_plain(value: bytes) -> bool:
    """Return whether a value consists of words, numbers and short names, as addresses and versions
    do.
    """
    if len(value) > _LONGEST_PLAIN or _LOGIN.search(value):
        return False
    return all(map(_PLAIN_PIECE.fullmatch, _PIECES.split(value)))
