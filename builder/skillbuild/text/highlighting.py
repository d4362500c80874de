"""The door to Pygments: source text as HTML with a handful of classes, all beginning with `t-`.

Lexers are chosen by a closed table, never guessed: the choice is a function of the name alone.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Hashable, Iterable, Iterator

from skillbuild.text.measure import code_points, invisible, may_hide

LONGEST_FILE = 200 * 1024
LONGEST_FENCE = 16 * 1024
"""Characters that are highlighted; some lexers need quadratic time, and nobody reads more."""
_LONGEST_DATA = 32 * 1024
_DATA = frozenset(["json", "toml", "yaml"])
"""Nobody reads much of these for their colours, and they grow sevenfold."""
_LONGEST_SLOW = 16 * 1024
_SLOW = frozenset(["html", "make", "rust", "terraform", "xml"])
"""Lexers that some inputs drive to quadratic time."""
LONGEST_LINE = 2000
"""A file with a longer line is minified or data, and is shown plain."""

_BY_NAME = {
    "dockerfile": "docker",
    "makefile": "make",
    "cmakelists.txt": "cmake",
    ".bashrc": "bash",
    ".env.example": "bash",
}
_BY_EXTENSION = {
    "py": "python",
    "pyi": "python",
    "sh": "bash",
    "bash": "bash",
    "zsh": "bash",
    "bats": "bash",
    "js": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "jsx": "javascript",
    "ts": "typescript",
    "tsx": "typescript",
    "json": "json",
    "jsonl": "json",
    "sarif": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "cfg": "ini",
    "md": "markdown",
    "mdx": "markdown",
    "markdown": "markdown",
    "html": "html",
    "htm": "html",
    "xml": "xml",
    "xsd": "xml",
    "xsl": "xml",
    "svg": "xml",
    "css": "css",
    "sql": "sql",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "hpp": "cpp",
    "cu": "cpp",
    "cs": "csharp",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "kt": "kotlin",
    "swift": "swift",
    "rb": "ruby",
    "php": "php",
    "pl": "perl",
    "lua": "lua",
    "r": "r",
    "jl": "julia",
    "ps1": "powershell",
    "bat": "batch",
    "tf": "terraform",
    "sol": "solidity",
    "proto": "protobuf",
    "diff": "diff",
    "patch": "diff",
    "graphql": "graphql",
    "dockerfile": "docker",
}
_BY_FENCE = {
    **_BY_EXTENSION,
    **{alias: alias for alias in set(_BY_EXTENSION.values())},
    "shell": "bash",
    "console": "console",
    "shell-session": "console",
    "py3": "python",
    "golang": "go",
    "c++": "cpp",
    "cuda": "cpp",
    "postgresql": "sql",
    "psql": "sql",
    "hcl": "terraform",
    "make": "make",
    "makefile": "make",
    "jsonc": "json",
    "json5": "json",
}

_CLASSES = {
    "Token.Comment": "c",
    "Token.Comment.Preproc": "m",
    "Token.Comment.PreprocFile": "s",
    "Token.Keyword": "k",
    "Token.Keyword.Constant": "n",
    "Token.Keyword.Type": "b",
    "Token.Operator.Word": "k",
    "Token.Literal": "n",
    "Token.Literal.String": "s",
    "Token.Literal.String.Doc": "c",
    "Token.Literal.String.Interpol": "n",
    "Token.Name.Function": "f",
    "Token.Name.Class": "f",
    "Token.Name.Namespace": "f",
    "Token.Name.Builtin": "b",
    "Token.Name.Constant": "n",
    "Token.Name.Decorator": "m",
    "Token.Name.Tag": "k",
    "Token.Name.Attribute": "b",
    "Token.Name.Variable": "v",
    "Token.Name.Exception": "b",
    "Token.Generic.Heading": "h",
    "Token.Generic.Subheading": "h",
    "Token.Generic.Strong": "h",
    "Token.Generic.Deleted": "d",
    "Token.Generic.Inserted": "i",
    "Token.Generic.Prompt": "c",
    "Token.Generic.Output": "c",
}
"""Which tokens are worth a colour, with one letter each; all others are plain text."""


def source(text: str, path: str) -> str:
    """HTML of a file, line breaks as in the text; plain where highlighting is not worth it."""
    name = path.rpartition("/")[2].lower()
    alias = _BY_NAME.get(name) or _BY_EXTENSION.get(name.rpartition(".")[2])
    limit = _LONGEST_DATA if alias in _DATA or "lock" in name else LONGEST_FILE
    too_long = len(text) > limit or any(len(line) > LONGEST_LINE for line in _lines(text))
    return _html(text, None if too_long else alias)


def fence(text: str, language: str) -> str:
    """HTML of a fenced block in the language its first word names."""
    alias = _BY_FENCE.get(language.lower())
    return _html(text, alias if len(text) <= LONGEST_FENCE else None)


def visible(text: str) -> str:
    """Escaped text in which hidden characters are spelled out."""
    return mark_invisible(html.escape(text))


def mark_invisible(escaped: str) -> str:
    """Spell out the hidden characters of a text that is escaped already."""
    parts, end = [], 0
    for match in invisible(escaped):
        parts += [escaped[end : match.start()], _ghost(match[0])]
        end = match.end()
    return "".join([*parts, escaped[end:]]) if parts else escaped


def _ghost(hidden: str) -> str:
    return f'<span class="ghost">{html.escape(code_points(hidden))}</span>'


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _html(text: str, alias: str | None) -> str:
    plain = "\n".join(_lines(text))
    if alias is None or (alias in _SLOW and len(plain) > _LONGEST_SLOW):
        return visible(plain)
    pieces = list(_pieces(plain, alias))
    if "".join(value for _, value in pieces) != plain:
        return visible(plain)
    if may_hide(plain) or "\0" in plain:
        return "".join(_marked(pieces))
    return _escaped_at_once(pieces)


def _pieces(text: str, alias: str) -> Iterator[tuple[str, str]]:
    """Class and text of every token, neighbours of one class joined."""
    last, held = "", ""
    for kind, value in _lexer(alias).get_tokens(text):
        name = "" if last == "" and value.isspace() else _class_of(kind)
        if name != last and held:
            yield last, held
            held = ""
        last, held = name, held + value
    if held:
        yield last, held


def _marked(pieces: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in pieces:
        if not name:
            yield visible(value)
            continue
        lines = value.split("\n")
        spans = (f'<i class="t-{name}">{visible(line)}</i>' if line else "" for line in lines)
        yield "\n".join(spans)


def _escaped_at_once(pieces: Iterable[tuple[str, str]]) -> str:
    """The same for text that hides nothing: a call for every piece would cost half of the time.

    Until the text is escaped, a NUL and the letter of the class stand for a tag.
    """
    parts = []
    for name, value in pieces:
        if name and "\n" in value:
            lines = (f"\0{name}{line}\0/" if line else "" for line in value.split("\n"))
            parts.append("\n".join(lines))
        else:
            parts.append(f"\0{name}{value}\0/" if name else value)
    marked = html.escape("".join(parts)).replace("\0/", "</i>")
    for name in _LETTERS:
        marked = marked.replace(f"\0{name}", f'<i class="t-{name}">')
    return marked


_LETTERS = sorted(set(_CLASSES.values()))


@functools.cache
def _class_of(kind: Hashable) -> str:
    name = str(kind)
    while name and name not in _CLASSES:
        name = name.rpartition(".")[0]
    return _CLASSES.get(name, "")


class _Lexer:
    """One lexer of Pygments, told to leave the text alone."""

    def __init__(self, alias: str) -> None:
        from pygments.lexers import get_lexer_by_name

        # Of Markdown's lexer alone: a block would be given to the lexer that it names.
        options = {"handlecodeblocks": False, "stripnl": False, "ensurenl": False}
        self.get_tokens = get_lexer_by_name(alias, **options).get_tokens


@functools.cache
def _lexer(alias: str) -> _Lexer:
    return _Lexer(alias)


_TAG_OR_TEXT = re.compile(r"<[^>]*>|[^<]+")


def spelled_out(page: str) -> str:
    """A rendered text with its hidden characters made visible, outside of tags."""
    if not may_hide(page):
        return page
    parts = (
        part if part.startswith("<") else mark_invisible(part)
        for part in _TAG_OR_TEXT.findall(page)
    )
    return "".join(parts)
