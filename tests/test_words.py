"""Words and phrases that people had to read twice do not come back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from helpers import TESTS

ROOT = TESTS.parent
FOLDERS = {
    "builder/skillbuild": (".py", ".html", ".js"),
    "site_src": (".md",),
    ".github": (".md", ".yml"),
}
FILES = ("README.md", "CHANGELOG.md", "action.yml", "builder/README.md", "tests/README.md")


@dataclass(frozen=True, slots=True)
class Replaced:
    """What to write instead of a phrase, and why readers stumbled over it."""

    by: str
    why: str


_CLIENT = "readers do not know which clients are meant, and cannot look them up"
_DATED = "nobody writes it in a program; readers take it for a translation"
_HINTLESS = "it says nothing that a reader can act on"
_PLAIN = "it is longer than the usual word, and says no more"
_RIDDLE = "readers asked what it refers to"
_SILENT = "a strange way to say that no message is printed"

INSTEAD = {
    "mend": Replaced("fix", "the option is called --fix, and so is the word of other linters"),
    "mended": Replaced("fixed", "the option is called --fix, and so is the word of other linters"),
    "typed clients": Replaced("FastMCP and the TypeScript SDK", _CLIENT),
    "typed MCP clients": Replaced("FastMCP and the TypeScript SDK", _CLIENT),
    "strict clients": Replaced("FastMCP and the TypeScript SDK", _CLIENT),
    "strict MCP clients": Replaced("FastMCP and the TypeScript SDK", _CLIENT),
    "strict readers": Replaced("the names of the clients", _CLIENT),
    "one host reads": Replaced("the name of the host, or: some hosts read", _CLIENT),
    "one host refuses": Replaced("the name of the host, or: some hosts refuse", _CLIENT),
    "one client refuses": Replaced("the name of the client, or: some clients refuse", _CLIENT),
    "throw away the whole": Replaced(
        "reject the whole", "a client that stops reads; it throws nothing"
    ),
    "leads to nothing": Replaced(
        "does not exist", "the file is missing; a path that leads is a picture"
    ),
    "so it is with": Replaced("the number of skills that are affected", _RIDDLE),
    "where that matters": Replaced("what happens otherwise", _RIDDLE),
    "where clients read such fields": Replaced("no hint, if there is nothing to do", _HINTLESS),
    "have no use for": Replaced("do not need", _PLAIN),
    "has no use for": Replaced("does not need", _PLAIN),
    "of no use": Replaced("not needed", _PLAIN),
    "is no text": Replaced("must be a string", "YAML and JSON call such a value a string"),
    "not as it should be": Replaced("the number of problems", "it does not say what is wrong"),
    "would be that of": Replaced("is already the name of", "the noun of `that` comes too late"),
    "listed otherwise": Replaced("in different listings", "it does not say what is different"),
    "graver": Replaced("more severe", "severity is the word of the options and of SARIF"),
    "gravest": Replaced("most severe", "severity is the word of the options and of SARIF"),
    "passed over": Replaced("not reported", _SILENT),
    "nothing is said": Replaced("not reported", _SILENT),
    "without a word": Replaced("silently", _SILENT),
    "in silence": Replaced("silently", _SILENT),
    "for ever": Replaced("forever", "American English writes one word"),
    "anew": Replaced("again", _DATED),
    "slips of a letter": Replaced("typos", _DATED),
    "misspelt": Replaced("misspelled", "the spelling is American everywhere"),
    "whatever the settings say": Replaced("even with the setting, by its name", _RIDDLE),
    "left out for the sake of": Replaced("left out to protect", _DATED),
    "say goodbye": Replaced("retire a skill", "a heading must name the task, for search and links"),
    "the newest word": Replaced("the thing itself", _RIDDLE),
    "a skill path without blanks": Replaced(
        "a skill path without spaces", "spaces is what it means"
    ),
    "in the place of such": Replaced("instead", _RIDDLE),
    "not there in time": Replaced("timed out", "logs and clients say that a request timed out"),
    "asks for a look": Replaced("readers should look at it", _DATED),
    "unless told": Replaced("default: and the value", "help texts of programs write (default: 20)"),
}
"""The phrases that must not come back."""


def texts() -> Iterator[tuple[str, str]]:
    """Each file that people read, or whose messages and docstrings they read, in lower case."""
    for folder, endings in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in endings and path.is_file():
                yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8").lower()
    for name in FILES:
        yield name, (ROOT / name).read_text("utf-8").lower()


def found(text: str) -> list[str]:
    """Each phrase of the table in a text in lower case, over the ends of lines too."""
    joined = " ".join(text.split())
    return [
        f"not {phrase!r}, but {replaced.by}: {replaced.why}"
        for phrase, replaced in INSTEAD.items()
        if phrase.lower() in joined
        and re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", joined)
    ]


def test_texts_have_no_phrase_that_was_replaced() -> None:
    assert {name: phrases for name, text in texts() if (phrases := found(text))} == {}


def test_each_phrase_is_found_over_two_lines_and_not_in_other_words() -> None:
    for phrase, replaced in INSTEAD.items():
        line = f"not {phrase!r}, but {replaced.by}: {replaced.why}"
        assert line in found("before {}, after".format(phrase.lower().replace(" ", "\n    ")))
        assert line not in found(f"re{phrase}ed")


def test_texts_have_no_marks_of_a_merge_conflict() -> None:
    marks = re.compile(r"^(?:<{7} |={7}$|>{7} )", re.MULTILINE)
    assert [name for name, text in texts() if marks.search(text)] == []
