"""Gathers all facts of one skill."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from skillbuild.check.facts.found import Found, shown
from skillbuild.check.facts.license import license_of
from skillbuild.check.facts.shell import Shell
from skillbuild.check.facts.texts import (
    MARKDOWN,
    found_in,
    hooks_in,
    hooks_of_file,
    language_of,
    on_load,
)
from skillbuild.check.hidden import Hidden, hidden_in
from skillbuild.media.types import decode
from skillbuild.model import DANGERS, Facts, File, HiddenFact, RunFact, RunKind, Skill
from skillbuild.paths import SKILL_FILE
from skillbuild.release.facts import is_for_tests, sentence
from skillbuild.release.frontmatter import tools_of
from skillbuild.source.documents import Documents
from skillbuild.source.licenses import FolderTerms
from skillbuild.source.tree import Reader
from skillbuild.text.commands import SHELLS, is_shell
from skillbuild.text.markdown.document import Fence

MOST_FACTS = 100
"""The most facts of one kind; a hostile skill could have a million."""
_ORDER = {kind: number for number, kind in enumerate(RunKind)}
_ONCE = frozenset(
    [RunKind.REACHES, RunKind.PROGRAM, RunKind.ASKS, RunKind.EVAL, RunKind.LOADS_PAGE]
)
"""Kinds for which only the first place in each file is kept."""


def gather(
    skill: Skill,
    documents: Documents,
    around: tuple[Sequence[FolderTerms], Reader] | None = None,
    hidden: Sequence[Hidden] | None = None,
) -> Facts:
    """Return the facts of a skill; paths are relative to it, in the order of its files.

    `around` has the folders above the skill and a reader for their license files. Without it, as
    for an old version, only the skill itself is searched for a license. `hidden` is the hidden text
    that the check found; without it, the texts are searched again.
    """
    terms = license_of(skill, around)
    runs = _in_order(_runs(skill, documents))
    tools = tools_of(skill.frontmatter.value)
    has_commands = _has_commands(skill, documents)
    every = hidden_in(skill, documents) if hidden is None else hidden
    unseen = tuple(
        HiddenFact(each.rule.code, each.path, each.place.line) for each in islice(every, MOST_FACTS)
    )
    line = sentence(runs, unseen, tools, terms, has_commands=has_commands)
    return Facts(terms, runs, unseen, line)


def _has_commands(skill: Skill, documents: Documents) -> bool:
    """Whether a text of the skill has a block of commands."""
    every = (documents.of(file.path) for file in skill.files if file.path.endswith(MARKDOWN))
    texts = (document for document in every if document and document.fence_words & SHELLS)
    return any(is_shell(fence) for document in texts for fence in document.fences)


def _in_order(facts: Iterator[RunFact]) -> tuple[RunFact, ...]:
    """Return the facts without duplicates, sorted by kind, with a limit for each kind."""
    seen: set[object] = set()
    counts = Counter[str]()
    kept: list[RunFact] = []
    for fact in facts:
        place = 0 if fact.kind in _ONCE else fact.line
        path = "" if fact.kind == RunKind.PROGRAM else fact.path
        key = fact.kind, fact.words, fact.host, path, place
        if key not in seen and counts[fact.kind] < MOST_FACTS:
            seen.add(key)
            counts[fact.kind] += 1
            kept.append(fact)
    return tuple(sorted(kept, key=lambda fact: _ORDER[RunKind(fact.kind)]))


def _runs(skill: Skill, documents: Documents) -> Iterator[RunFact]:
    yield from _hooks_of_skill(skill)
    for file in skill.files:
        language = language_of(file.path, file.data, executable=file.executable)
        if language:
            kind = RunKind.TEST_SCRIPT if is_for_tests(file.path) else RunKind.SCRIPT
            yield RunFact(kind, language, file.path)
        text = decode(file.data)
        if text is not None:
            yield from _of_file(file, text, language, documents)


def _of_file(file: File, text: str, language: str, documents: Documents) -> Iterator[RunFact]:
    path = file.path
    document = documents.of(path) if path.lower().endswith(MARKDOWN) else None
    is_test = is_for_tests(path)
    found = found_in(path, text, language, document)
    if commands := hooks_of_file(path, text):
        yield RunFact(RunKind.HOOK, path, path)
        found = chain(found, _of_commands(commands, 0))
    context = _Context(text) if document is not None else None
    for item in found:
        if is_test and item.kind not in DANGERS:
            continue
        is_marked = context is not None and context.is_not_to_do(item)
        yield RunFact(item.kind, item.words, path, item.line, item.command, item.host, is_marked)


def _hooks_of_skill(skill: Skill) -> Iterator[RunFact]:
    """Yield the field `hooks`, and commands that run when the skill is loaded."""
    hooks = skill.frontmatter.value.get("hooks")
    if hooks is not None:
        place = skill.frontmatter.place("hooks")
        line = place.line if place else 0
        yield RunFact(RunKind.HOOK, "hooks of the frontmatter", SKILL_FILE, line)
        for item in _of_commands(hooks_in(hooks), line):
            yield RunFact(item.kind, item.words, SKILL_FILE, item.line, item.command, item.host)
    for command, line in on_load(skill.body, skill.body_line):
        yield RunFact(RunKind.ON_LOAD, "", SKILL_FILE, line, shown(command))
        for item in Shell(Fence("bash", command, line)).read(command, line):
            yield RunFact(item.kind, item.words, SKILL_FILE, item.line, item.command, item.host)


def _of_commands(commands: Sequence[str], line: int) -> Iterator[Found]:
    """Yield what commands do that are values in one line."""
    for command in commands:
        for item in Shell(Fence("bash", command, line)).read(command, line):
            yield item._replace(line=line)


# Things that a text shows as bad examples.


_NOT = re.compile(
    r"\bnever\b|\b(?:don['\u2019]?t|do not)\b(?! (?:forget|have|need|worry|want|see))|\bavoid\b"
    r"|\bbad\b|(?<!goes )(?<!go )\bwrong\b|\bdangerous\b|\bvulnerab|\battack|\bforbidden\b"
    r"|\binstead of\b|\binsecure\b|\bmalicious|\banti-?pattern|[\u274c\U0001f6ab]",
    re.IGNORECASE,
)
_LINES_BEFORE = 3
_NEAR, _LONGEST_HEADING = 80, 160
"""How many characters before a code span, and of a line that introduces a block, are searched."""
_COMMENT = re.compile(r"\s*(?:#|//|--|<!--|rem\b)", re.IGNORECASE)
_FENCE = re.compile(r"[\s>]*(?:`{3,}|~{3,})")
_SENTENCE_END = re.compile(r"[.!?;]\s")


class _Context:
    """The lines around something that is found in a text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    def is_not_to_do(self, item: Found) -> bool:
        """Whether the words before a code span, or a comment or line above a command, mark it as a
        bad example.
        """
        last = min(item.line, len(self._lines)) - 1
        line = self._lines[last] if last >= 0 else ""
        start = max(0, line.find(item.command[:20]))
        if "`" in line[:start]:
            sentence = _SENTENCE_END.split(line[:start])[-1]
            return _NOT.search(sentence[-_NEAR:]) is not None
        comment = line[start:].partition(" #")[2]
        return _NOT.search(comment[:_NEAR]) is not None or self._is_marked_above(last)

    def _is_marked_above(self, last: int) -> bool:
        """Whether a comment above a line, or the line that introduces its block, marks it as a bad
        example.
        """
        for number in range(last - 1, max(-1, last - 1 - _LINES_BEFORE), -1):
            text = self._lines[number].strip()
            if _COMMENT.match(text):
                return _NOT.search(text[:_NEAR]) is not None
            if _FENCE.match(text):
                above = (each.strip() for each in reversed(self._lines[:number][-_LINES_BEFORE:]))
                heading = next(filter(None, above), "")
                is_short = len(heading) <= _LONGEST_HEADING and heading.endswith((":", "**"))
                return is_short and _NOT.search(heading) is not None
        return False
