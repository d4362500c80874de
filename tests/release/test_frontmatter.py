"""One answer to what tags and tools a frontmatter declares, for pages, server and comparison."""

import pytest

from skillbuild.model import Json
from skillbuild.release.frontmatter import author_of, is_internal, language_of, tags_of, tools_of


@pytest.mark.parametrize(
    ("frontmatter", "tags"),
    [
        ({}, ()),
        ({"tags": ["SQL", "db", 1, None]}, ("sql", "db")),
        ({"tags": "[SQL; 'two  words'\nx]"}, ("sql", "two words", "x")),
        ({"tags": ["a"], "metadata": {"tags": "A, b"}}, ("a", "b")),
        ({"metadata": "tags"}, ()),
        ({"tags": "x" * 41}, ()),
        ({"tags": [f"t{number}" for number in range(30)]}, tuple(f"t{n}" for n in range(20))),
    ],
)
def test_tags_are_read_alike_in_every_form(
    frontmatter: dict[str, Json], tags: tuple[str, ...]
) -> None:
    assert tags_of(frontmatter) == tags


@pytest.mark.parametrize(
    ("declared", "tools"),
    [
        (None, None),
        ({}, None),
        ("", ()),
        ("Read, Bash(git add *) Edit", ("Read", "Bash(git add *)", "Edit")),
        (["Read", 1], ("Read", "1")),
    ],
)
def test_tools_are_a_text_or_a_list(declared: Json, tools: tuple[str, ...] | None) -> None:
    assert tools_of({"allowed-tools": declared}) == tools


@pytest.mark.parametrize(
    ("value", "internal"),
    [(True, True), ("true", True), (False, False), ("yes", False), (1, False)],
)
def test_internal_is_a_boolean_or_a_text(value: Json, internal: bool) -> None:
    assert is_internal({"metadata": {"internal": value}}) is internal
    assert is_internal({"internal": value}) is False


@pytest.mark.parametrize(
    ("frontmatter", "author", "language"),
    [
        ({}, "", ""),
        ({"author": " Ada\n Example ", "lang": "ja"}, "Ada Example", "ja"),
        ({"author": "a", "metadata": {"author": "b", "lang": "zh_Hant"}}, "b", "zh-Hant"),
        ({"author": {"name": "a"}, "lang": 'x" onload="'}, "", ""),
        ({"author": "x" * 99, "lang": "en-" + "a" * 40}, "x" * 80, ""),
        ({"metadata": "author", "lang": ["de"]}, "", ""),
    ],
)
def test_author_and_language_are_texts_of_metadata_or_beside_it(
    frontmatter: dict[str, Json], author: str, language: str
) -> None:
    assert (author_of(frontmatter), language_of(frontmatter)) == (author, language)
