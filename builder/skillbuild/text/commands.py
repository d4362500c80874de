"""Commands of a shell in a Markdown text: the words of each, and the file that it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.model import Place
from skillbuild.paths import base_name
from skillbuild.text.markdown.document import Document, Fence, Reference

SHELLS = frozenset(
    [
        *("bash", "sh", "shell", "zsh", "fish", "console", "terminal", "shell-session"),
        *("shellsession", "sh-session", "powershell", "pwsh", "ps1", "cmd", "bat", "batch"),
    ]
)
"""Languages of fences whose lines are commands."""
SCRIPT = re.compile(
    r"\.(?:sh|bash|zsh|py|[cm]?[jt]sx?|rb|pl|php|r|lua|jl|ps1|bat|cmd)$", re.IGNORECASE
)
"""The end of the path of a file that can be run."""

_LONGEST_LINE = 4000
"""Characters of a line that are read."""
_TOKEN = re.compile(
    r"""(?P<comment>\#.*)
    |(?P<end>&&|\|\|?|[;&()`]|\$\()
    |(?P<word>(?:"(?:[^"$`]|\$(?!\())*"|'[^']*'|<[^<>\n]{1,100}>|\{[^{}\n]{0,100}\}
      |[^\s;&|()`"'<{$]|\$(?!\()|["'<{])+)""",
    re.VERBOSE,
)
_HERE = re.compile(r"<<-?\s*[\"']?(\w+)")
"""The beginning of a here-document, and the word that ends it."""
_PROMPT = re.compile(r"[$>%\u276f\u279c]|PS>|C:\\>")
_ASSIGNMENT = re.compile(r"\w+=")
_BEFORE = frozenset(
    [
        *("sudo", "time", "env", "exec", "nohup", "command", "then", "do", "else", "elif"),
        *("if", "while", "until", "!", "timeout", "call", "{"),
    ]
)
"""Words before a command that are no part of it."""
_INTERPRETER = re.compile(
    r"(?:python[\d.]*|pypy[\d.]*|py|node|nodejs|(?:ba|z|da|k)?sh|fish|ruby|perl|php|pwsh|powershell"
    r"|rscript|julia|lua|osascript|source|\.|tsx|ts-node|bun|deno|go|streamlit|blender)(?:\.exe)?"
    r"|[$][{]?\w*(?:PY|NODE|BASH|SH)\w*[}]?",
    re.IGNORECASE,
)
"""Programs that run the file that is their first argument."""
_RUNNER = frozenset(
    [
        *("uv", "poetry", "pipenv", "pixi", "hatch", "conda", "rye", "pdm"),
        *("npx", "bunx", "pnpm", "yarn"),
    ]
)
"""Programs that run another one."""
_SUBCOMMAND = frozenset(["run", "exec", "dlx"])
_TAKES_FILES = frozenset(["uv", "pdm", "rye"])
"""Of these, the ones that also run a script by themselves."""
_WITHOUT_SUBCOMMAND = frozenset(["npx", "bunx", "pnpm", "yarn"])
"""Of these, the ones that run the program right after their own name."""
_SUBCOMMAND_OF = frozenset(["deno", "bun", "go", "streamlit"])
"""Interpreters that may have `run` before the file."""
_NO_FILE = frozenset(["-m", "-c", "-e", "-", "--eval", "--module", "-command", "-p", "--print"])
"""Options after which an interpreter runs no file."""
_WITH_VALUE = frozenset(
    [
        *("--with", "--with-requirements", "--with-editable", "--python", "--project"),
        *(
            "--env-file",
            "--directory",
            "--extra",
            "--group",
            "--package",
            "--from",
            "--index",
            "--import",
        ),
        *("--loader", "--require", "-r", "-n", "--name", "-w", "-x", "-executionpolicy", "-o"),
    ]
)
"""Options of interpreters and runners whose value is the next word, in lower case."""
_OWN_VALUE = frozenset(["bash", "sh", "zsh", "ksh", "dash", "node", "perl", "ruby"])
"""Interpreters whose short options have no values."""
_QUOTES = "\"'"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command: as a shell reads it, and where it stands with its quotes."""

    text: str
    place: Place
    length: int

    def holds(self, place: Place) -> bool:
        """Whether a place in the file is in the word."""
        columns = range(self.place.column, self.place.column + self.length)
        return place.line == self.place.line and place.column in columns


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its words, without what stands before it, as `sudo` and assignments."""

    words: tuple[Word, ...]
    is_first: bool
    """Whether nothing but that stands before it in its line."""
    code: Fence | Reference
    """The fence or the code span that it stands in."""
    file: Word | None = None
    """The file that it runs: the command word itself if that is a path, or an argument."""

    @property
    def name(self) -> str:
        """The name of the program: `python3`, `chmod`; of a path, its last part."""
        return base_name(self.words[0].text)

    @property
    def is_interpreted(self) -> bool:
        """Whether the file is given to an interpreter."""
        return self.file is not None and self.file is not self.words[0]

    @property
    def has_arguments(self) -> bool:
        """Whether a word follows the file, or the program."""
        return self.words[-1] is not (self.file or self.words[0])


def is_shell(fence: Fence) -> bool:
    """Whether the language of a fence is one of a shell."""
    return fence.language.lower().strip("{}.") in SHELLS


def in_fence(document: Document, fence: Fence) -> Iterator[Command]:
    """The commands of a fence in order, whatever its language; not what here-documents hold."""
    end = ""
    goes_on: list[str] = []
    lines = fence.text.split("\n")
    for number, line in enumerate(lines):
        if end:
            end = "" if line.strip() == end else end
            continue
        goes_on.append(line[:_LONGEST_LINE])
        if line.rstrip().endswith("\\") and len(goes_on) < _MOST_JOINED and number + 1 < len(lines):
            continue
        first = fence.line + number + 1 - len(goes_on)
        yield from _commands(_ShellLine(document, first, goes_on), fence)
        if "<<" in line and (match := _HERE.search(line)):
            end = match[1]
        goes_on = []


_MOST_JOINED = 50
"""Lines that are read as one command because all but the last end with a backslash."""


def in_span(span: Reference) -> Iterator[Command]:
    """The commands of a code span."""
    line = _ShellLine(None, span.place.line, [span.target[:_LONGEST_LINE]], span.place.column - 1)
    return _commands(line, span)


class _ShellLine:
    """A line of a shell, which may be several of the file: where each character stands there."""

    def __init__(
        self, document: Document | None, first: int, lines: Sequence[str], indent: int = 0
    ) -> None:
        joined = [line.rstrip().removesuffix("\\") for line in lines[:-1]]
        self.text = "\n".join([*joined, lines[-1]])
        self.first, self.indents = first, [indent] * len(lines)
        if document is not None:
            for number, line in enumerate(lines):
                whole = document.lines[first + number - document.first_line]
                self.indents[number] = max(0, whole.find(line.rstrip()))

    def word(self, start: int, text: str) -> Word:
        """The word whose text begins at this index."""
        number = self.text.count("\n", 0, start) if self.indents[1:] else 0
        column = start - (self.text.rfind("\n", 0, start) + 1) + self.indents[number] + 1
        opening = len(text) - len(text.lstrip(_QUOTES))
        plain = text.replace('"', "").replace("'", "")
        return Word(plain, Place(self.first + number, column + opening), len(text) - opening)


def _commands(line: _ShellLine, code: Fence | Reference) -> Iterator[Command]:
    words: list[Word] = []
    is_first = True
    for match in _TOKEN.finditer(line.text):
        if match["word"]:
            words.append(line.word(match.start(), match["word"]))
        elif words:
            yield from _command(words, code, is_first=is_first)
            words, is_first = [], False
    yield from _command(words, code, is_first=is_first)


def _command(
    words: Sequence[Word], code: Fence | Reference, *, is_first: bool
) -> Iterator[Command]:
    """At most one, which begins after prompt, assignments and words like `sudo`."""
    start = 0
    while start < len(words) and _is_before(words, start):
        start += 1
    if start < len(words):
        rest = tuple(words[start:])
        yield Command(rest, is_first, code, _file(rest))


def _is_before(words: Sequence[Word], number: int) -> bool:
    text = words[number].text
    return (
        not text
        or base_name(text) in _BEFORE
        or (number == 0 and _PROMPT.fullmatch(text) is not None)
        or _ASSIGNMENT.match(text) is not None
        or (number > 0 and words[number - 1].text == "timeout")
    )


def _file(words: Sequence[Word]) -> Word | None:
    """The file that a command runs, after the interpreters, their runners and their options."""
    number, takes_file = 0, "/" in words[0].text
    while number < len(words):
        text = words[number].text
        name = base_name(text).lower()
        if name in _RUNNER:
            number, takes_file = _options(words, number + 1), name in _TAKES_FILES
            if number < len(words) and words[number].text in _SUBCOMMAND:
                number = _options(words, number + 1)
            elif name not in _WITHOUT_SUBCOMMAND:
                return None
        elif _INTERPRETER.fullmatch(name if "$" not in text else text):
            number, takes_file = _options(words, number + 1, is_shell=name in _OWN_VALUE), True
            if name in _SUBCOMMAND_OF and number < len(words) and words[number].text == "run":
                number = _options(words, number + 1)
        else:
            return words[number] if takes_file else None
    return None


def _options(words: Sequence[Word], number: int, *, is_shell: bool = False) -> int:
    """The index after the options that begin here; beyond all words if one says to run no file."""
    while number < len(words) and words[number].text.startswith("-"):
        option = words[number].text.lower()
        if option in _NO_FILE:
            return len(words)
        number += 2 if option in _WITH_VALUE and not is_shell else 1
    return number
