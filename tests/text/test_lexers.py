"""Texts have the tokens that Pygments gives, but that plain ones are in fewer pieces."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pygments.lexer import RegexLexer, bygroups
from pygments.lexers import get_lexer_by_name
from pygments.token import Name, Number, Punctuation, Text, _TokenType

from skillbuild.text.languages import language_of_fence
from skillbuild.text.lexers import quick, tokens_of

_OPTIONS = {"handlecodeblocks": False, "stripnl": False, "ensurenl": False}
_WORDS = [
    "python bash javascript typescript json yaml toml ini markdown html xml css sql c cpp csharp",
    "go rust java kotlin swift ruby php perl lua r julia powershell batch terraform solidity",
    "protobuf diff graphql docker make cmake console",
]
_LANGUAGES = [name for words in _WORDS for name in words.split() if language_of_fence(name)]
_PIECES = st.sampled_from(
    [
        *("\n", "\n\n", "  ", "\t", " ", "x", "name", "0x1F", "1.5e3", "'", '"', '"""', "`", "```"),
        *("# ", "## T", "- ", "* ", "> ", "**b**", "_i_", "[a](b)", "<!--", "-->", "<a b='c'>"),
        *("//", "/*", "*/", "--", "{", "}", "(", ")", "[", "]", "<", ">", ";", ":", ",", ".", "\\"),
        *(
            "=",
            "==",
            "=>",
            "->",
            "::",
            "$x",
            "${x}",
            "$(",
            "f'{a!r:>{b}}'",
            "r'\\d'",
            "é",
            "\U0001f600",
        ),
        *("def f(x):", "class A", "import a.b as c", "fn main()", "let x", "echo $1 | sort", "EOF"),
        *("<<EOF", "if", "else", "return", "SELECT * FROM t", "FROM a:b", "key: value", "+a", "-b"),
        *("@@ -1 +1 @@", "<?php", "?>", "%w(a b)", "#{x}", "@decorator", "#include <a>", "/re/g"),
    ]
)


def _in_runs(tokens: Iterable[tuple[_TokenType, str]]) -> list[tuple[_TokenType, str]]:
    """The tokens with plain ones that follow each other as one."""
    runs: list[tuple[_TokenType, str]] = []
    for kind, group in groupby(tokens, lambda token: Text if _is_plain(token[0]) else token[0]):
        values = [value for _, value in group if value]
        runs += [(Text, "".join(values))] if kind is Text else [(kind, value) for value in values]
    return [run for run in runs if run[1]]


def _is_plain(kind: _TokenType) -> bool:
    return str(kind) in ("Token.Text", "Token.Text.Whitespace", "Token.Punctuation", "Token.Name")


def _own_files() -> Iterator[tuple[str, str]]:
    for extension in ("py", "md", "html", "js", "mjs", "css", "sh", "svg", "yml", "toml"):
        files = sorted(Path(__file__).parents[2].glob(f"[!.]*/**/*.{extension}"))
        for file in files[:12]:
            yield extension, file.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", _LANGUAGES)
@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(_PIECES, max_size=60))
@example(pieces=["```", "python", "\n", "x", "\n", "```", "\n", "`", "x", "`", "\n"])
def test_any_text_has_the_tokens_of_pygments(language: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    lexer = get_lexer_by_name(language, **_OPTIONS)
    assert _in_runs(tokens_of(language, _is_plain)(text)) == _in_runs(lexer.get_tokens(text))


def test_files_have_the_tokens_of_pygments() -> None:
    for extension, text in _own_files():
        lexer = get_lexer_by_name(language_of_fence(extension) or "text", **_OPTIONS)
        assert _in_runs(quick(lexer, _is_plain)(text)) == _in_runs(lexer.get_tokens(text))


class _Tricky(RegexLexer):
    """Rules that cannot be joined, between some that can, and changes of state of every kind."""

    tokens = {  # noqa: RUF012
        "root": [
            (r"(['/]).*?\1", Name.Quoted),
            (r"a(b)?", bygroups(Name.B)),  # type: ignore[no-untyped-call]
            (r"(?i)end", Name.End, "#pop"),
            (r"\(", Punctuation, ("inner", "inner")),
            (r"\d", Number),
            (r"(?P<x>x)(?P=x)", Name.Twice),
            (r"(?s)\?.", Name.Over),
            (r"!.", Name.Bang),
            (r" ", Text),
        ],
        "inner": [
            (r"\)", Punctuation, "#pop"),
            (r"!", Name.All, "#pop:3"),
            (r"\+", Name.Push, "#push"),
            (r"[a-z](?=\))", Name.Last),
            (r"[a-z]", Name),
        ],
    }


@settings(deadline=None)
@given(text=st.text("aAbB'/EendDxX(+)!1 \n?"))
@example(text="(+a))!'x'xx?\n1")
def test_rules_that_cannot_be_joined_keep_their_place(text: str) -> None:
    lexer = _Tricky(**_OPTIONS)
    assert _in_runs(quick(lexer, _is_plain)(text)) == _in_runs(lexer.get_tokens(text))
