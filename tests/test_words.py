"""Words and phrases that people had to read twice do not come back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helpers import TESTS

ROOT = TESTS.parent
FOLDERS = {
    "builder/skillbuild": (".py", ".html", ".js"),
    "site_src": (".md",),
    ".github": (".md", ".yml"),
}
FILES = ("README.md", "CHANGELOG.md", "action.yml", "builder/README.md", "tests/README.md")

INSTEAD = {
    "mend": "fix",
    "mended": "fixed",
    "typed clients": "FastMCP and the TypeScript SDK",
    "typed MCP clients": "FastMCP and the TypeScript SDK",
    "strict clients": "FastMCP and the TypeScript SDK",
    "strict MCP clients": "FastMCP and the TypeScript SDK",
    "strict readers": "the names of the clients",
    "one host reads": "the name of the host, or: some hosts read",
    "one host refuses": "the name of the host, or: some hosts refuse",
    "one client refuses": "the name of the client, or: some clients refuse",
    "throw away the whole": "reject the whole",
    "leads to nothing": "does not exist",
    "so it is with": "the number of skills that are affected",
    "where that matters": "what happens otherwise",
    "where clients read such fields": "no hint, if there is nothing to do",
    "have no use for": "do not need",
    "has no use for": "does not need",
    "of no use": "not needed",
    "is no text": "must be a string",
    "not as it should be": "the number of problems",
    "would be that of": "is already the name of",
    "listed otherwise": "in different listings",
    "graver": "more severe",
    "gravest": "most severe",
    "passed over": "not reported",
    "nothing is said": "not reported",
    "without a word": "silently",
    "in silence": "silently",
    "for ever": "forever",
    "anew": "again",
    "slips of a letter": "typos",
    "misspelt": "misspelled",
    "whatever the settings say": "even with the setting, by its name",
    "left out for the sake of": "left out to protect",
    "say goodbye": "retire a skill",
    "the newest word": "the thing itself",
    "a skill path without blanks": "a skill path without spaces",
    "in the place of such": "instead",
    "not there in time": "timed out",
}
"""What to write in place of each; a stranger did not understand it, or found it translated."""


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
        f"not {phrase!r}, but {better}"
        for phrase, better in INSTEAD.items()
        if phrase.lower() in joined
        and re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", joined)
    ]


def test_texts_have_no_phrase_that_was_replaced() -> None:
    assert {name: phrases for name, text in texts() if (phrases := found(text))} == {}


def test_each_phrase_is_found_over_two_lines_and_not_in_other_words() -> None:
    for phrase, better in INSTEAD.items():
        line = f"not {phrase!r}, but {better}"
        assert line in found("before {}, after".format(phrase.lower().replace(" ", "\n    ")))
        assert line not in found(f"re{phrase}ed")
