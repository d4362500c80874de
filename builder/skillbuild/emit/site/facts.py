"""Facts that a reader should know before installing a skill, each with its place in the files.

They are found by patterns, so they are a reading aid and no verdict. *Before you install* shows
them in four groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from skillbuild.media.types import decode
from skillbuild.model import Entry, EntryFinding, Skill
from skillbuild.release.frontmatter import tools_of
from skillbuild.source.documents import Documents
from skillbuild.text.hosts import hosts_in
from skillbuild.text.invisible import code_points, invisible
from skillbuild.text.markdown.document import Document
from skillbuild.text.positions import LineCounter
from skillbuild.text.tokens import estimate_tokens
from skillbuild.text.wording import plural

_SCRIPT_EXTENSIONS = """
    bash bat bats cjs cmd fish js jsx lua mjs php pl ps1 psm1 py r rb scpt sh ts tsx vbs zsh
"""
_SCRIPTS = frozenset(_SCRIPT_EXTENSIONS.split())
_PROSE = (".md", ".markdown", ".mdx", ".txt", ".rst")
_EXPANSION = re.compile(
    r"(?<![\w!`\\])!`([^`\n]+)`|^ {0,3}```!\s*\n(.*?)^ {0,3}```", re.MULTILINE | re.DOTALL
)
_HOOK_FILE = re.compile(r"(.*/)?(hooks/hooks|\.claude/settings|\.claude/settings\.local)\.json")
_MOST_PLACES = 20
MOST_FACTS = 100
"""Facts of one kind that a page shows; a hostile skill could hold a million."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file of the skill; `line` counts from 1, 0 stands for the whole file."""

    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that was found, the first places, how often it was found, and more about it."""

    label: str
    spots: tuple[Spot, ...]
    count: int = 1
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """All facts of one skill; numbers of tokens are estimates."""

    tools: tuple[str, ...] | None
    """None when the skill does not declare any."""
    programs: tuple[Fact, ...]
    """Scripts and executable files."""
    hosts_in_text: tuple[Fact, ...]
    hosts_in_code: tuple[Fact, ...]
    """Fenced blocks of prose count as code, as do all files that are not prose."""
    binaries: tuple[Fact, ...]
    """Files that are not text, with their media type as detail."""
    hooks: tuple[Fact, ...]
    expansions: tuple[Fact, ...]
    """Commands that run when the skill is loaded."""
    invisible: tuple[Fact, ...]
    listing_tokens: int
    """Of name and description, which a client always has in its context."""
    body_tokens: int
    body_lines: int
    file_tokens: Mapping[str, int]
    """Of each text file by its path, the largest first."""

    @property
    def all_tokens(self) -> int:
        """Of all text files."""
        return sum(self.file_tokens.values())


def gather(skill: Skill, entry: Entry, documents: Documents) -> PageFacts:
    """The facts of a skill; every file is decoded once."""
    texts = {file.path: text for file in skill.files if (text := decode(file.data)) is not None}
    in_text, in_code = _Places(), _Places()
    for path, text in texts.items():
        for host, line, is_code in _hosts(path, text, documents):
            (in_code if is_code else in_text).add(host, path, line)
    types = {item.path: item.media_type for item in entry.resources}
    tokens = {path: estimate_tokens(text) for path, text in texts.items()}
    return PageFacts(
        tools=tools_of(entry.frontmatter),
        programs=tuple(_programs(skill)),
        hosts_in_text=in_text.facts(),
        hosts_in_code=in_code.facts(),
        binaries=tuple(
            Fact(file.path, (Spot(file.path),), detail=types[file.path])
            for file in skill.files
            if file.path not in texts
        ),
        hooks=tuple(_hooks(skill)),
        expansions=tuple(islice(_expansions(skill), MOST_FACTS)),
        invisible=tuple(islice(_invisible(texts), MOST_FACTS)),
        listing_tokens=estimate_tokens(f"{entry.title}: {entry.text('description')}"),
        body_tokens=estimate_tokens(skill.body),
        body_lines=skill.body.removesuffix("\n").count("\n") + 1,
        file_tokens=dict(sorted(tokens.items(), key=lambda item: (-item[1], item[0]))),
    )


class _Places:
    """Collects places by the label of what is there."""

    def __init__(self) -> None:
        self._places: dict[str, list[Spot]] = {}

    def add(self, label: str, path: str, line: int) -> None:
        self._places.setdefault(label, []).append(Spot(path, line))

    def facts(self) -> tuple[Fact, ...]:
        """A fact for each label, sorted by label; places once each, the first ones only."""
        return tuple(
            Fact(label, tuple(dict.fromkeys(spots))[:_MOST_PLACES], len(spots))
            for label, spots in islice(sorted(self._places.items()), MOST_FACTS)
        )


def _programs(skill: Skill) -> Iterator[Fact]:
    """Files with the exec bit, a `#!` line, or the extension of a script language."""
    for file in skill.files:
        if file.path.endswith(".md"):
            continue
        shebang = file.data.startswith(b"#!")
        script = file.path.rpartition(".")[2].lower() in _SCRIPTS
        if shebang or script or file.executable:
            detail = "executable" if file.executable else ""
            yield Fact(file.path, (Spot(file.path),), detail=detail)


def _hosts(path: str, text: str, documents: Documents) -> Iterator[tuple[str, int, bool]]:
    """Host, line, and whether it is in code, for every address in a file.

    Code is all of a file that is not prose, and the fenced blocks of one that is.
    """
    if "://" not in text:
        return
    code = None if not path.lower().endswith(_PROSE) else _code_lines(documents.of(path))
    lines = LineCounter(text)
    for host in hosts_in(text):
        line = lines.at(host.start)
        yield host.name, line, code is None or line in code


def _code_lines(document: Document | None) -> set[int]:
    """The lines of all fenced blocks."""
    if document is None or not any(mark in document.text for mark in ("```", "~~~")):
        return set()
    ranges = (range(each.line, each.line + each.text.count("\n")) for each in document.fences)
    return set().union(*ranges)


def _hooks(skill: Skill) -> Iterator[Fact]:
    """The field `hooks` of the frontmatter, and files that a client reads hooks from."""
    if "hooks" in skill.frontmatter.value:
        place = skill.frontmatter.place("hooks")
        yield Fact("hooks in the frontmatter", (Spot("SKILL.md", place.line if place else 0),))
    for file in skill.files:
        if _HOOK_FILE.fullmatch(file.path):
            yield Fact(file.path, (Spot(file.path),))


def _expansions(skill: Skill) -> Iterator[Fact]:
    """Commands in the body, as !`command`, that some clients run when the skill is loaded."""
    if "!`" not in skill.body and "```!" not in skill.body:
        return
    lines = LineCounter(skill.body)
    for match in _EXPANSION.finditer(skill.body):
        command = " ".join((match[1] or match[2] or "").split())
        line = skill.body_line + lines.at(match.start()) - 1
        yield Fact(command[:200], (Spot("SKILL.md", line),))


def _invisible(texts: dict[str, str]) -> Iterator[Fact]:
    """Runs of characters that hide words from a reader, by their code points."""
    for path, text in texts.items():
        lines = LineCounter(text)
        for match in invisible(text):
            yield Fact(code_points(match[0]), (Spot(path, lines.at(match.start())),))


# *Before you install*: what a skill can do.


FOR_USERS = frozenset(
    (
        *("body-empty", "exec-markdown", "link-broken", "path-missing"),
        *("script-not-executable", "secret"),
    )
)
"""Rules whose findings say how a skill behaves for who installs it; others are for its author."""
_SHOWN_ELSEWHERE = "invisible-text"
_ANY_COMMAND = frozenset(("bash", "shell", "sh", "terminal", "execute", "run_shell_command"))
_WHOLE = ("", "(*)", "(:*)", "(*:*)", "(**)")
"""What follows the name of a tool that may be used with anything."""
_MEANS = {
    "edit": "changes files",
    "multiedit": "changes files",
    "notebookedit": "changes files",
    "write": "changes files",
    "webfetch": "reaches the network",
    "websearch": "reaches the network",
    "agent": "starts agents",
    "task": "starts agents",
}


@dataclass(frozen=True, slots=True)
class Question:
    """What a reader may ask of a skill, and what was found in its files."""

    title: str
    facts: tuple[Fact, ...]
    alarming: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool of `allowed-tools`, and what it lets an agent do without asking, if that is much."""

    label: str
    means: str = ""
    alarming: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Questions about one kind of thing that can happen, only those with an answer."""

    title: str
    questions: tuple[Question, ...]
    absent: str
    """What is said if there are none."""
    tools: tuple[DeclaredTool, ...] = ()


def before_install(entry: Entry, facts: PageFacts) -> Sequence[Group]:
    """The four groups, in the order of what matters most."""
    in_code = {fact.label for fact in facts.hosts_in_code}
    only_named = tuple(fact for fact in facts.hosts_in_text if fact.label not in in_code)
    without = "not declared" if facts.tools is None else "declared as none"
    in_text = "Hosts only named in text" + (", none in code" if not in_code else "")
    return (
        _group(
            "Runs code",
            "no scripts, executables, hooks or commands found",
            Question("When it is loaded", facts.expansions, alarming=True),
            Question("Hooks", facts.hooks, alarming=True),
            Question("Scripts and executables", facts.programs),
        ),
        _group(
            "May reach the network",
            "no hosts found",
            Question("Hosts in code", facts.hosts_in_code),
            Question(in_text, only_named),
        ),
        Group("May use tools", (), without, tuple(map(declared, facts.tools or ()))),
        _group(
            "Hidden or unusual",
            "nothing found",
            Question("Invisible text", facts.invisible, alarming=True),
            Question("Binary files", facts.binaries),
            Question("Not as it should be", tuple(_findings(entry))),
        ),
    )


def _group(title: str, absent: str, *questions: Question) -> Group:
    return Group(title, tuple(each for each in questions if each.facts), absent)


def declared(label: str) -> DeclaredTool:
    """`Bash` alone lets an agent run anything, and `Bash(git add *)` one command."""
    name, bracket, rest = label.partition("(")
    plain = name.lower()
    if label == "*":
        return DeclaredTool(label, "any tool", alarming=True)
    if plain in _ANY_COMMAND:
        is_whole = bracket + rest in _WHOLE
        return DeclaredTool(label, "any command" if is_whole else "", alarming=is_whole)
    return DeclaredTool(label, _MEANS.get(plain, ""))


def _findings(entry: Entry) -> Iterator[Fact]:
    for finding in entry.findings:
        if finding.code in FOR_USERS:
            line = finding.place.line if finding.place else 0
            yield Fact(finding.message, (Spot(_path_in_skill(entry, finding), line),))


def _path_in_skill(entry: Entry, finding: EntryFinding) -> str:
    """The path of the file that a finding is about, in the skill."""
    return finding.path.removeprefix(f"{entry.directory}/" if entry.directory else "")


def for_authors(entry: Entry) -> Sequence[tuple[str, EntryFinding]]:
    """The findings that the groups do not show, each after the path of its file in the skill."""
    shown = FOR_USERS | {_SHOWN_ELSEWHERE}
    every = [finding for finding in entry.findings if finding.code not in shown]
    return [(_path_in_skill(entry, finding), finding) for finding in every]


def summary(facts: PageFacts) -> Sequence[str]:
    """What a skill can do in a few words, for a narrow screen."""
    said = [
        "runs commands when loaded" if facts.expansions else "",
        "hooks" if facts.hooks else "",
        "invisible text" if facts.invisible else "",
        plural(len(facts.programs), "script") if facts.programs else "no scripts",
        (plural(len(facts.hosts_in_code), "host") if facts.hosts_in_code else "no hosts")
        + " in code",
        "any command" if _alarming_tools(facts) else "",
        plural(len(facts.tools), "tool") if facts.tools and not _alarming_tools(facts) else "",
    ]
    return [words for words in said if words]


def is_alarming(facts: PageFacts) -> bool:
    """Whether something asks for a look before the skill is installed."""
    return bool(facts.expansions or facts.hooks or facts.invisible or _alarming_tools(facts))


def _alarming_tools(facts: PageFacts) -> bool:
    return any(declared(label).alarming for label in facts.tools or ())
