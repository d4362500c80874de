"""The words that describe what a skill can do, shared by pages, comparisons and MCP answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from skillbuild.model import (
    ALWAYS_SAID,
    DANGERS,
    Facts,
    HiddenFact,
    License,
    LicenseKind,
    RunFact,
    RunKind,
)
from skillbuild.release.frontmatter import NONE_FOUND
from skillbuild.release.license_names import CUSTOM, PROPRIETARY
from skillbuild.text.wording import plural, some

TITLES: Mapping[str, str] = {
    RunKind.DOWNLOAD: "Runs what it downloads",
    RunKind.DECODED: "Runs what it decodes",
    RunKind.TELLS_DOWNLOAD: "Tells you to run downloaded code",
    RunKind.OPENS_SHELL: "Opens a shell to the network",
    RunKind.OVERWRITES_DISK: "Overwrites a disk",
    RunKind.DELETES_ALL: "Deletes a whole folder",
    RunKind.ON_LOAD: "Runs commands when it is loaded",
    RunKind.HOOK: "Has hooks",
    RunKind.AGENT: "Starts an agent that does not ask for permission",
    RunKind.CREDENTIALS: "Reads credentials",
    RunKind.LATER: "Adds commands that run automatically",
    RunKind.SENDS: "Sends files or other data",
    RunKind.UNPROTECTS: "Turns off protection",
    RunKind.REMOVES: "Deletes data or resources",
    RunKind.DELETES: "Deletes files or folders",
    RunKind.CHANGES: "Changes data or resources in services",
    RunKind.ASKS: "Asks for more privileges",
    RunKind.REACHES: "Reaches the network",
    RunKind.RESETS: "Discards changes or branches in git",
    RunKind.PUSHES: "Pushes to a git remote",
    RunKind.INSTALLS: "Installs packages",
    RunKind.PACKAGE: "Runs packages, downloading them first if needed",
    RunKind.MCP_SERVER: "Adds an MCP server",
    RunKind.WORKS_WITH: "Works with services, subagents, other skills and MCP servers",
    RunKind.OPENS_PAGE: "Tells agents to open pages or search the web",
    RunKind.USES_KEY: "Uses keys, tokens and logins",
    RunKind.OVERWRITES: "Overwrites or moves files or data",
    RunKind.UNASKED: "Skips prompts or checks in programs",
    RunKind.CONTROLS: "Starts or ends programs on this computer",
    RunKind.SCRIPT: "Scripts",
    RunKind.TEST_SCRIPT: "Scripts in tests and examples",
    RunKind.PROGRAM: "Runs other programs",
    RunKind.LOCAL: "Connects to programs on this computer",
    RunKind.EVAL: "Evaluates text as code",
    RunKind.LOADS_PAGE: "Has pages that load files from other hosts",
    RunKind.LIBRARY: "Imports libraries",
    RunKind.SAMPLES: "Code samples use",
    RunKind.NAMES: "Other links, programs and services",
}
"""The title of each kind of fact, in the order in which pages show them."""
LOUD = DANGERS | {RunKind.ON_LOAD, RunKind.HOOK, RunKind.AGENT, RunKind.CREDENTIALS}
"""Kinds of facts that a user should look at before installing the skill."""
HIDDEN_TITLES: Mapping[str, str] = {
    "invisible-text": "Invisible text",
    "hidden-comment": "Comments that are not shown",
    "hidden-html": "HTML that is not shown",
    "unused-definition": "Lines that are not shown",
    "hidden-by-space": "Text after a large gap",
    "packed-text": "Long pieces of base64",
    "mixed-script": "Words that mix two alphabets",
}
"""The title of each kind of hidden text, by the code of the rule that reports it."""
SCRIPTS = frozenset([RunKind.SCRIPT, RunKind.TEST_SCRIPT])
"""Kinds whose facts are about files."""


@dataclass(frozen=True, slots=True)
class FactAnswer:
    """One row of a table that compares skills: a kind of fact, and what was found, such as `pip and
    npm`.
    """

    place: int
    """The place of its title among all titles, so that tables of several skills agree."""
    title: str
    words: str
    """What was found: names, the first command, or the place of the first fact."""
    is_loud: bool
    path: str
    """The file in which it was found first."""
    line: int


def answers_of(runs: Iterable[RunFact], hidden: Iterable[HiddenFact]) -> Iterator[FactAnswer]:
    """Yield one row for each kind of fact that was found in a skill, including kinds that
    `sentence` leaves out.
    """
    by_kind: dict[str, list[RunFact]] = {}
    for fact in runs:
        if fact.kind in ALWAYS_SAID or not fact.not_to_do:
            by_kind.setdefault(fact.kind, []).append(fact)
    for place, (kind, title) in enumerate(TITLES.items()):
        if kind in by_kind:
            facts = by_kind[kind]
            done = [fact for fact in facts if not fact.not_to_do]
            words = _answer(kind, done) if done else "only as a bad example"
            first = (done or facts)[0]
            yield FactAnswer(place, title, words, kind in LOUD, first.path, first.line)
    unseen = {fact.kind: fact for fact in reversed([*hidden])}
    for place, (kind, title) in enumerate(HIDDEN_TITLES.items(), len(TITLES)):
        if kind in unseen:
            first_unseen = unseen[kind]
            path, line = first_unseen.path, first_unseen.line
            words = _place(path, line)
            yield FactAnswer(place, title, words, is_loud=True, path=path, line=line)


def _answer(kind: str, facts: Sequence[RunFact]) -> str:
    if kind in SCRIPTS:
        languages = dict.fromkeys(fact.words for fact in facts)
        return f"{len(facts):,} ({some([*languages])})"
    names = dict.fromkeys(filter(None, (fact.host or _within(fact.words) for fact in facts)))
    if kind == RunKind.SENDS:
        words = _sent(facts).removeprefix("sends ")
    elif names:
        words = f"{_PREPOSITIONS.get(kind, '')}{some([*names], _MOST_NAMES)}"
    else:
        commands = dict.fromkeys(_first_words(fact.command) for fact in facts if fact.command)
        place = _place(facts[0].path, facts[0].line)
        words = some([*commands], _MOST_COMMANDS) if commands else place
    return f"{words} (in tests)" if all(is_for_tests(fact.path) for fact in facts) else words


def _first_words(command: str) -> str:
    """Return the start of a command without Markdown, cut where a word ends."""
    plain = _MARKDOWN.sub("", command)
    if len(plain) <= _LONGEST_COMMAND:
        return plain
    start = plain[:_LONGEST_COMMAND]
    return f"{(start.rpartition(' ')[0] or start).rstrip(',;:')}\u2026"


def _place(path: str, line: int) -> str:
    return f"line {line} of {path}" if line else path


def _within(words: str) -> str:
    """Remove words that the row's title already says: `requests` for `the network (requests)`."""
    return words.removeprefix(_BY_LIBRARY).removesuffix(")") if "network (" in words else words


_BY_LIBRARY = "the network ("
"""The start of what is said of a program that uses a library for the network."""
_UNCOMPARED = frozenset(
    [
        *(RunKind.TEST_SCRIPT, RunKind.PROGRAM, RunKind.LIBRARY, RunKind.SAMPLES),
        RunKind.NAMES,
    ]
)
"""Kinds that comparisons of releases do not mention."""


def deeds_of(facts: Facts) -> Mapping[str, None]:
    """Return what a skill does, as phrases that can follow its name, the most dangerous first."""
    runs = (fact for fact in facts.runs if fact.kind in ALWAYS_SAID or not fact.not_to_do)
    deeds = [phrase(fact) for fact in runs if fact.kind not in _UNCOMPARED]
    hidden = ["has hidden text"] if facts.hidden else []
    return dict.fromkeys([*deeds, *hidden])


def phrase(fact: RunFact) -> str:
    """Return one fact as a phrase that can follow the name of the skill: `reaches example.org`."""
    words = _deed(fact)
    return _BAD_EXAMPLE.format(words) if fact.not_to_do else words


def _deed(fact: RunFact) -> str:
    match fact.kind:
        case RunKind.REACHES:
            return f"reaches {reached(fact) or 'the network'}"
        case RunKind.DOWNLOAD if fact.host:
            return f"runs what it downloads from {fact.host}"
        case RunKind.SCRIPT | RunKind.TEST_SCRIPT:
            return has_script(fact.path)
        case RunKind.SENDS:
            return f"sends {fact.words or _FILES}" + (f" to {fact.host}" if fact.host else "")
        case RunKind.SAMPLES:
            return _samples([fact])
        case RunKind.OPENS_PAGE:
            return _opens([fact])
        case kind if kind in _FORMS:
            return _FORMS[kind].format(fact.words)
        case kind:
            return _SAID.get(kind, kind)


def reached(fact: RunFact) -> str:
    """Return the host that a fact is about, or `fact.words` if no host is known. If the host is
    only an example, the result says so: `example.org (an example address)`.
    """
    host = _EXAMPLE.search(fact.command) if fact.words.startswith("an example address") else None
    return fact.host or (f"{host[1]} (an example address)" if host else fact.words)


_EXAMPLE = re.compile(r"https?://([\w.-]+)")


def has_script(path: str) -> str:
    """Return a phrase that can follow the name of a skill: `has the script scripts/run.py`."""
    return f"has the script {path}"


def license_words(terms: License, most: int = 0) -> str:
    """Return the license of a skill as text. If the license is that of the plugin or the
    repository, the text says so: `MIT (of the repository)`.

    A license longer than `most` characters is shortened, unless it is a list of several licenses.
    `0` means no limit.
    """
    value = terms.value
    if most and len(value) > most and terms.kind != LicenseKind.SEVERAL:
        value = f"{value[:most].rstrip()}\u2026"
    if terms.kind == LicenseKind.NONE:
        value = f"license: {NONE_FOUND}"
    elif terms.kind == LicenseKind.PROPRIETARY and "proprietary" not in value.lower():
        value = f"Proprietary: {value}"
    if terms.origin in ("plugin", "repository"):
        value += f" (of the {terms.origin})"
    is_unknown = terms.declared and terms.origin != "skill"
    return f"{terms.declared} (declared); {value}" if is_unknown else value


def license_labels(terms: License) -> tuple[str, ...]:
    """Return the values that the license filter of lists and search uses for a skill."""
    match terms.kind:
        case LicenseKind.SPDX:
            return (terms.value,)
        case LicenseKind.SEVERAL:
            return tuple(terms.value.split(", "))
        case LicenseKind.PROPRIETARY:
            return (PROPRIETARY,)
        case LicenseKind.NONE:
            return (NONE_FOUND,)
        case _:
            return (CUSTOM,)


# The sentence.


_FOR_TESTS = re.compile(
    r"(?:^|/)(?:tests?|__tests__|fixtures?|evals?|testdata|specs?|benchmarks?)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*(?:[._]test|\.spec)\.\w+|conftest\.py|EVALS?\.md|CHANGELOG[^/]*)\Z",
    re.IGNORECASE,
)


def is_for_tests(path: str) -> bool:
    """Whether a file belongs to the tests of a skill. Users of the skill do not run its tests."""
    return _FOR_TESTS.search(path) is not None


_DOWNLOADS = (RunKind.DOWNLOAD, RunKind.TELLS_DOWNLOAD)
"""Kinds of which the sentence says only the first."""
_MOST_PARTS = 5
_MOST_HOSTS = 2
_LONGEST_TERMS = 60
_FILES = "files"
"""What is sent if the fact does not name it."""
_SAID: Mapping[str, str] = {
    RunKind.DOWNLOAD: "runs what it downloads",
    RunKind.DECODED: "runs what it decodes",
    RunKind.TELLS_DOWNLOAD: "tells you to run downloaded code",
    RunKind.OPENS_SHELL: "opens a shell to the network",
    RunKind.OVERWRITES_DISK: "overwrites a disk",
    RunKind.DELETES_ALL: "deletes a whole folder",
    RunKind.ON_LOAD: "runs commands when it is loaded",
    RunKind.HOOK: "has hooks",
    RunKind.AGENT: "starts an agent that does not ask for permission",
    RunKind.CREDENTIALS: "reads credentials",
    RunKind.LATER: "adds commands that run automatically",
    RunKind.MCP_SERVER: "adds an MCP server",
    RunKind.DELETES: "deletes files or folders",
    RunKind.PUSHES: "pushes to a git remote",
    RunKind.RESETS: "discards changes or branches in git",
    RunKind.LOCAL: "connects to programs on this computer",
    RunKind.EVAL: "evaluates text as code",
    RunKind.LOADS_PAGE: "has pages that load files from other hosts",
}
"""Fixed phrases for kinds whose facts need no further words."""
_FORMS: Mapping[str, str] = {
    RunKind.INSTALLS: "installs {} packages",
    RunKind.PACKAGE: "runs {}",
    RunKind.UNPROTECTS: "turns off protection ({})",
    RunKind.REMOVES: "deletes data or resources with {}",
    RunKind.CHANGES: "changes data or resources with {}",
    RunKind.OVERWRITES: "overwrites or moves files or data with {}",
    RunKind.UNASKED: "skips prompts or checks with {}",
    RunKind.ASKS: "asks for {}",
    RunKind.CONTROLS: "{}",
    RunKind.USES_KEY: "uses {}",
    RunKind.WORKS_WITH: "works with {}",
    RunKind.PROGRAM: "runs {}",
    RunKind.LIBRARY: "imports {}",
}
"""Phrases for kinds that name something, which is filled in for `{}`."""


_HELPERS = ("the service ", "the skill ", "the MCP server ", "the tool ")
"""The starts of what a skill works with, of which the sentence says only the names."""
_KINDS = "kinds of packages"
"""What some of the names of package managers stand for."""
_MORE = "and more"
_MOST_NAMES = 12
"""Maximum number of names in an answer."""
_MOST_COMMANDS = 1
_LONGEST_COMMAND = 40
_MARKDOWN = re.compile(r"^(?:\d+\.|[-*+>])\s+|`|\*\*")
"""Markup around a command in a list or in a sentence."""
_PREPOSITIONS: Mapping[str, str] = {
    RunKind.DOWNLOAD: "from ",
    RunKind.REMOVES: "with ",
    RunKind.CHANGES: "with ",
    RunKind.OVERWRITES: "with ",
    RunKind.UNASKED: "with ",
}
"""Words between the title of a row and the names that were found."""
_BAD_EXAMPLE = "warns against a command that {}"
_NOTHING = "No scripts, no commands found"
_ONLY_BAD = "No scripts; commands appear only as examples of what not to do"
_ONLY_CODE = "No scripts; has code samples"
_CODE_AND_COMMANDS = "No scripts; has commands and code samples"
_ONLY_COMMANDS = "No scripts; no installs, network access or deletions found in its commands"


def sentence(
    runs: Sequence[RunFact],
    hidden: Sequence[HiddenFact],
    tools: Sequence[str] | None,
    terms: License,
    *,
    has_commands: bool,
    has_code: bool,
) -> str:
    """Return the most important facts in one line, dangers first.

    `has_commands` says whether the skill has commands that no fact covers, and `has_code` whether
    it has code in languages that skillbuild does not analyze.
    """
    if has_code:  # Only some languages are read, so what code does not do is not told.
        nothing = _CODE_AND_COMMANDS if has_commands else _ONLY_CODE
    else:
        nothing = _ONLY_COMMANDS if has_commands else _NOTHING
    nothing = _ONLY_BAD if runs else nothing
    parts = [words for _, words in parts_of(runs, hidden)] or [nothing]
    return " \u00b7 ".join([*parts, tools_words(tools), license_words(terms, _LONGEST_TERMS)])


def parts_of(
    runs: Sequence[RunFact], hidden: Sequence[HiddenFact] = ()
) -> Sequence[tuple[tuple[str, ...], str]]:
    """Return phrases about what a skill does, each with the kinds of facts that it covers.

    At most five phrases are returned, unless more than five are about dangers or hidden text.
    Phrases about dangers that the skill shows only as bad examples come last. If other phrases were
    left out, a final `and more` follows.
    """
    by_kind: dict[str, list[RunFact]] = {}
    for fact in runs:
        if fact.kind in ALWAYS_SAID or not fact.not_to_do:
            by_kind.setdefault(fact.kind, []).append(fact)
    shown = {kind for kind, facts in by_kind.items() if all(fact.not_to_do for fact in facts)}
    loud = [*_loud(by_kind, by_kind.keys() - shown), *_hidden(hidden)]
    examples = list(_loud(by_kind, shown))
    parts = [*loud, *_scripts(by_kind), *_others(by_kind)]
    kept = parts[: max(len(loud), _MOST_PARTS - len(examples))]
    more = [] if len(kept) == len(parts) else [((), _MORE)]
    return [*kept, *examples, *more]


def _loud(
    by_kind: Mapping[str, Sequence[RunFact]], kinds: Set[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    downloads = [kind for kind in _DOWNLOADS if kind in kinds]
    for kind, facts in by_kind.items():
        if kind in kinds & ALWAYS_SAID and kind not in downloads[1:]:
            done = [fact for fact in facts if not fact.not_to_do] or facts
            words = _sent(done) if kind == RunKind.SENDS else _SAID[kind]
            hosts = list(dict.fromkeys(fact.host for fact in done if fact.host))
            if kind == RunKind.DOWNLOAD and hosts:
                words += f" from {some(hosts, _MOST_HOSTS)}"
            if all(fact.not_to_do for fact in facts):
                words = _BAD_EXAMPLE.format(words)
            elif all(is_for_tests(fact.path) for fact in facts):
                words += " (in tests)"
            yield tuple(downloads) if kind in downloads else (kind,), words


def _sent(facts: Sequence[RunFact]) -> str:
    words = f"sends {some(list(dict.fromkeys(fact.words or _FILES for fact in facts)))}"
    hosts = list(dict.fromkeys(fact.host for fact in facts))
    return f"{words} to {some(hosts, _MOST_HOSTS)}" if all(hosts) else words


def _hidden(hidden: Sequence[HiddenFact]) -> Iterator[tuple[tuple[str, ...], str]]:
    if hidden:
        yield tuple(dict.fromkeys(fact.kind for fact in hidden)), "has hidden text"


def _scripts(by_kind: Mapping[str, Sequence[RunFact]]) -> Iterator[tuple[tuple[str, ...], str]]:
    if facts := by_kind.get(RunKind.SCRIPT):
        languages = list(dict.fromkeys(fact.words for fact in facts))
        yield (RunKind.SCRIPT,), f"{plural(len(facts), 'script')} ({some(languages)})"
    if facts := by_kind.get(RunKind.TEST_SCRIPT):
        yield (RunKind.TEST_SCRIPT,), f"{plural(len(facts), 'script')} in tests"


def _others(by_kind: Mapping[str, Sequence[RunFact]]) -> Iterator[tuple[tuple[str, ...], str]]:
    for kind, facts in by_kind.items():
        if kind == RunKind.WORKS_WITH:
            yield (kind,), _works_with(facts)
        elif kind in _FORMS:
            names = list(dict.fromkeys(fact.words for fact in facts))
            words = _FORMS[kind].format(some(names))
            is_cut = kind == RunKind.INSTALLS and words.endswith(" more packages")
            yield (kind,), words.removesuffix("packages") + _KINDS if is_cut else words
        elif kind == RunKind.REACHES:
            fetched = {fact.host for fact in by_kind.get(RunKind.DOWNLOAD, ())}
            places = dict.fromkeys(map(reached, facts))
            known = [name for name in places if not name.startswith(_BY_LIBRARY)]
            if not known or not fetched.issuperset(known):
                hosts = sorted(known or [*places][:1], key=lambda name: " " in name)
                yield (kind,), f"reaches {some(hosts, _MOST_HOSTS)}"
        elif kind == RunKind.SAMPLES:
            yield (kind,), _samples(facts)
        elif kind == RunKind.OPENS_PAGE:
            yield (kind,), _opens(facts)
        elif kind in _SAID and kind not in ALWAYS_SAID:
            yield (kind,), _SAID[kind]


def _works_with(facts: Sequence[RunFact]) -> str:
    names = list(dict.fromkeys(fact.words for fact in facts))
    parts = [name for name in names if not name.startswith(_HELPERS)]
    for start in _HELPERS:
        own = [name.removeprefix(start) for name in names if name.startswith(start)]
        if own:
            parts.append(f"{start.rstrip()}{'s' * (len(own) > 1)} {some(own)}")
    return f"works with {', '.join(parts)}"


def _samples(facts: Sequence[RunFact]) -> str:
    hosts = list(dict.fromkeys(fact.host for fact in facts if fact.host))
    hosts.sort(key="localhost".__eq__)
    names = list(dict.fromkeys(fact.words for fact in facts if not fact.host))
    calls = [f"call {some(hosts, _MOST_HOSTS)}"] if hosts else []
    uses = [f"use {some(names, _MOST_HOSTS)}"] if names else []
    return f"has code samples that {' and '.join([*calls, *uses])}"


def _opens(facts: Sequence[RunFact]) -> str:
    hosts = list(dict.fromkeys(fact.host for fact in facts if fact.host))
    pages = [f"open {some(hosts, _MOST_HOSTS)}"] if hosts else []
    others = dict.fromkeys(fact.words for fact in facts if not fact.host)
    return f"says to {' and '.join([*pages, *others])}"


def tools_words(tools: Iterable[str] | None) -> str:
    """Return a phrase that names the tools in the `allowed-tools` field of a skill."""
    names = list(dict.fromkeys(tool.partition("(")[0] for tool in tools or ()))
    return f"asks for {some(names)}" if names else "asks for no tools"
