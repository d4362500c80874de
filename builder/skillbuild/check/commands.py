"""Which scripts of a skill a text runs by their path, as a shell runs only executable files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from skillbuild.paths import base_name

_FENCE = re.compile(r"[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})\s*([\w+-]*)")
_SHELLS = frozenset(["bash", "sh", "shell", "zsh", "console", "terminal", "shell-session"])
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_RUN = re.compile(
    r"\b(?:(?:re-?)?run(?:s|ning)?|execut(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing))"
    r"(?:\s+(?:the|this|script|command|it|as|with|via))*[\s:*_(]*\Z",
    re.IGNORECASE,
)
_NEXT = re.compile(r"&&|\|\||[;|]|\$\(")
_LEAD = re.compile(
    r"\s*(?:[$>]\s+)?(?:(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)|sudo|time|exec|nohup|command|then|do|!)\s+)*"
)
_PATH = re.compile(r"[\"']?((?:\$?\{[^}\n]*\}|<[^>\n]+>|[\w.~$@+/-])+/[\w.@+-]+)[\"']?(?=\s|$)")
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
_TOKEN = re.compile(r"(?:<[^>\n]+>|[^\s`])*\Z")


@dataclass(frozen=True, slots=True)
class Command:
    """A text that a shell may be given; `line` counts from 1."""

    text: str
    line: int
    is_code: bool
    """Whether it stands in code of a shell; elsewhere paths are named, too."""
    is_run: bool = False
    """Whether the text before it tells the reader to run it."""


def run_by_path(text: str, scripts: Collection[str], name: str) -> dict[str, int]:
    """The scripts that a text runs, each with the line where it first does so.

    `name` is that of the skill's directory. Those that the text also makes executable, or gives to
    an interpreter, are left out.
    """
    named = [path for path in scripts if base_name(path) in text]
    calls: dict[str, int] = {}
    for command in _commands(text) if named else ():
        path = _called(command, named, name)
        if path is not None:
            calls.setdefault(path, command.line)
    other = given_to_program(text, calls)
    return {path: line for path, line in calls.items() if path not in other}


def given_to_program(text: str, scripts: Collection[str]) -> set[str]:
    """The scripts that a text makes executable, or gives to an interpreter."""
    return {path for path in scripts if any(_is_given(line, path) for line in text.split("\n"))}


def _is_given(line: str, path: str) -> bool:
    name = base_name(path)
    if "chmod" in line and (name in line or "*" in line):
        return True
    at = line.find(name)
    while at >= 0:
        token = _TOKEN.search(line[:at])
        if token is not None and _PROGRAM.search(line[: token.start()]):
            return True
        at = line.find(name, at + 1)
    return False


def _commands(text: str) -> Iterator[Command]:
    """What may be a command, in code of a shell and in code spans."""
    fence, language, goes_on = "", "", False
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark is not None and not fence:
            fence, language, goes_on = mark[1], mark[2].lower(), False
        elif fence and line.strip(" \t>\r").startswith(fence):
            fence = ""
        elif fence:
            if not goes_on and (not language or language in _SHELLS):
                for part in _NEXT.split(line):
                    yield Command(part, number, is_code=bool(language))
            goes_on = line.rstrip().endswith("\\")
        else:
            for span in _INLINE.finditer(line):
                is_run = _RUN.search(line[: span.start()]) is not None
                for part in _NEXT.split(span[1]):
                    yield Command(part, number, is_code=False, is_run=is_run)


def _called(command: Command, scripts: Collection[str], name: str) -> str | None:
    """The script that a command runs by its path."""
    lead = _LEAD.match(command.text)
    match = _PATH.match(command.text, lead.end() if lead else 0)
    if match is None:
        return None
    is_plain_run = command.is_run and not _INTERPRETED.search(match[1])
    if not (command.is_code or is_plain_run or _ARGUMENT.match(command.text, match.end())):
        return None
    for path in scripts:
        start = match[1].removesuffix(path)
        is_own = _OWN_DIRECTORY.fullmatch(start) is not None or start.endswith(f"/{name}/")
        if start != match[1] and is_own:
            return path
    return None
