"""A Markdown text as its readers see it: links, code and headings with their places."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbuild.model import Place
from skillbuild.text.markdown.document import (
    LONGEST_TEXT,
    Comment,
    Document,
    Fence,
    Heading,
)
from skillbuild.text.markdown.render import render_markdown

PATHS = re.compile(r"`[^`\n/]*/[^`\n]*`")


def refer(text: str, first_line: int = 1) -> list[tuple[str, str, int, int]]:
    return [
        (item.kind, item.target, item.place.line, item.place.column)
        for item in Document(text, first_line).references(PATHS)
    ]


REFERENCES: dict[str, list[tuple[str, str, int, int]]] = {
    "[a](b.md)": [("link", "b.md", 1, 5)],
    "é [a](b.md) [a](b.md)": [("link", "b.md", 1, 7), ("link", "b.md", 1, 17)],
    "[a](b.md 'title')": [("link", "b.md", 1, 5)],
    "[a](<b c.md>)": [("link", "b c.md", 1, 6)],
    "![a](b.png)": [("image", "b.png", 1, 6)],
    "[![a](b.png)](c.md)": [("image", "b.png", 1, 7), ("link", "c.md", 1, 15)],
    "[a][r]\n\n[r]: b.md\n": [("link", "b.md", 1, 1)],
    "[r]\n\n[r]: b.md\n": [("link", "b.md", 1, 1)],
    "`a/b.py` and `a`": [("code", "a/b.py", 1, 2), ("code", "a", 1, 15)],
    "``a/b.d `c`.py``": [("code", "a/b.d `c`.py", 1, 3)],
    "only `a`": [],
    "one\ntwo [a](b.md)\n\nthree `c/d.e`": [("link", "b.md", 2, 9), ("code", "c/d.e", 4, 8)],
    "- [a](b.md)\n  - [c](d.md)\n": [("link", "b.md", 1, 7), ("link", "d.md", 2, 9)],
    "> [a](b.md)": [("link", "b.md", 1, 7)],
    "# [a](b.md)": [("link", "b.md", 1, 7)],
    "|a|\n|-|\n|[b](c.md)|": [("link", "c.md", 3, 6)],
    "**[a](b.md)**": [("link", "b.md", 1, 7)],
    "[a](b%20c.md)": [("link", "b%20c.md", 1, 5)],
    "[a](javascript:x)": [("link", "javascript:x", 1, 5)],
    "    [a](b.md)": [],
    "-     [a](b.md)": [],
    "> - [a](b.md)\n>   [b](c.md)": [("link", "b.md", 1, 9), ("link", "c.md", 2, 9)],
    "|[a](b.md)|`x\\|y/z`|[a](b.md)|\n|-|-|-|\n": [
        ("link", "b.md", 1, 6),
        ("code", "x|y/z", 1, 13),
        ("link", "b.md", 1, 25),
    ],
    "|x\\|y [a](b.md)|\n|-|\n": [("link", "b.md", 1, 11)],
    "[a\nb](c.md)": [("link", "c.md", 2, 4)],
    r"[a](b\_c.md)": [("link", "b_c.md", 1, 1)],
    "[a](é.md)": [("link", "é.md", 1, 5)],
    "x [r] [r]\n\n[r]: b.md\n": [("link", "b.md", 1, 3), ("link", "b.md", 1, 7)],
    "a\r\n[a](b.md)\rc [a](d.md)": [("link", "b.md", 2, 5), ("link", "d.md", 3, 7)],
    "x[^1]\n\n[^1]: [a](b.md)\n": [("link", "b.md", 3, 11)],
    "[r]\r\r> - [r]: b.md\r": [("link", "b.md", 1, 1)],
    "[a\\]\nb]\n\n[a\\]\nb]: b.md\n": [("link", "b.md", 1, 1)],
    "x[^1] [r]\n\n[^1]: [r]: b.md\n": [("link", "b.md", 1, 7)],
    "https://a.b <https://a.b>": [],
    "<div>\n[a](b.md)\n</div>\n": [("link", "b.md", 2, 5)],
    "```\n[a](b.md) `c/d`\n```\n": [],
    "~~~\n[a](b.md)\n~~~\n": [],
    "1. x\n\n   ```sh\n   [a](b.md)\n   ```\n": [],
    "1.  x\n\n    ```sh\n    [a](b.md)\n    ```\n": [],
    "`[a](b.md)`": [("code", "[a](b.md)", 1, 2)],
    r"\[a](b.md) [a\](b.md)": [],
    "<!-- [a](b.md) -->": [("link", "b.md", 1, 10)],
    "<a href='[a](b.md)'>": [("link", "b.md", 1, 14)],
    "[a] (b.md)": [],
    "[a]()": [],
    "[a](b c)": [],
    "`a/b\n": [],
    "": [],
}


@pytest.mark.parametrize(("text", "want"), REFERENCES.items())
def test_links_images_and_code_spans_are_found_with_their_places(
    text: str, want: list[tuple[str, str, int, int]]
) -> None:
    assert refer(text) == want


def test_places_count_from_the_first_line_that_is_given() -> None:
    assert refer("x\n[a](b.md)", 10) == [("link", "b.md", 11, 5)]


def test_a_text_that_is_too_long_has_no_references() -> None:
    assert refer("[a](b.md)" + " " * (LONGEST_TEXT - 9)) == [("link", "b.md", 1, 5)]
    assert refer("[a](b.md)" + " " * (LONGEST_TEXT - 8)) == []


PARTS = (
    *("words", "`a/b.c`", "`x`", "[t](u/v.md)", "![i](p.png)", "[![i](p.png)](q.md)", "**", "_"),
    *("> ", "- ", "1. ", "    ", "\t", "```", "~~~", "|", "|-|", "# ", "---", "==", "`", "](", "["),
    *("\n", "\n", "\n\n", "\n \n", "\r\n", "<!--", "-->", "<div>", "[^1]", "[^1]: ", "é", " "),
)
TEXTS = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


@settings(max_examples=500, deadline=None)
@given(TEXTS)
def test_a_target_stands_at_its_place(text: str) -> None:
    document = Document(text)
    for item in document.references(re.compile("`")):
        rest = document.lines[item.place.line - 1][item.place.column - 1 :]
        whole = "\n".join([rest, *document.lines[item.place.line :]])
        assert re.sub(r"\s", "", whole).startswith(re.sub(r"\s", "", item.target[:1]))


DEFINITIONS = st.lists(
    st.sampled_from(
        (
            *("[r]: b.md", "[r]", "[^1]: ", "[^1]", "[r\nr]: b.md", "[r r]", "[\\]]: c", "[\\]]"),
            *("> ", "- ", "1) ", " ", "\t", "\n", "\n\n", "\r", "`", "```\n", "|", "|-|", "x"),
        )
    ),
    max_size=20,
).map("".join)


@settings(max_examples=500, deadline=None)
@given(DEFINITIONS)
def test_no_text_with_a_link_is_passed_over_without_being_parsed(text: str) -> None:
    parsed_anyway = f"{text}\n\nz ](\n"
    assert [*Document(text).references()] == [*Document(parsed_anyway).references()]


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_what_is_read_first_does_not_matter(text: str) -> None:
    read, page = Document(text), render_markdown(Document(text), lambda kind, target: target)
    found = list(read.references(re.compile("`")))
    assert (read.headings, read.comments) == (Document(text).headings, Document(text).comments)
    for _ in range(2):
        assert render_markdown(read, lambda kind, target: target) == page
    assert list(read.references(re.compile("`"))) == found


def test_headings_have_the_line_in_which_they_begin() -> None:
    text = "# A *b*\n\nC\n===\n\n- # `d`\n\n```\n# e\n```\n\n#\n"
    assert Document(text, 5).headings == (
        Heading(2, "user-content-a-b", "A b", 5),
        Heading(2, "user-content-c", "C", 7),
        Heading(2, "user-content-d", "d", 10),
    )
    assert Document(text).anchors == {"a-b", "c", "d"}


def test_fences_have_the_line_of_their_text() -> None:
    text = "```sh a=b\nx\ny\n```\n\n    ```\n\n> - ~~~ {.py}\n>   z\n\n```\nend"
    assert Document(text, 3).fences == (
        Fence("sh", "x\ny\n", 4),
        Fence("{.py}", "z\n", 11),
        Fence("", "end", 14),
    )


def test_comments_are_html_outside_of_code() -> None:
    text = "a <!-- b --> c\n\n<!--\n\n```\n\n-->\n\n`<!-- d -->`\n\n```\n<!-- e -->\n```\n"
    document = Document(text, 2)
    assert document.comments == (
        Comment(Place(4, 1), Place(9, 1)),
        Comment(Place(2, 3), Place(2, 13)),
    )
    places = [Place(2, 2), Place(2, 3), Place(2, 12), Place(2, 13), Place(3, 1), Place(5, 9)]
    assert [document.is_aside(place) for place in places] == [
        *(False, True, True, False, False, True)
    ]


def test_a_sample_of_markdown_with_fences_in_it_goes_on_after_the_first_that_ends() -> None:
    text = "```markdown\n# a\n```sh\nb\n```\nc\n```js\nd\n```\n[e](e)\n```\nf\n"
    document = Document(text)
    assert [line for line in range(1, 13) if document.is_aside(Place(line, 1))] == [*range(6, 12)]
    whole = "````md\n```sh\nb\n```\n````\nc\n```\nd\n```\n"
    unclosed = "```\na\n```sh\nb\n```\nc\n"
    for other in (whole, unclosed, text.replace("markdown", "python")):
        assert not any(Document(other).is_aside(Place(line, 1)) for line in range(1, 13))


def test_a_text_that_is_too_long_has_lines_alone() -> None:
    document = Document("# a\n" + "```\n" + " " * LONGEST_TEXT)
    assert document.is_plain
    assert (document.headings, document.fences, document.comments) == ((), (), ())
    assert document.lines[0] == "# a"
