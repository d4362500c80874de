"""Parses shell commands in a text: their words, how they are connected, and which file each one
runs.

This is only enough to know which programs run with which arguments; nothing is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skillbuild.model import Place
from skillbuild.paths import base_name
from skillbuild.text.markdown.document import Document, Fence, Reference

SHELLS = frozenset(
    [
        *("bash", "sh", "shell", "zsh", "fish", "console", "terminal", "shell-session"),
        *("shellsession", "sh-session", "powershell", "pwsh", "ps1", "cmd", "bat", "batch"),
    ]
)
"""Languages of fences whose lines are shell commands."""
SCRIPT = re.compile(
    r"\.(?:sh|bash|zsh|py|[cm]?[jt]sx?|rb|pl|php|r|lua|jl|ps1|bat|cmd)$", re.IGNORECASE
)
"""Endings of the paths of executable files."""

BEFORE = frozenset(
    [
        *("sudo", "doas", "time", "env", "exec", "nohup", "command", "then", "do", "else", "elif"),
        *("if", "while", "until", "!", "timeout", "call", "{", "xargs"),
    ]
)
"""Words that can precede a command without being part of it."""
_BEFORE_GROUP = frozenset(["function", "coproc", "repeat"])
"""Words that, with a name, can precede a command in parentheses."""
_PROMPT = re.compile(r"[$>%\u276f\u279c]|PS>|C:\\>")
_ASSIGNMENT = re.compile(r"\w+=")
_INTERPRETER = re.compile(
    r"(?:python[\d.]*|pypy[\d.]*|py|node|nodejs|(?:ba|z|da|k)?sh|fish|ruby|perl|php|pwsh|powershell"
    r"|rscript|julia|lua|osascript|source|\.|tsx|ts-node|bun|deno|go|streamlit|blender)(?:\.exe)?"
    r"|[$][{]?\w*(?:PY|NODE|BASH|SH)\w*[}]?",
    re.IGNORECASE,
)
"""Programs that run the file in their first argument."""
_RUNNER = frozenset(
    [
        *("uv", "poetry", "pipenv", "pixi", "hatch", "conda", "rye", "pdm"),
        *("npx", "bunx", "pnpm", "yarn"),
    ]
)
"""Programs that run another program."""
_SUBCOMMAND = frozenset(["run", "exec", "dlx"])
_TAKES_FILES = frozenset(["uv", "pdm", "rye"])
"""Runners that can also run a script directly."""
_WITHOUT_SUBCOMMAND = frozenset(["npx", "bunx", "pnpm", "yarn"])
"""Runners whose program comes right after their own name."""
_SUBCOMMAND_OF = frozenset(["deno", "bun", "go", "streamlit"])
"""Interpreters that may have `run` before the file."""
_NO_FILE = frozenset(["-m", "-c", "-e", "-", "--eval", "--module", "-command", "-p", "--print"])
"""Options after which an interpreter runs no file."""
_WITH_VALUE = frozenset(
    [
        *("--with", "--with-requirements", "--with-editable", "--python", "--project"),
        *("--env-file", "--directory", "--extra", "--group", "--package", "--from", "--index"),
        *("--import", "--loader", "--require", "-r", "-n", "--name", "-w", "-x"),
        *("-executionpolicy", "-o"),
    ]
)
"""Options, in lower case, of interpreters and runners whose value is the next word."""
_OWN_VALUE = frozenset(["bash", "sh", "zsh", "ksh", "dash", "node", "perl", "ruby"])
"""Interpreters whose short options have no values."""


class Word(NamedTuple):
    """A word of a command as the shell reads it, and the position of the word in the file.

    The position and the length include the quotes around the word. In `text`, a nested command such
    as `$(date)` is replaced by `$()`.
    """

    text: str
    place: Place
    length: int

    def holds(self, place: Place) -> bool:
        """Whether a position in the file is inside the word."""
        columns = range(self.place.column, self.place.column + self.length)
        return place.line == self.place.line and place.column in columns


class Command(NamedTuple):
    """The words of a command, without a prefix such as `sudo` or variable assignments."""

    words: tuple[Word, ...]
    """Empty if the command has only assignments."""
    is_first: bool
    """Whether nothing but its prefix comes before the command on its line."""
    code: Fence | Reference
    """The fence or the code span that contains it."""
    before: tuple[Word, ...] = ()
    """The prefix, such as `sudo` or assignments."""
    number: int = 0
    """The index of the command on its line, in the order in which commands begin."""
    feeds_on: int = -1
    """The number of the command whose output is piped into it."""
    inside: int = -1
    """The number of the command that contains it, as in `$(date)`."""
    opening: str = ""
    """The token that starts it inside another command: `$(`, `<(` or a backtick; for parentheses,
    `(`, or `IN_SENTENCE`.
    """
    file: Word | None = None
    """The file that it runs: the program itself if it is given as a path, or an argument."""
    name: str = ""
    """The name of the program, such as `python3` or `chmod`; for a path, its last segment."""
    program: str = ""
    """The name in lower case, without `.exe`."""
    arguments: Sequence[str] = ()
    """The words after the name."""

    @property
    def is_interpreted(self) -> bool:
        """Whether the command runs `file` with an interpreter, as in `python run.py`."""
        return self.file is not None and self.file is not self.words[0]

    @property
    def has_arguments(self) -> bool:
        """Whether any arguments come after the file that the command runs, or after the program if
        it runs no file.
        """
        return self.words[-1] is not (self.file or self.words[0])


def is_shell(fence: Fence) -> bool:
    """Whether the language of a fence is a shell language."""
    return fence.language.lower().strip("{}.") in SHELLS


def in_fence(document: Document, fence: Fence) -> Iterator[Command]:
    """Yield the commands of a fenced block in order, whatever its language; here-documents are
    skipped.
    """
    indents = [
        max(0, document.lines[fence.line + number - document.first_line].find(line.rstrip()))
        for number, line in enumerate(fence.text.split("\n"))
    ]
    for line in shell_lines(fence.text, fence.line):
        if not line.is_quoted:
            yield from _with_words(line.commands(fence, indents[line.number - fence.line :]))


def in_span(span: Reference) -> Iterator[Command]:
    """Yield the commands of a code span."""
    line = ShellLine(span.place.line, span.target[:_LONGEST_LINE])
    return _with_words(line.commands(span, [span.place.column - 1]))


def _with_words(commands: Sequence[Command]) -> Iterator[Command]:
    return (command for command in commands if command.words)


# Lines.


_LONGEST_LINE = 4000
"""Maximum characters of a line that are parsed."""
_MOST_JOINED = 80
"""Maximum number of lines that are joined by backslashes, operators or quotes."""
_BALANCED = re.compile(
    r"(?>(?:[^\"'\\#]++|\\(?:.|\Z)|'[^']*+'|\"(?>(?:[^\"\\]++|\\.)*)\"|(?:(?<=[\s;])|\A)#.*+|#)*)",
)
"""The longest beginning of a line without an open quote; a comment may contain one."""
_GOES_ON = ("\\", "|", "&&")
_HERE = re.compile(r"(?<!<)<<-?\s*[\"']?(\w+)")
"""The beginning of a here-document, and the word that ends it."""


@dataclass(frozen=True, slots=True)
class ShellLine:
    """A logical line of shell code, which may consist of several lines of the file.

    `number` is the number of the first of these lines.
    """

    number: int
    text: str
    is_quoted: bool = False
    """Whether the line is inside a here-document."""
    reader: str = ""
    """The line that starts the here-document; empty for other lines."""

    def commands(self, code: Fence | Reference, indents: Sequence[int] = ()) -> list[Command]:
        """Return the commands of the line, in the order in which they begin.

        `indents` holds the number of columns that were stripped from the start of each line of the
        file. Its first item belongs to line `number`.
        """
        return _LineReader(self, code, indents).commands


def shell_lines(text: str, first: int) -> Iterator[ShellLine]:
    """Yield the logical lines of a text; `first` is the line number of its first line in the file.

    A line is joined with the next one if it ends with a backslash (which is dropped), a pipe or
    `&&`, or if a quoted string is still open at its end.
    """
    lines = text.split("\n")
    last = {line.strip(): number for number, line in enumerate(lines)} if "<<" in text else {}
    at = 0
    while at < len(lines):
        joined, count = lines[at], 1
        if "'" in joined or '"' in joined or joined.rstrip().endswith(_GOES_ON):
            joined, count = _joined(lines, at)
        own = ShellLine(first + at, joined[:_LONGEST_LINE])
        yield own
        at += count
        for end in _HERE.findall(own.text) if last else ():
            if last.get(end, -1) < at:  # `<<` is a shift, or the end is missing.
                continue
            while lines[at].strip() != end:
                yield ShellLine(first + at, lines[at][:_LONGEST_LINE], True, own.text)
                at += 1
            at += 1


def _joined(lines: Sequence[str], at: int) -> tuple[str, int]:
    """Return the line at an index, joined with its continuation lines, and the number of all these
    lines.
    """
    parts: list[str] = []
    quote = ""
    for number in range(at, min(at + _MOST_JOINED, len(lines))):
        line = lines[number]
        quote = _open_quote(line, quote)
        stripped = line.rstrip()
        if not quote and not stripped.endswith(_GOES_ON):
            parts.append(line)
            return "\n".join(parts), len(parts)
        parts.append(stripped.removesuffix("\\") if not quote else line)
    if quote:  # The quote never ends, so it is probably an apostrophe.
        return lines[at], 1
    return "\n".join(parts), len(parts)


def _open_quote(line: str, quote: str) -> str:
    """Return the quote that is still open after a line, or an empty string; `quote` is open before
    it.
    """
    start = 0
    if quote:
        closing = _CLOSING[quote].match(line)
        if closing is None:
            return quote
        start = closing.end()
    elif "'" not in line and '"' not in line:
        return ""
    match = _BALANCED.match(line, start)
    end = match.end() if match else start
    return line[end] if end < len(line) else ""


_CLOSING = {"'": re.compile(r"[^']*+'"), '"': re.compile(r"(?>(?:[^\"\\]++|\\.)*)\"")}


# Words.


_PLAIN = re.compile(
    r"""(?P<blank>\s+)
    |(?P<comment>(?:(?<=\s)|\A)\#[^\n]*)
    |(?P<placeholder><[A-Za-z](?:[^<>\n()|;&]{0,98}[^<>\s()|;&])?>)
    |(?P<redirect>\d?(?:>>|>&|>\||<<<|<<-?|<>|&>>?|>|<)(?![(])(?:&?\d(?!\w)|&-)?)
    |(?P<operator>&&|\|\|?&?|;;?|&)
    |(?P<opening>\$\(|[<>]\(|\(|`)
    |(?P<closing>\))
    |(?P<quote>")
    |(?P<word>'[^']*'|\$\{[^{}\n]{0,200}\}|\{(?!\s)[^{}\n]{0,100}\}
      |\\.|[^\s;&|()`"'<>{$\\]+|[$'<{\\>])""",
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(
    r"""(?P<opening>\$\(|`)|(?P<quote>")|(?P<word>\\.|[^"$`\\]+|[$\\])""", re.VERBOSE | re.DOTALL
)
_ESCAPED = " \t\"'\\$`;&|()<>#*"
"""Characters that a backslash escapes. Before any other, as in a Windows path, the backslash
stays."""
_ENDS = frozenset(["}", "done", "fi", "esac"])
"""Words that end a group of commands whose output is combined."""
_DEEPEST = 40
"""Maximum depth of nested commands."""
IN_SENTENCE = "word ("
"""The `opening` of arrays, and of parentheses after the words of a command, as in a sentence. Most
shells run nothing that is in them, but fish and PowerShell do.
"""


@dataclass(slots=True)
class _OpenCommand:
    """A command that is being read."""

    number: int
    feeds_on: int
    inside: int
    opening: str
    words: list[Word]
    is_first: bool
    start: int = -1
    """The index where the word that is being read begins; `-1` between words."""
    text: str = ""
    in_quote: bool = False


class _LineReader:
    """Reads one line, including the commands that are nested in its words."""

    def __init__(self, line: ShellLine, code: Fence | Reference, indents: Sequence[int]) -> None:
        self._line, self._code, self._indents = line, code, indents
        self._text = line.text
        self._is_joined = "\n" in line.text
        self._done: dict[int, Command] = {}
        self._count = 0
        self._stack: list[_OpenCommand] = []
        self._begin(-1, -1, "", is_first=True)
        self._read()
        while self._stack:
            self._end_word(len(self._text))
            self._finish(self._stack.pop())
        self.commands = [self._done[number] for number in sorted(self._done)]

    def _begin(self, feeds_on: int, inside: int, opening: str, *, is_first: bool) -> None:
        self._stack.append(_OpenCommand(self._count, feeds_on, inside, opening, [], is_first))
        self._count += 1

    def _read(self) -> None:
        at, text = 0, self._text
        while at < len(text):
            top = self._stack[-1]
            match = (_QUOTED if top.in_quote else _PLAIN).match(text, at)
            if match is None:
                return
            at = match.end()
            match match.lastgroup:
                case "word" | "placeholder":
                    self._add(match)
                case "quote":
                    top.in_quote = not top.in_quote
                    top.start = match.start() if top.start < 0 else top.start
                case "opening":
                    self._open(match)
                case "closing":
                    self._close(match.start())
                case "operator":
                    self._end_word(match.start())
                    self._next(match[0])
                case _:
                    self._end_word(match.start())
                    if match.lastgroup == "redirect":
                        top.start, top.text = match.start(), match[0]
                        self._end_word(at)

    def _add(self, match: re.Match[str]) -> None:
        top, piece = self._stack[-1], match[0]
        top.start = match.start() if top.start < 0 else top.start
        if len(piece) > 1 and piece[0] == "'":
            piece = piece[1:-1]
        elif len(piece) == 2 and piece[0] == "\\" and piece[1] in _ESCAPED:
            piece = piece[1]
        top.text += piece

    def _open(self, match: re.Match[str]) -> None:
        top, opening = self._stack[-1], match[0]
        if opening == "`" and top.opening == "`":
            self._close(match.start())
            return
        if len(self._stack) >= _DEEPEST:
            return
        if opening == "(":
            self._end_word(match.start())
            words = top.words
            is_array = match.start() > 0 and match.string[match.start() - 1] == "="
            begins = all(_is_before(words, at) for at in range(len(words)))
            begins = not is_array and (begins or words[0].text in _BEFORE_GROUP)
            opening = "(" if begins else IN_SENTENCE
            self._begin(top.feeds_on, top.inside, opening, is_first=top.is_first and not words)
            return
        top.start = match.start() if top.start < 0 else top.start
        top.text += "$()"
        self._begin(-1, top.number, opening, is_first=False)

    def _close(self, end: int) -> None:
        """End a nested command, or a group of commands in brackets."""
        self._end_word(end)
        if len(self._stack) == 1:
            self._next(")")
            return
        inner = self._stack.pop()
        self._finish(inner)
        if inner.opening in ("(", IN_SENTENCE):
            outer = self._stack.pop()
            self._finish(outer)
            last = inner.number if inner.words else max(self._done, default=-1)
            self._stack.append(
                _OpenCommand(self._count, last, outer.inside, outer.opening, [], False)
            )
            self._count += 1

    def _next(self, operator: str) -> None:
        """End the current command at an operator, and start the next one."""
        ended = self._stack.pop()
        self._finish(ended)
        feeds_on = -1
        if operator.startswith("|") and operator != "||":
            feeds_on = ended.number if ended.words else ended.feeds_on
            if ended.words and ended.words[0].text in _ENDS:
                feeds_on = max((each for each in self._done if each < ended.number), default=-1)
        self._begin(feeds_on, ended.inside, ended.opening, is_first=False)

    def _end_word(self, end: int) -> None:
        top = self._stack[-1]
        top.in_quote = False
        if top.start >= 0:
            raw = self._text[top.start : end]
            opening = len(raw) - len(raw.lstrip("\"'"))
            top.words.append(self._word(top.start, opening, len(raw), top.text))
            top.start, top.text = -1, ""

    def _word(self, start: int, opening: int, length: int, text: str) -> Word:
        """Return the word whose text begins at index `start`, after `opening` quote characters."""
        number = begin = 0
        if self._is_joined:
            number = self._text.count("\n", 0, start)
            begin = self._text.rfind("\n", 0, start) + 1
        indent = self._indents[number] if number < len(self._indents) else 0
        column = start - begin + indent + 1
        place = Place(self._line.number + number, column + opening)
        return Word(text, place, length - opening)

    def _finish(self, ended: _OpenCommand) -> None:
        words = ended.words
        if not words:
            return
        start = 0
        while start < len(words) and _is_before(words, start):
            start += 1
        rest = tuple(words[start:])
        name = base_name(rest[0].text) if rest else ""
        self._done[ended.number] = Command(
            rest,
            ended.is_first,
            self._code,
            tuple(words[:start]),
            ended.number,
            ended.feeds_on,
            ended.inside,
            ended.opening,
            _file(rest) if rest else None,
            name,
            name.lower().removesuffix(".exe"),
            [word.text for word in rest[1:]],
        )


def _is_before(words: Sequence[Word], number: int) -> bool:
    text = words[number].text
    before = base_name(words[number - 1].text) if number else ""
    if before == "command" and text in ("-v", "-V"):
        return False
    return (
        not text
        or base_name(text) in BEFORE
        or (number == 0 and _PROMPT.fullmatch(text) is not None)
        or _ASSIGNMENT.match(text) is not None
        or before == "timeout"
        or (text.startswith("-") and (number > 0 or text == "-"))
        or before in _BEFORE_WITH_VALUE
        or (before == "-n" and (text[0] == "$" or not _is_of_sudo(words[:number])))
    )


def _is_of_sudo(words: Sequence[Word]) -> bool:
    """Return whether the last program before a command is `sudo`, whose `-n` has no value."""
    programs = [name for word in words if (name := base_name(word.text)) in BEFORE]
    return programs[-1:] in (["sudo"], ["doas"])


_BEFORE_WITH_VALUE = frozenset(["-u", "-g", "-I", "-P", "-L", "-d"])
"""Options of `sudo`, `xargs` and the like whose value is the next word."""


def _file(words: Sequence[Word]) -> Word | None:
    """Return the file that a command runs, found after interpreters, runners and their options."""
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
    """Return the index after the options that begin at `number`.

    The index is beyond all words if an option means that no file is run.
    """
    while number < len(words) and words[number].text.startswith("-"):
        option = words[number].text.lower()
        if option in _NO_FILE:
            return len(words)
        number += 2 if option in _WITH_VALUE and not is_shell else 1
    return number
