"""What a skill brings and does, read off its files: plain facts with their places, no verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from skillbuild.media.types import decode
from skillbuild.model import Entry, Skill
from skillbuild.release.frontmatter import tools_of
from skillbuild.text.hosts import hosts_in
from skillbuild.text.invisible import code_points, invisible
from skillbuild.text.positions import LineCounter
from skillbuild.text.tokens import estimate_tokens

_EXTENSIONS = """
    bash bat bats cjs cmd fish js jsx lua mjs php pl ps1 psm1 py r rb scpt sh ts tsx vbs zsh
"""
_SCRIPTS = frozenset(_EXTENSIONS.split())
_PROSE = (".md", ".markdown", ".mdx", ".txt", ".rst")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_EXPANSION = re.compile(
    r"(?<![\w!`\\])!`([^`\n]+)`|^ {0,3}```!\s*\n(.*?)^ {0,3}```", re.MULTILINE | re.DOTALL
)
_HOOK_FILE = re.compile(r"(.*/)?(hooks/hooks|\.claude/settings|\.claude/settings\.local)\.json")
_MOST_PLACES = 20
MOST_FACTS = 100
"""Findings of one kind that a page tells; a hostile skill could hold a million."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file of the skill; `line` counts from 1, 0 stands for the whole file."""

    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that was found, how often, and the first places; `detail` says more about it."""

    label: str
    spots: tuple[Spot, ...]
    count: int = 1
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a reader should know before installing a skill."""

    tools: tuple[str, ...] | None
    """None when the skill does not declare any."""
    programs: tuple[Fact, ...]
    hosts_in_text: tuple[Fact, ...]
    hosts_in_code: tuple[Fact, ...]
    binaries: tuple[Fact, ...]
    hooks: tuple[Fact, ...]
    expansions: tuple[Fact, ...]
    invisible: tuple[Fact, ...]
    listing_tokens: int
    body_tokens: int
    body_lines: int
    all_tokens: int


def gather(skill: Skill, entry: Entry) -> Facts:
    """Read every file of a skill once."""
    texts = {file.path: text for file in skill.files if (text := decode(file.data)) is not None}
    in_text, in_code = _Found(), _Found()
    for path, text in texts.items():
        for host, line, is_code in _hosts(path, text):
            (in_code if is_code else in_text).add(host, path, line)
    types = {item.path: item.media_type for item in entry.resources}
    return Facts(
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
        listing_tokens=estimate_tokens(f"{entry.name}: {entry.text('description')}"),
        body_tokens=estimate_tokens(skill.body),
        body_lines=skill.body.removesuffix("\n").count("\n") + 1,
        all_tokens=sum(map(estimate_tokens, texts.values())),
    )


class _Found:
    """Collects places by what was found there."""

    def __init__(self) -> None:
        self._places: dict[str, list[Spot]] = {}

    def add(self, label: str, path: str, line: int) -> None:
        self._places.setdefault(label, []).append(Spot(path, line))

    def facts(self) -> tuple[Fact, ...]:
        return tuple(
            Fact(label, tuple(dict.fromkeys(spots))[:_MOST_PLACES], len(spots))
            for label, spots in islice(sorted(self._places.items()), MOST_FACTS)
        )


def _programs(skill: Skill) -> Iterator[Fact]:
    for file in skill.files:
        if file.path.endswith(".md"):
            continue
        shebang = file.data.startswith(b"#!")
        script = file.path.rpartition(".")[2].lower() in _SCRIPTS
        if shebang or script or file.executable:
            detail = "executable" if file.executable else ""
            yield Fact(file.path, (Spot(file.path),), detail=detail)


def _hosts(path: str, text: str) -> Iterator[tuple[str, int, bool]]:
    """Host, line, and whether it stands in code, for every address that a file names."""
    if "://" not in text:
        return
    fences = _fenced(text) if path.lower().endswith(_PROSE) else [(0, len(text))]
    lines = LineCounter(text)
    for host in hosts_in(text):
        while fences and fences[0][1] <= host.start:
            fences.pop(0)
        is_code = bool(fences) and fences[0][0] <= host.start
        yield host.name, lines.at(host.start), is_code


def _fenced(text: str) -> list[tuple[int, int]]:
    """Where fenced code begins and ends; an open fence reaches to the end."""
    ranges, opened, mark = [], -1, ""
    for match in _FENCE.finditer(text):
        if opened < 0:
            opened, mark = match.start(), match[1]
        elif match[1].startswith(mark):
            ranges.append((opened, match.end()))
            opened = -1
    return [*ranges, (opened, len(text))] if opened >= 0 else ranges


def _hooks(skill: Skill) -> Iterator[Fact]:
    if "hooks" in skill.frontmatter.value:
        place = skill.frontmatter.place("hooks")
        yield Fact("hooks in the frontmatter", (Spot("SKILL.md", place.line if place else 0),))
    for file in skill.files:
        if _HOOK_FILE.fullmatch(file.path):
            yield Fact(file.path, (Spot(file.path),))


def _expansions(skill: Skill) -> Iterator[Fact]:
    """Commands in the body that one client runs by itself when the skill is loaded."""
    if "!`" not in skill.body and "```!" not in skill.body:
        return
    lines = LineCounter(skill.body)
    for match in _EXPANSION.finditer(skill.body):
        command = " ".join((match[1] or match[2] or "").split())
        line = skill.body_line + lines.at(match.start()) - 1
        yield Fact(command[:200], (Spot("SKILL.md", line),))


def _invisible(texts: dict[str, str]) -> Iterator[Fact]:
    for path, text in texts.items():
        lines = LineCounter(text)
        for match in invisible(text):
            yield Fact(code_points(match[0]), (Spot(path, lines.at(match.start())),))
