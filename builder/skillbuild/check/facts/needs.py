"""Finds the credentials that a text says are needed, and the tools and requests that it lists."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

from skillbuild.check.facts.found import Found, lines_with, marked_lines, shown
from skillbuild.check.facts.prose import FORBIDS, block_of
from skillbuild.check.facts.statements import QUERIES
from skillbuild.model import RunKind
from skillbuild.text.markdown.document import Document

_NO_USE = re.compile(
    rf"(?:\b(?:{FORBIDS}|(?i:unlike|such as|like|example))\b|e\.g\.)[^.;:!?]{{0,60}}\Z"
    r"|\bExample\W{1,4}If\b.*|\bmetadata \([^)]*\Z"
)
"""Words before a name that forbid its use, or make it an example."""
_MOST_MATCHES = 4


def of_words(document: Document) -> Iterator[Found]:
    """Yield the credentials, tools and requests that a text names."""
    yield from credentials_in(document)
    yield from tools_in(document)
    yield from requests_in(document)


# Credentials.


_SIGNS = (
    *("API Key", "redentials", "OAuth ", " password", "secret", " account", "Service Account"),
    *("license file", "authenticated", " temp file", " temporary file"),
    re.compile("k(?:ey(?<=API key|SSH key|nse key)|en(?<=oken))"),
)
"""Every line with a credential contains one of these."""
_NO_NAME = (
    r"(?!(?:Verify|Add|Set|Get|Use|Create|Check|Store|Your|The|An?|No|Environment|MCP|Missing"
    r"|Invalid|Assign|Rotate)\b)"
)
_CREDENTIAL = (
    r"(?:API[- ][Kk]eys?|(?:API|[Aa]ccess|[Aa]uth(?:entication)?|[Bb]earer|(?i:bot)|OAuth"
    r"|[Pp]ersonal [Aa]ccess|[Ss]ession) [Tt]okens?"
    r"|(?:AWS |cloud |account |service |login )?[Cc]redentials"
    r"|(?i:service account)(?: (?:keys?|JSON))?|(?i:license) (?:file|key)s?|(?i:client secrets?)"
    r"|(?i:app passwords?)|SSH keys?|OAuth (?:apps?|clients?|credentials)"
    r"|(?i:user ?name) and password)"
)
_WHAT = (
    rf"(?P<what>{_NO_NAME}(?:(?:[A-Z][\w.&-]* ){{0,3}}?{_CREDENTIAL}"
    r"|(?:[A-Z][\w.&-]* ){1,3}?accounts?))(?!-)\b"
)
"""A credential, after the name of its service."""
_WITH = (
    r"(?:an? |your |the |their |valid |own |existing |user's |configured |appropriate ){0,3}[`*]*"
)
_NEEDS = re.compile(
    r"\b(?<!endpoints )(?<!routes )"
    r"(?i:requires?|required|needs?|must have|have|prompts? for|asks? (?:the user )?for|expects?"
    r"|provide|obtain|supply|enter|authenticat\w+ (?:with|using|via|by)|using (?=an?|your))"
    rf" {_WITH}{_WHAT}(?!.{{0,40}}(?:\[No|not (?:needed|required)))"
)
"""A sentence that says that a credential is needed."""
_ITEM = re.compile(rf"\A[ \t>]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ x]\] )?(?:\*\*)?{_WITH}{_WHAT}")
"""An item of a list that begins with a credential."""
_NEEDED = re.compile(
    r"(?i)prereq|requirement|before you|what you need|must have|\bneed(?:s|ed)?\b|^set ?up"
)
"""The heading of a list of what is needed."""


_IN_FILE = (
    r"(?:in|to|at|under) (?:(?:the|an?|your)(?: file)? )?(?:secure )?[*(]*"
    r"(?P<what>(?:`(?=[~./$%])[^`\s]{2,80}`|(?i:temp(?:orary)?) files?))"
)
_KEPT = re.compile(
    r"\b(?i:keys?|tokens?|secrets?|passwords?|credentials)\b(?:(?!\b(?:not|never|\w*n't)\b)[^.|\n]){0,50}?"
    rf" (?i:stored|saved|written|kept|cached|persisted)\b[^.|`\n]{{0,20}}? {_IN_FILE}"
    r"|\b(?i:stores?|saves?|writes?|persists?)\b[^.|`\n]{0,30}\b(?i:keys?|tokens?|secrets?"
    rf"|passwords?|credentials) {_IN_FILE.replace('what', 'file')}"
)
"""A sentence that says in which file credentials are kept."""


def credentials_in(document: Document) -> Iterator[Found]:
    """Yield the credentials that a text says are needed, and the files in which the text says
    credentials are kept. Each of them is yielded only once.
    """
    text, seen = document.text, set[str]()
    for start, line in marked_lines(_SIGNS, text):
        number = 0
        for pattern, form in _FORMS:
            for match in islice(pattern.finditer(line), _MOST_MATCHES):
                if (
                    _NO_USE.search(line[: match.start()])
                    or (match["what"] or "").lower() == "credentials"
                ):
                    continue
                number = number or document.first_line + text.count("\n", 0, start)
                name = (match["what"] or match["file"]).strip("`")
                is_temporary = pattern is _KEPT and name.lower().startswith("temp")
                what = form.format("a temporary file" if is_temporary else name)
                is_new = what.lower() not in seen and _is_needed(pattern, document, number)
                if is_new and block_of(document, number) is None:
                    seen.add(what.lower())
                    yield Found(RunKind.USES_KEY, with_article(what), number, shown(line))


_FORMS = (
    (_NEEDS, "{}"),
    (_ITEM, "{}"),
    (_KEPT, "the credentials kept in {}"),
)
"""Patterns, and what is said of the words that they find."""


def with_article(words: str) -> str:
    """Return a phrase with `a` or `an` before it, unless it is plural or begins with `the`."""
    if words.endswith("s") or words.startswith("the "):
        return words
    is_spelled = words.partition(" ")[0].isupper()  # Spelled, NGC begins with a vowel.
    vowels = "AEFHILMNORSX" if is_spelled else "AEIOaeio"
    return f"{'an' if words[0] in vowels else 'a'} {words}"


_UNNAMED = re.compile(rf"(?:an? )?(?:{_CREDENTIAL})")


def is_unnamed(words: str) -> bool:
    """Return whether a phrase names a credential but no service, as in `an API key`."""
    return _UNNAMED.fullmatch(words) is not None


def _is_needed(pattern: re.Pattern[str], document: Document, number: int) -> bool:
    """Return whether what a pattern found is needed, by its line or by the heading above it."""
    if pattern in (_NEEDS, _KEPT):
        return True
    above = bisect_left(document.headings, number, key=lambda heading: heading.line) - 1
    return above >= 0 and _NEEDED.search(document.headings[above].text) is not None


# Tools, and requests that a text lists.


_TOOL = re.compile(
    r"`(?:mcp__\w+?__|[a-z]\w*:)?((?:[a-z0-9]+_)?(?:get|list|create|update|delete|search|fetch|query|run|send|post"
    r"|read|write|add|remove|set|patch|apply|execute|describe|upload|download|find|close|insert"
    r"|invoke|generate|move|merge|cancel|publish|reply|edit|manage)_[a-z0-9_]+)"
    r"(?:\((?:\.\.\.|[^`\n]{0,60}=[^`\n]{0,60})\))?`"
    r"|mcp__(?<!\wmcp__)\w+?__([a-z][\w-]*)"
)
"""The name of a tool of an MCP server."""
_ABOUT_NAMES = re.compile(
    r"\bnam(?:e|es|ed|ing)\b|prefix|xample|instead|@mcp|_call`|\bwraps?\b|\bexposes?\b|_mcp_resource"
)
"""Words of a line about the names of tools, or about what a server or a client has."""
_OF_LIBRARY = re.compile(r"`[A-Z][a-z]+[A-Z]\w+`|\bPython SDK\b")
"""A class or a library, near which names in code are of its functions."""
_INVENTORY = re.compile(r"^\s*\|[^\n]*\Z|\b[Tt]ools?\b[^`\n]*:[`\w,\s>*]*\Z", re.MULTILINE)
"""The start of a row of a table, or of a list, of tools that no step uses."""
_DELETING = re.compile(r"(?:[a-z]+_)?(?:delete|remove)_\w+")
_CHANGING = re.compile(
    r"(?:[a-z]+_)?(?:create|update|patch|apply|send|post|write|insert|upload|publish|reply|edit"
    r"|merge|manage)_\w+"
)
_CALLS = re.compile(r"\b(?i:call|use|invoke|then|via|through)(?: the)? [`\w, ()=.*]{0,80}\Z")
"""Words before a tool that say to call it."""
_LIBRARY_CALL = re.compile(r"`[a-z]\w*+(?:\.\w++)++\(")
_MOST_TOOLS, _NEAR = 60, 400


def tools_in(document: Document) -> Iterator[Found]:
    """Yield the MCP tools that a text names.

    A tool that deletes or changes data is yielded a second time, as a deletion or a change.
    """
    text, seen, changing = document.text, set[str](), set[str]()
    is_about = "MCP" in text or "mcp__" in text
    is_code = any(fence.language for fence in document.fences) or _LIBRARY_CALL.search(text)
    if not is_about and is_code:
        return  # Names in a text with code are of functions and fields.
    for match in islice(_TOOL.finditer(text), _MOST_TOOLS):
        name, start = match[1] or match[2], text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        line, before = text[start : end if end >= 0 else len(text)], text[start : match.start()]
        near = text[max(0, start - _NEAR) : start] + line
        is_ordered = not is_about and _CALLS.search(before) is not None
        is_meant = "MCP" in near or "mcp__" in near or is_ordered
        is_other = _ABOUT_NAMES.search(line) or (match[1] and _OF_LIBRARY.search(near))
        if not is_meant or is_other or _NO_USE.search(before):
            continue
        number, words = document.first_line + text.count("\n", 0, start), f"the tool {name}"
        if name not in seen:
            seen.add(name)
            yield Found(RunKind.WORKS_WITH, words, number, shown(line))
        is_deletion = _DELETING.fullmatch(name) is not None
        is_listed = is_deletion and _INVENTORY.search(text, max(0, start - _NEAR), match.start())
        if name not in changing and not is_listed and (is_deletion or _CHANGING.fullmatch(name)):
            changing.add(name)
            kind = RunKind.REMOVES if is_deletion else RunKind.CHANGES
            yield Found(kind, words, number, shown(line))


_REQUEST = re.compile(
    r"[ \t>|*-]*`?(?P<method>PUT|PATCH|DELETE)`?\**[ \t]*(?:\|[ \t]*)?`?/[\w{}<>:$./-]+"
)
"""A line of a console, or a row of a table, with a request that changes or deletes data."""
_REQUEST_SPAN = re.compile(
    rf"`(?P<method>PUT|PATCH|DELETE|POST(?![^`\n]{{0,120}}?(?:{QUERIES})))"
    r" /[\w{}<>:$./?=&%-]+`"
)
"""Such a request in a code span."""
REQUESTS = " requests"
"""The end of what a fact says of such requests."""


_METHOD = re.compile(
    r"^[ \t]*[-*] `(?:batch_)?(create|delete|get|list|patch|update)`", re.MULTILINE
)
"""An item of a list with a method of an API."""
_CLIENT = re.compile(r"^[ \t]*([a-z][\w-]+) (?:[\w-]+ )?<resource> <method>", re.MULTILINE)
"""The command that calls such a method."""
_FEWEST_METHODS = 3
"""Fewest methods in the lists of a text about an API; a single `delete` may be an icon."""


def requests_in(document: Document) -> Iterator[Found]:
    """Yield the HTTP methods with which requests in a text change or delete data, each method only
    once.

    If the text lists the methods of an API and `delete` is one of them, a deletion is yielded.
    """
    text, seen = document.text, set[str]()
    listed = list(islice(_METHOD.finditer(text), _MOST_TOOLS)) if "`delete`" in text else []
    deletes = [match for match in listed if match[1] == "delete"]
    if deletes and len({match[1] for match in listed}) >= _FEWEST_METHODS:
        number = document.first_line + text.count("\n", 0, deletes[0].start(1))
        client = _CLIENT.search(text)
        words = client[1] if client else f"API{REQUESTS}"
        yield Found(RunKind.REMOVES, words, number, shown(deletes[0][0]))
    for start in lines_with(("PUT", "PATCH", "DELETE", "`POST /"), text):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        first = _REQUEST.match(line)
        spans = _REQUEST_SPAN.finditer(line) if line[0] != "#" else ()
        for match in (first, *islice(spans, _MOST_TOOLS)):
            if match is None or match["method"] in seen:
                continue
            seen.add(match["method"])
            kind = RunKind.REMOVES if match["method"] == "DELETE" else RunKind.CHANGES
            number = document.first_line + text.count("\n", 0, start)
            request = shown(match[0].lstrip(" \t>|*-`").rstrip("`"))
            yield Found(kind, f"{match['method']}{REQUESTS}", number, request)
