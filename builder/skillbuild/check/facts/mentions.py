"""Finds the hosts and programs that a file names, whether or not a step uses them.

`gather` keeps those that no other fact is about, so that a page lists every host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from skillbuild.check.facts.found import Found, one_of, shown, words
from skillbuild.check.facts.hosts import LOCAL, host_of
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
_DULL = words(
    """
    awk bat cat cp curl df diff du egrep fgrep find gawk grep less ln locate ls mv open realpath
    readlink rg sed stat strings tar test tree uname
    """
)
"""Programs that most texts name."""
_WITH_OPERAND = (COMMANDS | SERVICES | EVERYDAY) - _DULL
"""Programs whose names may have other meanings, unless an operand follows."""
_PROGRAM = re.compile(
    r"`(?<!``)\$?[ ]?(?:"
    rf"(?P<program>{one_of(_WITH_OPERAND)})[ ](?!\d|with\b|and\b|or\b)[^`\n]{{1,300}}"
    r"|(?P<option>(?!with |via |the )[a-z][a-z0-9]+(?:-[a-z0-9]+)*)"
    r"(?:[ ][\w./<>-]{1,40}){0,3}?[ ]--?[a-z][^`\n]{0,300}"
    rf"|(?P<tool>{one_of(TOOLS)}))`(?!`)"
)
"""A code span with a command, or with the name of a tool."""
_OF_CLIENT = re.compile(r"Web(?:Search|Fetch)\b")
"""A tool of a client that reaches the web."""
_MOST = 500


def mentioned(text: str, document: Document | None) -> Iterator[Found]:
    """Yield the hosts in the addresses of a file, and the programs in the code spans of a text,
    once each.

    The parsed text is `document` if the file is Markdown.
    """
    seen = {LOCAL, ""}
    for match in islice(_ADDRESS.finditer(text), _MOST) if "://" in text else ():
        host = host_of(match[0]) or ""
        if host not in seen and not _IDENTIFIER.match(match[0]):
            seen.add(host)
            yield _found("", match, host)
    if document is None:
        return
    programs = islice(_PROGRAM.finditer(text), _MOST)
    for match in chain(programs, islice(_OF_CLIENT.finditer(text), _MOST)):
        name = match[match.lastgroup or 0]
        if name not in seen and (match.lastgroup != "option" or is_program(name)):
            seen.add(name)
            item = _found(name, match)
            if not any(item.line in fence.lines for fence in document.fences):
                yield item


def _found(name: str, match: re.Match[str], host: str = "") -> Found:
    line = 1 + match.string.count("\n", 0, match.start())
    return Found(RunKind.NAMES, name, line, shown(match[0].strip("`")), host)
