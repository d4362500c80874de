"""Highlights source code: returns HTML with a class for each color, as in `<i class="t-k">`.

The language is looked up in fixed tables, by the name of the file or by the first word after the
opening fence of a code block. It is never guessed from the content. Each language is identified by
the alias of its Pygments lexer.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

from skillbuild.text.invisible import visible_html

if TYPE_CHECKING:
    from pygments.lexer import Lexer

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


LONGEST_FILE = 200 * 1024
LONGEST_FENCE = 16 * 1024
"""Maximum characters of a fence that is highlighted; some lexers take quadratic time."""
_LONGEST_DATA = 32 * 1024
_DATA = frozenset(["json", "toml", "yaml"])
"""Data formats. They have a lower limit, because colors make their HTML seven times as large."""
_LONGEST_SLOW = 16 * 1024
_SLOW = frozenset(["html", "make", "rust", "terraform", "xml"])
"""Lexers that some inputs drive to quadratic time."""
_FRONTMATTER = re.compile(r"---\r?\n[A-Za-z_](?s:.{0,32000}?)\n---\r?\n")
_BLANK = re.compile(r"(?<!\s)\s{400}")
"""White space that drives lexers of several languages to quadratic time."""
_WORDS = re.compile(r"(?<![\w\s])[\w\s]{400}")
_SLOW_FOR_WORDS = frozenset(["c", "cpp", "csharp", "java"])
"""Lexers that words without any punctuation between them drive to quadratic time."""
LONGEST_HTML = 3 * LONGEST_FILE
"""Maximum size of highlighted HTML; a file with many short tokens would grow elevenfold."""
LONGEST_LINE = 2000
"""Maximum characters of a line; a file with a longer one is minified or data, and is not
highlighted."""

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
"""One letter for each token type that gets a color; all others are plain text."""


def highlight_file(text: str, path: str) -> str:
    """Return the HTML of a file; there are no colors if the text is too long or the language is
    unknown.

    The HTML has the same lines as the text, with LF line endings.
    """
    name = path.rpartition("/")[2].lower()
    language = _BY_NAME.get(name) or _BY_EXTENSION.get(name.rpartition(".")[2])
    limit = _LONGEST_DATA if language in _DATA or "lock" in name else LONGEST_FILE
    too_long = len(text) > limit or any(len(line) > LONGEST_LINE for line in _lines(text))
    colored = _colored(text, None if too_long else language)
    return colored if len(colored) <= LONGEST_HTML else _html(text, None)


def _colored(text: str, language: str | None) -> str:
    """Return the HTML with colors; frontmatter counts as YAML, so that its last line does not mark
    a heading.
    """
    front = _FRONTMATTER.match(text) if language == "markdown" else None
    if front is None:
        return _html(text, language)
    return _html(front[0], "yaml") + _html(text[front.end() :], language)


def highlight_fence(text: str, word: str) -> str:
    """Return the HTML of a fenced block; `word` is the first word after its opening marks
    (CommonMark, 4.5).
    """
    language = _BY_FENCE.get(word.lower()) if len(text) <= LONGEST_FENCE else None
    return _html(text, language)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _html(text: str, language: str | None) -> str:
    plain = "\n".join(_lines(text))
    if language is None or _is_slow(plain, language):
        return visible_html(plain)
    runs = list(_runs(plain, language))
    if "".join(value for _, value in runs) != plain:  # The lexer changes the text.
        return visible_html(plain)
    return "".join(_marked(runs))


def _is_slow(text: str, language: str) -> bool:
    return (
        (language in _SLOW and len(text) > _LONGEST_SLOW)
        or _BLANK.search(text) is not None
        or (language in _SLOW_FOR_WORDS and _WORDS.search(text) is not None)
    )


def _runs(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield runs of text, each with its class letter or an empty string; neighbors have different
    letters.

    White space after plain text is plain, even if the lexer says otherwise.
    """
    mark = text[: text.startswith("\ufeff")]  # Pygments drops a byte order mark.
    letter, run = "", mark
    for kind, value in _lexer(language).get_tokens(text):
        if not value:
            continue
        following = "" if letter == "" and value.isspace() else _letter_of(kind)
        if following != letter and run:
            yield letter, run
            run = ""
        letter, run = following, run + value
    if run:
        yield letter, run


def _marked(runs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for letter, value in runs:
        if not letter:
            yield visible_html(value)
            continue
        lines = map(visible_html, value.split("\n"))
        yield "\n".join(f'<i class="t-{letter}">{line}</i>' if line else "" for line in lines)


@functools.cache
def _letter_of(kind: Hashable) -> str:
    """Return the letter for a token type, or for the nearest of its parents; empty for plain
    text.
    """
    name = str(kind)
    while name and name not in _CLASSES:
        name = name.rpartition(".")[0]
    return _CLASSES.get(name, "")


@functools.cache
def _lexer(language: str) -> Lexer:
    """Return the lexer of Pygments with this alias.

    Code blocks in Markdown stay plain; otherwise the lexer would run other lexers on them.
    """
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language, handlecodeblocks=False, stripnl=False, ensurenl=False)
