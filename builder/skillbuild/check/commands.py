"""Which scripts of a skill a text runs by their path, as a shell runs only executable files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import islice

from skillbuild.paths import base_name
from skillbuild.text.markdown.document import Document

_SHELLS = frozenset(["bash", "sh", "shell", "zsh", "console", "terminal", "shell-session"])
_RUN = re.compile(
    r"\b(?:(?:re-?)?run(?:s|ning)?|execut(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing))"
    r"(?:\s+(?:the|this|script|command|it|as|with|via))*[\s:*_(]*\Z",
    re.IGNORECASE,
)
_NEXT = re.compile(r"&&|\|\||[;|]|\$\(")
_LEAD = re.compile(
    r"\s*(?:[$>]\s+)?(?:(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)|sudo|time|exec|nohup|command|then|do|!)\s+)*"
)
_PATH = re.compile(r"[\"']?((?:\{[^}\n]*\}|<[^>\n]+>|[\w.~$@+/-])+/[\w.@+-]+)[\"']?(?=\s|$)")
_OWN_DIRECTORY = re.compile(r"(?:\$?\{[^}\n]*\}|<[^>\n]+>|\$\w+)/|(?:\./)?")
"""What stands before the path of a file of the skill: nothing, or a name for its directory."""
_INTERPRETED = re.compile(r"\.(?:py|[cm]?[jt]s|rb|pl|php|r|lua|jl|ps1)$", re.IGNORECASE)
"""Scripts that a reader who is told to run them gives to their interpreter."""
_ARGUMENT = re.compile(r"\s+[\w\"'<>\[{$./@~-]")
_PROGRAM = re.compile(
    r"(?:\b(?:ba|z|da|k)?sh|\bpy(?:thon[\d.]*)?|\b(?:uv|deno|bun|poetry|pipenv|pixi|hatch|conda)\s+run"
    r"|\b(?:uvx|node|nodejs|deno|bun|npx|tsx|ts-node|ruby|perl|php|pwsh|powershell|Rscript|source"
    r"|julia|lua|osascript)|\$\{?\w*(?:PY|NODE|BASH|SH)\w*\}?[\"']?|(?:^|\s)\.)"
    r"(?:\s+-\S+(?:\s+[^\s-]\S*)??)*\s+\Z",
    re.IGNORECASE,
)
"""The end of a line before the argument of an interpreter."""
_STAND_IN = re.compile(r"<[^<>\n]{1,100}>")
"""A word for what the reader knows, as in `<the skill>/run.sh`; it may hold blanks."""
_BREAK = re.compile(r"[\s`]")
_ANY_CHMOD = re.compile(r"chmod[^\n*]{0,300}\*")
_MOST_BEFORE, _MOST_PLACES = 300, 2000
"""Characters around the name of a script, and places of names in one text, that are looked at."""
_LONGEST_PATH = 1000
"""Characters beyond which nothing is the path of a script."""


@dataclass(frozen=True, slots=True)
class Command:
    """A text that a shell may be given; `line` counts from 1."""

    text: str
    line: int
    is_code: bool
    """Whether it stands in code of a shell; elsewhere paths are named, too."""
    is_run: bool = False
    """Whether the text before it tells the reader to run it."""


def run_by_path(document: Document, scripts: Set[str], name: str) -> dict[str, int]:
    """The scripts that a text runs, each with the line of its file where it first does so.

    `name` is that of the skill's directory.
    """
    calls: dict[str, int] = {}
    names = {name for name in map(base_name, scripts) if name in document.text}
    if names:
        for command in sorted(_commands(document, names), key=lambda each: each.line):
            path = _called(command, scripts, name)
            if path is not None:
                calls.setdefault(path, command.line)
    return calls


def given_to_program(text: str, scripts: Set[str]) -> set[str]:
    """The scripts that a text makes executable, or gives to an interpreter."""
    if _ANY_CHMOD.search(text):
        return set(scripts)
    names = sorted({name for name in map(base_name, scripts) if name in text})
    places = ((name, at) for name in names for at in _places(text, name))
    given = {name for name, at in islice(places, _MOST_PLACES) if _is_given(text, at)}
    return {path for path in scripts if base_name(path) in given}


def _places(text: str, name: str) -> Iterator[int]:
    at = text.find(name)
    while at >= 0:
        yield at
        at = text.find(name, at + 1)


def _is_given(text: str, at: int) -> bool:
    """Whether what stands at this index is the argument of `chmod` or of an interpreter."""
    before = text[max(0, at - _MOST_BEFORE) : at].rpartition("\n")[2]
    if "chmod" in before or "chmod" in text[at : at + _MOST_BEFORE].partition("\n")[0]:
        return True
    return _PROGRAM.search(_before_word(before)) is not None


def _before_word(text: str) -> str:
    """A text without its last word, in which blanks between `<` and `>` are none."""
    shape = _STAND_IN.sub(lambda match: "x" * len(match[0]), text)
    return text[: len(text) - len(_BREAK.split(shape)[-1])]


def _commands(document: Document, names: Set[str]) -> Iterator[Command]:
    """What may be a command with one of these names, in code of a shell and in code spans."""
    for fence in document.fences:
        language = fence.language.lower()
        if language and language not in _SHELLS:
            continue
        goes_on = False
        for number, line in enumerate(fence.text.split("\n"), fence.line):
            if not goes_on:
                for part in _NEXT.split(line):
                    yield Command(part, number, is_code=bool(language))
            goes_on = line.rstrip().endswith("\\")
    spans = re.compile("|".join(map(re.escape, sorted(names))))
    for code in document.references(spans):
        if code.kind == "code":
            line = document.lines[code.place.line - document.first_line]
            before = line[: code.place.column - 1].rstrip("`")[-_MOST_BEFORE:]
            is_run = _RUN.search(before) is not None
            for part in _NEXT.split(code.target):
                yield Command(part, code.place.line, is_code=False, is_run=is_run)


def _called(command: Command, scripts: Set[str], name: str) -> str | None:
    """The script that a command runs by its path; of several that it may be, the deepest."""
    lead = _LEAD.match(command.text)
    match = _PATH.match(command.text, lead.end() if lead else 0)
    if match is None or len(match[1]) > _LONGEST_PATH:
        return None
    is_plain_run = command.is_run and not _INTERPRETED.search(match[1])
    if not (command.is_code or is_plain_run or _ARGUMENT.match(command.text, match.end())):
        return None
    for cut in (0, *(slash.end() for slash in re.finditer("/", match[1]))):
        start, path = match[1][:cut], match[1][cut:]
        if path in scripts and (_OWN_DIRECTORY.fullmatch(start) or start.endswith(f"/{name}/")):
            return path
    return None
