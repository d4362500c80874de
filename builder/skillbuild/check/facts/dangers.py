"""Finds dangerous commands that the other modules miss: in prose, in data, and in other programs.

An agent may run a command from anything that it reads, such as a table, a comment or a JSON value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from skillbuild.check.facts.found import Found, lines_with, shown
from skillbuild.check.facts.hosts import host_of
from skillbuild.model import RunKind

_SHELL_NAME = (
    r"(?:sudo\s+(?:-\w+\s+)*)?(?:env\s+)?(?:/\w+/(?:\w+/)?)?(?:(?:ba|z|da|k|fi)?sh|pwsh)\b"
)
_PIPED = re.compile(
    r"\b(?:curl|wget|iwr|irm|invoke-(?:webrequest|restmethod))\s[^\n;|\w$<]{0,20}[\w$<]"
    r"[^\n;]{0,400}?\\?\|\s*"
    rf"(?:{_SHELL_NAME}(?!\s+-c|[\w./-])|(?:iex|invoke-expression)\b"
    r"|(?:sudo\s+)?(?:python[\d.]*|perl|node|ruby)(?=\s*(?:-(?!\w)|$|[\"'`;&|)<\\])))",
    re.IGNORECASE,
)
_SUBSTITUTED = re.compile(
    r"(?:\b(?:eval|source|(?:ba|z|da|k)?sh(?:\s+-\w+)*)|(?:^|[;&|`])\s*\.)\s+[\"'\\]{0,3}"
    r"(?:\$\(|<\()\s*(?:sudo\s+)?(?:curl|wget)\s|\beval\s+[\"'\\]{0,3}`\s*(?:curl|wget)\s",
    re.IGNORECASE,
)
_EVALUATED = re.compile(
    r"\b(?:iex|invoke-expression)\b[^\n]{0,120}?(?:\bi(?:rm|wr)\b|invoke-(?:web|rest)|downloadstring)"
    r"|(?:downloadstring|\bi(?:rm|wr)\b)[^\n]{0,200}?\|\s*(?:iex|invoke-expression)\b"
    r"|\[scriptblock\]::create\([^\n]{0,120}?(?:downloadstring|\bi(?:rm|wr)\b|invoke-(?:web|rest))",
    re.IGNORECASE,
)
_UNPACKED = re.compile(
    r"(?:\bbase64\s+(?:-d|-D|--decode)|\bxxd\s+-r|\bopenssl\s+(?:enc|base64)\s[^|\n]{0,60}?-d)"
    rf"[^\n|]{{0,120}}\|\s*{_SHELL_NAME}"
    r"|\beval\s+[\"'\\]{0,3}(?:\$\(|`)[^\n]{0,200}?base64\s+(?:-d|-D|--decode)"
    r"|\b(?i:powershell|pwsh)(?:\.exe)?\b[^\n]{0,120}?\s-[Ee](?:nc|c|ncoded[Cc]ommand)?\s+[\"']?"
    r"(?:[A-Za-z0-9+/=]{16,}|\$\w+)"
)
_SHELL_OPENED = re.compile(
    r"\bsh\b[^\n|;]{0,40}>&\s*/dev/(?:tcp|udp)/|\bexec\s+\d+<>\s*/dev/(?:tcp|udp)/"
    r"|\b(?:nc|ncat|netcat)\s+[^\n|;]{0,80}?(?:-[a-z]*e|-c|--exec)\s+[\"']?/?(?:usr/)?(?:bin/)?"
    r"(?:ba|z|da)?sh\b"
)
_DANGEROUS = (
    (_PIPED, RunKind.DOWNLOAD),
    (_SUBSTITUTED, RunKind.DOWNLOAD),
    (_EVALUATED, RunKind.DOWNLOAD),
    (_UNPACKED, RunKind.DECODED),
    (_SHELL_OPENED, RunKind.OPENS_SHELL),
)
_SIGNS = (
    *("scriptblock]", "base64", "openssl", "/dev/tcp"),
    re.compile("c(?:url|at (?<=ncat |tcat )|(?<=nc) -)"),
    re.compile("w(?:get|sh(?<=pwsh)|ershell)"),
    re.compile("x(?:(?<=iex)|d(?<=xxd)|pression(?<=invoke-expression))"),
)
"""Each dangerous line contains one of these, in lower case."""
_WRITES = re.compile(r"\s*(?:#|//|echo\b|print|Write-|console\.|log)", re.IGNORECASE)
_LONGEST_PIECE, _BETWEEN_PIECES = 4000, 3200
"""Length of the overlapping pieces in which long lines are searched, and distance of their starts.
"""
_MOST_DANGERS = 100
_ADDRESS = re.compile(r"https?://[^\s\"'`<>)|]+")


def suspects_in(text: str) -> Sequence[int]:
    """Return the start index of each line that may contain a dangerous command."""
    return lines_with(_SIGNS, text.encode("ascii", "replace").lower().decode("ascii"))


def dangers_in(
    text: str, suspects: Sequence[int], known: Set[int], code: Sequence[range]
) -> Iterator[Found]:
    """Yield the dangerous commands in a text, except on lines that are `known` to contain one.

    `suspects` are the start indexes of the lines to search. `code` contains the line numbers of
    commands and programs. If a command on such a line is in a string or in output, it is reported
    as mentioned, not as run.
    """
    count = 0
    for start in suspects:
        end = text.find("\n", start)
        whole = text[start : end if end >= 0 else len(text)]
        pieces = [whole[at : at + _LONGEST_PIECE] for at in range(0, len(whole), _BETWEEN_PIECES)]
        found = (
            (piece, kind)
            for piece in pieces
            for pattern, kind in _DANGEROUS
            if pattern.search(piece)
        )
        line, kind = next(found, ("", None))
        number = 1 + text.count("\n", 0, start) if kind else 0
        if kind is None or number in known:
            continue
        is_code = any(number in lines for lines in code)
        if is_code and not (_EVALUATED.search(line) and not _WRITES.match(line)):
            kind = RunKind.TELLS_DOWNLOAD
        address = _ADDRESS.search(line) if kind is not RunKind.OPENS_SHELL else None
        yield Found(kind, "", number, shown(line), (host_of(address[0]) or "") if address else "")
        count += 1
        if count >= _MOST_DANGERS:
            return
