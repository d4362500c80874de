"""Which scripts of a skill a text runs by their path, as a shell runs only executable files."""

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
"""What stands before the path of a file of the skill: nothing, or a name for its directory."""
_INTERPRETED = re.compile(r"\.(?:py|[cm]?[jt]s|rb|pl|php|r|lua|jl|ps1)$", re.IGNORECASE)
"""Scripts that a reader who is told to run them gives to their interpreter."""
_MOST_BEFORE = 300
"""Characters before a code span that are looked at."""
_LONGEST_PATH = 1000
"""Characters beyond which nothing is the path of a script."""


class Call(NamedTuple):
    """A command that runs a script by its path; of two, the lesser one matters more."""

    is_free: bool
    """Whether it stands among words: agents give the script to an interpreter then, if it has one.

    What they run as it stands is a command in a fence, or one that they are told to run.
    """
    line: int
    """In the file."""


class ScriptCommands:
    """The commands of one text that may be about scripts of the skill."""

    def __init__(self, document: Document, scripts: Set[str], name: str) -> None:
        """`name` is that of the skill's directory."""
        self._document, self._scripts, self._name = document, scripts, name
        names = {name for name in map(base_name, scripts) if name in document.text}
        if "chmod" in document.text:
            names.add("chmod")
        self._commands = list(_commands(document, names)) if names else []

    def given(self) -> set[str]:
        """The scripts that the text makes executable, or gives to an interpreter."""
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
        """The scripts that the text runs, each with the first call that matters most."""
        calls: dict[str, Call] = {}
        for command in self._commands:
            path = self._called(command)
            if path is not None:
                is_verbatim = isinstance(command.code, Fence) or self._is_run(command, path)
                call = Call(not is_verbatim, command.words[0].place.line)
                calls[path] = min(call, calls.get(path, call))
        return calls

    def _called(self, command: Command) -> str | None:
        """The script that a command runs by its path; of several that it may be, the deepest."""
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
        """Whether a path alone is a command: in code of a shell, or where the text says so."""
        if isinstance(command.code, Fence):
            return is_shell(command.code)
        if _INTERPRETED.search(path):
            return False
        place = command.code.place
        line = self._document.lines[place.line - self._document.first_line]
        before = line[: place.column - 1].rstrip("`")[-_MOST_BEFORE:]
        return _RUN.search(before) is not None


def _commands(document: Document, names: Set[str]) -> Iterator[Command]:
    """The commands with one of these names, in code of a shell and in code spans."""
    wanted = re.compile("|".join(map(re.escape, sorted(names))))
    for fence in document.fences:
        if (is_shell(fence) or not fence.language) and wanted.search(fence.text):
            yield from in_fence(document, fence)
    for span in document.references(wanted):
        if span.kind == "code" and wanted.search(span.target):
            yield from in_span(span)
