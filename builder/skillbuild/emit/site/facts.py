"""What a page tells readers about a skill before they install it: rows of facts, and the places in
files that prove these facts.

The facts about what a skill does are collected when the skill is compiled (`model.Facts`). This
module arranges these facts in rows. It adds the declared tools, the binary files, and the size of
the skill in tokens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from skillbuild.media.types import decode
from skillbuild.model import ALWAYS_SAID, Entry, EntryFinding, HiddenFact, RunFact, RunKind, Skill
from skillbuild.release.facts import HIDDEN_TITLES, LOUD, SCRIPTS, TITLES, parts_of, reached
from skillbuild.release.frontmatter import tools_of
from skillbuild.text.tokens import estimate_tokens
from skillbuild.text.wording import some

_MOST_PLACES = 20
_MOST_BINARIES = 100
_MOST_HOSTS = 3
"""Maximum number of hosts that a phrase names."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file of the skill. `line` is counted from 1; 0 means the whole file."""

    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: the first places where it was found, how many times it was found, and details."""

    label: str
    spots: tuple[Spot, ...]
    count: int = 1
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts about a skill that are not in its entry but are needed for its pages. Token counts
    are estimates.
    """

    tools: tuple[str, ...] | None
    """The declared tools; None if the skill does not declare any."""
    binaries: tuple[Fact, ...]
    """Files that are not text, with their media type as the detail."""
    listing_tokens: int
    """Tokens of name and description, which clients always keep in the context."""
    body_tokens: int
    body_lines: int
    file_tokens: Mapping[str, int]
    """Tokens of each text file by its path, largest first."""

    @property
    def all_tokens(self) -> int:
        """The number of tokens in all text files."""
        return sum(self.file_tokens.values())


def gather(skill: Skill, entry: Entry) -> PageFacts:
    """Return the facts about a skill that are needed only for its pages. Each file is decoded only
    once.
    """
    texts = {file.path: text for file in skill.files if (text := decode(file.data)) is not None}
    types = {item.path: item.media_type for item in entry.resources}
    tokens = {path: estimate_tokens(text) for path, text in texts.items()}
    others = [file.path for file in skill.files if file.path not in texts]
    return PageFacts(
        tools=tools_of(entry.frontmatter),
        binaries=tuple(
            Fact(path, (Spot(path),), detail=types[path]) for path in others[:_MOST_BINARIES]
        ),
        listing_tokens=estimate_tokens(f"{entry.title}: {entry.text('description')}"),
        body_tokens=estimate_tokens(skill.body),
        body_lines=skill.body.removesuffix("\n").count("\n") + 1,
        file_tokens=dict(sorted(tokens.items(), key=lambda item: (-item[1], item[0]))),
    )


# *Before you install*: what a skill can do.


FOR_USERS: Mapping[str, str] = {
    "secret": "Possible secrets",
    "body-empty": "No instructions",
}
"""Rules whose findings tell users how a skill behaves, with the titles of their rows; other
findings are for the author of the skill.
"""
_BINARIES = "Binary files"
_ANY_COMMAND = frozenset(("bash", "shell", "sh", "terminal", "execute", "run_shell_command"))
_WHOLE = ("", "(*)", "(:*)", "(*:*)", "(**)")
"""What can follow the name of a tool that may be used without limits."""
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
_DELETIONS = frozenset((RunKind.REMOVES, RunKind.DELETES, RunKind.RESETS))
"""Kinds of facts that may destroy work."""
_WITHOUT_VERB = SCRIPTS | {RunKind.SAMPLES, RunKind.NAMES}
"""Kinds of facts whose titles do not begin with a verb."""
_NOT_TO_DO = "shown as a bad example"
_NAMED = frozenset(
    (
        *(RunKind.REACHES, RunKind.PACKAGE, RunKind.PROGRAM, RunKind.USES_KEY),
        *(RunKind.LIBRARY, RunKind.LOADS_PAGE, RunKind.SAMPLES, RunKind.WORKS_WITH),
        RunKind.NAMES,
    )
)
"""Kinds of facts whose label is a name and not a command."""


@dataclass(frozen=True, slots=True)
class FactRow:
    """Facts of one kind."""

    title: str
    facts: tuple[Fact, ...]
    alarming: bool = False
    kind: str = ""
    """The kind of fact or the code of a rule; empty for rows that no phrase is about."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A verb and a short phrase that together say what a skill does, and the facts that prove
    it.
    """

    label: str
    """The verb, such as `Runs`; empty if nothing was found."""
    text: str
    evidence: tuple[FactRow, ...] = ()

    @property
    def alarming(self) -> bool:
        return any(row.alarming for row in self.evidence)


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool in `allowed-tools`, and what it lets an agent do without asking. `alarming` is true if
    it permits any command or any tool.
    """

    label: str
    means: str = ""
    alarming: bool = False


def rows(entry: Entry, facts: PageFacts) -> Sequence[FactRow]:
    """Return the rows that contain facts, the most important first."""
    by_kind: dict[str, list[RunFact]] = {}
    for fact in entry.facts.runs:
        by_kind.setdefault(fact.kind, []).append(fact)
    by_rule: dict[str, list[HiddenFact]] = {}
    for unseen in entry.facts.hidden:
        by_rule.setdefault(unseen.kind, []).append(unseen)
    runs = (_row(kind, by_kind[kind]) for kind in TITLES if kind in by_kind)
    hidden = (
        FactRow(
            HIDDEN_TITLES.get(kind, kind),
            _merged((each.path, each, "") for each in every),
            alarming=True,
            kind=kind,
        )
        for kind, every in by_rule.items()
    )
    others = (
        FactRow(_BINARIES, facts.binaries),
        *_problems(entry),
    )
    every = sorted((*runs, *hidden), key=lambda row: not row.alarming)
    return [*every, *(row for row in others if row.facts)]


@dataclass(frozen=True, slots=True)
class RowTitles:
    """The titles of all rows that the page of a skill can have. Keys are kinds of facts and codes
    of rules.
    """

    strong: Mapping[str, str]
    """The rows to read before installing the skill, the most dangerous first."""
    others: Mapping[str, str]


def row_titles() -> RowTitles:
    loud = {kind: title for kind, title in TITLES.items() if kind in LOUD}
    others = {kind: title for kind, title in TITLES.items() if kind not in LOUD}
    return RowTitles({**loud, **HIDDEN_TITLES}, {**others, "binaries": _BINARIES, **FOR_USERS})


def summary(entry: Entry, facts: PageFacts) -> Sequence[SummaryRow]:
    """Return rows that say what a skill does, the most important first.

    Facts that no phrase is about are told in the row `Has`.
    """
    every = rows(entry, facts)
    parts = [part for part in parts_of(entry.facts.runs, entry.facts.hidden) if part[0]]
    said = {kind for covered, _ in parts for kind in covered}
    parts += [
        ((row.kind,), _reached(row) if row.kind == RunKind.REACHES else row.title)
        for row in every
        if row.kind in TITLES.keys() - said - _WITHOUT_VERB
        and any(one.detail != _NOT_TO_DO for one in row.facts)
    ]
    nothing = [] if parts else [SummaryRow("", entry.facts.sentence.partition(" \u00b7 ")[0])]
    in_phrases = {kind for covered, _ in parts for kind in covered}
    others = [row for row in every if row.kind not in in_phrases]
    loud = {row.kind for row in every if row.alarming}
    texts: dict[tuple[int, str], list[str]] = {}
    kinds: dict[tuple[int, str], list[str]] = {}
    for covered, phrase in parts:
        verb, _, rest = phrase.partition(" ")
        if not verb.isalpha():  # `2 scripts (Bash)`
            verb, rest = "has", phrase
        if rest.startswith("with "):
            verb, rest = f"{verb} with", rest.removeprefix("with ")
        key = _gravity(covered, loud), verb.capitalize()
        texts.setdefault(key, []).append(rest)
        kinds.setdefault(key, []).extend(covered)
    if others:
        texts.setdefault(_LAST, []).extend(map(_short_title, others))
        kinds.setdefault(_LAST, []).extend(row.kind for row in others)
    ordered = sorted(texts, key=lambda key: key[0])
    verbs = [verb for _, verb in ordered]
    shown = (
        SummaryRow(
            f"Also {key[1].lower()}" if key[1] in verbs[:place] else key[1],
            "; ".join(texts[key]),
            tuple(row for row in every if row.kind in kinds[key]),
        )
        for place, key in enumerate(ordered)
    )
    return [*nothing, *shown]


def _short_title(row: FactRow) -> str:
    """Return the title of a row as a short phrase that can follow `Has`."""
    if row.kind == RunKind.NAMES:
        are_hosts = ["." in fact.label and fact.label.islower() for fact in row.facts]
        if not any(are_hosts):
            return "names of programs and services"
        return "other links" if all(are_hosts) else "other links and names"
    title = row.title.removesuffix(" use")  # `Code samples use` goes on with names of libraries.
    return title[:1].lower() + title[1:]


def _reached(row: FactRow) -> str:
    """Return a phrase with the hosts that a skill reaches, as far as its files name them."""
    hosts = sorted((fact.label for fact in row.facts), key=lambda label: " " in label)
    return f"reaches {some(hosts, _MOST_HOSTS)}"


_LAST = 3, "Has"
"""The rank and verb of the row for facts that no phrase is about."""


def _gravity(kinds: Sequence[str], loud: Set[str]) -> int:
    """Return the rank of a row: dangers first, then facts that are always shown, then deletions."""
    ranks = (loud, ALWAYS_SAID, _DELETIONS)
    return next((place for place, rank in enumerate(ranks) if not rank.isdisjoint(kinds)), 3)


def _row(kind: str, facts: Sequence[RunFact]) -> FactRow:
    labels = ((_label(fact), fact, _detail(fact)) for fact in facts)
    return FactRow(TITLES[kind], _merged(labels), kind in LOUD, kind)


def _label(fact: RunFact) -> str:
    """Return the label of a fact in a row: a host, a file, or a command."""
    if fact.kind in SCRIPTS:
        return fact.path
    if fact.kind in _NAMED:
        return reached(fact)
    return fact.command or fact.words


def _detail(fact: RunFact) -> str:
    if fact.not_to_do:
        return _NOT_TO_DO
    return fact.words if fact.kind in (*SCRIPTS, RunKind.ASKS, RunKind.SENDS) else ""


def _merged(labels: Iterable[tuple[str, RunFact | HiddenFact, str]]) -> tuple[Fact, ...]:
    """Return one fact for each label, with all its places."""
    places: dict[tuple[str, str], dict[Spot, None]] = {}
    for label, fact, detail in labels:
        places.setdefault((label, detail), {})[Spot(fact.path, fact.line)] = None
    return tuple(
        Fact(label, tuple(spots)[:_MOST_PLACES], len(spots), detail)
        for (label, detail), spots in places.items()
    )


def declared(label: str) -> DeclaredTool:
    """Return a declared tool, and what it lets an agent do. For example, `Bash` permits any
    command, and `Bash(git add *)` permits only one.
    """
    name, bracket, rest = label.partition("(")
    plain = name.lower()
    if label == "*":
        return DeclaredTool(label, "any tool", alarming=True)
    if plain in _ANY_COMMAND:
        is_whole = bracket + rest in _WHOLE
        return DeclaredTool(label, "any command" if is_whole else "", alarming=is_whole)
    return DeclaredTool(label, _MEANS.get(plain, ""))


def is_alarming(entry: Entry, facts: PageFacts) -> bool:
    """Return whether readers should look at the skill before they install it."""
    is_loud = any(row.alarming for row in rows(entry, facts))
    return is_loud or any(declared(label).alarming for label in facts.tools or ())


def _problems(entry: Entry) -> Iterator[FactRow]:
    by_rule: dict[str, list[Fact]] = defaultdict(list)
    for finding in entry.findings:
        line = finding.place.line if finding.place else 0
        spot = Spot(_path_in_skill(entry, finding), line)
        by_rule[finding.code].append(Fact(finding.message, (spot,)))
    for code, title in FOR_USERS.items():
        yield FactRow(title, tuple(by_rule[code]))


def _path_in_skill(entry: Entry, finding: EntryFinding) -> str:
    """Return the path, in the skill, of the file that a finding is about."""
    return finding.path.removeprefix(f"{entry.directory}/" if entry.directory else "")


def for_authors(entry: Entry) -> Sequence[tuple[str, EntryFinding]]:
    """Return the findings meant for the author of a skill: those that no row of facts shows. Each
    finding comes with the path of its file, relative to the skill.
    """
    shown = {*FOR_USERS, *HIDDEN_TITLES}
    every = [finding for finding in entry.findings if finding.code not in shown]
    return [(_path_in_skill(entry, finding), finding) for finding in every]
