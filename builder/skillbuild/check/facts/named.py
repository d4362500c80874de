"""Finds the services that a text tells an agent to use, and the credentials that the text says are
needed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from skillbuild.check.facts.found import LONGEST_LINE, Found, lines_with, marked_lines, shown, words
from skillbuild.check.facts.known import COMMON_NAMES, NAMES
from skillbuild.check.facts.prose import FORBIDS, block_of, is_related
from skillbuild.check.facts.statements import QUERIES
from skillbuild.model import RunKind
from skillbuild.text.markdown.document import Document

OF_SERVICE = "the service "
"""The start of the words of a fact about a service that a text names."""


def as_helper(service: str) -> str:
    """Return the words that a fact uses for a service: `the service Slack` for `Slack`.

    A name that begins with `a`, `the` or `your` is returned unchanged.
    """
    return service if service.startswith(("a ", "the ", "your ")) else f"{OF_SERVICE}{service}"


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
    r" (?:APIs?|MCP|accounts?(?! for)|connectors?|webhooks?|workspaces?|login|tokens?"
    r"|credentials|API key"
    r"|bot token|tickets?|app\b(?! (?:router|service|engine|store))"
    r"|integration|models?|project|instance"
    r"|actions?"
    r"|sites?|folders?|threads?|boards?|calendars?|alerts?|incidents?|issues?|messages?"
    r"|notifications?|pages|documents?|dashboards?|repository"
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
    rf"\b(?:{_ACT}\b[^.|;:()?!\n]{{0,60}}?\b(?i:to|from|in|into|on|onto|via|through|with|using|at|against)"
    r"|(?i:search|query|call|via|through|using|uses?|notify|connected)"
    rf") (?:the |your |an? |their |user's )?[`*\[\"]*{_LISTED}\Z"
)
"""A verb and the words after it, up to the name of a service."""
_USED = re.compile(
    rf"\b(?:{_ACT}|(?i:us(?:e[sd]?|ing)|via|through|with|needs?|requires?|access\w*|from|set up"
    rf"|configure\w*|provide|have|attach|auto-close|your|existing|valid))\b(?!-)[^.|;\n]{{0,60}}\Z"
)
"""Words before the name of a service and a part of it, as in `with your Slack account`."""
_AFTER = re.compile(rf"(?:(?:, (?:and |or )?| and | or |/)[A-Z]\w+(?: [A-Z]\w+)?){{0,5}}{_THING}")
_OTHERWISE = re.compile(
    r"[^.;|]{0,30}\binstead\b"
    r"|(?<=Linear) models?\b|[`*]* (?:\w+ )?"
    r"(?:regions?|zones?|limits?|quotas?|pric(?:es?|ing)|costs?|tiers?)\b|[`*]* (?:\w+ )?"
    r"(?:brand\w*|skills?|style\w*|syntax|themes?|Voice|Copilot|Router)\b"
)
"""Words after the name of a service that show that the skill does not use it."""
_NO_USE = re.compile(
    rf"(?:\b(?:{FORBIDS}|(?i:unlike|such as|like|example))\b|e\.g\.)[^.;:!?]{{0,60}}\Z"
    r"|\bExample\W{1,4}If\b.*|\bmetadata \([^)]*\Z"
)
"""Words before a name that forbid its use, or make it an example."""
_REST_OF_LINK = re.compile(r"([^\[\]\n]{0,200})\]\(https?:")
"""Text after a name in the text of a link to a page."""
_PART, _PART_BEFORE = re.compile(r"[\w@/-]|\.\w"), re.compile(r"[\w/.@-]\Z")
"""Characters next to a name that is part of another name or of an address."""
_MARKS = "`*.,;:()[]"
_MOST_LINES, _MOST_MATCHES, _LONGEST_BEFORE, _LONGEST_AFTER = 12, 4, 130, 40


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
_NO_STORE = re.compile(r"[\w-]{0,40}(?:bucket|samples?)\b|\.{2,3}|[\s\"'`,);|]|\Z")
"""The rest of an address that is a placeholder, or only the name of a scheme."""


def stores_in(text: str, known: set[str]) -> Iterator[Found]:
    """Yield the storage services and databases whose addresses occur in a text or program."""
    at = text.find("://")
    while at >= 0:
        match = _SCHEME.search(text, max(0, at - _LONGEST_SCHEME), at)
        match = None if _NO_STORE.match(text, at + 3) else match
        service = _STORES.get(match[1], "") if match else ""
        if service and service not in known:
            known.add(service)
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            line = text[start : end if end >= 0 else len(text)]
            yield Found(
                RunKind.WORKS_WITH, as_helper(service), 1 + text.count("\n", 0, at), shown(line)
            )
        at = text.find("://", at + 3)


def of_words(document: Document, known: set[str]) -> Iterator[Found]:
    """Yield the services, credentials, tools and requests that a text names.

    `known` contains the services that are already known from other texts.
    """
    yield from services_in(document, known)
    yield from credentials_in(document)
    yield from tools_in(document)
    yield from requests_in(document)


def services_in(document: Document, known: set[str]) -> Iterator[Found]:
    """Yield each service that a text tells an agent to use, except those already in `known`. Each
    service is added to `known`.
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
            if name and not (block_of(document, number) or is_related(document, number)):
                known.add(name)
                yield Found(RunKind.WORKS_WITH, as_helper(name), number, shown(line))
                break


def _is_used(name: str, line: str) -> bool:
    """Return whether a line says to use the service with this name."""
    at = line.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = line[max(0, at - _LONGEST_BEFORE) : at], line[end : end + _LONGEST_AFTER]
        is_name = not (_PART.match(after) or _PART_BEFORE.search(before))
        around = [*before.split()[-1:], *after.split()[:1]]
        longer = {f"{word.strip(_MARKS)} {name}" for word in around}
        longer |= {f"{name} {word.strip(_MARKS)}" for word in around}
        is_name = is_name and NAMES.isdisjoint(longer)
        is_name = is_name and line.count('"', 0, at) % 2 == 0  # A quotation is of somebody else.
        is_name = is_name and not _is_in_title(line, at, end)
        if is_name and not _NO_USE.search(before) and not _OTHERWISE.match(line, end):
            is_thing = _AFTER.match(after) is not None and _USED.search(before) is not None
            if is_thing or (name not in COMMON_NAMES and _ACTS.search(before)):
                return True
        at = line.find(name, end)
    return False


def _is_in_title(line: str, at: int, end: int) -> bool:
    """Return whether a name is one of several words of a link, which is the title of a page."""
    rest = _REST_OF_LINK.match(line, end)
    before = line[line.rfind("[", 0, at) + 1 : at]
    return rest is not None and bool(f"{before}{rest[1]}".strip("*` "))


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
                if _NO_USE.search(line[: match.start()]) or match["what"] == "credentials":
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
    r"`(?:mcp__\w+?__)?((?:[a-z]+_)?(?:get|list|create|update|delete|search|fetch|query|run|send|post"
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
