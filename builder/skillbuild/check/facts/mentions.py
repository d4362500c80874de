"""Finds the hosts and programs that a file names, whether or not a step uses them.

`gather` keeps those that no other fact is about, so that a page lists every host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from skillbuild.check.facts.found import Found, one_of, shown, words
from skillbuild.check.facts.hosts import LOCAL, host_name, host_of
from skillbuild.check.facts.prose import is_in_block
from skillbuild.check.facts.services import SERVICES
from skillbuild.check.facts.shell import COMMANDS
from skillbuild.check.facts.statements import EVERYDAY, TOOLS, is_program
from skillbuild.model import RunKind
from skillbuild.text.markdown.document import Document

_ADDRESS = re.compile(r"https?://[^\s\"'`<>)\]|\\]{4,300}")
_IDENTIFIER = re.compile(
    r"https?://(?:(?:www\.)?w3\.org|schema\.org|json-schema\.org|purl\.org|[\w.]*openxmlformats\.org"
    r"|schemas\.[\w.]+|(?:www\.)?apache\.org/licenses|[\w.]*/(?:ns|xmlns)/)",
)
"""The start of an address that is the identifier of a format or license."""
_TOP = re.compile(
    r"\.(?:(?:com|org|net|gov|edu|dev)(?=[/\s),;:`'\"\]]|\.?(?:\s|\Z))"
    r"|(?:io|ai|app|co|cloud)(?=/[a-z]))"
)
_LABELS = re.compile(
    r"(?<![\w@./:+-])(?!(?:com|org|net|io|dev|app|ai|gov)\b)[a-z0-9-]+(?:\.[a-z0-9-]+){0,3}\Z"
)
"""The end of a host without a scheme in a sentence, and the rest of it."""
_LONGEST_HOST = 80
_DULL = words(
    """
    awk bat cat cp curl df diff du egrep fgrep find gawk grep less ln locate ls mv open realpath
    readlink rg sed stat strings tar test tree uname
    """
)
"""Programs that most texts name."""
_WITH_OPERAND = (COMMANDS | SERVICES | EVERYDAY) - _DULL
"""Programs whose names may have other meanings, unless an operand follows."""
_ALONE = TOOLS | (
    (COMMANDS | SERVICES)
    - _DULL
    - words(
        """
        bash bun cargo claude codex del deno env eval expo fish flux gemini goose lt node perl php
        powershell pwsh python python3 r rd rscript ruby sh tail tee xargs zsh
        """
    )
)
"""Programs whose names mean nothing else in code spans."""
_PROGRAM = re.compile(
    r"`(?<!``)\$?[ ]?(?:"
    rf"(?P<program>{one_of(_WITH_OPERAND)})[ ](?!\d|with\b|and\b|or\b)[^`\n]{{1,300}}"
    r"|(?P<option>(?!with |via |the )[a-z][a-z0-9]+(?:-[a-z0-9]+)*)"
    r"(?:[ ][\w./<>-]{1,40}){0,3}?[ ]--?[a-z][^`\n]{0,300}"
    rf"|(?P<tool>{one_of(_ALONE)})"
    r"|(?:[^\s`/]{1,40}/){0,5}(?:scripts/(?P<script>[a-z][\w-]+\.py)|(?P<file>[a-z][\w-]+\.sh))"
    r"(?:[ ][^`\n]{0,300})?"
    r")`(?!`)"
)
"""A code span with a command, or with the name of a tool or script."""
_OF_CLIENT = re.compile(r"Web(?:Search|Fetch)\b")
"""A tool of a client that reaches the web."""
_MOST = 500


def mentioned(text: str, document: Document | None) -> Iterator[Found]:
    """Yield the hosts that a file names, and the programs that a text names, once each.

    The parsed text is `document` if the file is Markdown.
    """
    seen = {LOCAL, ""}
    for match in islice(_ADDRESS.finditer(text), _MOST) if "://" in text else ():
        host = host_of(match[0]) or ""
        if host not in seen and not _IDENTIFIER.match(match[0]):
            seen.add(host)
            yield _found("", match, match[0], host)
    if document is None:
        return
    body = max(0, len(text) - len(document.text))
    for pattern, read in _READERS.items():
        start = body if pattern is _OF_CLIENT else 0  # The tools in the frontmatter are asked for.
        for match in islice(pattern.finditer(text, start), _MOST):
            name = read(match)
            if name in seen:
                continue
            is_host = pattern is _TOP
            item = _found("", match, name, name) if is_host else _found(name, match, match[0])
            if not is_in_block(document, item.line):
                seen.add(name)
                yield item


def _host_before(top: re.Match[str]) -> str:
    """Return the host whose last label was found; empty if it belongs to an address or a name."""
    before = top.string[max(0, top.start() - _LONGEST_HOST) : top.start()]
    labels = _LABELS.search(before)
    return host_name(f"{labels[0]}{top[0]}") if labels else ""


def _name_in(match: re.Match[str]) -> str:
    """Return the program that a match names; empty if its first word is a common command."""
    kind = match.lastgroup or ""
    return "" if kind == "option" and not is_program(match[kind]) else match[kind]


_READERS: Mapping[re.Pattern[str], Callable[[re.Match[str]], str]] = {
    _TOP: _host_before,
    _PROGRAM: _name_in,
    _OF_CLIENT: lambda match: match[0],
}
"""Patterns for a text, and functions that return the name in a match, or an empty string."""


def _found(name: str, match: re.Match[str], command: str, host: str = "") -> Found:
    line = 1 + match.string.count("\n", 0, match.start())
    return Found(RunKind.NAMES, name, line, shown(command.strip("`")), host)
