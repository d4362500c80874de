"""Finds what a text tells its readers in words: pages to open, files to delete, packages to
install, and the agents, skills and servers to use.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from skillbuild.check.facts.found import LONGEST_LINE, Found, marked_lines, shown
from skillbuild.check.facts.found import words as _words
from skillbuild.check.facts.hosts import host_of
from skillbuild.check.facts.shell import commands_in
from skillbuild.check.facts.statements import PACKAGES_OF_R
from skillbuild.model import RunKind
from skillbuild.text.markdown.document import Document, Fence

FORBIDS = (
    r"(?i:never|not?|cannot|\w*n['\u2019]t|avoid|without|instead of|rather than|side effects? of)"
)
FORBIDDEN = re.compile(rf"\b{FORBIDS}\b[^.;:!?]{{0,60}}\Z")
"""Words before an instruction that turn it into its opposite."""


def instructions(document: Document) -> Iterator[Found]:
    """Yield what a text says to use, delete and install."""
    yield from _helpers(document)
    yield from _options(document)
    yield from _deletions(document)
    yield from _installs(document)


# Pages to open, and addresses to fetch.


_START = (
    r"(?:^[\s>*_#/|+-]*(?:\d+[.)]\s+)?(?:\[[ xA-Z]*\]\s*)?"
    r"(?:\*\*[^*\n]{1,60}\*\*:?\s*(?:[-\u2013\u2014]\s*)?)?(?=[A-Z])"
    r"|(?:[.:;,(|\]\u2013\u2014]|\s-)\s+\**"
    r"|\b(?i:must|should|then|always|first|please|and|(?:sub-?)?agent to)\s+)"
)
"""The start of a line or sentence, or a word before an instruction."""
_ADDRESS = r"https?://[^\s`<>)|\"']{4,300}"
_OPENS = re.compile(
    rf"{_START}(?i:(?P<fetch>(?:web_?)?fetch|retrieve|download)|read|check(?! out)|open|visit"
    r"|consult|review|install(?=[^\n:(.]{1,40}(?::|\s\() ?<?http)|research(?= \[| the )"
    r"|browse|follow(?= <?https?:)|go to|navigate to|refer to|look up|search(?= (?:at|on) )"
    r"|see(?=[^\n]{0,200}\b(?:latest|current|newest|up[- ]to[- ]date|(?:full|complete) list)\b))"
    rf"\b(?:[^.|\n]|\.(?!\s)){{0,120}}?[\s`<(](?P<address>{_ADDRESS})"
)
"""An instruction to open a page, or to fetch an address."""
_LABEL = r"(?i:full|complete|grounding) (?i:reference|documentation|docs|documents?|guide)"
_HAS_KEYS = re.compile(
    r"^(?=.*(?i:\bkeys?\b|token|credentials))"
    r".*?\b(?i:get|obtain(?:ed)?|create|generate)\b[^.|\n(]{0,60}?\b(?:at|from|on|in|via):?\s+"
    rf"(?:\[[^\]\n]{{1,80}}\]\()?[`<]?(?P<address>{_ADDRESS})"
)
"""The address of a page where users get a key."""
_INTRODUCES = re.compile(
    r"[\s>*-]*(?:\d+[.)]\s+)?\**(?i:read|check|consult|review|open|visit|fetch|navigate)\b.*:\**\s*"
    r"|.*(?:\bWebFetch|, (?:then )?(?:check|fetch|query))\b[^.|\n]*:\**\s*"
    rf"|.*\b{_LABEL}:\**\s*"
)
"""A line that says to open the page on the next line."""
_IS_LINK = re.compile(
    rf"[\s>*\d.<`-]*(?:(?:URL|Docs)\**: `?)?(?:\[[^\]\n]{{1,120}}\]\()?(?P<address>{_ADDRESS})"
)
_CITED = re.compile(r"\((?:from|source:?|see also) \[[^\]\n]*\]\(\Z", re.IGNORECASE)
"""Words before an address that only names where something comes from."""
_CALLED = re.compile(
    r"(?:(?<![\w-])(?i:base[ _-]?ur[li]|endpoint"
    r"|(?:api|rest|graphql|mcp|webhook|server)[ _-]?(?:endpoint|url))s?"
    r"\b[\"'`*]*\s{0,3}[=:|]\s{0,3}[\"'`*<]*"
    r"|\b(?:GET|POST|PUT|PATCH|DELETE)\b[`*|\s]{1,6})"
    rf"(?P<address>{_ADDRESS})"
)
"""The address of an API that a text names, alone or with the method of a request."""
_OF_SERVER = re.compile(
    r"(?P<address>https?://(?:mcp\.[\w.-]+(?:/(?:mcp|sse|v\d+)?)?"
    r"|[\w.-]+/(?:[\w-]+/){0,4}(?:mcp|sse))/?)"
    r"(?=[\s\"'`)>,;]|\.\s|\.?$)"
)
"""The address of an MCP server."""
_IMAGE = re.compile(
    r"!\[[^\]\n]{0,200}\]\((https?://(?!raw\.githubusercontent\.com/)[^)\s]{0,200}?"
    r"(?:[?&=][A-Z][A-Z_]{2,30}(?![\w-])|[?&/=][{<$\[][^)\n]{1,80})[^)\s]{0,200})\)"
)
"""A remote image with a placeholder in its address, which the agent is to fill in."""
_PAGES = (_CALLED, _OF_SERVER, _OPENS, _HAS_KEYS)
_MOST_IMAGES, _LONGEST_ABOVE = 200, 200


def pages(text: str, first: int, samples: Sequence[range] = ()) -> Iterator[Found]:
    """Yield the hosts of these addresses in a text: pages to open, addresses to fetch, APIs, MCP
    servers, and images whose addresses contain data.
    """
    if "http" not in text:
        return
    for start, line in marked_lines(("://",), text):
        found = (pattern.search(line) for pattern in _PAGES)
        match = next(filter(None, found), None) or _introduced(line, start, text)
        if match is None or FORBIDDEN.search(line[: match.start()]):
            continue
        if "{{" in match["address"] or _CITED.search(line[: match.start("address")]):
            continue
        number = first + text.count("\n", 0, start)
        is_called = match.re in (_CALLED, _OF_SERVER)
        if match.re is _OF_SERVER and line.lstrip().startswith("|"):
            continue  # A table lists the servers that there are.
        kind = RunKind.REACHES if match.groupdict().get("fetch") else RunKind.OPENS_PAGE
        if is_called:
            is_sample = any(number in lines for lines in samples)
            kind = RunKind.SAMPLES if is_sample else RunKind.REACHES
        if host := host_of(match["address"]):
            yield Found(kind, "", number, shown(match[0]), host)
    for match in islice(_IMAGE.finditer(text), _MOST_IMAGES) if "![" in text else ():
        if host := host_of(match[1]):
            number = first + text.count("\n", 0, match.start())
            yield Found(RunKind.SENDS, "data in an image URL", number, shown(match[0]))
            yield Found(RunKind.REACHES, "", number, shown(match[0]), host)


def _introduced(line: str, start: int, text: str) -> re.Match[str] | None:
    """Return the match of a line that is a link, if the line above its list says to open it."""
    above = text[max(0, start - 3 * _LONGEST_ABOVE) : start].rstrip().split("\n")
    while len(above) > 1 and (not above[-1].strip() or _IS_LINK.match(above[-1])):
        above.pop()
    return _IS_LINK.match(line) if _INTRODUCES.fullmatch(above[-1]) else None


# Searches, agents, skills and servers.


_NAME = r"[a-z][\w.]*(?:[-:][\w.-]*\w)*"
_CAPITALS = (
    r"(?!(?:A|An|The|Your|This|That|If|When|Is|Ensure|Make|Check|Verify|Confirm|Use|Run|No|Each|Any"
    r"|Claude|My|Our|Docs|Remote)\b)[A-Z][A-Za-z0-9]*(?:[ .-][A-Z][A-Za-z0-9]*){0,2}"
)
_USE = (
    r"\b(?i:use|uses|using|call|via|through|with|requires?|run|perform|connect(?:ed)? to|query)\s+"
    r"(?:\d+\s+)?(?:either\s+)?(?:(?:the|an?|your)\s+)?"
)
_SEARCHES = (
    rf"{_START}(?i:(?:web[- ])?search (?:the (?:web|internet)|online)\b"
    r"|web[- ]search (?:the|for)\b)"
    r"|\b(?i:use|using|run|perform|do|via)\s+(?:[\w-]+\s+){0,2}`?"
    r"(?i:web[ _]?search(?:es)?\b)|\bwith `Web(?:Search|Fetch)`"
)
_AGENTS = (
    r"\b(?i:dispatch|launch|spawn|delegate|start|use|run|create)\b[^.\n|`]{0,60}?"
    r"\b(?i:sub-?agents?)\b(?!-)"
    r"|\b(?i:dispatch|launch|spawn)\b[^.\n|]{0,40}?\bagents\b|\bsubagent_type[\"'`]?\s?[=:]"
)
_SKILLS = (
    rf"[`*]/?(?:[\w-]+:)?(?!th(?:is|at|ese)\b|each\b)({_NAME})[`*]+\s+skill\b(?!-)"
    r"|\bthe (?:[\w-]+:)?([a-z]\w*(?:-[\w-]*\w)+)(?<!-specific)(?<!-level)(?<!-based)"
    r"(?<!-oriented)(?<!-driven)(?<!-focused) skill\b"
    r"|\.\./(?:[\w-]+/)*([\w.-]*\w)/SKILL\.md"
    r"|\b[Ii]nvoke:?\**:?\s+`([a-z]\w*(?:-\w+)+)`"
    rf"|SKILL:\**\s+(?:Use\s+)?`?(?:[\w-]+:)?({_NAME})|\[\[([a-z]\w*(?:-\w+)+)\]\]"
)
_WITH_PLUGIN = r"\b(?:[Uu]se|[Ii]nvoke|[Ll]oad)\s+[`*]*(?!mode:)[a-z][\w-]+:([a-z]\w*(?:-\w+)+)\b"
_COMMANDS = r"`(?:(?<=(?:un|se|ll|ke) `)|(?<=\. \*\*`))(/[a-z][a-z0-9]*(?:[-:][a-z0-9]+)+)[ `]"
_SERVERS = (
    r"\bmcp__(?!server|name|my|example|plugin_name|x__)(\w+?)__\w"
    rf"|{_USE}(?:({_CAPITALS})|`([a-z][a-z0-9-]+)`) MCP\b"
    r"(?! (?i:servers|apps?|SDK|spec|protocol|patterns?))"
    rf"|\bthe ({_CAPITALS}) MCP (?:tools?|server)\b(?!\W{{0,3}}(?:is (?:un|not)|for ))"
    rf"|\b({_CAPITALS})(?=(?: and [A-Z]\w+)? (?:should|must|can|needs? to) be connected"
    r" (?:using|via|through|with) (?:an?|its) MCP\b)"
)
_SEARCH, _SUBAGENTS, _OF_SKILL = "search the web", "subagents", "the skill {}"
_TESTS = "your project's tests"
_OF_AGENT = "the agent's {}"
OF_SERVER = "the MCP server "
"""The start of the words of a fact about an MCP server."""
_OF_MODELS = ("messages.create", "responses.create", "max_tokens")
"""What a text about programs that call a model contains; its agents are those of the user."""
_NOT_IN_TABLES = (_SEARCH, _SUBAGENTS, _OF_AGENT)
"""What tables describe more often than they say to use it."""
_PUSHES = (
    rf"{_START}(?i:push)\s+(?:(?:it|them|the|your|this|all|changes|commits?|branch|tags?)\s+){{0,4}}"
    r"to\s+(?:the\s+|your\s+)?`?(?:origin|remote|GitHub|GitLab|fork)\b"
)
_COMMITS = (
    r"^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+(?:\[[ x]\] )?)?\*{0,2}Commit(?:(?: and push)?\*{0,2}[:.]?$"
    r"|\*{0,2} (?:and push\b|the|your|each|all|every|these|changes|it|them|work|after)\b"
    r"(?! (?:message|to an?)\b))"
    r"|\b(?:then|and|also) commit (?:the|your|each|all|every|these|changes|it|them)\b"
)
_AGENT_FILE = (
    r"((?:~/|\$HOME/|\./)?(?:\.(?:claude|codex|agents|gemini)/)?(?:MEMORY|CLAUDE|AGENTS|GEMINI)\.md"
    r"|(?:~/|\$HOME/)?\.claude/(?:rules|skills|agents|commands|projects|settings(?:\.local)?\.json)\b"
    r"|(?:~|\$HOME)/\.(?:claude(?:\.json)?|codex|agents|gemini)\b(?:/[\w.-]*\w)?)"
)
"""A file or folder with the instructions, memory or settings of an agent."""
_SIGNS_OF_FILES = "MEMORY.md|CLAUDE.md|AGENTS.md|GEMINI.md|.claude|.codex|/.agents|.gemini"
_TO_FILE = r"\b(?:[^.|\n]|\.(?!\s)){0,80}?(?<![\w/-])"
_AGENT_FILES = (
    rf"(?:{_START}(?i:append|add|write|save|store|record|persist|update|edit|create|generate|move|copy"
    r"|promote|graduate|maintain|read|check|search|scan|look|load|install|link|inspect|find)s?"
    rf"{_TO_FILE}|^[ \t]*(?:cat|cp|mv|rm|ln|ls|mkdir|find|tee|echo)[ ][^|#\n]{{0,160}}?(?<![\w/-]))"
    f"{_AGENT_FILE}"
)
_CUT_FILES = rf"{_START}(?i:remove|delete|prune)s?{_TO_FILE}{_AGENT_FILE}"
_RUNS_TESTS = (
    r"(?:^[\s>*+-]*(?:\d+[.)]\s+)?(?:\[[ x]\]\s*)?\**|[.:]\**\s+|\b(?i:then|and)\s+(?=r))"
    r"(?i:re-?run|run)\s+(?:(?i:the|your|all|any|its|their|relevant|targeted|full|existing|affected"
    r"|entire|project|repository|repo|own|automated|unit|integration|regression)"
    r"(?:['\u2019]s)?\s+){0,5}(?:tests?(?: suites?)?|test commands?|automated checks)\b"
    r"(?! \w+ing\b| in CI\b)"
)
"""An instruction to run the tests that a project has."""
_HELPERS: Sequence[tuple[RunKind, str, str, str]] = (
    (RunKind.OPENS_PAGE, _SEARCH, "search|Search|SEARCH", _SEARCHES),
    (RunKind.PROGRAM, _TESTS, "un ", _RUNS_TESTS),
    (RunKind.WORKS_WITH, _SUBAGENTS, "ubagent|gents", _AGENTS),
    (RunKind.WORKS_WITH, _OF_SKILL, " skill|SKILL|[[|nvoke", _SKILLS),
    (RunKind.WORKS_WITH, _OF_SKILL, "", _WITH_PLUGIN),
    (RunKind.WORKS_WITH, "{}", "`/", _COMMANDS),
    (RunKind.WORKS_WITH, f"{OF_SERVER}{{}}", "MCP|mcp__", _SERVERS),
    (RunKind.WORKS_WITH, _OF_AGENT, _SIGNS_OF_FILES, _AGENT_FILES),
    (RunKind.REMOVES, "edits of {}", _SIGNS_OF_FILES, _CUT_FILES),
    (RunKind.PUSHES, "", "ush ", _PUSHES),
    (RunKind.PROGRAM, "git commit", "Commit|commit", _COMMITS),
)
"""The kind of fact, its words (with the group of the pattern for `{}`), substrings of which each
such line has one (empty for the name of a plugin before a skill), and the pattern.
"""
_USER_IS_TO = re.compile(
    r"\b(?:users?|developers?|humans?|they)\s+(?:to|can|will|must|may|should)\b[^.;:!?]{0,60}\Z"
)
"""Words before an act of the user."""
_MOST_PLACES = 3
"""Maximum number of places of a name; the first can be a bad example."""
_AFTER_PLUGIN = re.compile(r":(?=[a-z]\w*-)")
_PATTERNS = tuple(
    (kind, words, signs.split("|") if signs else [_AFTER_PLUGIN], re.compile(pattern))
    for kind, words, signs, pattern in _HELPERS
)


_USES = re.compile(
    r"\b(?i:us(?:e|es|ing)|invok\w+|load|runs?|running|call|read|see|follow|consult|delegate\w*|hand"
    r"|via|through|with|apply|refer|defers?|requires?|required|switch|route|transition|start)\b"
    r"|\u9605\u8bfb|\u8bfb\u53d6|\u4f7f\u7528|\u8c03\u7528"
)
"""A word that says to use the skill on this line or on the next one, also in Chinese."""
_ORDERS = re.compile(rf"{_START}(?i:use|invoke|load|run|call)\s")
_USED = re.compile(
    r"\b(?i:(?:used|called|invoked|loaded|produced|written|created|maintained|handled) by"
    r"|same\b[^.\n]{0,60}\bas)\s+(?:the\s+)?[`*\[]*\Z"
    r"|\b(?:for|a|an|another)\s+[`*]*\Z|\bvs\b[^.;]{0,40}\Z"
)
"""Words before a skill that uses this one, that made what this one gets, or that is like it, and
before a skill that is only an example.
"""
_RELATED = re.compile(
    r"\b(?i:related|adjacent|see also|companions?|similar|sibling|further reading|references"
    r"|examples?|partners?|partner integrations)\b|^(?i:when not to use|out of scope)\b"
)
"""The heading of a list of skills or pages that nothing says to use."""


def _helpers(document: Document) -> Iterator[Found]:
    """Yield the searches, agents, skills and servers that a text says to use."""
    text, first = document.text, document.first_line
    seen: Counter[str] = Counter()
    for kind, words, signs, pattern in _PATTERNS:
        for start, line in marked_lines(signs, text):
            for match in pattern.finditer(line):
                name = words.format(next(filter(None, match.groups()), ""))
                if seen[name] >= _MOST_PLACES or FORBIDDEN.search(line[: match.start()]):
                    continue
                number = first + text.count("\n", 0, start)
                if words == _SUBAGENTS and any(sign in text for sign in _OF_MODELS):
                    break
                if kind != RunKind.WORKS_WITH and _USER_IS_TO.search(line[: match.start()]):
                    continue
                is_skipped = words in _NOT_IN_TABLES and line.lstrip().startswith("|")
                is_skipped |= words == _TESTS and block_of(document, number) is not None
                if not is_skipped and (
                    words != _OF_SKILL or _is_used(document, number, line, match)
                ):
                    seen[name] += 1
                    yield Found(kind, name, number, shown(line))


def _is_used(document: Document, number: int, line: str, match: re.Match[str]) -> bool:
    """Return whether a text says to use the skill that a line names."""
    if _USED.search(line[: match.start()]):
        return False
    at = number - document.first_line
    if not any(map(_USES.search, [line, *document.lines[max(0, at - 1) : at]])):
        return False
    is_ordered = _ORDERS.search(line[: match.start()]) is not None
    return is_ordered or not _is_related(document, number)


def block_of(document: Document, number: int) -> Fence | None:
    """Return the block of code that a line is in, if any."""
    at = bisect_right(document.fences, number, key=lambda fence: fence.line) - 1
    return document.fences[at] if at >= 0 and number in document.fences[at].lines else None


def _is_related(document: Document, number: int) -> bool:
    """Return whether a line is below a heading such as `Related skills`."""
    headings = document.headings
    above = bisect_left(headings, number, key=lambda heading: heading.line) - 1
    return above >= 0 and _RELATED.search(headings[above].text) is not None


_IN_PROGRAM = re.compile(
    r"(?!\s*(?:#|//|\*|\"\"\"))[^\n]*?(?:[\"'/](\.(?:claude|codex|gemini)\b(?!-)(?:/[\w.-]*\w)?)"
    r"|[\"'/]((?:MEMORY|CLAUDE|AGENTS|GEMINI)\.md))"
)
"""A line of a program with such a file or folder, unless it is a comment."""


def agent_files(text: str) -> Iterator[Found]:
    """Yield the files of agents that a program reads or writes."""
    for start, line in marked_lines(_SIGNS_OF_FILES.split("|"), text):
        if match := _IN_PROGRAM.match(line):
            name = _OF_AGENT.format(match[1] or match[2])
            yield Found(RunKind.WORKS_WITH, name, 1 + text.count("\n", 0, start), shown(line))


_PASSES = re.compile(
    rf"{_START}(?:\*\*)?(?i:pass|use|add|include|supply|specify)\s+(?:the\s+)?(?P<quote>`?)"
    r"(?P<option>--(?:yes|non-?interactive|auto-approve|no-(?:prompt|confirm)|force))(?P=quote)(?![\w-])"
)
"""An instruction to pass an option that skips questions."""
_OPTION = (re.compile(r"--(?=yes|no|auto|force)"),)


def _options(document: Document) -> Iterator[Found]:
    """Yield the options that skip questions and that a text says to pass."""
    text = document.text
    for start, line in marked_lines(_OPTION, text):
        match = _PASSES.search(line)
        if match and not FORBIDDEN.search(line[: match.start("option")]):
            number = document.first_line + text.count("\n", 0, start)
            yield Found(RunKind.UNASKED, match["option"], number, shown(line))


# Packages.


_OF_R_SIGNS = (".packages(", "::install", "::pak")
_HINT = re.compile(
    r"(?:[:(]\s*`?"
    r"|^\s*(?:#+|//+|\*|\"\"\")?[^\n\w]{0,8}(?:(?i:install|run|requires)[^\n:]{0,40}:\s*)?"
    r"|\b(?i:echo|print\w*|log\w*|error|warn\w*|message|write\w*|exit|die|cat|stop|err|fail)\b"
    r"[^\n]{0,120}?)"
    r"(?P<command>(?:sudo )?(?:pip3?|uv pip|uv tool|npm|pnpm|yarn|brew|conda|cargo|gem|apt-get|apt"
    r"|winget|choco|scoop|dnf|yum|snap|playwright|rustup toolchain|rustup component)"
    r" (?:install|add) [\w@-][^\n`\"')\\]*"
    r"|git clone (?:--?\w[\w-]*(?:[= ]\d+)? )*(?:https?://[^\s`\"')]+"
    r"|[\\\"]*\$\{?(?P<name>[A-Z_]{3,40})\}?(?![\w/])))"
)
"""A command that installs or clones something, in an instruction, comment or message."""
_IS_SHELL_LINE = re.compile(
    r"\s*(?:sudo )?(?:pip|uv|npm|pnpm|yarn|brew|conda|cargo|gem|apt|rustup|git)\b"
)
"""The start of a line that is a command itself."""
_OF_R = re.compile(rf"(?:`|^\s*#\s*)({PACKAGES_OF_R.pattern})")
_NO_NAME = re.compile(r"\(\s*(?:\)|\.\.\.|\w+\s*\))")
"""Arguments of such a call without the name of a package."""


def _installs(document: Document) -> Iterator[Found]:
    """Yield what a text or comment says to install.

    It can say so in words, such as `Needs: pip install x==1`, or with a call of R in a code span.
    """
    text, first = document.text, document.first_line
    yield from said_to_install(text, first)
    for start, line in marked_lines(_OF_R_SIGNS, text):
        number = first + text.count("\n", 0, start)
        found = _OF_R.search(line)
        call = found[1].partition("`")[0] if found else "()"
        if not _NO_NAME.search(call):
            yield Found(RunKind.INSTALLS, "R", number, shown(call))


def said_to_install(text: str, first: int, *, is_shell: bool = True) -> Iterator[Found]:
    """Yield what instructions, comments and messages of a text or program say to install or clone.

    If `is_shell` is true, lines that are commands are skipped. In other languages, such a line is
    part of a message and is not skipped.
    """
    for start, line in marked_lines((" install ", " add ", "git clone "), text):
        match = _HINT.search(line)
        if match is None or (is_shell and _IS_SHELL_LINE.match(line)):
            continue
        command = match["command"].rstrip(" .,;")
        if match["name"]:
            value = re.search(rf"\b{match['name']}=[\"']?(https?://[^\s\"']+)", text)
            command = f"git clone {value[1]}" if value else ""
        if command and not FORBIDDEN.search(line[: match.start("command")]):
            for item in commands_in(command, first + text.count("\n", 0, start)):
                if item.kind == RunKind.INSTALLS or item.host:
                    yield item


_DECLARES = (
    *("maven", "mplementation", "classpath", "PackageReference", ".package(", " packages: `"),
    *("id(", "gem '", 'gem "', "<dependency>", "<plugin>"),
)
_DECLARED = re.compile(
    r"\s*(?:(?:(?:[a-z]+I|i)mplementation|classpath)[ \t]*\(?[ \t]*(?:platform\([ \t]*)?"
    r"|id\((?=.*\)[ \t]*version\b))[\"'](?P<Gradle>(?!com\.example)[\w.-]+[:.][\w.-]+)"
    r"|\s*gem [\"'](?P<gem>[\w-]+)[\"'](?:,|\s*(?:#|\n|\Z))"
    r"|\s*<(?:dependency|plugin)>\s*(?:<groupId>[^<]*</groupId>\s*)?<artifactId>(?P<Maven>[\w.-]+)<"
    r"|\s*<PackageReference[ \t]+Include=\"(?P<NuGet>[\w.]+)"
    r"|\s*\.package\(url:[ \t]*\"(?P<Swift>https?://\S+)\""
    r"|\s*maven[ \t]*[({][ \t]*(?:url[ \t]*[=(]?[ \t]*)?(?:uri\()?[\"'](?P<repository>https?://[^\"'\s]+)"
    r"|.{0,40}\b(?i:add|install)(?: the| these| following| required){0,2} "
    r"(?P<named>NuGet|npm|pip|Maven) packages: `[\w@]"
)
"""A dependency that a user is to declare in a project, by the kind of package."""
_MOST_DECLARED = 20


def declared(text: str, first: int) -> Iterator[Found]:
    """Yield each dependency that a text tells the reader to declare."""
    seen: set[str] = set()
    for start, line in marked_lines(_DECLARES, text):
        match = _DECLARED.match(text, start, start + LONGEST_LINE)
        if match is None or len(seen) == _MOST_DECLARED:
            continue
        group = match.lastgroup or ""
        kind = {"named": match[group], "repository": "Maven"}.get(group, group)
        command = " ".join(line.split() + ([match[group]] if group == "Maven" else []))
        if command in seen:
            continue
        seen.add(command)
        number = first + text.count("\n", 0, start)
        yield Found(RunKind.INSTALLS, kind, number, shown(command))
        if group in ("repository", "Swift") and (host := host_of(match[group])):
            yield Found(RunKind.REACHES, "", number, shown(command), host)


# Deletions.


_PROSE = re.compile(
    r"(?:(?:^|[.:;|(])[\s>*_/#-]*|[-*+]\s+|\d[.)]\s+|\b(?:then|also|and)\s+\**)"
    r"(?:[Dd]elete|DELETE)\s+(?:the\s+)?(?:old\s+|existing\s+|file\s+|folder\s+|directory\s+)?"
    r"(?P<quote>`?)(?:[\w.@*-]+/)*(?:[\w.@*-]*[\w*]\.[A-Za-z]{1,6}|[\w.@*-]+/)(?P=quote)(?=[\s.,;)|]|$)"
)
"""An instruction to delete a file or folder."""
_PROSE_OF = re.compile(
    rf"{_START}(?i:delete|remove|replace(?=s? (?:the )?(?:entire|whole)))s?\s+"
    r"(?:the|any|all|these|those|both|its|your|this|old|orphaned|unused|stale|outdated|obsolete"
    r"|temp(?:orary)?|empty|leftover|entire|whole)\s+"
    r"(?:(?!(?:from|in|of)\b)[\w`./-]+\s+){0,4}?"
    r"(?:files?|folders?|dirs?|director(?:y|ies)|worktrees?)\b"
    r"(?!\s+(?:extension|name|path|size|header|format|type|reference|from|entry|entries|link|import))"
)


_OPERATOR = re.compile(r"[ \t]*delete [^;/\n]*;[ \t]*(?://.*)?\Z")
"""A statement of a program that deletes a variable or a field."""
_HAS_OPERATOR = _words("c c++ cc cpp cxx javascript js jsx ts tsx typescript")
"""Languages with such statements."""


def _deletions(document: Document) -> Iterator[Found]:
    """Yield the instructions to delete a file or folder."""
    signs = ("elete ", "DELETE ", "emove ", " entire ", " whole ")
    for start, line in marked_lines(signs, document.text):
        if _PROSE.search(line) or _PROSE_OF.search(line):
            number = document.first_line + document.text.count("\n", 0, start)
            block = block_of(document, number) if _OPERATOR.match(line) else None
            if block is None or block.language.lower() not in _HAS_OPERATOR:
                yield Found(RunKind.DELETES, "", number, shown(line))
