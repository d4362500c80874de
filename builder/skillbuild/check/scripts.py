"""Finds the scripts that a Markdown file of a skill runs by path. Such scripts must be
executable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from skillbuild.paths import base_name
from skillbuild.text.commands import Command, in_fence, in_span, is_shell
from skillbuild.text.markdown.document import Document, Fence

_RUN = re.compile(
    r"\b(?:(?:re-?)?run(?:s|ning)?|execut(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing))"
    r"(?:\s+(?:the|this|script|command|it|as|with|via))*[\s:*_(]*\Z",
    re.IGNORECASE,
)
_OWN_DIRECTORY = re.compile(r"(?:\$?\{[^}\n]*\}|<[^>\n]+>|\$\w+)/|(?:\./)?")
"""The possible text before the path of a file of the skill: none, or a placeholder for its
directory.
"""
_INTERPRETED = re.compile(r"\.(?:py|[cm]?[jt]s|rb|pl|php|r|lua|jl|ps1)$", re.IGNORECASE)
"""Scripts that readers run with an interpreter when a text says to run them."""
_MOST_BEFORE = 300
"""Maximum characters before a code span that are examined."""
_LONGEST_PATH = 1000
"""Maximum length of a word that may be the path of a script."""


class Call(NamedTuple):
    """A command that runs a script by path. The most important call of a script sorts first."""

    is_free: bool
    """Whether the command is in prose, where agents may choose an interpreter for the script.

    Commands in a fence, and commands that the text says to run, are run as written.
    """
    line: int
    """The line in the file."""


class ScriptCommands:
    """The commands in one text that run scripts of the skill, or make these scripts executable."""

    def __init__(self, document: Document, scripts: Set[str], name: str) -> None:
        """Read the commands of a text; `name` is the directory name of the skill."""
        self._document, self._scripts, self._name = document, scripts, name
        names = {name for name in map(base_name, scripts) if name in document.text}
        if "chmod" in document.text:
            names.add("chmod")
        self._commands = list(_commands(document, names)) if names else []

    def given(self) -> set[str]:
        """Return the scripts that the text makes executable, or runs with an interpreter."""
        given: set[str] = set()
        for command in self._commands:
            if command.name == "chmod":
                words = [word.text for word in command.words[1:]]
                if any("*" in word for word in words):
                    return set(self._scripts)
                names = set(map(base_name, words))
                given |= {path for path in self._scripts if base_name(path) in names}
            elif command.file is not None and command.is_interpreted:
                name = base_name(command.file.text)
                given |= {path for path in self._scripts if base_name(path) == name}
        return given

    def run_by_path(self) -> dict[str, Call]:
        """Return the scripts that the text runs by path, each with its most important call."""
        calls: dict[str, Call] = {}
        for command in self._commands:
            path = self._called(command)
            if path is not None:
                is_verbatim = isinstance(command.code, Fence) or self._is_run(command, path)
                call = Call(not is_verbatim, command.words[0].place.line)
                calls[path] = min(call, calls.get(path, call))
        return calls

    def _called(self, command: Command) -> str | None:
        """Return the script that a command runs by its path; None if it runs none.

        If several scripts match, the deepest one is returned.
        """
        file = command.file
        if file is None or command.is_interpreted or len(file.text) > _LONGEST_PATH:
            return None
        if not (command.has_arguments or self._is_run(command, file.text)):
            return None
        for cut in (0, *(slash.end() for slash in re.finditer("/", file.text))):
            start, path = file.text[:cut], file.text[cut:]
            if path in self._scripts and (
                _OWN_DIRECTORY.fullmatch(start) or start.endswith(f"/{self._name}/")
            ):
                return path
        return None

    def _is_run(self, command: Command, path: str) -> bool:
        """Return whether a command that is only a path is meant to be run.

        It is if it is in a shell fence, or if the text before it says to run it.
        """
        if isinstance(command.code, Fence):
            return is_shell(command.code)
        if _INTERPRETED.search(path):
            return False
        place = command.code.place
        line = self._document.lines[place.line - self._document.first_line]
        before = line[: place.column - 1].rstrip("`")[-_MOST_BEFORE:]
        return _RUN.search(before) is not None


def _commands(document: Document, names: Set[str]) -> Iterator[Command]:
    """Yield the commands with one of these names, in shell fences and in code spans."""
    wanted = re.compile("|".join(map(re.escape, sorted(names))))
    for fence in document.fences:
        if (is_shell(fence) or not fence.language) and wanted.search(fence.text):
            yield from in_fence(document, fence)
    for span in document.code_spans(wanted):
        if wanted.search(span.target):
            yield from in_span(span)
