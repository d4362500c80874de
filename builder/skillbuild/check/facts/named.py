"""Finds the services that a text says to work with, and the credentials that it says are needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from skillbuild.check.facts.found import LONGEST_LINE, Found, lines_with, shown, words
from skillbuild.check.facts.known import COMMON_WORDS, NAMES
from skillbuild.model import RunKind
from skillbuild.text.markdown.document import Document

_OF_SERVICE = "the service "
"""The start of the words of a fact about a service that a text names."""


def as_helper(service: str) -> str:
    """Return the words of a fact about a service that a skill works with."""
    return service if service.startswith(("a ", "the ", "your ")) else f"{_OF_SERVICE}{service}"


_WORD = re.compile(r"[A-Z]\w+")
"""A word in a name, or the part of a word that begins with a capital letter."""


def _by_word() -> Mapping[str, Sequence[str]]:
    """Return the names of services by their first capitalized word, the longest names first."""
    names: dict[str, list[str]] = {}
    for name in sorted(NAMES, key=lambda name: (-len(name), name)):
        word = _WORD.search(name)
        names.setdefault(word[0] if word else name, []).append(name)
    return names


_BY_WORD = _by_word()
_IN_LOWER_CASE = [word for word in _BY_WORD if not _WORD.match(word)]
_THING = (
    r"[`*\]\"]*(?:['\u2019]s)?(?: (?:REST|GraphQL|Web|Cloud|Admin|Data|Search|Graph|Developer"
    r"|Management|Batch))?"
    r" (?:APIs?|MCP|accounts?|connectors?|webhooks?|workspaces?|login|tokens?|credentials|API key"
    r"|bot token|tickets?|app\b(?! (?:router|service|engine|store))"
    r"|integration|project|instance|actions?"
    r"|alerts?|incidents?|issues?|messages?|notifications?|pages|documents?|dashboards?|repository"
    r"|repositories)\b"
)
"""Words after the name of a service that say which part of it is used."""
_ACT = (
    r"(?i:post|send|upload|publish|push|deploy|export|import|fetch|download|pull|query|queries|search"
    r"|read|retrieve|get|look up|submit|create|update|share|sync|notify|connect|log ?in|sign in"
    r"|authenticate|write|save|move|migrate|integrate|host|file|open|call|record|register|request|verify)"
    r"(?i:e?s|e?d|ing)?"
)
_LISTED = r"(?:[A-Z][\w.]*(?: [A-Z][\w.]*)?(?:, (?:and |or )?| and | or |/)){0,6}"
"""Names that come before a name in a list."""
_ACTS = re.compile(
    rf"\b(?:{_ACT}\b[^.|;:()\n]{{0,60}}?\b(?i:to|from|in|into|on|onto|via|through|with|using|at|against)"
    r"|(?i:search|query|call|via|through|using|uses?|notify|connected)"
    rf") (?:the |your |an? |their |user's )?[`*\[\"]*{_LISTED}\Z"
)
"""A verb and the words after it, up to the name of a service."""
_USED = re.compile(
    rf"\b(?:{_ACT}|(?i:us(?:e[sd]?|ing)|via|through|with|needs?|requires?|access\w*|from|set up"
    rf"|configure\w*|provide|have|attach|auto-close|your|existing|valid))\b[^.|;\n]{{0,60}}\Z"
)
"""Words before the name of a service and a part of it, as in `with your Slack account`."""
_AFTER = re.compile(rf"(?:(?:, (?:and |or )?| and | or |/)[A-Z]\w+(?: [A-Z]\w+)?){{0,5}}{_THING}")
_OTHERWISE = re.compile(
    r"[^.;|]{0,30}\binstead\b|[`*]* (?:\w+ )?(?:brand\w*|skills?|style\w*|syntax|themes?)\b"
)
"""Words after the name of a service that show that the skill does not use it."""
_FORBIDDEN = re.compile(
    r"\b(?i:never|not?|\w*n['\u2019]t|avoid|without|instead of|rather than|unlike|such as|e\.g\."
    r"|like|example)\b[^.;:!?]{0,60}\Z"
)
_PART, _PART_BEFORE = re.compile(r"[\w@/-]|\.\w"), re.compile(r"[\w/.@-]\Z")
"""Characters next to a name that is part of another name or of an address."""
_MOST_LINES, _LONGEST_BEFORE, _LONGEST_AFTER = 12, 130, 40


_STORES: Mapping[str, str] = {
    **dict.fromkeys(["s3", "s3a"], "Amazon S3"),
    **dict.fromkeys(["gs", "gcs"], "Cloud Storage"),
    **dict.fromkeys(["az", "abfs", "abfss", "wasb", "wasbs"], "Azure Blob Storage"),
    "hf": "Hugging Face",
    "oci": "a container registry",
    **dict.fromkeys(
        words("postgres postgresql mysql mongodb redis rediss mssql clickhouse oracle"),
        "your database",
    ),
    "mongodb+srv": "MongoDB Atlas",
}
"""The services that addresses with these schemes belong to."""
_SCHEME = re.compile(r"(?<![\w.$-])([a-z][a-z0-9]*(?:\+srv)?)(?:\+\w+)?\Z")
_LONGEST_SCHEME = 24


def stores_in(text: str, known: set[str]) -> Iterator[Found]:
    """Yield the storage services and databases whose addresses a text or program contains."""
    at = text.find("://")
    while at >= 0:
        match = _SCHEME.search(text, max(0, at - _LONGEST_SCHEME), at)
        service = _STORES.get(match[1], "") if match else ""
        if service and service not in known:
            known.add(service)
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            line = text[start : end if end >= 0 else len(text)]
            yield Found(
                RunKind.WORKS_WITH, as_helper(service), 1 + text.count("\n", 0, at), shown(line)
            )
        at = text.find("://", at + 3)


def services_in(document: Document, known: set[str]) -> Iterator[Found]:
    """Yield each service that a text says to work with, and add it to `known`; skip services in
    `known`.
    """
    text = document.text
    found = _BY_WORD.keys() & _WORD.findall(text)
    found.update(word for word in _IN_LOWER_CASE if word in text)
    for word in sorted(found):
        names = [name for name in _BY_WORD[word] if name not in known]
        for start in islice(lines_with((word,), text), _MOST_LINES) if names else ():
            end = text.find("\n", start, start + LONGEST_LINE)
            line = text[start : end if end >= 0 else start + LONGEST_LINE]
            name = next((name for name in names if _is_used(name, line)), "")
            number = document.first_line + text.count("\n", 0, start) if name else 0
            if name and not _is_code(document, number):
                known.add(name)
                yield Found(RunKind.WORKS_WITH, as_helper(name), number, shown(line))
                break


def _is_code(document: Document, number: int) -> bool:
    """Return whether a line is in a block of code."""
    return any(0 <= number - each.line <= each.text.count("\n") for each in document.fences)


def _is_used(name: str, line: str) -> bool:
    """Return whether a line says to use the service with this name."""
    at = line.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = line[max(0, at - _LONGEST_BEFORE) : at], line[end : end + _LONGEST_AFTER]
        is_name = not _PART.match(after) and not _PART_BEFORE.search(before)
        if is_name and not _FORBIDDEN.search(before) and not _OTHERWISE.match(after):
            is_thing = _AFTER.match(after) is not None and _USED.search(before) is not None
            if is_thing or (name not in COMMON_WORDS and _ACTS.search(before)):
                return True
        at = line.find(name, end)
    return False
