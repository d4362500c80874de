"""Finds the file paths that the Markdown files of one skill mention, and their positions."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from skillbuild.check.path_words import ELSEWHERE
from skillbuild.model import Place
from skillbuild.paths import inside, parent
from skillbuild.text.commands import SCRIPT, Command, in_fence, in_span, is_shell
from skillbuild.text.markdown.document import Document, Fence, Reference

USUAL = frozenset(["scripts", "references", "reference", "assets", "templates", "resources"])
"""Usual folders of skills; a path in one of these counts even if the folder does not exist."""

_FILE = r"[\w@+.-]*[\w-]\.[A-Za-z0-9]{1,8}(?![\w/{<\[$%-]|\*(?!\*)|\.[\w*{<])"
_PATH = re.compile(rf"(?:[\w@+.-]+/)*{_FILE}", re.ASCII)
"""The path of a file, up to its end."""
_LAST = re.compile(rf"/{_FILE}", re.ASCII)
"""The last part of such a path."""
_FOLDERS = "/@+.-_" + string.ascii_letters + string.digits
"""The characters of the other parts."""
_LONGEST_PATH = 300
"""Maximum number of characters that are searched for the end of a path."""
_VARIABLE = re.compile(
    r"(?P<own>\{\{?(?:baseDir|base_dir|skill_?dir|skill_?path|skill_?root|SKILL_DIR|SKILL_ROOT)\}?\}"
    r"|\$\{?(?:CLAUDE_)?(?:SKILL_DIR|SKILL_PATH|SKILL_ROOT|skill_dir|BASE_DIR)\}?"
    r"|<(?:skill[-_ ]?dir(?:ectory)?|skill[-_]?root|skill[-_]path|path[-_]to[-_](?:this[-_])?skill"
    r"|SKILL_DIR|SKILL_ROOT|SKILL_PATH|baseDir)>)"
    r"|(?P<plugin>\$\{?(?:CLAUDE_)?PLUGIN_ROOT\}?|\$\{?EXTENSION_PATH\}?"
    r"|<(?:plugin[-_ ]?(?:root|dir|path)|PLUGIN_ROOT)>|\{plugin_(?:dir|root)\})"
)
"""A placeholder for the directory of the skill, or of the plugin around it."""
_CLOSED = (("{", "}/"), ("{", '}"/'), ("<", ">/"), ("<", '>"/'))
"""The start and the end of a placeholder that does not begin with `$`."""
_LONGEST_VARIABLE = 30
"""Maximum characters of such a placeholder."""
_AFTER_VARIABLE = re.compile(r"[\"']?/")
_BEFORE_PATH = frozenset("\n\r\t \"'`([*|,;:=>")
"""The characters that may precede a relative path."""


class Start(StrEnum):
    """The directory that a path is relative to, according to the text in front of the path."""

    RELATIVE = "relative"
    OWN = "own"
    PLUGIN = "plugin"


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A path that a text mentions. `written` is the path as written in the text, including a
    placeholder for its directory.
    """

    path: str
    written: str
    start: Start
    index: int
    """The index of `written` in the text."""

    @property
    def first(self) -> str:
        """The first folder of the path."""
        return self.path.partition("/")[0]


def named_paths(text: str, begins: Callable[[str], bool], name: str) -> Iterator[NamedPath]:
    """Yield the paths in a text that begin with an accepted folder or a placeholder for a
    directory.

    `begins` returns whether a folder is accepted. `name` is the directory name of the skill.
    """
    for last in _LAST.finditer(text):
        low = max(0, last.start() - _LONGEST_PATH)
        at = low + len(text[low : last.start()].rstrip(_FOLDERS))
        written = text[at : last.end()]
        path = written.removeprefix("./")
        is_apart = not at or text[at - 1] in _BEFORE_PATH
        is_link = at > 1 and text.startswith("](", at - 2)
        if is_apart and not is_link and begins(path.partition("/")[0]):
            yield NamedPath(path, written, Start.RELATIVE, at)
    for word in filter(None, (_VARIABLE.match(text, at) for at in _openings(text))):
        slash = _AFTER_VARIABLE.match(text, word.end())
        match = _PATH.match(text, slash.end(), slash.end() + _LONGEST_PATH) if slash else None
        if match:
            kind = Start.OWN if word["own"] else Start.PLUGIN
            written = text[word.start() : match.end()]
            yield NamedPath(match[0], written, kind, word.start())
    installed = f"skills/{name}/"
    at = text.find(installed) if name else -1
    while at >= 0:
        end = at + len(installed)
        match = _PATH.match(text, end, end + _LONGEST_PATH)
        before = _BEFORE_SKILLS.search(text[max(0, at - _LONGEST_START) : at])
        if match and before:
            begin = at - len(before[0])
            yield NamedPath(match[0], text[begin : match.end()], Start.OWN, begin)
        at = text.find(installed, at + 1)


_SEE = re.compile(
    r"ee\s+(?:the\s+|also\s+)?[*`(]*((?!(?i:skill)\.)[\w-]+\.md)(?![\w/.-]*\w|#)", re.ASCII
)
"""A text of the same skill that a sentence names without a folder."""
_ITEM = re.compile(
    r"\n[ \t>]*(?:[-*+]|\|)[ \t]+[*_]*`([\w-][\w.-]*\."
    r"(?:md|py|sh|[cm]?[jt]s|rb|ps1|r|json|ya?ml|html|css|csv|sql|tex|sty|svg|png))`",
    re.ASCII,
)
"""The name of a file at the start of a list item or table row."""
_MOST_BETWEEN = 200
"""Maximum characters between two items of one list, and before a list."""
_FOLDER_OF_LIST = re.compile(
    r"\b(scripts|references?|assets|templates)/|^#+\s+(?:\w+\s+)?(?:Script|Reference)s[ \t]*$",
    re.MULTILINE,
)
"""The folder of the files in the list below."""


def named_files(text: str, folders_of: Callable[[str], Sequence[str]]) -> Iterator[NamedPath]:
    """Yield the files that a text names without a folder, either after `see` or in a list of files.

    A file in a list is yielded only if the skill does not have it. The file is assumed to be in the
    folder that contains at least two other files in the list or, if the skill has none of the
    listed files, in the folder mentioned above the list. `folders_of` returns the folders of the
    skill that contain a file with a given name.
    """
    for match in _SEE.finditer(text):
        if text[match.start() - 1 : match.start()] in ("s", "S"):
            yield NamedPath(match[1], match[1], Start.RELATIVE, match.start(1))
    items: list[re.Match[str]] = []
    for item in (*_ITEM.finditer(text), None):
        gap = text[items[-1].end() : item.start()] if item and items else ""
        if item and len(gap) <= _MOST_BETWEEN and "\n#" not in gap:
            items.append(item)
            continue
        here = {_ending(each[1]) for each in items if folders_of(each[1])}
        gone = [each for each in items if not folders_of(each[1])]
        folder = _folder_of_list(text, items, folders_of) if gone else ""
        for each in gone if folder else ():
            if not here or _ending(each[1]) in here:
                yield NamedPath(f"{folder}/{each[1]}", each[1], Start.RELATIVE, each.start(1))
        items = [item] if item else []


def _ending(name: str) -> str:
    return name.rpartition(".")[2]


def _folder_of_list(
    text: str, items: Sequence[re.Match[str]], folders_of: Callable[[str], Sequence[str]]
) -> str:
    counts = Counter(folder for each in items for folder in folders_of(each[1]))
    folder = max(counts, key=counts.__getitem__, default="")
    if counts[folder] > 1:
        return folder
    start = items[0].start()
    before = text[max(0, start - _MOST_BETWEEN) : start]
    named = [*_FOLDER_OF_LIST.finditer(before[before.rfind("\n#") + 1 :])]
    if counts or len(items) == 1 or not named:
        return ""
    return named[-1][1] or ("scripts" if "Script" in named[-1][0] else "references")


def _openings(text: str) -> Iterator[int]:
    """Yield possible starts of directory placeholders, found through their rarest characters."""
    at = text.find("$")
    while at >= 0:
        yield at
        at = text.find("$", at + 1)
    for first, end in _CLOSED:
        at = text.find(end)
        while at >= 0:
            opening = text.rfind(first, max(0, at - _LONGEST_VARIABLE), at)
            before = text[opening - 1 : opening] if opening > 0 else ""
            if opening >= 0 and not (before == "$" and _VARIABLE.match(text, opening - 1)):
                yield opening - (before == "{" == first)
            at = text.find(end, at + 1)


_BEFORE_SKILLS = re.compile(r"(?<![\w/.~$-])(?:(?:~|\$HOME|\$\{HOME\}|\.)/)?(?:\.[a-z]+/)?\Z")
"""The text before `skills/` in a path to the installed skill."""
_LONGEST_START = 40


class Use(StrEnum):
    """How a text uses a path."""

    COMMAND = "command"
    """A command runs the path."""
    MENTION = "mention"
    """The path is an entire code span, or an entire bold passage."""
    PLAIN = "plain"
    """The path is in normal text."""


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a path in a text, and how the text uses the path."""

    use: Use
    place: Place
    length: int
    command: Command | None = None
    is_elsewhere: bool = False
    """Whether the commands around it run in another directory or on another machine."""


class Positions:
    """Finds the positions of the paths in one text."""

    def __init__(self, document: Document, references: Sequence[Reference]) -> None:
        """Index the commands of a document.

        `references` are the references in the blocks that contain the paths.
        """
        self._document = document
        places = (match.end() for match in _LINE_END.finditer(document.text))
        self._line_starts = [0, *places]
        self._fences = sorted(document.fences, key=lambda fence: fence.line)
        self._commands: dict[int, Mapping[Place, tuple[Command, bool]]] = {}
        self._codes = sorted(
            (each for each in references if each.kind == "code"),
            key=lambda each: _order(each.place),
        )

    def of(self, named: NamedPath) -> Position | None:
        """Return the position of a path; None for a path in a link, and for a path in code that
        does not run the path.

        A code span that contains only the path counts as a mention. Comments in shell code count as
        text.
        """
        number = bisect_right(self._line_starts, named.index) - 1
        column = named.index - self._line_starts[number] + 1
        place = Place(self._document.first_line + number, column)
        fence = self._fence_at(place.line)
        if fence is not None:
            return self._in_fence(fence, place, named)
        code = self._code_at(place)
        if code is not None:
            return None if code.in_label else _in_code(code, place, named)
        line, end = self._document.lines[number], column - 1 + len(named.written)
        if _is_in_link(line, column - 1):
            return None
        is_bold = line.startswith("**", max(0, column - 3)) and line.startswith("**", end)
        use = Use.MENTION if is_bold else Use.PLAIN
        return Position(use, place, len(named.written))

    def _code_at(self, place: Place) -> Reference | None:
        number = bisect_right(self._codes, _order(place), key=lambda each: _order(each.place)) - 1
        code = self._codes[number] if number >= 0 else None
        if code is None or code.place.line != place.line:
            return None
        return code if place.column < code.place.column + len(code.target) else None

    def _fence_at(self, line: int) -> Fence | None:
        """Return the fence that contains a line, including its first and last line; None outside of
        fences.
        """
        number = bisect_right(self._fences, line + 1, key=lambda fence: fence.line) - 1
        fence = self._fences[number] if number >= 0 else None
        is_inside = fence is not None and line <= fence.line + fence.text.count("\n")
        return fence if is_inside else None

    def _in_fence(self, fence: Fence, place: Place, named: NamedPath) -> Position | None:
        is_marked = is_shell(fence)
        if place.line < fence.line or not (is_marked or not fence.language):
            return None
        line = self._document.lines[place.line - self._document.first_line]
        if is_marked and line.lstrip().startswith("#"):
            return Position(Use.PLAIN, place, len(named.written))
        commands = self._commands.get(fence.line)
        if commands is None:
            commands = self._commands[fence.line] = _by_place(in_fence(self._document, fence))
        command, is_elsewhere = commands.get(place, (None, False))
        if command is None or command.opening == "`":
            return None  # Backticks in a quote usually contain Markdown and not a command.
        is_run = command.is_interpreted or (is_marked and SCRIPT.search(named.path))
        return _command(place, named, command, is_elsewhere=is_elsewhere) if is_run else None


def _order(place: Place) -> tuple[int, int]:
    return place.line, place.column


def _by_place(commands: Iterable[Command]) -> Mapping[Place, tuple[Command, bool]]:
    """Map positions of files to the commands that run them, and whether they run elsewhere.

    Commands after `cd`, and next to commands for other machines, run elsewhere.
    """
    found: dict[Place, tuple[Command, bool]] = {}
    every = list(commands)
    is_elsewhere = any(command.name in ELSEWHERE for command in every)
    for command in every:
        if command.file is not None:
            found[command.file.place] = command, is_elsewhere
        is_elsewhere = is_elsewhere or command.name in ("cd", "pushd")
    return found


def _in_code(code: Reference, place: Place, named: NamedPath) -> Position | None:
    if code.target.strip() == named.written:
        return Position(Use.MENTION, place, len(named.written))
    command, is_elsewhere = _by_place(in_span(code)).get(place, (None, False))
    if command is None or not (command.is_interpreted or SCRIPT.search(named.path)):
        return None
    return _command(place, named, command, is_elsewhere=is_elsewhere)


_LINE_END = re.compile(r"\r\n?|\n")


def _is_in_link(line: str, at: int) -> bool:
    """Return whether an index of a line is inside the label or the target of a link."""
    before = line[max(0, at - _LONGEST_PATH) : at]
    is_label = before.rfind("[") > before.rfind("]") and "](" in line[at : at + _LONGEST_PATH]
    return is_label or before.endswith(("](", "](<", "<"))


def _command(place: Place, named: NamedPath, command: Command, *, is_elsewhere: bool) -> Position:
    return Position(Use.COMMAND, place, len(named.written), command, is_elsewhere)


def owner_folder(folder: str, path: str, folders: Set[str]) -> str | None:
    """Return the nearest folder of the skill that contains the first folder of a path.

    The search starts in `folder` and goes up. Returns None if no such folder is found. For a path
    that begins with `scripts/`, all folders of the path must exist, because projects often have a
    `scripts` folder of their own.
    """
    wanted = parent(path) if path.startswith("scripts/") else path.partition("/")[0]
    while True:
        if inside(folder, wanted) in folders:
            return folder
        if not folder:
            return None
        folder = parent(folder)
