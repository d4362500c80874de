"""*Before you install*: what a skill can do, in four groups, each fact with file and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.emit.site.facts import Fact, Facts, Spot
from skillbuild.model import Entry, EntryFinding
from skillbuild.text.wording import plural

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


def groups(entry: Entry, facts: Facts) -> Sequence[Group]:
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


def summary(facts: Facts) -> Sequence[str]:
    """The same in a few words, for a narrow screen."""
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


def is_alarming(facts: Facts) -> bool:
    """Whether something asks for a look before the skill is installed."""
    return bool(facts.expansions or facts.hooks or facts.invisible or _alarming_tools(facts))


def _alarming_tools(facts: Facts) -> bool:
    return any(declared(label).alarming for label in facts.tools or ())
